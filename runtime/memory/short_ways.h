// The hot ways of MemoryModel that are longer than a line: what is inlined where an operation of the program is
// performed. Included by memory_model.h.
#pragma once

#include "runtime/memory/memory_model.h"

namespace heddle::memory {

[[gnu::always_inline]] inline bool MemoryModel::load_repeats(ThreadId t, const Found& found,
                                                             MemoryOrder order) {
  const Location& x = *found.location;
  const Access& last = found.accessor->history.last;
  ThreadState& s = threads_.state(t);
  if (last.store != x.newest || !x.has_single_maximum() || last.time < s.risen) return false;
  if (!threads_.knows(t, x.store(x.newest).message)) return false;
  return !is_seq_cst(order) || repeat_load(x, s);
}

[[gnu::always_inline]] inline bool MemoryModel::update_newest(ThreadId t, const Found& found,
                                                              MemoryOrder order, const Value& value) {
  Location* const x = found.location;
  if (x->words != 1 || x->end - x->first == x->capacity || !x->has_single_maximum()) return false;
  if (!x->has_single_tail() && !knows_newest(*x, t, found.accessor)) return false;
  const Sequence read = x->newest;
  const Store& source = x->store(read);
  if (is_seq_cst(order) && may_overtake(threads_.state(t), source)) return false;
  pending_.location = x;
  pending_.is_cas = false;
  found.accessor->lessons = threads_.state(t).lessons;
  if (source.message) learn(t, source, order);
  const Sequence s = ModificationOrder::append_to_maximal(*x, read);
  Store& store = describe(*x, *found.accessor, s, t, value, kNoEvent, true);
  store.message = threads_.update_message(t, source.message, order);
  enter_store(*x, store, s, t, order, &source);
  limit_window(*x);
  return true;
}

template <bool kShort>
[[gnu::always_inline]] inline const Store& MemoryModel::finish_load(const Reading& reading, Sequence read) {
  Location& x = *reading.location;
  if (!kShort && reading.placed != 0) return finish_placed_load(reading, read);
  const ThreadId t = reading.thread;
  Accessor& accessor = commit_read<kShort>(reading, read);
  const Store& store = x.store(read);
  learn(t, store, reading.order);
  record(x, accessor, t, read);
  if (is_seq_cst(reading.order)) {
    if (kShort || model_.seq_cst_reads_bind) enter_load(x, t, read);
  } else {
    ThreadClocks::see(threads_.state(t), store.delta);
  }
  return store;
}

template <bool kShort>
[[gnu::always_inline]] inline Value MemoryModel::finish_update(const Reading& reading, Sequence read,
                                                               const Value& value, EventId event) {
  Location& x = *reading.location;
  if (!kShort && reading.placed != 0) return finish_placed_update(reading, read, value, event);
  const ThreadId t = reading.thread;
  Accessor& accessor = commit_read<kShort>(reading, read);
  learn(t, x.store(read), reading.order);
  const Sequence s = order_.append_update(x, read);
  // Before the message is made: publishing advances the thread's time.
  Store& store = describe(x, accessor, s, t, value, event, true);
  store.message = threads_.update_message(t, x.store(read).message, reading.order);
  enter_store(x, store, s, t, reading.order, &x.store(read));
  const Value newest = x.store(x.newest).value;
  limit_window(x);
  return newest;
}

}  // namespace heddle::memory
