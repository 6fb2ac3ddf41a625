#include "tool/constraints/structure.h"

#include <algorithm>
#include <map>

#include "core/trace/event_kinds.h"
#include "tool/constraints/expressions.h"

namespace heddle::constraints {

Structure::Structure(const SymbolicTrace& trace, Goal goal)
    : trace_(trace),
      goal_(goal),
      included_(trace.actions.size()),
      section_begun_(trace.actions.size(), kNoSection),
      section_ended_(trace.actions.size(), kNoSection) {
  const bool leaves_out = trace.bug.kind == BugKind::kDeadlock && goal == Goal::kFail;
  for (ActionId i = 0; i < trace.actions.size(); ++i) {
    included_[i] = !(leaves_out && trace.actions[i].synthetic);
    if (included_[i]) observed_.push_back(i);
  }
  number_threads();
  name_objects();
  find_cells();
  find_initial_values();
  find_sections();
  find_waits();
  force_thread_order();
  force_barriers();
  force_once();
  force_lifetimes();
  close_order();
}

void Structure::number_threads() {
  thread_index_.assign(count(), 0);
  ordinal_.assign(count(), 0);
  std::map<ThreadId, std::uint32_t> numbers;
  for (ActionId i : observed_) {
    const auto [entry, is_new] =
        numbers.emplace(action(i).thread, static_cast<std::uint32_t>(threads_.size()));
    if (is_new) threads_.emplace_back();
    thread_index_[i] = entry->second;
    ordinal_[i] = static_cast<std::uint32_t>(threads_[entry->second].size());
    threads_[entry->second].push_back(i);
  }
}

void Structure::name_objects() {
  object_of_.assign(count(), 0);
  std::map<Address, std::uint32_t> numbers;
  for (ActionId i : observed_) {
    if (action(i).is_access() || action(i).address == 0) continue;
    object_of_[i] =
        numbers.emplace(action(i).address, static_cast<std::uint32_t>(numbers.size() + 1)).first->second;
  }
  object_count_ = static_cast<std::uint32_t>(numbers.size() + 1);
  tokens_.assign(object_count_, 0);
  std::vector<bool> seen(object_count_);
  for (ActionId i : observed_) {
    const EventKind kind = action(i).kind;
    if (kind != EventKind::kSemaphoreWait && kind != EventKind::kSemaphorePost) continue;
    // The count after the first operation tells the one before it.
    if (!seen[object_of_[i]]) {
      const std::uint64_t after = action(i).value;
      tokens_[object_of_[i]] =
          kind == EventKind::kSemaphoreWait ? after + 1 : after - std::min<std::uint64_t>(after, 1);
    }
    seen[object_of_[i]] = true;
  }
}

void Structure::find_cells() {
  // Every begin and end of an access is a boundary; between two of them all accesses agree.
  std::vector<Address> boundaries;
  for (ActionId i : observed_) {
    if (!action(i).is_access()) continue;
    boundaries.push_back(action(i).address);
    boundaries.push_back(action(i).address + action(i).size);
  }
  std::sort(boundaries.begin(), boundaries.end());
  boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
  cells_.assign(boundaries.size(), Cell{});
  std::vector<bool> mixed(cells_.size()), atomic(cells_.size());
  first_part_.assign(count() + 1, 0);
  for (ActionId i = 0; i < count(); ++i) {
    first_part_[i] = static_cast<PartId>(parts_.size());
    const Action& a = action(i);
    if (!included_[i] || !a.is_access()) continue;
    auto cell = static_cast<CellId>(std::lower_bound(boundaries.begin(), boundaries.end(), a.address) -
                                    boundaries.begin());
    const bool whole = boundaries[cell + 1] == a.address + a.size;
    for (; boundaries[cell] < a.address + a.size; ++cell) {
      // Little-endian: the lowest address holds the lowest bits.
      parts_.push_back({i, cell, static_cast<std::uint8_t>((boundaries[cell] - a.address) * 8),
                        static_cast<std::uint8_t>((boundaries[cell + 1] - boundaries[cell]) * 8)});
      if (a.writes()) cells_[cell].writes.push_back(i);
      if (a.reads()) cells_[cell].reads.push_back(i);
      if (!whole) mixed[cell] = true;
      if (a.is_atomic()) atomic[cell] = true;
    }
  }
  first_part_[count()] = static_cast<PartId>(parts_.size());
  for (CellId c = 0; c < cells_.size(); ++c) cells_[c].weak = atomic[c] && !mixed[c];
}

void Structure::find_initial_values() {
  std::vector<ActionId> latest(cells_.size(), kNoAction);
  observed_sources_.assign(parts_.size(), kNoAction);
  for (ActionId i : observed_) {
    const Action& a = action(i);
    for (PartId p = first_part_[i]; p < first_part_[i + 1]; ++p) {
      Cell& cell = cells_[parts_[p].cell];
      if (a.reads()) {
        const bool told = a.is_atomic() && cell.weak &&
                          (a.reads_from != kNoAction || (a.flags & event_flags::kInitial) != 0);
        observed_sources_[p] = told ? a.reads_from : latest[parts_[p].cell];
        const bool is_initial =
            trace_.is_composed ? (a.flags & event_flags::kInitial) != 0 : observed_sources_[p] == kNoAction;
        if (is_initial && !cell.has_initial) {
          cell.has_initial = true;
          cell.initial = a.read_value >> parts_[p].shift & mask_of(parts_[p].bits);
        }
      }
      if (a.writes()) latest[parts_[p].cell] = i;
    }
  }
  for (const Part& part : parts_) take_known_initial(part);
}

void Structure::take_known_initial(const Part& part) {
  Cell& cell = cells_[part.cell];
  if (cell.has_initial || trace_.initial.empty()) return;
  const Address from = action(part.action).address + part.shift / 8;
  std::uint64_t value = 0;
  for (unsigned byte = 0; byte < part.bits / 8u; ++byte) {
    const auto known = trace_.initial.find(from + byte);
    if (known == trace_.initial.end()) return;
    value |= std::uint64_t{known->second} << (8 * byte);
  }
  cell.has_initial = true;
  cell.initial = value;
}

void Structure::find_sections() {
  struct Held {
    std::uint32_t section = kNoSection;
    std::uint32_t depth = 0;
  };
  sections_of_.assign(count(), {});
  for (const std::vector<ActionId>& own : threads_) {
    std::map<std::uint32_t, Held> held;
    const auto begin = [&](ActionId i, std::uint32_t object, bool exclusive) {
      Held& h = held[object];
      if (h.depth++ != 0) return;
      h.section = static_cast<std::uint32_t>(sections_.size());
      section_begun_[i] = h.section;
      sections_.push_back({i, kNoAction, object, action(i).thread, exclusive});
    };
    const auto end = [&](ActionId i, std::uint32_t object, bool wholly) {
      const auto h = held.find(object);
      if (h == held.end() || h->second.depth == 0) return;
      h->second.depth = wholly ? 0 : h->second.depth - 1;
      if (h->second.depth != 0) return;
      sections_[h->second.section].unlock = i;
      section_ended_[i] = h->second.section;
    };
    std::map<Address, std::uint32_t> object_at;
    for (ActionId i : own) {
      const Action& a = action(i);
      if (!a.is_access()) object_at[a.address] = object_of_[i];
      if (takes_lock(a.kind)) begin(i, object_of_[i], a.kind != EventKind::kRwlockReadLock);
      for (const auto& [object, h] : held) {
        if (h.depth != 0) sections_of_[i].push_back(h.section);
      }
      if (gives_lock_back(a.kind)) end(i, object_of_[i], false);
      // A wait lets go of a re-entrant mutex wholly; the lock before kCondWake takes it again.
      if (a.kind == EventKind::kCondWait && object_at.contains(a.value)) end(i, object_at[a.value], true);
    }
  }
}

void Structure::find_waits() {
  for (const std::vector<ActionId>& own : threads_) {
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (action(own[k]).kind != EventKind::kCondWait) continue;
      Wait wait{own[k], kNoAction, true, object_of_[own[k]]};
      for (std::size_t later = k + 1; later < own.size(); ++later) {
        const Action& a = action(own[later]);
        if (a.kind == EventKind::kCondWait) break;
        if (a.kind != EventKind::kCondWake || a.address != action(own[k]).address) continue;
        wait.wake =
            later == k + 2 && action(own[k + 1]).kind == EventKind::kMutexLock ? own[k + 1] : own[later];
        wait.needs_signal = (a.flags & (event_flags::kTimedOut | event_flags::kSpurious)) == 0;
        break;
      }
      waits_.push_back(wait);
    }
  }
}

