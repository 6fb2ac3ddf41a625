// Functions, initialisation, and the ignore and annotation calls that programs make.
#include "runtime/abi/engine_access.h"
#include "runtime/engine/callers.h"

using heddle::abi::engine;

// Every instrumented module calls it when it has been loaded.
HEDDLE_EXPORT void __tsan_init() {
  heddle::engine::Execution* e = engine();
  if (e != nullptr && e->watching()) heddle::engine::find_new_callers();
}

HEDDLE_EXPORT void __tsan_func_entry(void* caller_pc) {
  if (heddle::engine::Execution* e = engine()) {
    e->enter_function(reinterpret_cast<std::uint64_t>(caller_pc),
                      reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));
  }
}

HEDDLE_EXPORT void __tsan_func_exit() {
  if (heddle::engine::Execution* e = engine()) e->leave_function();
}

HEDDLE_EXPORT void __tsan_ignore_thread_begin() {}
HEDDLE_EXPORT void __tsan_ignore_thread_end() {}

namespace heddle::abi {
namespace {

void annotate(bool acquire, const volatile void* address) {
  engine::Execution* e = engine();
  if (e == nullptr) return;
  sched::SyncObject& object =
      e->sync_objects().get(reinterpret_cast<Address>(address), sched::SyncKind::kAnnotation);
  acquire ? e->acquire(object) : e->release(object);
}

}  // namespace
}  // namespace heddle::abi

// <sanitizer/tsan_interface.h>
HEDDLE_EXPORT void __tsan_acquire(void* address) { heddle::abi::annotate(true, address); }
HEDDLE_EXPORT void __tsan_release(void* address) { heddle::abi::annotate(false, address); }
HEDDLE_EXPORT void __tsan_mutex_create(void*, unsigned) {}
HEDDLE_EXPORT void __tsan_mutex_destroy(void*, unsigned) {}
HEDDLE_EXPORT void __tsan_mutex_pre_lock(void*, unsigned) {}
HEDDLE_EXPORT void __tsan_mutex_post_lock(void* address, unsigned flags, int) {
  constexpr unsigned kTryLockFailed = 1u << 5;
  if ((flags & kTryLockFailed) == 0) heddle::abi::annotate(true, address);
}
HEDDLE_EXPORT int __tsan_mutex_pre_unlock(void* address, unsigned) {
  heddle::abi::annotate(false, address);
  return 0;
}
HEDDLE_EXPORT void __tsan_mutex_post_unlock(void*, unsigned) {}
HEDDLE_EXPORT void __tsan_mutex_pre_signal(void* address, unsigned) { heddle::abi::annotate(false, address); }
HEDDLE_EXPORT void __tsan_mutex_post_signal(void*, unsigned) {}
HEDDLE_EXPORT void __tsan_mutex_pre_divert(void*, unsigned) {}
HEDDLE_EXPORT void __tsan_mutex_post_divert(void*, unsigned) {}

HEDDLE_EXPORT void* __tsan_get_current_fiber() { return nullptr; }
HEDDLE_EXPORT void* __tsan_create_fiber(unsigned) {
  if (heddle::engine::Execution* e = engine()) {
    e->unsupported("__tsan_create_fiber",
                   "Build without the program's own fibers, or test its threads only.");
  }
  return nullptr;
}
HEDDLE_EXPORT void __tsan_destroy_fiber(void*) {}
HEDDLE_EXPORT void __tsan_switch_to_fiber(void*, unsigned) {
  if (heddle::engine::Execution* e = engine()) {
    e->unsupported("__tsan_switch_to_fiber",
                   "Build without the program's own fibers, or test its threads only.");
  }
}
HEDDLE_EXPORT void __tsan_set_fiber_name(void*, const char*) {}

// The older annotations of Valgrind and TSan's dynamic_annotations.h.
HEDDLE_EXPORT void AnnotateHappensBefore(const char*, int, const volatile void* address) {
  heddle::abi::annotate(false, address);
}
HEDDLE_EXPORT void AnnotateHappensAfter(const char*, int, const volatile void* address) {
  heddle::abi::annotate(true, address);
}
HEDDLE_EXPORT void AnnotateCondVarSignal(const char*, int, const volatile void* address) {
  heddle::abi::annotate(false, address);
}
HEDDLE_EXPORT void AnnotateCondVarSignalAll(const char*, int, const volatile void* address) {
  heddle::abi::annotate(false, address);
}
HEDDLE_EXPORT void AnnotateCondVarWait(const char*, int, const volatile void*, const volatile void* mutex) {
  heddle::abi::annotate(true, mutex);
}
HEDDLE_EXPORT void AnnotateMutexIsNotPHB(const char*, int, const volatile void*) {}
HEDDLE_EXPORT void AnnotateMutexIsUsedAsCondVar(const char*, int, const volatile void*) {}
HEDDLE_EXPORT void AnnotateRWLockCreate(const char*, int, const volatile void*) {}
HEDDLE_EXPORT void AnnotateRWLockCreateStatic(const char*, int, const volatile void*) {}
HEDDLE_EXPORT void AnnotateRWLockDestroy(const char*, int, const volatile void*) {}
HEDDLE_EXPORT void AnnotateRWLockAcquired(const char*, int, const volatile void* lock, long) {
  heddle::abi::annotate(true, lock);
}
HEDDLE_EXPORT void AnnotateRWLockReleased(const char*, int, const volatile void* lock, long) {
  heddle::abi::annotate(false, lock);
}
HEDDLE_EXPORT void AnnotateTraceMemory(const char*, int, const volatile void*) {}
HEDDLE_EXPORT void AnnotateFlushState(const char*, int) {}
HEDDLE_EXPORT void AnnotateNewMemory(const char*, int, const volatile void*, long) {}
HEDDLE_EXPORT void AnnotateNoOp(const char*, int, const volatile void*) {}
HEDDLE_EXPORT void AnnotateFlushExpectedRaces(const char*, int) {}
HEDDLE_EXPORT void AnnotateEnableRaceDetection(const char*, int, int) {}
HEDDLE_EXPORT void AnnotatePublishMemoryRange(const char*, int, const volatile void* address, unsigned long) {
  heddle::abi::annotate(false, address);
}
HEDDLE_EXPORT void AnnotateUnpublishMemoryRange(const char*, int, const volatile void*, unsigned long) {}
HEDDLE_EXPORT void AnnotateBenignRace(const char*, int, const volatile void*, const char*) {}
HEDDLE_EXPORT void AnnotateBenignRaceSized(const char*, int, const volatile void*, long, const char*) {}
HEDDLE_EXPORT void AnnotateIgnoreReadsBegin(const char*, int) {}
HEDDLE_EXPORT void AnnotateIgnoreReadsEnd(const char*, int) {}
HEDDLE_EXPORT void AnnotateIgnoreWritesBegin(const char*, int) {}
HEDDLE_EXPORT void AnnotateIgnoreWritesEnd(const char*, int) {}
HEDDLE_EXPORT void AnnotateIgnoreSyncBegin(const char*, int) {}
HEDDLE_EXPORT void AnnotateIgnoreSyncEnd(const char*, int) {}
HEDDLE_EXPORT void AnnotateThreadName(const char*, int, const char*) {}
HEDDLE_EXPORT int RunningOnValgrind() { return 0; }
