// Synchronisation inside C++ libraries that were built without instrumentation, where no access of the
// program shows it: the edges are made around the call.
#include "runtime/abi/engine_access.h"

// libc++'s std::barrier: std::__1::__arrive_barrier_algorithm_base. It does not block; the thread that came
// last gets `true`, and everything before the other arrivals happens before what it does next
// ([thread.barrier.class]).
HEDDLE_EXPORT bool _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(
    void* barrier, unsigned char phase) {
  using Real = bool(void*, unsigned char);
  static Real* real = heddle::abi::next_function<Real>(
      "_ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh");
  auto* e = heddle::abi::engine();
  if (e == nullptr) return real(barrier, phase);
  auto& object =
      e->sync_objects().get(reinterpret_cast<heddle::Address>(barrier), heddle::sched::SyncKind::kAnnotation);
  e->visible(
      {heddle::EventKind::kBarrierWait, heddle::MemoryOrder::kAcqRel, 0, object.address, HEDDLE_CALLER_PC});
  e->release(object);
  const bool last = real(barrier, phase);
  if (last) e->acquire(object);
  e->changed();
  e->done(heddle::EventKind::kBarrierWait, last ? 1 : 0);
  if (heddle::Event* event = e->record(heddle::EventKind::kBarrierWait, HEDDLE_CALLER_PC))
    event->address = object.address;
  return last;
}
