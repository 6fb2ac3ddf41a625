#include "runtime/memory/overtaking.h"

#include <algorithm>

#include "runtime/memory/masks.h"

namespace heddle::memory {
namespace {

std::uint64_t bit_of(const Location& x, Sequence s) { return 1ull << x.slot(s); }

// The slots of stores that are mo-after one of `stores`.
std::uint64_t after_any(const Location& x, std::uint64_t stores) {
  std::uint64_t after = 0;
  for_each_slot(x.live, 1, [&](std::uint32_t slot) {
    if ((x.rows[slot] & stores) != 0) after |= 1ull << slot;
  });
  return after;
}

}  // namespace

void Overtaking::reset(const Model& model) {
  model_ = model;
  refused_ = false;
  notes_ = nullptr;
  note_count_ = 0;
  forgotten_ = 0;
  fenced_ = nullptr;
  fenced_count_ = 0;
}

Sequence Overtaking::find_store(const Location& x, std::uint32_t step) {
  for (Sequence s = x.end; s != x.first;) {
    --s;
    if (x.store(s).step == step && Location::test(x.live, x.slot(s))) return s;
  }
  return kNoSequence;
}

Location* Overtaking::find_read_back(const ReadBack& read, Sequence& store) const {
  Location* const x = table_.find(read.address, read.size);
  if (x == nullptr || x->number != read.location) return nullptr;
  store = find_store(*x, read.step);
  return store == kNoSequence ? nullptr : x;
}

void Overtaking::note_access(const Location& x, const ThreadState& s) {
  if (!model_.overtakes) return;
  if (notes_ == nullptr) notes_ = arena_.allocate_array<Note>(kNotes);
  Note& note = notes_[note_count_ % kNotes];
  if (note_count_ >= kNotes) forgotten_ = std::max(forgotten_, note.sigma);
  note = {x.address, x.number, s.sigma, x.size};
  ++note_count_;
}

bool Overtaking::last_access(const Location& x, SeqTime limit, Access& found) const {
  found = x.seq_cst.last;
  if (found.time <= limit) return true;
  // What is not kept of the others: accesses between which there is no fence.
  found = x.seq_cst.entry_at(limit);
  for (std::uint32_t i = 0; i < window_.count; ++i) {
    const TimedEvent& event = window_.events[i];
    if (event.location() != &x || event.reads_back()) continue;
    if (event.time > limit) return found.time >= event.previous;
    if (event.time >= found.time) found = {event.time, find_store(x, event.store)};
  }
  return false;
}

std::uint64_t Overtaking::by_others(const Location& x, const ThreadState& s, ThreadId t) {
  BelowMasks masks;
  if (x.floor != kNoSequence) masks.add(x, x.floor);
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
    const Accessor& a = x.accessors[i];
    if (a.thread != t) masks.add(x, a.history.at(s.clock[index_of(a.thread)]));
  }
  return masks.known;
}

// Axioms 1 and 3 from below, as models/cxx20.h has them at the end: V is C joined with G of the fences up to the
// place, or up to sigma if that is later.
bool Overtaking::below(const Location& x, const ThreadState& s, SeqTime before, BelowMasks& masks) const {
  if (x.floor != kNoSequence) masks.add(x, x.floor);
  const bool by_fence = s.sigma > before;
  const SeqTime limit = by_fence ? s.sigma : before;
  const View* const g = by_fence ? s.fence_view : order_.fence_view(before);
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
    const Accessor& a = x.accessors[i];
    const std::uint32_t u = index_of(a.thread);
    masks.add(x, a.history.at(std::max(s.clock[u], g != nullptr ? g->time(u) : 0)));
  }
  Access last;
  if (!last_access(x, limit, last)) return false;
  masks.add(x, last.store);
  for (std::uint32_t i = 0; i < x.soft_count; ++i) {
    if (x.soft[i].time > last.time && x.soft[i].time <= limit) masks.add(x, x.soft[i].store);
  }
  return true;
}

