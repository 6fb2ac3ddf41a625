// pthread_barrier_*.
#include <errno.h>
#include <limits.h>

#include "runtime/abi/pthread/shared_objects.h"

namespace heddle::abi {
namespace {

// libc's own, where the mark lies over count and shared.
struct NativeBarrier {
  unsigned in, current_round, count;
  int shared;
  unsigned out;
};

// There is no static initialiser: pthread_barrier_init was called before the engine ran, or never.
bool is_initialised(const pthread_barrier_t& barrier) {
  const auto& b = reinterpret_cast<const NativeBarrier&>(barrier);
  return b.in == 0 && b.current_round == 0 && b.count != 0 && b.count <= INT_MAX && b.out == 0 &&
         b.shared >= 0 && b.shared <= 0xff;
}
constexpr ObjectTraits<pthread_barrier_t> kBarrier{sched::SyncKind::kBarrier, offsetof(NativeBarrier, count),
                                                   is_initialised};

sched::SyncObject& barrier_object(engine::Execution& e, pthread_barrier_t* barrier, std::uint64_t pc) {
  bool is_new = false;
  const unsigned count = reinterpret_cast<const NativeBarrier*>(barrier)->count;
  sched::SyncObject& b = known_object(e, barrier, kBarrier, pc, is_new);
  if (is_new) b.threshold = count;
  return b;
}

// The mark of one that is known lies over libc's word for the sharing.
bool is_shared(const pthread_barrier_t* barrier) {
  return reinterpret_cast<const NativeBarrier*>(barrier)->shared == 0x80 && in_shared_memory(barrier);
}

int wait_natively(void* argument) {
  return HEDDLE_REAL(pthread_barrier_wait)(static_cast<pthread_barrier_t*>(argument));
}

}  // namespace

// The child's barrier begins a round of its own: who waits in the parent is not in the child.
void hand_barriers_to_libc(Execution& e) {
  hand_to_libc(e, kBarrier, [](pthread_barrier_t* barrier, const sched::SyncObject& b) {
    HEDDLE_REAL(pthread_barrier_init)(barrier, nullptr, b.threshold);
  });
}

}  // namespace heddle::abi

using heddle::abi::engine;

HEDDLE_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                       unsigned count) noexcept {
  auto* e = engine();
  if (e != nullptr) heddle::abi::check_reinitialised(*e, barrier, heddle::abi::kBarrier, HEDDLE_CALLER_PC);
  const int error = HEDDLE_REAL(pthread_barrier_init)(barrier, attributes, count);
  if (e == nullptr || error != 0 || heddle::abi::is_shared(barrier)) return error;
  heddle::abi::made_object(*e, barrier, heddle::abi::kBarrier, HEDDLE_CALLER_PC).threshold = count;
  return 0;
}
HEDDLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  auto* e = engine();
  if (e == nullptr || heddle::abi::is_shared(barrier)) return HEDDLE_REAL(pthread_barrier_destroy)(barrier);
  heddle::abi::destroy_object(*e, barrier, heddle::abi::kBarrier, HEDDLE_CALLER_PC);
  return 0;
}
HEDDLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_barrier_wait)(barrier);
  if (heddle::abi::is_shared(barrier)) {
    const heddle::abi::SharedCall call{"pthread_barrier_wait", barrier, sizeof *barrier,
                                       heddle::sched::SyncKind::kBarrier, HEDDLE_CALLER_PC};
    const int result =
        heddle::abi::stand_in(*e, call, heddle::sched::kNoDeadline, heddle::abi::wait_natively, barrier);
    return result == 0 ? 0 : PTHREAD_BARRIER_SERIAL_THREAD;
  }
  return e->barrier_wait(heddle::abi::barrier_object(*e, barrier, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}
