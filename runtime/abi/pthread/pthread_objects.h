// From a pthread object of the program to the engine's SyncObject, and from libc's times to virtual ones.
#pragma once

#include <pthread.h>
#include <time.h>

#include "runtime/abi/engine_access.h"
#include "runtime/engine/spin_state.h"

namespace heddle::abi {

// The mark that a known object carries in bytes that libc leaves to its own implementation. An object that
// was constructed again at the same address has zeros there and is taken as new; a destroyed one keeps a mark
// of its own, by which a later use is recognised.
template <typename Object>
std::uint64_t& mark_of(Object* object, std::size_t offset) {
  return *reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(object) + offset);
}
constexpr std::uint64_t kMarkKey = 0x9ae16a3b2f90404full;
constexpr std::uint64_t mark_value(Address address) { return address ^ kMarkKey; }
constexpr std::uint64_t gone_value(Address address) { return address ^ ~kMarkKey; }

// How objects of one kind are known.
template <typename Object>
struct ObjectTraits {
  sched::SyncKind kind;
  std::size_t mark;  // offset
  // Has an initialiser, or nothing but zeros, been here? Only asked where there is no mark.
  bool (*is_initialised)(const Object& object);
};

// Does the mark stand for a copy of a known object? POSIX forbids to use one; programs that move idle locks
// work all the same, so it counts as new.
bool is_copied_mark(engine::Execution& e, std::uint64_t mark, sched::SyncKind kind);
[[noreturn]] void report_unusable(engine::Execution& e, sched::SyncObject& object, bool destroyed,
                                  std::uint64_t pc);

// The object begins its life with this use.
template <typename Object>
[[gnu::noinline]] void adopt_object(engine::Execution& e, Object* object, const ObjectTraits<Object>& traits,
                                    sched::SyncObject& sync, std::uint64_t pc) {
  const auto address = reinterpret_cast<Address>(object);
  e.check_not_freed(address, 1, pc);  // what has ended says nothing
  std::uint64_t& mark = mark_of(object, traits.mark);
  if (mark == gone_value(address) && sync.destroyed) report_unusable(e, sync, true, pc);
  const bool copied = mark != 0 && is_copied_mark(e, mark, traits.kind);
  e.forget(sync);
  e.sync_objects().renew(sync, traits.kind);
  if (!copied && !traits.is_initialised(*object)) report_unusable(e, sync, false, pc);
  mark = mark_value(address);
}

// The engine's object for the program's; `is_new` where it begins its life with this use.
template <typename Object>
[[gnu::always_inline]] inline sched::SyncObject& known_object(engine::Execution& e, Object* object,
                                                              const ObjectTraits<Object>& traits,
                                                              std::uint64_t pc, bool& is_new) {
  const auto address = reinterpret_cast<Address>(object);
  sched::SyncObject& sync = e.sync_objects().get(address, traits.kind);
  is_new = mark_of(object, traits.mark) != mark_value(address);
  if (is_new) [[unlikely]]
    adopt_object(e, object, traits, sync, pc);
  return sync;
}

// For calls that no other thread can notice: a loop around nothing else must let others run in the end.
void let_others_run_now_and_then(engine::Execution& e, std::uint64_t pc);

// After libc's init function has been called: a new object, made here.
template <typename Object>
sched::SyncObject& made_object(engine::Execution& e, Object* object, const ObjectTraits<Object>& traits,
                               std::uint64_t pc) {
  let_others_run_now_and_then(e, pc);
  const auto address = reinterpret_cast<Address>(object);
  sched::SyncObject& sync = e.sync_objects().get(address, traits.kind);
  e.forget(sync);
  e.sync_objects().renew(sync, traits.kind);
  sync.made = e.place(pc);
  e.object_made(sync, pc);
  mark_of(object, traits.mark) = mark_value(address);
  return sync;
}

// Before libc's init function is called, which overwrites the mark.
template <typename Object>
void check_reinitialised(engine::Execution& e, Object* object, const ObjectTraits<Object>& traits,
                         std::uint64_t pc) {
  const auto address = reinterpret_cast<Address>(object);
  if (mark_of(object, traits.mark) != mark_value(address)) return;
  const sched::SyncObject* sync = e.sync_objects().find(address);
  if (sync != nullptr && sync->kind == traits.kind) e.check_unused(*sync, "initialisation of", pc);
}

template <typename Object>
void destroy_object(engine::Execution& e, Object* object, const ObjectTraits<Object>& traits,
                    std::uint64_t pc) {
  bool is_new = false;
  e.destroy_object(known_object(e, object, traits, pc, is_new), pc);
  mark_of(object, traits.mark) = gone_value(reinterpret_cast<Address>(object));
}

// All bytes of [begin, end) are zero.
inline bool zeros(const void* object, std::size_t begin, std::size_t end) {
  const auto* bytes = static_cast<const unsigned char*>(object);
  for (std::size_t i = begin; i < end; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

// Is there memory at all?
bool is_mapped(Address address);

// In a forked child, which goes on natively: libc's objects take over the state that ours had. Those whose
// memory has become something else no longer carry the mark.
template <typename Object, typename HandOver>
void hand_to_libc(engine::Execution& e, const ObjectTraits<Object>& traits, HandOver hand_over) {
  for (std::uint32_t i = 1; i <= e.sync_objects().count(); ++i) {
    const sched::SyncObject& sync = e.sync_objects().object_at(i);
    auto* object = reinterpret_cast<Object*>(sync.address);
    if (sync.kind != traits.kind || sync.destroyed || !is_mapped(sync.address)) continue;
    std::uint64_t& mark = mark_of(object, traits.mark);
    if (mark != mark_value(sync.address)) continue;
    hand_over(object, sync);
  }
}
void hand_mutexes_to_libc(engine::Execution& e);
void hand_rwlocks_to_libc(engine::Execution& e);
void hand_semaphores_to_libc(engine::Execution& e);
void hand_barriers_to_libc(engine::Execution& e);
void hand_conditions_to_libc(engine::Execution& e);

sched::SyncObject& mutex_object(engine::Execution& e, pthread_mutex_t* mutex, std::uint64_t pc);

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
inline bool valid_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }
inline bool valid_time(const timespec& t) { return t.tv_nsec >= 0 && t.tv_nsec < 1'000'000'000; }
inline std::uint64_t nanoseconds(const timespec& t) {
  if (t.tv_sec < 0) return 0;
  if (t.tv_sec > 9'000'000'000) return 9'000'000'000'000'000'000ull;
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}
// The virtual deadline of an absolute time on `clock`.
inline std::uint64_t deadline_of(const timespec& t, clockid_t clock) {
  const std::uint64_t absolute = nanoseconds(t);
  engine::note_time(absolute);
  return absolute <= clock_base(clock) ? 0 : absolute - clock_base(clock);
}

}  // namespace heddle::abi
