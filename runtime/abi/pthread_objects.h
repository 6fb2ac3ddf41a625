// From a pthread object of the program to the engine's SyncObject, and from libc's times to virtual ones.
#pragma once

#include <pthread.h>
#include <time.h>

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

// The mark that a known object carries in bytes that libc leaves to its own implementation. An object that
// was constructed again at the same address has zeros there and is taken as new.
template <typename Object>
std::uint64_t& mark_of(Object* object, std::size_t offset) {
  return *reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(object) + offset);
}
constexpr std::uint64_t mark_value(Address address) { return address ^ 0x9ae16a3b2f90404full; }

template <typename Object>
sched::SyncObject& marked_object(engine::Execution& e, Object* object, sched::SyncKind kind,
                                 std::size_t offset, bool& is_new) {
  const auto address = reinterpret_cast<Address>(object);
  sched::SyncObject& sync = e.sync_objects().get(address, kind);
  std::uint64_t& mark = mark_of(object, offset);
  is_new = mark != mark_value(address);
  if (is_new) {
    const std::uint32_t number = sync.number;
    e.forget(sync);
    sync = sched::SyncObject{};
    sync.address = address;
    sync.kind = kind;
    sync.number = number;
    mark = mark_value(address);
  }
  return sync;
}

sched::SyncObject& mutex_object(engine::Execution& e, pthread_mutex_t* mutex);
sched::SyncObject& condition_object(engine::Execution& e, pthread_cond_t* condition);

// Virtual time as the program's clocks show it.
inline constexpr std::uint64_t kRealtimeBase = 1'767'225'600'000'000'000ull;  // 2026-01-01 00:00 UTC
inline constexpr std::uint64_t kMonotonicBase = 1'000'000'000'000ull;

constexpr std::uint64_t clock_base(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return kRealtimeBase;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return 0;
    default:
      return clock < 0 ? 0 : kMonotonicBase;  // negative: another clock of processor time
  }
}
inline bool valid_time(const timespec& t) { return t.tv_nsec >= 0 && t.tv_nsec < 1'000'000'000; }
inline std::uint64_t nanoseconds(const timespec& t) {
  if (t.tv_sec < 0) return 0;
  if (t.tv_sec > 9'000'000'000) return 9'000'000'000'000'000'000ull;
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}
// The virtual deadline of an absolute time on `clock`.
inline std::uint64_t deadline_of(const timespec& t, clockid_t clock) {
  const std::uint64_t absolute = nanoseconds(t);
  return absolute <= clock_base(clock) ? 0 : absolute - clock_base(clock);
}

}  // namespace heddle::abi
