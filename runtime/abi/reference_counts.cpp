// The reference counts of exceptions and locales. They live in the C++ library, which is not instrumented:
// without help, what a thread read from an exception or a facet would seem to race with its destruction by
// whoever dropped it last. Each drop is a release and an acquire of the object, as the library's own
// decrement is.
#include "runtime/abi/engine_access.h"

namespace heddle::abi {
namespace {

void dropped(engine::Execution& e, void* counted) {
  if (counted == nullptr) return;
  sched::SyncObject& object =
      e.sync_objects().get(reinterpret_cast<Address>(counted), sched::SyncKind::kAnnotation);
  e.release(object);
  e.acquire(object);
}

// The exception that the running thread handles, as the C++ library at hand tells it.
void* current_exception() {
  engine::RuntimeScope scope;
  // libc++abi
  using Primary = void*();
  using Decrement = void(void*);
  static auto* primary = reinterpret_cast<Primary*>(dlsym(RTLD_DEFAULT, "__cxa_current_primary_exception"));
  static auto* decrement =
      reinterpret_cast<Decrement*>(dlsym(RTLD_DEFAULT, "__cxa_decrement_exception_refcount"));
  if (primary != nullptr && decrement != nullptr) {
    void* exception = primary();
    if (exception != nullptr) decrement(exception);
    return exception;
  }
  // libstdc++: std::current_exception() returns its one pointer through memory.
  using Current = void**(void**);
  using Release = void(void**);
  static auto* current_pointer = reinterpret_cast<Current*>(dlsym(RTLD_DEFAULT, "_ZSt17current_exceptionv"));
  static auto* release = next_function<Release>("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
  if (current_pointer == nullptr) return nullptr;
  void* exception = nullptr;
  current_pointer(&exception);
  void* const result = exception;
  if (exception != nullptr) release(&exception);
  return result;
}

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;

// Destructors and their like, whose object is one pointer to what is counted.
#define HEDDLE_DROPS(name)                                       \
  HEDDLE_EXPORT void name(void** object) {                       \
    if (auto* e = engine()) heddle::abi::dropped(*e, *object);   \
    using Real = void(void**);                                   \
    static Real* real = heddle::abi::next_function<Real>(#name); \
    real(object);                                                \
  }
// libstdc++: exception_ptr::_M_release, ~locale
HEDDLE_DROPS(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)
HEDDLE_DROPS(_ZNSt6localeD1Ev)
HEDDLE_DROPS(_ZNSt6localeD2Ev)
// libc++: ~exception_ptr, ~locale
HEDDLE_DROPS(_ZNSt13exception_ptrD1Ev)
HEDDLE_DROPS(_ZNSt3__16localeD1Ev)

// locale::operator=
HEDDLE_EXPORT void* _ZNSt6localeaSERKS_(void** object, const void* other) noexcept {
  if (auto* e = engine()) heddle::abi::dropped(*e, *object);
  using Real = void*(void**, const void*);
  static Real* real = heddle::abi::next_function<Real>("_ZNSt6localeaSERKS_");
  return real(object, other);
}

// The end of a handler drops the exception, too.
HEDDLE_EXPORT void __cxa_end_catch() {
  if (auto* e = engine()) heddle::abi::dropped(*e, heddle::abi::current_exception());
  using Real = void();
  static Real* real = heddle::abi::next_function<Real>("__cxa_end_catch");
  real();
}
