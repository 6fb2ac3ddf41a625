// Exceptions that several threads share (std::exception_ptr) are counted by atomics inside the C++ library,
// which cannot be seen: whoever drops a reference is ordered before whoever drops the last one and destroys
// the exception ([util.smartptr.shared] says so of shared_ptr, [propagation] relies on it).
#include "runtime/abi/engine_access.h"

namespace heddle::abi {
namespace {

void drop_reference(void* exception) {
  engine::Execution* e = engine();
  if (e == nullptr || exception == nullptr) return;
  sched::SyncObject& object =
      e->sync_objects().get(reinterpret_cast<Address>(exception), sched::SyncKind::kAnnotation);
  e->release(object);
  e->acquire(object);
}

struct ExceptionPointer {
  void* object;
  // Not trivial, so that it is returned as std::exception_ptr is: in memory that the caller provides.
  ~ExceptionPointer() {}  // NOLINT(modernize-use-equals-default)
};

using Release = void(ExceptionPointer*);

Release* release_function() {
  static Release* real = next_function<Release>("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
  return real;
}

// The exception of the innermost catch; nullptr where there is none, or it is none of C++.
void* caught_exception() {
  engine::RuntimeScope scope;
  using Current = ExceptionPointer();
  using Primary = void*();
  using Decrement = void(void*);
  // libc++ has a std::current_exception of the same name, but counts otherwise.
  static auto* primary = reinterpret_cast<Primary*>(dlsym(RTLD_DEFAULT, "__cxa_current_primary_exception"));
  static auto* current = reinterpret_cast<Current*>(dlsym(RTLD_DEFAULT, "_ZSt17current_exceptionv"));
  if (primary == nullptr && current != nullptr) {
    ExceptionPointer pointer = current();
    void* object = pointer.object;
    if (object != nullptr) release_function()(&pointer);
    return object;
  }
  if (primary == nullptr) return nullptr;
  void* object = primary();
  static auto* decrement = next_function<Decrement>("__cxa_decrement_exception_refcount");
  if (object != nullptr) decrement(object);
  return object;
}

}  // namespace
}  // namespace heddle::abi

// std::exception_ptr::_M_release of libstdc++.
HEDDLE_EXPORT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(
    heddle::abi::ExceptionPointer* pointer) {
  heddle::abi::drop_reference(pointer->object);
  heddle::abi::release_function()(pointer);
}

// What libc++'s does in its place.
HEDDLE_EXPORT void __cxa_decrement_exception_refcount(void* object) {
  using Real = void(void*);
  static Real* real = heddle::abi::next_function<Real>("__cxa_decrement_exception_refcount");
  heddle::abi::drop_reference(object);
  real(object);
}

HEDDLE_EXPORT void __cxa_end_catch() {
  using Real = void();
  static Real* real = heddle::abi::next_function<Real>("__cxa_end_catch");
  if (heddle::abi::engine() != nullptr) heddle::abi::drop_reference(heddle::abi::caught_exception());
  real();
}
