// Random histories for the comparison with the oracle.
#pragma once

#include <string>

#include "core/base/random.h"
#include "core/linearize/call.h"

namespace heddle::linearize::oracle {

struct Shape {
  std::string object = "queue";
  std::uint32_t threads = 3;
  std::uint32_t operations = 6;
  bool distinct = false;        // no value is inserted or written twice, and none is the initial one
  std::uint32_t pending = 10;   // percent of the operations that never return
  std::uint32_t mutations = 0;  // replies and neighbouring events that are changed afterwards
  std::uint32_t removals = 50;  // percent, of operations that remove or read
};

// A sequential object is run, each operation at a random point between its call and its return; then it is
// mutated.
CallHistory random_history(const Shape& shape, Random& random);

}  // namespace heddle::linearize::oracle
