// pthread_barrier_*.
#include <errno.h>

#include "runtime/abi/pthread_objects.h"

namespace heddle::abi {
namespace {

constexpr std::size_t kBarrierMark = 8;

sched::SyncObject& barrier_object(engine::Execution& e, pthread_barrier_t* barrier, std::uint64_t pc) {
  bool is_new = false;
  sched::SyncObject& b = marked_object(e, barrier, sched::SyncKind::kBarrier, kBarrierMark, is_new);
  if (is_new) {
    mark_of(barrier, kBarrierMark) = 0;
    e.misuse(FindingKind::kBarrierMisuse, "use of a barrier that was not initialised", b, pc);
  }
  return b;
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;

HEDDLE_EXPORT int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                                       unsigned count) noexcept {
  const int error = HEDDLE_REAL(pthread_barrier_init)(barrier, attributes, count);
  auto* e = engine();
  if (e == nullptr || error != 0) return error;
  heddle::abi::mark_of(barrier, heddle::abi::kBarrierMark) = 0;
  bool is_new = false;
  auto& b = heddle::abi::marked_object(*e, barrier, heddle::sched::SyncKind::kBarrier,
                                       heddle::abi::kBarrierMark, is_new);
  b.threshold = count;
  return 0;
}
HEDDLE_EXPORT int pthread_barrier_destroy(pthread_barrier_t* barrier) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_barrier_destroy)(barrier);
  auto& b = heddle::abi::barrier_object(*e, barrier, HEDDLE_CALLER_PC);
  if (b.count != 0) {
    e->misuse(heddle::FindingKind::kBarrierMisuse, "destruction of a barrier that a thread waits at", b,
              HEDDLE_CALLER_PC);
  }
  heddle::abi::mark_of(barrier, heddle::abi::kBarrierMark) = 0;
  return 0;
}
HEDDLE_EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(pthread_barrier_wait)(barrier);
  return e->barrier_wait(heddle::abi::barrier_object(*e, barrier, HEDDLE_CALLER_PC), HEDDLE_CALLER_PC);
}
