#include "tool/run/visible_race.h"

namespace heddle::run {
namespace {

bool is_announced(AccessKind access) { return is_plain(access) || access == AccessKind::kFree; }

}  // namespace

bool add_race(const TraceFinding& race, VisiblePlaces& places) {
  if (race.kind != FindingKind::kDataRace) return false;
  bool is_new = false;
  const auto add = [&](const VisiblePlace& place) {
    if (places.covers(place.begin, place.end - place.begin)) return;
    is_new = places.add(place) || is_new;
  };
  for (const TracePart& part : race.parts) {
    if (part.role != PartRole::kAccess && part.role != PartRole::kPreviousAccess) continue;
    if (!is_announced(part.access)) continue;
    if (part.pc != 0) add(VisiblePlaces::code(part.pc));
    // (Of a free the whole block would be visible, whatever it is used for next.)
    const bool is_shared = part.memory == MemoryKind::kGlobal || part.memory == MemoryKind::kHeap;
    if (!is_shared || !is_plain(part.access)) continue;
    const std::uint64_t bytes = part.block_size != 0 ? part.block_size : part.size;
    add({part.address, part.address + bytes});
  }
  return is_new;
}

bool add_raced_memory(const TraceFinding& race, VisiblePlaces& places) {
  if (race.kind != FindingKind::kDataRace) return false;
  bool is_new = false;
  for (const TracePart& part : race.parts) {
    if (part.role != PartRole::kAccess && part.role != PartRole::kPreviousAccess) continue;
    if (!is_plain(part.access) || places.covers(part.address, part.size)) continue;
    is_new = places.add({part.address, part.address + part.size}) || is_new;
  }
  return is_new;
}

}  // namespace heddle::run
