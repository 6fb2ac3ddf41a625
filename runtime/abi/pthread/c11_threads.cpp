// <threads.h>: libc's versions do not go through the pthread symbols, so they are carried over to ours here.
// Natively the types are the pthread ones in all but name, so the same code serves.
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "runtime/abi/pthread/pthread_objects.h"

namespace {

struct Start {
  thrd_start_t function;
  void* argument;
};

void* run(void* argument) {
  const Start start = *static_cast<Start*>(argument);
  free(argument);
  return reinterpret_cast<void*>(static_cast<std::intptr_t>(start.function(start.argument)));
}

int status(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ETIMEDOUT:
      return thrd_timedout;
    case ENOMEM:
      return thrd_nomem;
    default:
      return thrd_error;
  }
}

pthread_mutex_t* pthread_of(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* pthread_of(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace

HEDDLE_EXPORT int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  auto* start = static_cast<Start*>(malloc(sizeof(Start)));
  if (start == nullptr) return thrd_nomem;
  *start = {function, argument};
  const int error = pthread_create(thread, nullptr, run, start);
  if (error != 0) free(start);
  return status(error == EAGAIN ? ENOMEM : error);
}
HEDDLE_EXPORT int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = pthread_join(thread, &value);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
  return status(error);
}
HEDDLE_EXPORT int thrd_detach(thrd_t thread) { return status(pthread_detach(thread)); }
HEDDLE_EXPORT void thrd_exit(int result) {
  pthread_exit(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
}

HEDDLE_EXPORT int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes,
                            (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  return status(pthread_mutex_init(pthread_of(mutex), &attributes));
}
// C11 7.26.4.2: nobody may wait for it; that it is locked is no matter.
HEDDLE_EXPORT void mtx_destroy(mtx_t* mutex) {
  if (auto* e = heddle::abi::engine()) {
    heddle::sched::SyncObject& m = heddle::abi::mutex_object(*e, pthread_of(mutex), HEDDLE_CALLER_PC);
    if (m.count != 0 && m.waiters == 0) {
      e->locks().released(m.owner, m);
      m.count = 0;
      m.owner = heddle::kNoThread;
    }
  }
  pthread_mutex_destroy(pthread_of(mutex));
}
HEDDLE_EXPORT int mtx_lock(mtx_t* mutex) { return status(pthread_mutex_lock(pthread_of(mutex))); }
HEDDLE_EXPORT int mtx_trylock(mtx_t* mutex) { return status(pthread_mutex_trylock(pthread_of(mutex))); }
HEDDLE_EXPORT int mtx_timedlock(mtx_t* __restrict mutex, const timespec* __restrict time) {
  return status(pthread_mutex_timedlock(pthread_of(mutex), time));
}
HEDDLE_EXPORT int mtx_unlock(mtx_t* mutex) { return status(pthread_mutex_unlock(pthread_of(mutex))); }

HEDDLE_EXPORT int cnd_init(cnd_t* condition) {
  return status(pthread_cond_init(pthread_of(condition), nullptr));
}
HEDDLE_EXPORT void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(pthread_of(condition)); }
HEDDLE_EXPORT int cnd_signal(cnd_t* condition) { return status(pthread_cond_signal(pthread_of(condition))); }
HEDDLE_EXPORT int cnd_broadcast(cnd_t* condition) {
  return status(pthread_cond_broadcast(pthread_of(condition)));
}
HEDDLE_EXPORT int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return status(pthread_cond_wait(pthread_of(condition), pthread_of(mutex)));
}
HEDDLE_EXPORT int cnd_timedwait(cnd_t* __restrict condition, mtx_t* __restrict mutex,
                                const timespec* __restrict time) {
  return status(pthread_cond_timedwait(pthread_of(condition), pthread_of(mutex), time));
}

HEDDLE_EXPORT void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}

HEDDLE_EXPORT int tss_create(tss_t* key, tss_dtor_t destructor) {
  return status(pthread_key_create(key, destructor));
}
HEDDLE_EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }
HEDDLE_EXPORT void* tss_get(tss_t key) { return pthread_getspecific(key); }
HEDDLE_EXPORT int tss_set(tss_t key, void* value) { return status(pthread_setspecific(key, value)); }
