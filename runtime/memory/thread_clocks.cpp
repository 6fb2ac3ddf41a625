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
  fence_count_ = 0;
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
  ++s.lessons;
  s.running = true;
  s.waits_for = kNoThread;
  s.clock[index_of(t)] = ++s.last_time;
}

void ThreadClocks::created(ThreadId parent, ThreadId child) {
  start(child);
  Message m = publish(parent);
  acquire(child, m);
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
}

void ThreadClocks::joined(ThreadId joiner, ThreadId finished) {
  state(joiner).waits_for = kNoThread;
  Message m = publish(finished);
  acquire(joiner, m);
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

void ThreadClocks::learn_fence(ThreadState& s, FenceNumber sigma, View* fence_view) {
  if (sigma <= s.sigma) return;
  s.sigma = sigma;
  views_.replace(s.fence_view, ViewPool::retain(fence_view));
}

void ThreadClocks::acquire_unknown(ThreadState& s, const Message& m) {
  join(s.clock, *m.view);
  if (m.has_owner()) {
    std::uint32_t& known = s.clock[index_of(m.owner)];
    known = std::max(known, m.epoch);
  }
  learn_fence(s, m.view->sigma, m.view->fence_view);
  changed(s);
  if (width_ > kChunkTimes) views_.replace(s.learnt, ViewPool::retain(m.view));
}

void ThreadClocks::add_to_acquire_fence(ThreadState& s, const Message& m) {
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
  learn_fence(s, s.acquire_fence_sigma, s.acquire_fence_view);
  views_.replace(s.acquire_fence_view, nullptr);
  s.acquire_fence_sigma = 0;
  s.acquire_fence_pending = false;
  changed(s);
}

void ThreadClocks::release_fence(ThreadId t) {
  const Message m = publish(t);
  views_.replace(state(t).release_fence, m);
}

void ThreadClocks::seq_cst_fence(ThreadId t) {
  acquire_fence(t);
  ThreadState& s = state(t);
  model_.join_fence(fence_clock_, s.clock, width_, index_of(t));
  View* snapshot = views_.make(fence_clock_, width_, fence_snapshot_, nullptr);
  views_.replace(fence_snapshot_, snapshot);
  learn_fence(s, ++fence_count_, snapshot);
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

void ThreadClocks::release_into(ThreadId t, Message& object) {
  Message mine = publish(t);
  if (!knows(t, object)) mine = merge(mine, ViewPool::retain(object));
  views_.replace(object, mine);
}

}  // namespace heddle::memory
