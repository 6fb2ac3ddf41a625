// Which places an execution accesses, and how often each of its threads does: what the first executions of a
// campaign leave for strategies that have to know (core/trace/learning.h).
#pragma once

#include "core/base/pages.h"
#include "runtime/strategy/events.h"

namespace heddle::strategy {

class Profile {
 public:
  void count(const Operation& operation);
  void teach(Learning* learning);

 private:
  static constexpr std::uint32_t kPlaces = 256;
  struct Place {
    Address address;
    std::uint32_t writes;
    std::uint32_t counts[kProfiledThreads];
  };
  bool is_empty_ = true;
  Place* places_ = static_cast<Place*>(map_pages(kPlaces * sizeof(Place)));
};

}  // namespace heddle::strategy
