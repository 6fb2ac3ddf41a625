// What the checker answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/linearize/history.h"

namespace heddle::linearize {

enum class Verdict : std::uint8_t {
  kLinearizable,
  kNotLinearizable,
  kUnknown
};  // unknown: the budget ran out

enum class Method : std::uint8_t { kSearch, kQueueOrder, kStackNesting, kRegisterZones, kCounterOrder };

// Why there is no linearization. The operations of a pattern stand in `Violation::operations` in the order
// that the comment names.
enum class Pattern : std::uint8_t {
  kNoPlace,      // the operation that cannot be placed: no order of the others gives it its result
  kFromNowhere,  // a removal (or a read); nobody had begun to put its value there
  kTwice,        // two removals of one value, which is there once
  kOvertaken,    // insertion of a, insertion of b, removal of b, [removal of a]: a went in first and came out
                 // later
  kNotEmpty,     // a removal that found nothing, then operations whose values together fill all of its time
  kTwoValues,    // operations that saw one value, and operations that saw another one at that time
  kNoBottom,     // values that were on the stack at overlapping times, of which none can be below all others
};

struct Violation {
  Pattern pattern = Pattern::kNoPlace;
  // The first `prefix` events have no linearization; `prefix` - 1 events have one if `shortest`. The last of
  // them is the return of `operation`.
  std::size_t prefix = 0;
  bool shortest = true;
  OperationIndex operation = 0;
  std::vector<OperationIndex> operations;
};

struct Answer {
  Verdict verdict = Verdict::kUnknown;
  Method method = Method::kSearch;
  // A linearization: every operation that returned, and those pending ones that took effect.
  std::vector<OperationIndex> order;
  Violation violation;
  std::size_t configurations = 0;  // looked at by search
};

}  // namespace heddle::linearize
