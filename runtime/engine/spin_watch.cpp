#include "runtime/engine/spin_watch.h"

#include <sys/uio.h>

#include <cerrno>

#include "core/base/random.h"
#include "core/base/raw_syscall.h"

namespace heddle::engine {

SpinWatch& spin_watch() {
  static SpinWatch watch;
  return watch;
}

void SpinWatch::begin() {
  // States of earlier rounds are others (see look()), and may stay while there is room.
  if (inserted_ > kStates / 4) {
    memset(seen_, 0, sizeof seen_);
    inserted_ = 0;
  }
  if (write_count_ != 0) memset(writes_, 0, sizeof writes_);
  write_count_ = 0;
  counted_ = states_ = 0;
  ++round_;
  ++era_;
}

void SpinWatch::note_write(ThreadId thread, Address address, std::uint64_t bytes) {
  if (write_count_ >= kWrites * 3 / 4) {
    memset(writes_, 0, sizeof writes_);
    write_count_ = 0;
    ++overflows_;
  }
  const auto size = static_cast<std::uint32_t>(bytes < kMostBytes ? bytes : kMostBytes);
  for (std::uint64_t i = mix(address, index_of(thread));; ++i) {
    Write& write = writes_[i % kWrites];
    if (write.address == address && write.thread == thread) {
      if (write.bytes < size) write.bytes = size;
      return;
    }
    if (write.address != 0) continue;
    write = {address, size, thread};
    ++write_count_;
    return;
  }
}

// What was written since, as it is now.
std::uint64_t SpinWatch::take_writes(ThreadId thread) {
  std::uint64_t sum = mix(0, overflows_);
  if (write_count_ == 0) return sum;
  const TimeFilter filter;
  Write others[kWrites];
  std::uint32_t other_count = 0;
  for (const Write& write : writes_) {
    if (write.address == 0) continue;
    if (write.thread != thread) {
      others[other_count++] = write;
      continue;
    }
    std::uint64_t bytes[kMostBytes / 8] = {};
    // By the kernel: the program may have unmapped it since.
    const iovec to{bytes, write.bytes};
    const iovec from{reinterpret_cast<void*>(write.address), write.bytes};
    if (raw_syscall(SYS_process_vm_readv, raw_syscall(SYS_getpid), &to, 1, &from, 1, 0) == -EPERM)
      memcpy(bytes, from.iov_base, from.iov_len);  // a sandbox that forbids the call
    std::uint64_t hash = write.address;
    for (std::uint32_t k = 0; k * 8 < write.bytes; ++k) hash = mix(hash, filter.but_for_time(bytes[k]));
    sum += hash;  // in whatever order they were written
  }
  memset(writes_, 0, sizeof writes_);
  write_count_ = 0;
  for (std::uint32_t i = 0; i < other_count; ++i)
    note_write(others[i].thread, others[i].address, others[i].bytes);
  return sum;
}

bool SpinWatch::insert(std::uint64_t state) {
  if (state == 0) state = 1;
  for (std::uint64_t i = state % kStates, tries = 0; tries < 64; i = (i + 1) % kStates, ++tries) {
    if (seen_[i] == state) return false;
    if (seen_[i] == 0) {
      seen_[i] = state;
      ++inserted_;
      return true;
    }
  }
  return true;
}

bool SpinWatch::is_due(sched::Thread& thread) {
  sched::SpinRecord& record = thread.spin_record;
  if (record.round != round_) record = {};
  record.round = round_;
  return (mix(0, record.operations++) & 7) == 0;
}

void SpinWatch::look(sched::Thread& thread, const PrivateState& state) {
  sched::SpinRecord& record = thread.spin_record;
  if (record.era != era_) {
    record.era = era_;
    record.looks = record.returns = 0;
  }
  ++record.looks;
  if (state.stack_pointer < record.outermost) return;
  record.outermost = state.stack_pointer;
  ++counted_;
  const std::uint64_t whole =
      mix(mix(state.hash, take_writes(thread.id)), std::uint64_t{round_} << 32 | index_of(thread.id));
  if (insert(whole)) {
    ++states_;
    ++era_;
  } else {
    ++record.returns;
  }
}

bool SpinWatch::is_caught(const sched::Thread& thread) const {
  const sched::SpinRecord& record = thread.spin_record;
  return record.round == round_ && record.era == era_ && record.looks >= kLooks && record.returns >= kReturns;
}

bool SpinWatch::has_acted(const sched::Thread& thread) const {
  return thread.spin_record.round == round_ && thread.spin_record.era == era_;
}

bool SpinWatch::makes_progress() const {
  return states_ > kStates / 2 || (states_ >= kAllNew && states_ == counted_);
}

}  // namespace heddle::engine
