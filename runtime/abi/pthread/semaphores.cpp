// sem_*.
#include <errno.h>
#include <limits.h>
#include <semaphore.h>

#include "runtime/abi/pthread/shared_objects.h"

namespace heddle::abi {
namespace {

// Behind libc's value, in bytes that it does not use.
constexpr std::size_t kMark = 16;
constexpr std::uint64_t kNativelyMade = 0x6e617469766573ull;

bool is_initialised(const sem_t& semaphore) {
  return *reinterpret_cast<const std::uint64_t*>(semaphore.__size + kMark) == kNativelyMade;
}
constexpr ObjectTraits<sem_t> kSemaphore{sched::SyncKind::kSemaphore, kMark, is_initialised};

sched::SyncObject& semaphore_object(engine::Execution& e, sem_t* semaphore, std::uint64_t pc) {
  bool is_new = false;
  sched::SyncObject& s = known_object(e, semaphore, kSemaphore, pc, is_new);
  if (is_new) {
    int value = 0;
    HEDDLE_REAL(sem_getvalue)(semaphore, &value);
    s.count = value > 0 ? static_cast<std::uint32_t>(value) : 0;
  }
  return s;
}

int as_result(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// libc's word behind the value says who shares it.
constexpr std::size_t kSharing = 8;
constexpr int kShared = 0x80;

bool is_shared(const sem_t* semaphore) {
  return *reinterpret_cast<const int*>(semaphore->__size + kSharing) == kShared &&
         in_shared_memory(semaphore);
}

int wait_shared(Execution& e, sem_t* semaphore, std::uint64_t deadline, std::uint64_t pc) {
  const SharedCall call{"sem_wait", semaphore, sizeof *semaphore, sched::SyncKind::kSemaphore, pc};
  const auto attempt = [&] { return HEDDLE_REAL(sem_trywait)(semaphore) == 0 ? 0 : errno; };
  return take_shared(e, call, EAGAIN, deadline, attempt, true);
}

int wait(engine::Execution& e, sem_t* semaphore, std::uint64_t deadline, std::uint64_t pc) {
  return cancellable(e, [&] {
    if (is_shared(semaphore)) return as_result(wait_shared(e, semaphore, shared_deadline(deadline), pc));
    return as_result(e.semaphore_wait(semaphore_object(e, semaphore, pc), false, deadline, pc));
  });
}

}  // namespace

void hand_semaphores_to_libc(Execution& e) {
  hand_to_libc(e, kSemaphore, [](sem_t* semaphore, const sched::SyncObject& s) {
    // A named one is libc's already, and the parent's, too.
    if (!is_shared(semaphore)) HEDDLE_REAL(sem_init)(semaphore, 0, s.count);
  });
}

}  // namespace heddle::abi

using heddle::abi::as_result;
using heddle::abi::engine;
using heddle::abi::semaphore_object;
using heddle::sched::kNoDeadline;

HEDDLE_EXPORT int sem_init(sem_t* semaphore, int shared, unsigned value) noexcept {
  auto* e = engine();
  if (e != nullptr)
    heddle::abi::check_reinitialised(*e, semaphore, heddle::abi::kSemaphore, HEDDLE_CALLER_PC);
  const int result = HEDDLE_REAL(sem_init)(semaphore, shared, value);
  if (result != 0) return result;
  if (e != nullptr && !heddle::abi::is_shared(semaphore)) {
    heddle::abi::made_object(*e, semaphore, heddle::abi::kSemaphore, HEDDLE_CALLER_PC).count = value;
  } else if (e == nullptr && heddle::abi::in_session()) {
    heddle::abi::mark_of(semaphore, heddle::abi::kMark) = heddle::abi::kNativelyMade;
  }
  return 0;
}
HEDDLE_EXPORT int sem_destroy(sem_t* semaphore) noexcept {
  auto* e = engine();
  if (e == nullptr || heddle::abi::is_shared(semaphore)) return HEDDLE_REAL(sem_destroy)(semaphore);
  heddle::abi::destroy_object(*e, semaphore, heddle::abi::kSemaphore, HEDDLE_CALLER_PC);
  return 0;
}
HEDDLE_EXPORT int sem_wait(sem_t* semaphore) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sem_wait)(semaphore);
  return heddle::abi::wait(*e, semaphore, kNoDeadline, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int sem_trywait(sem_t* semaphore) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sem_trywait)(semaphore);
  if (heddle::abi::is_shared(semaphore))
    return as_result(heddle::abi::wait_shared(*e, semaphore, heddle::abi::kOnlyTry, HEDDLE_CALLER_PC));
  return as_result(e->semaphore_wait(semaphore_object(*e, semaphore, HEDDLE_CALLER_PC), true, kNoDeadline,
                                     HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* time) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sem_timedwait)(semaphore, time);
  if (!heddle::abi::valid_time(*time)) return as_result(EINVAL);
  return heddle::abi::wait(*e, semaphore, heddle::abi::deadline_of(*time, CLOCK_REALTIME), HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sem_clockwait)(semaphore, clock, time);
  if (!heddle::abi::valid_time(*time) || !heddle::abi::valid_clock(clock)) return as_result(EINVAL);
  return heddle::abi::wait(*e, semaphore, heddle::abi::deadline_of(*time, clock), HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int sem_post(sem_t* semaphore) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sem_post)(semaphore);
  if (heddle::abi::is_shared(semaphore)) {
    const heddle::abi::SharedCall call{"sem_post", semaphore, sizeof *semaphore,
                                       heddle::sched::SyncKind::kSemaphore, HEDDLE_CALLER_PC};
    return as_result(heddle::abi::perform_shared(
        *e, call, [&] { return HEDDLE_REAL(sem_post)(semaphore) == 0 ? 0 : errno; }));
  }
  return as_result(e->semaphore_post(semaphore_object(*e, semaphore, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT int sem_getvalue(sem_t* semaphore, int* value) noexcept {
  auto* e = engine();
  if (e == nullptr || heddle::abi::is_shared(semaphore)) return HEDDLE_REAL(sem_getvalue)(semaphore, value);
  *value = static_cast<int>(semaphore_object(*e, semaphore, HEDDLE_CALLER_PC).count);
  return 0;
}
