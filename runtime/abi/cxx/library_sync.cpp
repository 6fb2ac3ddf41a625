// Synchronisation inside C++ libraries that were built without instrumentation, where no access of the
// program shows it: the edges are made around the call.
#include "runtime/abi/engine_access.h"
#include "runtime/engine/atomics.h"

namespace heddle::abi {
namespace {

using engine::Execution;

// libstdc++'s std::promise::set_value_at_thread_exit, which makes the shared state ready inside the library.
// Both layouts are part of its ABI: _State_baseV2::_Make_ready, with a weak pointer to the state, and the
// state itself
// (<future>).
struct CountedBase {
  void* vtable;
  int use_count;
};
struct SharedState {
  void* vtable;
  void* result;
  std::uint32_t status;
};
struct MakeReady {
  MakeReady* next;
  void (*run)(void*);
  SharedState* state;
  CountedBase* counts;
};
constexpr std::uint32_t kReady = 1;  // a second bit tells that somebody waits; it stays for the library

void (*run_make_ready)(void*) = nullptr;

void make_ready(void* argument) {
  const auto& ready = *static_cast<MakeReady*>(argument);
  Execution* e = engine();
  if (e != nullptr && ready.counts != nullptr && ready.counts->use_count > 0) {
    engine::atomic_update<std::uint32_t>(
        *e, {reinterpret_cast<Address>(&ready.state->status), MemoryOrder::kRelease, e->self().last_pc},
        [](std::uint32_t status) { return status | kReady; });
  }
  run_make_ready(argument);
}

}  // namespace
}  // namespace heddle::abi

// [futures.promise]: what precedes the call happens before what waits for the shared state returns from.
HEDDLE_EXPORT void _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv(heddle::abi::MakeReady* ready) {
  using Real = void(heddle::abi::MakeReady*);
  static Real* real =
      heddle::abi::next_function<Real>("_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv");
  real(ready);
  if (heddle::abi::engine() == nullptr) return;
  heddle::abi::run_make_ready = ready->run;
  ready->run = heddle::abi::make_ready;
}

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
