#include "runtime/memory/thread_clocks.h"

#include <algorithm>

namespace heddle::memory {
namespace {

constexpr std::uint32_t kFirstCapacity = 16;

}  // namespace

void ThreadClocks::reset(const Model& model) {
  model_ = model;
  thread_capacity_ = kFirstCapacity;
  capacity_ = kFirstCapacity;
  width_ = 0;
  has_fences_ = false;
  fence_snapshot_ = nullptr;
  threads_ = arena_.allocate_array<ThreadState>(thread_capacity_);
  for (std::uint32_t i = 0; i < thread_capacity_; ++i) threads_[i] = ThreadState{};
  fence_clock_ = new_clock();
  scratch_ = new_clock();
  start(kMainThread);
}

std::uint32_t* ThreadClocks::new_clock() {
  std::uint32_t* clock = arena_.allocate_array<std::uint32_t>(capacity_);
  std::fill_n(clock, capacity_, 0u);
  return clock;
}

void ThreadClocks::ensure_width(std::uint32_t width) {
  HEDDLE_CHECK(width <= kMaxThreads);
  width_ = std::max(width_, width);
  if (width <= capacity_) return;
  const std::uint32_t old = capacity_;
  while (capacity_ < width) capacity_ *= 2;
  const auto widen = [&](std::uint32_t*& clock) {
    if (clock == nullptr) return;
    std::uint32_t* wider = new_clock();
    std::copy_n(clock, old, wider);
    arena_.release_array(clock, old);
    clock = wider;
  };
  ThreadState* threads = arena_.allocate_array<ThreadState>(capacity_);
  for (std::uint32_t i = 0; i < capacity_; ++i)
    threads[i] = i < thread_capacity_ ? threads_[i] : ThreadState{};
  arena_.release_array(threads_, thread_capacity_);
  threads_ = threads;
  thread_capacity_ = capacity_;
  for (std::uint32_t i = 0; i < old; ++i) {
    widen(threads_[i].clock);
    widen(threads_[i].acquire_fence);
  }
  widen(fence_clock_);
  widen(scratch_);
}

void ThreadClocks::start(ThreadId t) {
  ensure_width(index_of(t) + 1);
  ThreadState& s = state(t);
  HEDDLE_CHECK(!s.running);
  if (s.clock == nullptr) {
    s.clock = new_clock();
  } else {
    std::fill_n(s.clock, capacity_, 0u);
  }
  views_.replace(s.published, nullptr);
  views_.replace(s.fence_view, nullptr);
  s.sigma = 0;
  s.risen = 0;
  s.lambda = s.delta = 0;
  s.read_back_count = 0;
  s.acquire_fence_lambda = s.release_fence_lambda = 0;
  ++s.lessons;
  s.running = true;
  s.waits_for = kNoThread;
  s.clock[index_of(t)] = ++s.last_time;
}

void ThreadClocks::created(ThreadId parent, ThreadId child) {
  start(child);
  Message m = publish(parent);
  acquire(child, m, state(parent).lambda);
  see(state(child), state(parent).delta);
  views_.release(m.view);
}

void ThreadClocks::finished(ThreadId t) {
  ThreadState& s = state(t);
  // The clock stays for who joins; what only further operations of t would use goes.
  s.running = false;
  s.last_time = s.clock[index_of(t)];
  views_.replace(s.learnt, nullptr);
  views_.replace(s.previous, nullptr);
  views_.replace(s.release_fence, Message{});
  views_.replace(s.acquire_fence_view, nullptr);
  s.acquire_fence_pending = false;
  s.acquire_fence_sigma = 0;
  s.acquire_fence_lambda = s.release_fence_lambda = 0;
}

void ThreadClocks::joined(ThreadId joiner, ThreadId finished) {
  state(joiner).waits_for = kNoThread;
  Message m = publish(finished);
  acquire(joiner, m, state(finished).lambda);
  see(state(joiner), state(finished).delta);
  views_.release(m.view);
  ThreadState& s = state(finished);
  s.last_time = s.clock[index_of(finished)];
}

void ThreadClocks::take_snapshot(ThreadState& s) {
  s.published = views_.make(s.clock, width_, s.learnt, s.previous);
  if (width_ > kChunkTimes) views_.replace(s.previous, ViewPool::retain(s.published));
  if (model_.messages_carry_fences && s.sigma != 0) {
    s.published->sigma = s.sigma;
    s.published->fence_view = ViewPool::retain(s.fence_view);
  }
}

void ThreadClocks::learn_fence(ThreadState& s, SeqTime sigma, View* fence_view) {
  s.sigma = sigma;
  views_.replace(s.fence_view, ViewPool::retain(fence_view));
  s.risen = ++s.clock[&s - threads_];
  Rises& rises = seldom(s).rises;
  rises.latest[rises.count++ % Rises::kKept] = {s.risen, sigma};
}

SeldomState& ThreadClocks::seldom(ThreadState& s) {
  if (s.seldom == nullptr) {
    s.seldom = arena_.allocate_array<SeldomState>(1);
    s.seldom->rises.count = 0;
  }
  return *s.seldom;
}

std::uint32_t ThreadClocks::risen_above(std::uint32_t thread, SeqTime time) const {
  if (threads_[thread].seldom == nullptr) return kNever;
  const Rises* const rises = &threads_[thread].seldom->rises;
  const std::uint32_t first = rises->count > Rises::kKept ? rises->count - Rises::kKept : 0;
  for (std::uint32_t i = first; i != rises->count; ++i) {
    const Rises::Rise& rise = rises->latest[i % Rises::kKept];
    if (rise.sigma > time) return i == first && first != 0 ? 0 : rise.time;
  }
  return kNever;
}

SeqTime ThreadClocks::sigma_at(ThreadId t, std::uint32_t time) const {
  if (state(t).seldom == nullptr) return 0;
  const Rises* const rises = &state(t).seldom->rises;
  const std::uint32_t first = rises->count > Rises::kKept ? rises->count - Rises::kKept : 0;
  SeqTime sigma = first != 0 ? rises->latest[first % Rises::kKept].sigma : 0;
  for (std::uint32_t i = first; i != rises->count; ++i) {
    const Rises::Rise& rise = rises->latest[i % Rises::kKept];
    if (rise.time <= time) sigma = std::max(sigma, rise.sigma);
  }
  return sigma;
}

bool ThreadClocks::add_read_back(ThreadId t, const ReadBack& read) {
  ThreadState& s = state(t);
  ReadBack* const known = seldom(s).read_backs;
  std::uint32_t i = 0;
  while (i != s.read_back_count && known[i].location != read.location) ++i;
  if (i == SeldomState::kReadBacks) return false;
  known[i] = read;
  s.read_back_count = std::max(s.read_back_count, i + 1);
  return true;
}

void ThreadClocks::acquire_unknown(ThreadState& s, const Message& m, SeqTime lambda) {
  join(s.clock, *m.view);
  if (m.has_owner()) {
    std::uint32_t& known = s.clock[index_of(m.owner)];
    known = std::max(known, m.epoch);
  }
  if (lambda > s.lambda) s.lambda = lambda;
  if (m.view->sigma > s.sigma) learn_fence(s, m.view->sigma, m.view->fence_view);
  changed(s);
  if (width_ > kChunkTimes) views_.replace(s.learnt, ViewPool::retain(m.view));
}

void ThreadClocks::add_to_acquire_fence(ThreadState& s, const Message& m, SeqTime lambda) {
  s.acquire_fence_lambda = std::max(s.acquire_fence_lambda, lambda);
  if (s.acquire_fence == nullptr) s.acquire_fence = new_clock();
  if (!s.acquire_fence_pending) {
    std::fill_n(s.acquire_fence, capacity_, 0u);
    s.acquire_fence_pending = true;
  }
  if (m.has_owner()) {
    std::uint32_t& known = s.acquire_fence[index_of(m.owner)];
    if (known >= m.epoch) return;
    known = m.epoch;
  }
  join(s.acquire_fence, *m.view);
  if (m.view->sigma > s.acquire_fence_sigma) {
    s.acquire_fence_sigma = m.view->sigma;
    views_.replace(s.acquire_fence_view, ViewPool::retain(m.view->fence_view));
  }
}

void ThreadClocks::acquire_fence(ThreadId t) {
  ThreadState& s = state(t);
  if (!s.acquire_fence_pending) return;
  const std::uint32_t own = s.clock[index_of(t)];
  for (std::uint32_t i = 0; i < width_; ++i) s.clock[i] = std::max(s.clock[i], s.acquire_fence[i]);
  s.clock[index_of(t)] = own;
  if (s.acquire_fence_sigma > s.sigma) learn_fence(s, s.acquire_fence_sigma, s.acquire_fence_view);
  views_.replace(s.acquire_fence_view, nullptr);
  s.acquire_fence_sigma = 0;
  s.acquire_fence_pending = false;
  s.lambda = std::max(s.lambda, s.acquire_fence_lambda);
  changed(s);
}

void ThreadClocks::release_fence(ThreadId t) {
  const Message m = publish(t);
  views_.replace(state(t).release_fence, m);
  state(t).release_fence_lambda = state(t).lambda;
}

void ThreadClocks::append_seq_cst_fence(ThreadId t, TotalOrder& order) {
  const ThreadState& s = state(t);
  model_.join_fence(fence_clock_, s.clock, width_, index_of(t));
  View* const g = views_.make(fence_clock_, width_, fence_snapshot_, nullptr);
  views_.replace(fence_snapshot_, ViewPool::retain(g));
  const SeqTime time = order.append_fence(g);
  finish_seq_cst_fence(t, time, g);
}

void ThreadClocks::insert_seq_cst_fence(ThreadId t, TotalOrder& order, SeqTime time) {
  const std::uint32_t* clock = state(t).clock;
  std::copy_n(clock, capacity_, scratch_);
  if (const View* before = order.fence_view(time)) join(scratch_, *before);
  for (std::uint32_t i = 0; i < width_; ++i) fence_clock_[i] = std::max(fence_clock_[i], clock[i]);
  finish_seq_cst_fence(t, time, order.insert_fence(time, clock, scratch_, width_));
}

// The thread's time, its release fence and its labels. What was read back is in C.
void ThreadClocks::finish_seq_cst_fence(ThreadId t, SeqTime time, View* g) {
  ThreadState& s = state(t);
  has_fences_ = true;
  if (time > s.sigma) learn_fence(s, time, g);
  entered_early(s, time);
  s.read_back_count = 0;
  changed(s);
  release_fence(t);
}

Message ThreadClocks::merge(Message a, Message b) {
  if (!a) return b;
  if (!b) return a;
  if (b.has_owner() && a.knows(b.owner, b.epoch)) {
    views_.release(b.view);
    return a;
  }
  if (a.has_owner() && b.knows(a.owner, a.epoch)) {
    views_.release(a.view);
    return b;
  }
  std::fill_n(scratch_, width_, 0u);
  for (const Message* m : {&a, &b}) {
    join(scratch_, *m->view);
    if (m->has_owner()) scratch_[index_of(m->owner)] = std::max(scratch_[index_of(m->owner)], m->epoch);
  }
  View* merged = views_.make(scratch_, width_, a.view, b.view);
  const View* later = a.view->sigma >= b.view->sigma ? a.view : b.view;
  merged->sigma = later->sigma;
  merged->fence_view = ViewPool::retain(later->fence_view);
  views_.release(a.view);
  views_.release(b.view);
  return {merged, 0, kNoThread, 0};
}

Message ThreadClocks::make_update_message(ThreadId t, const Message& read, MemoryOrder order) {
  if (is_release(order)) {
    Message mine = publish(t);
    return is_acquire(order) || knows(t, read) ? mine : merge(mine, ViewPool::retain(read));
  }
  return merge(ViewPool::retain(state(t).release_fence), ViewPool::retain(read));
}

Message ThreadClocks::publish_all() {
  Message all;
  for (std::uint32_t i = 0; i < width_; ++i) {
    const ThreadId t{static_cast<std::uint16_t>(i)};
    ThreadState& s = state(t);
    if (s.clock == nullptr) continue;
    all = merge(all, publish(t));
    if (!s.running) s.last_time = s.clock[i];
  }
  return all;
}

void ThreadClocks::release_into(ThreadId t, SyncClock& object) {
  const ThreadState& s = state(t);
  Message mine = publish(t);
  SeqTime lambda = s.lambda;
  SeqTime delta = s.delta;
  if (!knows(t, object.message)) {
    mine = merge(mine, ViewPool::retain(object.message));
    lambda = std::max(lambda, object.lambda);
    delta = std::max(delta, object.delta);
  }
  views_.replace(object.message, mine);
  object.lambda = lambda;
  object.delta = delta;
}

void ThreadClocks::acquire_from(ThreadId t, const SyncClock& object) {
  if (knows(t, object.message)) return;
  ThreadState& s = state(t);
  acquire_unknown(s, object.message, object.lambda);
  see(s, object.delta);
}

}  // namespace heddle::memory
