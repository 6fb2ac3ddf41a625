#include "tool/constraints/happens_before.h"

#include <algorithm>

namespace heddle::constraints {

HappensBefore::HappensBefore(const Structure& structure, std::span<const ActionId> order,
                             std::span<const ActionId> sources)
    : s_(structure),
      sources_(sources),
      width_(structure.thread_count()),
      clocks_(structure.count() * width_),
      edges_(structure.count()),
      objects_(structure.object_count()),
      last_release_fence_(width_, kNoAction),
      release_fence_(structure.count(), kNoAction),
      unacquired_reads_(width_),
      forced_before_(structure.count()) {
  for (const auto& [a, b] : s_.forced()) forced_before_[b].push_back(a);
  for (ActionId id : order) {
    add_edges(id);
    std::uint32_t* clock = &clocks_[std::size_t{id} * width_];
    const auto join = [&](ActionId from) {
      const std::uint32_t* other = &clocks_[std::size_t{from} * width_];
      for (std::size_t t = 0; t < width_; ++t) clock[t] = std::max(clock[t], other[t]);
      clock[s_.thread_index(from)] = std::max(clock[s_.thread_index(from)], s_.ordinal(from) + 1);
    };
    if (s_.ordinal(id) > 0) join(s_.thread(s_.thread_index(id))[s_.ordinal(id) - 1]);
    for (ActionId from : forced_before_[id]) join(from);
    for (const Edge& edge : edges_[id]) join(edge.from);
  }
}

void HappensBefore::add_edges(ActionId id) {
  const Action& a = s_.action(id);
  const std::uint32_t thread = s_.thread_index(id);
  if (a.kind == EventKind::kFence) {
    if (is_acquire(a.order)) {
      for (ActionId read : unacquired_reads_[thread]) add_heads(read, id);
      unacquired_reads_[thread].clear();
    }
    if (is_release(a.order)) last_release_fence_[thread] = id;
  } else if (a.is_access()) {
    if (!a.is_atomic()) return;
    if (a.writes()) release_fence_[id] = last_release_fence_[thread];
    if (a.reads()) {
      if (is_acquire(a.order)) {
        add_heads(id, id);
      } else {
        unacquired_reads_[thread].push_back(id);
      }
    }
  } else {
    synchronise_object(id);
  }
}

void HappensBefore::add_heads(ActionId read, ActionId acquirer) {
  for (ActionId w = source_of(read); w != kNoAction; w = source_of(w)) {
    const Action& write = s_.action(w);
    if (!write.is_atomic()) return;
    const ActionId releaser = is_release(write.order) ? w : release_fence_[w];
    if (releaser != kNoAction && s_.thread_index(releaser) != s_.thread_index(acquirer))
      edges_[acquirer].push_back({releaser, false, read, w});
    if (write.kind != EventKind::kAtomicUpdate) return;
    // An update that acquires has all that it continues before it, and hands that on.
    if (is_release(write.order) && is_acquire(write.order)) return;
  }
}

void HappensBefore::synchronise_object(ActionId id) {
  const Action& a = s_.action(id);
  Object& object = objects_[s_.object_of(id)];
  const auto after = [&](ActionId from) {
    if (from != kNoAction && s_.thread_index(from) != s_.thread_index(id))
      edges_[id].push_back({from, true, kNoAction, kNoAction});
  };
  switch (a.kind) {
    case EventKind::kMutexLock:
    case EventKind::kRwlockReadLock:
      after(object.last_release);
      break;
    case EventKind::kRwlockWriteLock:
    case EventKind::kSemaphoreWait:
      after(object.last_release);
      for (ActionId from : object.shared) after(from);
      if (a.kind == EventKind::kRwlockWriteLock) object.shared.clear();
      break;
    case EventKind::kMutexUnlock:
      if (s_.section_ended(id) != kNoSection) object.last_release = id;
      break;
    case EventKind::kRwlockUnlock: {
      const std::uint32_t section = s_.section_ended(id);
      if (section == kNoSection) break;
      if (s_.sections()[section].exclusive) {
        object.last_release = id;
      } else {
        object.shared.push_back(id);
      }
      break;
    }
    case EventKind::kCondWait:
      if (s_.section_ended(id) != kNoSection)
        objects_[s_.sections()[s_.section_ended(id)].object].last_release = id;
      break;
    case EventKind::kSemaphorePost:
      object.shared.push_back(id);
      break;
    default:
      break;
  }
}

std::vector<HappensBefore::Step> HappensBefore::path(ActionId a, ActionId b) const {
  // Backwards: `b` has `a` before it, so some edge into its thread up to `b` has, or `a` is in that thread.
  std::vector<Step> steps;
  ActionId at = b;
  while (s_.thread_index(at) != s_.thread_index(a)) {
    const std::span<const ActionId> own = s_.thread(s_.thread_index(at));
    const auto comes_from = [&](ActionId from) { return from == a || before(a, from); };
    // The earliest action of this thread that has `a` before it got it by an edge.
    std::uint32_t low = 0, high = s_.ordinal(at);
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (before(a, own[middle])) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const ActionId entry = own[low];
    const auto forced = std::find_if(forced_before_[entry].begin(), forced_before_[entry].end(), comes_from);
    if (forced != forced_before_[entry].end()) {
      at = *forced;
      continue;
    }
    const auto edge = std::find_if(edges_[entry].begin(), edges_[entry].end(),
                                   [&](const Edge& e) { return comes_from(e.from); });
    steps.push_back({*edge, entry});
    at = edge->from;
  }
  return steps;
}

std::vector<ActionId> HappensBefore::chain(ActionId read, ActionId head) const {
  std::vector<ActionId> reads{read};
  for (ActionId w = source_of(read); w != head; w = source_of(w)) reads.push_back(w);
  return reads;
}

}  // namespace heddle::constraints
