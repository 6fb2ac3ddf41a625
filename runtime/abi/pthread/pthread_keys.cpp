// Thread-specific data and thread_local destructors. Kept by us, so that they run on the fiber that they
// belong to.
#include <errno.h>
#include <pthread.h>

#include "runtime/abi/pthread/thread_exit.h"

namespace heddle::abi {
namespace {

struct Key {
  bool used = false;
  void (*destructor)(void*) = nullptr;
  pthread_key_t native = 0;  // libc's, in a child that the program forked
};

// Process-wide, as keys are; natively libc's own table serves.
struct KeyTable {
  Key entry[sched::kMaxKeys] = {};
  void* early_values[sched::kMaxKeys] = {};  // that the main thread sets before the engine starts
  // In a child that the program forked, threads are libc's, and so are the values of keys.
  bool in_native_child = false;
};
constinit KeyTable keys;  // libraries make keys before our constructors run

void** values_of(sched::Thread& t) {
  if (t.key_values == nullptr) {
    engine::RuntimeScope scope;
    t.key_values = static_cast<void**>(calloc(sched::kMaxKeys, sizeof(void*)));
  }
  return t.key_values;
}

}  // namespace

// POSIX: repeat while destructors set values again, PTHREAD_DESTRUCTOR_ITERATIONS times at the most.
void run_key_destructors(engine::Execution& e) {
  sched::Thread& t = e.self();
  if (t.key_values == nullptr) return;
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool any = false;
    for (std::uint32_t i = 0; i < sched::kMaxKeys; ++i) {
      void* value = t.key_values[i];
      if (value == nullptr || !keys.entry[i].used || keys.entry[i].destructor == nullptr) continue;
      t.key_values[i] = nullptr;
      keys.entry[i].destructor(value);
      any = true;
    }
    if (!any) break;
  }
  engine::RuntimeScope scope;
  free(t.key_values);
  t.key_values = nullptr;
}

void exit_thread(engine::Execution& e, void* result) {
  e.self().exiting = true;
  e.self().cancel_disabled = true;
  e.run_exit_handlers();
  run_key_destructors(e);
  e.end_thread(result);
}

}  // namespace heddle::abi

using heddle::abi::keys;

HEDDLE_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) noexcept {
  if (!heddle::abi::in_session()) return HEDDLE_REAL(pthread_key_create)(key, destructor);
  for (std::uint32_t i = 0; i < heddle::sched::kMaxKeys; ++i) {
    if (keys.entry[i].used) continue;
    keys.entry[i] = {true, destructor, 0};
    if (keys.in_native_child) HEDDLE_REAL(pthread_key_create)(&keys.entry[i].native, destructor);
    *key = i;
    return 0;
  }
  return EAGAIN;
}

HEDDLE_EXPORT int pthread_key_delete(pthread_key_t key) noexcept {
  if (!heddle::abi::in_session()) return HEDDLE_REAL(pthread_key_delete)(key);
  if (key >= heddle::sched::kMaxKeys || !keys.entry[key].used) return EINVAL;
  if (keys.in_native_child) HEDDLE_REAL(pthread_key_delete)(keys.entry[key].native);
  keys.entry[key] = {};
  if (heddle::abi::current != nullptr) {
    auto& scheduler = heddle::abi::current->scheduler();
    for (std::uint32_t i = 0; i < scheduler.thread_count(); ++i) {
      auto& t = scheduler.thread(heddle::ThreadId{static_cast<std::uint16_t>(i)});
      if (t.key_values != nullptr) t.key_values[key] = nullptr;
    }
  }
  return 0;
}

namespace heddle::abi {

void hand_keys_to_libc(engine::Execution& e) {
  const sched::Thread& t = e.self();
  engine::RuntimeScope scope;
  for (std::uint32_t i = 0; i < sched::kMaxKeys; ++i) {
    if (!keys.entry[i].used) continue;
    HEDDLE_REAL(pthread_key_create)(&keys.entry[i].native, keys.entry[i].destructor);
    const void* value = t.key_values != nullptr ? t.key_values[i] : nullptr;
    if (t.id == kMainThread && keys.early_values[i] != nullptr) value = keys.early_values[i];
    if (value != nullptr) HEDDLE_REAL(pthread_setspecific)(keys.entry[i].native, value);
  }
  keys.in_native_child = true;
}

}  // namespace heddle::abi

HEDDLE_EXPORT void* pthread_getspecific(pthread_key_t key) noexcept {
  if (!heddle::abi::in_session()) return HEDDLE_REAL(pthread_getspecific)(key);
  if (key >= heddle::sched::kMaxKeys) return nullptr;
  if (keys.in_native_child) return HEDDLE_REAL(pthread_getspecific)(keys.entry[key].native);
  if (heddle::abi::current == nullptr) return keys.early_values[key];
  heddle::sched::Thread& t = heddle::abi::current->self();
  if (t.id == heddle::kMainThread && keys.early_values[key] != nullptr) return keys.early_values[key];
  return t.key_values != nullptr ? t.key_values[key] : nullptr;
}

HEDDLE_EXPORT int pthread_setspecific(pthread_key_t key, const void* value) noexcept {
  if (!heddle::abi::in_session()) return HEDDLE_REAL(pthread_setspecific)(key, value);
  if (key >= heddle::sched::kMaxKeys || !keys.entry[key].used) return EINVAL;
  if (keys.in_native_child) return HEDDLE_REAL(pthread_setspecific)(keys.entry[key].native, value);
  if (heddle::abi::current == nullptr) {
    keys.early_values[key] = const_cast<void*>(value);
    return 0;
  }
  heddle::sched::Thread& t = heddle::abi::current->self();
  if (t.id == heddle::kMainThread) keys.early_values[key] = nullptr;
  heddle::abi::values_of(t)[key] = const_cast<void*>(value);
  return 0;
}

// thread_local objects with destructors register here, through libstdc++ or libc++abi.
HEDDLE_EXPORT int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* module) {
  using Real = int(void (*)(void*), void*, void*);
  if (heddle::abi::current == nullptr) {
    static Real* real = heddle::abi::next_function<Real>("__cxa_thread_atexit_impl");
    return real(function, argument, module);
  }
  heddle::sched::Thread& t = heddle::abi::current->self();
  heddle::engine::RuntimeScope scope;
  auto* handler = static_cast<heddle::sched::ExitHandler*>(malloc(sizeof(heddle::sched::ExitHandler)));
  if (handler == nullptr) return -1;
  *handler = {function, argument, t.exit_handlers};
  t.exit_handlers = handler;
  return 0;
}
