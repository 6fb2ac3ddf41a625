#include "runtime/strategy/places.h"

namespace heddle::strategy {

std::uint32_t PlacesStrategy::choose(const ChoicePoint& point) {
  if (point.kind != ChoiceKind::kThread) return below(point.count);
  if (continues_locally(point)) return point.fallback;
  const std::uint32_t picked = choose_thread(point);
  encounter(point.threads[picked]);
  return picked;
}

std::uint32_t PlacesStrategy::choose_thread(const ChoicePoint& point) {
  std::uint64_t places[kGroups];
  std::uint32_t members[kGroups];
  std::uint32_t groups = 0;
  const auto group_of = [&](std::uint32_t alternative) {
    const std::uint64_t pc = view_->next_operation(point.threads[alternative]).pc;
    for (std::uint32_t g = 0; g < groups; ++g) {
      if (places[g] == pc) return g;
    }
    if (groups == kGroups) return static_cast<std::uint32_t>(mix(pc, 0) % kGroups);
    places[groups] = pc;
    members[groups] = 0;
    return groups++;
  };
  std::uint8_t known[kKnown];  // the groups of the first alternatives
  for (std::uint32_t i = 0; i < point.count; ++i) {
    const std::uint32_t group = group_of(i);
    ++members[group];
    if (i < kKnown) known[i] = static_cast<std::uint8_t>(group);
  }
  const std::uint32_t drawn = below(groups);
  std::uint32_t left = below(members[drawn]);
  for (std::uint32_t i = 0; i < point.count; ++i) {
    if ((i < kKnown ? known[i] : group_of(i)) == drawn && left-- == 0) return i;
  }
  return point.fallback;
}

}  // namespace heddle::strategy
