#include "runtime/record/element_choice.h"

#include <x86intrin.h>

#include <new>

#include "core/base/pages.h"
#include "core/base/random.h"

namespace heddle::record {

constinit Recording recording;

namespace {

constexpr std::uint32_t kMostModules = 256;

struct Modules {
  ElementChoice choice;
  struct Range {
    ElementEntry* begin;
    ElementEntry* end;
  } loaded[kMostModules] = {};
  std::uint32_t count = 0;
  // Every candidate so far, by id: an open hash table.
  struct Known {
    std::uint64_t id = 0;
    ChosenElement* element = nullptr;  // nullptr: not chosen
  }* known = nullptr;
  std::uint64_t known_count = 0;
  std::uint64_t known_capacity = 0;  // a power of two
};
constinit Modules modules;

bool is_candidate(const ElementEntry& entry, bool all_static) {
  const ElementChoice& choice = modules.choice;
  if ((entry.kind == ElementKind::kBlock) != (choice.kind == LogKind::kBlocks)) return false;
  if (choice.profile == nullptr || all_static) return true;
  std::uint64_t low = 0;
  std::uint64_t high = choice.profile_count;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    choice.profile[middle] < entry.id ? low = middle + 1 : high = middle;
  }
  return low < choice.profile_count && choice.profile[low] == entry.id;
}

std::uint64_t lot_of(const ElementEntry& entry) { return mix(modules.choice.instance, entry.id); }

// The element's place in the table, or the free one where it belongs.
Modules::Known& known_place(std::uint64_t id) {
  std::uint64_t at = id;
  while (modules.known[at & (modules.known_capacity - 1)].id != 0 &&
         modules.known[at & (modules.known_capacity - 1)].id != id)
    ++at;
  return modules.known[at & (modules.known_capacity - 1)];
}

// The runtime has no heap: a larger table is another one.
bool make_room_for_known(std::uint64_t more) {
  if (2 * (modules.known_count + more) < modules.known_capacity) return true;
  const Modules::Known* before = modules.known;
  const std::uint64_t capacity_before = modules.known_capacity;
  std::uint64_t capacity = 1024;
  while (capacity <= 2 * (modules.known_count + more)) capacity *= 2;
  auto* table = static_cast<Modules::Known*>(map_pages(capacity * sizeof(Modules::Known)));
  if (table == nullptr) return false;
  modules.known = table;
  modules.known_capacity = capacity;
  for (std::uint64_t i = 0; i < capacity_before; ++i) {
    if (before[i].id != 0) known_place(before[i].id) = before[i];
  }
  return true;
}

bool is_new_candidate(const ElementEntry& entry, bool all_static) {
  return is_candidate(entry, all_static) && known_place(entry.id).id == 0;
}

void choose(ElementEntry& entry, ChosenElement* element) {
  entry.version = &element->version;
  entry.index = element->entry.index;
  entry.chosen = 1;
}

// The largest lot that is among the `wanted` smallest: found bit by bit, so that nothing need be sorted or
// kept.
std::uint64_t threshold(const ElementEntry* begin, const ElementEntry* end, bool all_static,
                        std::uint64_t wanted) {
  std::uint64_t bound = 0;
  for (unsigned bit = 64; bit-- > 0;) {
    const std::uint64_t tried = bound | 1ull << bit;
    std::uint64_t below = 0;
    for (const ElementEntry* e = begin; e != end; ++e)
      below += is_new_candidate(*e, all_static) && lot_of(*e) < tried;
    if (below < wanted) bound = tried;
  }
  return bound;
}

}  // namespace

void give_up() {
  stop_element_recorder();
  if (recording.log.truncated != nullptr) recording.log.truncated();
}

void start_element_recorder(const ElementChoice& choice, const LogAccess& log) {
  modules.choice = choice;
  recording.log = log;
  recording.began = __rdtsc();
  recording.chosen = modules.count = 0;
  modules.known_count = modules.known_capacity = 0;
  recording.running = true;
}

bool choose_elements(ElementEntry* begin, ElementEntry* end, bool all_static) {
  if (!recording.running) return false;
  std::uint32_t place = modules.count;
  for (std::uint32_t i = modules.count; i-- > 0;) {
    if (modules.loaded[i].begin == begin) return false;  // each of its translation units asks
    if (modules.loaded[i].begin == nullptr) place = i;
  }
  if (place == kMostModules) return false;
  if (!make_room_for_known(static_cast<std::uint64_t>(end - begin))) {
    give_up();
    return false;
  }
  modules.loaded[place] = {begin, end};
  if (place == modules.count) ++modules.count;

  std::uint64_t candidates = 0;
  for (ElementEntry* e = begin; e != end; ++e) candidates += is_new_candidate(*e, all_static);
  const std::uint32_t percent = modules.choice.percent;
  std::uint64_t wanted = percent != 0 ? (candidates * percent + 50) / 100 : recording.chosen == 0 ? 1 : 0;
  if (percent != 0 && wanted == 0) wanted = 1;
  if (wanted > candidates) wanted = candidates;
  auto* ids = static_cast<std::uint64_t*>(
      recording.log.chunk(ChunkKind::kElements, (2 + wanted) * sizeof(std::uint64_t)));
  auto* elements = static_cast<ChosenElement*>(map_pages((wanted + 1) * sizeof(ChosenElement)));
  if (ids == nullptr || elements == nullptr) {
    give_up();
    return false;
  }
  std::uint64_t* const chunk = ids;
  *ids++ = candidates;
  *ids++ = wanted;
  const std::uint64_t bound = wanted != 0 ? threshold(begin, end, all_static, wanted) : 0;
  std::uint32_t index = recording.chosen;
  for (ElementEntry* e = begin; e != end; ++e) {
    if (!is_candidate(*e, all_static)) continue;
    Modules::Known& known = known_place(e->id);
    if (known.id == 0) {
      known.id = e->id;
      ++modules.known_count;
      if (lot_of(*e) <= bound && index < recording.chosen + wanted) {
        const std::uint32_t at = index - recording.chosen;
        ids[at] = e->id;
        known.element = new (&elements[at]) ChosenElement;
        known.element->entry = {e->id, &known.element->version, 1, e->kind, {}, index++};
      }
    }
    if (known.element != nullptr) choose(*e, known.element);
  }
  __atomic_store_n(&recording.chosen, index, __ATOMIC_RELEASE);
  recording.log.seal(chunk, (2 + wanted) * sizeof(std::uint64_t));
  return true;
}

void forget_elements(const ElementEntry* begin) {
  for (std::uint32_t i = 0; i < modules.count; ++i) {
    if (modules.loaded[i].begin == begin) modules.loaded[i] = {};
  }
}

void stop_element_recorder() {
  if (!recording.running) return;
  recording.running = false;
  for (std::uint32_t i = 0; i < modules.count; ++i) {
    for (ElementEntry* e = modules.loaded[i].begin; e != modules.loaded[i].end; ++e) e->chosen = 0;
  }
}

}  // namespace heddle::record