void Structure::force(ActionId a, ActionId b) {
  // What the execution itself did the other way around is not forced, whatever a damaged trace says.
  if (thread_index_[a] != thread_index_[b] && a < b) forced_.emplace_back(a, b);
}

void Structure::force_thread_order() {
  std::map<ThreadId, std::uint32_t> index;
  for (std::uint32_t t = 0; t < threads_.size(); ++t) index[action(threads_[t][0]).thread] = t;
  for (ActionId i : observed_) {
    const Action& a = action(i);
    if (a.kind != EventKind::kThreadCreate && a.kind != EventKind::kThreadJoin) continue;
    const auto other = index.find(a.other);
    if (other == index.end()) continue;
    const std::vector<ActionId>& child = threads_[other->second];
    if (a.kind == EventKind::kThreadCreate) {
      force(i, child.front());
    } else {
      const auto last =
          std::find_if(child.rbegin(), child.rend(), [&](ActionId j) { return !action(j).synthetic; });
      if (last != child.rend()) force(*last, i);
    }
  }
}

void Structure::force_barriers() {
  // Recorded on arrival: who goes on has seen everybody of its round arrive.
  std::map<std::uint32_t, std::vector<ActionId>> rounds;
  const auto close = [&](const std::vector<ActionId>& round) {
    for (ActionId i : round) {
      const std::vector<ActionId>& own = threads_[thread_index_[i]];
      if (ordinal_[i] + 1 >= own.size()) continue;
      for (ActionId arrival : round) force(arrival, own[ordinal_[i] + 1]);
    }
  };
  for (ActionId i : observed_) {
    if (action(i).kind != EventKind::kBarrierWait) continue;
    std::vector<ActionId>& round = rounds[object_of_[i]];
    const bool again = std::any_of(round.begin(), round.end(),
                                   [&](ActionId j) { return thread_index_[j] == thread_index_[i]; });
    if (again || action(i).value == 1) {
      close(round);
      round.clear();
    }
    round.push_back(i);
  }
  for (const auto& [object, round] : rounds) close(round);
}

