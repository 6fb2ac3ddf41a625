// A random walk over places of the program: first a place where threads stand, each with the same
// probability, then one of the threads there. Threads that do the same count as one, so that the one that
// does something else comes to its turn however many there are: of 99 writers and one reader a walk over
// threads lets the reader run before the second write of any with a probability that falls with the power of
// its operations; here it does not depend on the number of writers. Loads read any store that is allowed.
#pragma once

#include "runtime/strategy/follower.h"

namespace heddle::strategy {

class PlacesStrategy final : public Follower {
 public:
  std::uint32_t choose(const ChoicePoint& point) override;

 private:
  static constexpr std::uint32_t kGroups = 64;  // places beyond this many share groups
  static constexpr std::uint32_t kKnown = 128;

  std::uint32_t choose_thread(const ChoicePoint& point);
};

}  // namespace heddle::strategy
