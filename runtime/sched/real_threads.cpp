#include "runtime/sched/real_threads.h"

#include <dlfcn.h>

#include "core/base/check.h"

namespace heddle::sched {
namespace {

template <typename Function>
Function* next_symbol(const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  HEDDLE_CHECK(symbol != nullptr);
  return reinterpret_cast<Function*>(symbol);
}

}  // namespace

int real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                        void* argument) {
  static auto* real = next_symbol<decltype(pthread_create)>("pthread_create");
  return real(thread, attributes, start, argument);
}

int real_pthread_join(pthread_t thread, void** result) {
  static auto* real = next_symbol<decltype(pthread_join)>("pthread_join");
  return real(thread, result);
}

int real_clock_gettime(clockid_t clock, timespec* time) {
  static auto* real = next_symbol<decltype(clock_gettime)>("clock_gettime");
  return real(clock, time);
}

}  // namespace heddle::sched
