#include "runtime/strategy/random.h"

namespace heddle::strategy {

void RandomStrategy::begin(std::uint64_t seed, std::uint64_t index, const View&) {
  random_.reseed(mix(seed, index));
}

std::uint32_t RandomStrategy::choose(const ChoicePoint& point) { return random_.below(point.count); }

}  // namespace heddle::strategy