// [atomics.order]p4 from the other side: what is after the place, and is coherence-ordered before by the access if it
// is above, must not be before it.
AboveMasks Overtaking::above(const Location& x, SeqTime before) const {
  AboveMasks masks;
  const bool fits = x.words == 1 && !x.latest_only;
  const auto add = [&](Sequence s, bool writes) {
    if (!fits || !x.is_live(s)) {
      masks.is_lost = true;
    } else {
      (writes ? masks.strict : masks.weak) |= bit_of(x, s);
    }
  };
  for (std::uint32_t i = 0; i < window_.count; ++i) {
    const TimedEvent& event = window_.events[i];
    if (event.time <= before || event.location() != &x) continue;
    const Sequence store = find_store(x, event.store);
    add(store, store != kNoSequence && x.store(store).seq_time == event.time);
    if (!event.reads_back()) break;
  }
  if (x.forgotten > before) masks.is_lost = true;
  for (std::uint32_t i = 0; i < x.accessor_count; ++i) {
    const Accessor& a = x.accessors[i];
    const std::uint32_t from = threads_.risen_above(index_of(a.thread), before);
    Access first;
    if (from == ThreadClocks::kNever || !a.history.first_from(from, first)) continue;
    const bool live = x.is_live(first.store);
    const Store& store = x.store(first.store);
    add(first.store, live && store.writer == a.thread && store.epoch == first.time);
  }
  return masks;
}

// All edges below → access → above are added together: no cycle may come of them, and edges leave from the tails of
// blocks and arrive at their heads.
std::uint64_t Overtaking::allowed(const Location& x, ThreadId t, Kind kind, const BelowMasks& below,
                                  const AboveMasks& above, bool& fits) const {
  const std::uint64_t up = above.all();
  const std::uint64_t after = after_any(x, up);
  std::uint64_t shared = 0;  // of blocks in which there are bounds of both kinds
  std::uint32_t shared_blocks = 0;
  for_each_slot(&up, 1, [&](std::uint32_t slot) {
    const std::uint64_t members = x.numbered[x.block_of(slot)].members & x.live[0];
    if ((members & below.known) == 0 || (members & shared) != 0) return;
    shared |= members;
    ++shared_blocks;
  });
  fits = (up & below.excluded) == 0 && (above.strict & below.known) == 0;
  const std::uint64_t coherent = x.live[0] & ~below.excluded;
  if (kind != Kind::kLoad) {
    fits = fits && shared_blocks == 0;
    return fits ? coherent & x.tails[0] & ~after & ~up : 0;
  }
  std::uint64_t result = 0;
  if (fits && shared_blocks <= 1)
    result = coherent & ~after & ~above.strict & (shared_blocks != 0 ? shared : ~0ull);
  // A load that reads back is not itself below what is above, but those are whose accesses happen before it.
  const ThreadState& s = threads_.state(t);
  if (!model_.reads_back_freely || s.read_back_count == SeldomState::kReadBacks) return result;
  const std::uint64_t others = by_others(x, s, t);
  std::uint64_t before_others = 0;
  for_each_slot(&others, 1, [&](std::uint32_t slot) { before_others |= x.rows[slot]; });
  const bool others_fit = (up & before_others) == 0 && (above.strict & others) == 0;
  for_each_slot(&coherent, 1, [&](std::uint32_t slot) {
    const std::uint64_t bit = 1ull << slot;
    if (reads_back(x.stores[slot], t) && (others & bit) == 0)
      result = others_fit ? result | bit : result & ~bit;
  });
  return result;
}

// The stores that t has read back bound others from the place of its next seq_cst write on.
bool Overtaking::may_drain(const ThreadState& s, SeqTime before) {
  for (std::uint32_t i = 0; i < s.read_back_count; ++i) {
    Sequence store;
    const Location* const x = find_read_back(s.seldom->read_backs[i], store);
    if (x == nullptr) continue;
    const AboveMasks masks = above(*x, before);
    const bool is_lost = masks.is_lost || x->words != 1;
    refused_ = refused_ || is_lost;
    if (is_lost || (masks.all() & x->rows[x->slot(store)]) != 0 || (masks.strict & bit_of(*x, store)) != 0)
      return false;
  }
  return true;
}

