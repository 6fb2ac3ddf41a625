// The reference counts of locales. They live in the C++ library, which is not instrumented: without help,
// what a thread read from a facet would seem to race with its destruction by whoever dropped the locale last.
// Each drop is a release and an acquire of the locale, as the library's own decrement is (exceptions.cpp does
// the same).
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
// libstdc++
HEDDLE_DROPS(_ZNSt6localeD1Ev)
HEDDLE_DROPS(_ZNSt6localeD2Ev)
// libc++
HEDDLE_DROPS(_ZNSt3__16localeD1Ev)

// locale::operator=
HEDDLE_EXPORT void* _ZNSt6localeaSERKS_(void** object, const void* other) noexcept {
  if (auto* e = engine()) heddle::abi::dropped(*e, *object);
  using Real = void*(void**, const void*);
  static Real* real = heddle::abi::next_function<Real>("_ZNSt6localeaSERKS_");
  return real(object, other);
}