void Structure::force_once() {
  std::map<std::uint32_t, ActionId> first;
  std::map<Address, ActionId> futex_wakes;
  for (ActionId i : observed_) {
    const Action& a = action(i);
    if (a.kind == EventKind::kOnce) {
      const auto [entry, is_first] = first.emplace(object_of_[i], i);
      if (!is_first) force(entry->second, i);
    }
    // Whether a futex makes its caller wait depends on a value that is compared out of our sight: those that
    // slept stay behind the call that woke them.
    if (a.kind == EventKind::kFutexWake) futex_wakes[a.address] = i;
    if (a.kind == EventKind::kFutexWait && (a.flags & event_flags::kBlocked) != 0 &&
        futex_wakes.contains(a.address))
      force(futex_wakes[a.address], i);
  }
}

void Structure::force_lifetimes() {
  // An access that came before the block was freed stays before, and one after the allocation after: else a
  // schedule would show another bug than the one to be explained.
  struct Block {
    ActionId allocated = kNoAction;
    std::uint64_t size = 0;
    std::vector<ActionId> users;
  };
  std::map<Address, Block> blocks;
  const bool about_free = trace_.bug.kind == BugKind::kUseAfterFree;
  for (ActionId i : observed_) {
    const Action& a = action(i);
    if (a.kind == EventKind::kAllocate) {
      blocks[a.address] = {i, a.value, {}};
    } else if (a.kind == EventKind::kFree) {
      const auto block = blocks.find(a.address);
      if (block == blocks.end()) continue;
      if (block->second.allocated != kNoAction) force(block->second.allocated, i);
      for (ActionId user : block->second.users) force(user, i);
      blocks.erase(block);
    } else if (a.is_access()) {
      auto block = blocks.upper_bound(a.address);
      if (block == blocks.begin()) continue;
      --block;
      if (a.address >= block->first + block->second.size) continue;
      if (block->second.allocated != kNoAction) force(block->second.allocated, i);
      if (!about_free || i != trace_.bug.second) block->second.users.push_back(i);
    }
  }
}

void Structure::close_order() {
  std::vector<std::vector<ActionId>> before(count());
  for (const auto& [a, b] : forced_) before[b].push_back(a);
  const std::size_t width = threads_.size();
  clocks_.assign(count() * width, 0);
  // All edges agree with the observed order, so one pass closes it.
  for (ActionId i : observed_) {
    std::uint32_t* clock = &clocks_[i * width];
    const auto join = [&](ActionId from) {
      const std::uint32_t* other = &clocks_[from * width];
      for (std::size_t t = 0; t < width; ++t) clock[t] = std::max(clock[t], other[t]);
      clock[thread_index_[from]] = std::max(clock[thread_index_[from]], ordinal_[from] + 1);
    };
    if (ordinal_[i] > 0) join(threads_[thread_index_[i]][ordinal_[i] - 1]);
    for (ActionId from : before[i]) join(from);
  }
}

}  // namespace heddle::constraints