std::uint64_t Overtaking::find(SpotList& list, const Location& x, ThreadId t, Kind kind, const Spot& end) {
  list.spots[0] = end;
  list.count = 1;
  std::uint64_t readable = end.allowed;
  const ThreadState& s = threads_.state(t);
  const SeqTime own_delta = s.delta;
  const SeqTime latest = kind == Kind::kStore ? own_delta : std::max(own_delta, x.delta);
  if (!model_.overtakes || latest <= s.lambda) return readable;
  window_ = order_.window();
  for (std::uint32_t i = window_.count; i-- > 0;) {
    Spot spot;
    spot.after = window_.events[i].time;
    spot.before = i != 0 ? window_.events[i - 1].time : 0;
    spot.overtaken = window_.count - i;
    if (spot.after <= s.lambda) break;
    if (spot.after > latest || spot.before < s.lambda) continue;
    if ((i == 0 && !window_.whole) || spot.time() == 0 || !order_.has_room() || x.words != 1 ||
        x.latest_only) {
      refused_ = true;
      continue;
    }
    BelowMasks lower;
    const bool known = below(x, s, spot.before, lower);
    const AboveMasks upper = above(x, spot.before);
    if (!known || upper.is_lost) {
      refused_ = true;
      continue;
    }
    bool fits = false;
    const std::uint64_t stores = allowed(x, t, kind, lower, upper, fits);
    for_each_slot(&stores, 1, [&](std::uint32_t slot) {
      const Store& store = x.stores[slot];
      if (store.seq_time <= spot.before && spot.after <= std::max(own_delta, store.delta))
        spot.allowed |= 1ull << slot;
    });
    if (kind == Kind::kStore ? !fits : spot.allowed == 0) continue;
    if (kind != Kind::kLoad && !may_drain(s, spot.before)) continue;
    spot.below = lower.known;
    spot.above = upper.all();
    readable |= spot.allowed;
    list.spots[list.count++] = spot;
  }
  return readable;
}

// The locations that seq_cst accesses after the moment are of, or accesses that a fence after it happens before.
bool Overtaking::collect_fenced(SeqTime from) {
  if (fenced_ == nullptr) fenced_ = arena_.allocate_array<Location*>(kMostFenced);
  fenced_count_ = 0;
  const auto add = [&](Location* x) {
    for (std::uint32_t i = 0; i < fenced_count_; ++i) {
      if (fenced_[i] == x) return true;
    }
    if (fenced_count_ == kMostFenced) return false;
    fenced_[fenced_count_++] = x;
    return true;
  };
  for (std::uint32_t i = 0; i < window_.count; ++i) {
    const TimedEvent& event = window_.events[i];
    if (event.time > from && event.location() != nullptr && !add(const_cast<Location*>(event.location())))
      return false;
  }
  for (std::uint32_t i = 0; i < std::min(note_count_, kNotes); ++i) {
    if (notes_[i].sigma <= from) continue;
    Location* const x = table_.find(notes_[i].address, notes_[i].size);
    if (x != nullptr && x->number == notes_[i].number && !add(x)) return false;
  }
  return forgotten_ <= from;
}

bool Overtaking::may_fence(ThreadId t, const Spot& spot) {
  bool fits = true;
  for_each_fenced(t, spot, [&](Location& x, const BelowMasks& under, const AboveMasks& over) {
    Access last;
    if (over.is_lost || (x.seq_cst.last.time > spot.before && !last_access(x, spot.before, last))) {
      refused_ = true;
      fits = false;
    }
    fits = fits && (over.all() & under.excluded) == 0 && (over.strict & under.known) == 0;
  });
  return fits;
}

void Overtaking::find_for_fence(SpotList& list, ThreadId t) {
  list.spots[0] = {};
  list.count = 1;
  const ThreadState& s = threads_.state(t);
  if (!model_.overtakes || s.delta <= s.lambda) return;
  window_ = order_.window();
  for (std::uint32_t i = window_.count; i-- > 0;) {
    Spot spot;
    spot.after = window_.events[i].time;
    spot.before = i != 0 ? window_.events[i - 1].time : 0;
    spot.overtaken = window_.count - i;
    if (spot.after <= s.lambda) break;
    if (spot.after > s.delta || spot.before < s.lambda) continue;
    if ((i == 0 && !window_.whole) || spot.time() == 0 || !order_.has_room() ||
        !order_.may_insert_fence(spot.before, threads_.width()) || !collect_fenced(spot.before)) {
      refused_ = true;
      continue;
    }
    if (may_fence(t, spot)) list.spots[list.count++] = spot;
  }
}

}  // namespace heddle::memory
