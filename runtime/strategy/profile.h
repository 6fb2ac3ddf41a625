// Which places an execution accesses, and how often each of its threads does: what the first executions of a
// campaign leave for strategies that have to know (core/trace/learning.h).
#pragma once

#include "core/base/pages.h"
#include "runtime/strategy/events.h"

namespace heddle::strategy {

class Profile {
 public:
  // An execution begins.
  void clear();
  void count(const Operation& operation);
  // Leaves what was counted, once.
  void teach(Learning* learning);

 private:
  static constexpr std::uint32_t kPlaces = 256;
  struct Place {
    Address address;
    std::uint32_t writes;
    std::uint32_t counts[kProfiledThreads];
  };
  // Who runs an execution and who says that it is over may be two processes.
  struct Counts {
    bool has_any;
    Place places[kPlaces];
  };
  Counts* counts_ = static_cast<Counts*>(map_shared_pages(sizeof(Counts)));
};

}  // namespace heddle::strategy
