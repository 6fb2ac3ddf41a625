// case: threads
// case: mutexes
// case: timed_mutex
// case: condition
// case: once
// case: thread_specific
#include <threads.h>

#include "cases.h"

static mtx_t mutex;
static cnd_t condition;
static int shared, ready;

static int add(void* argument) {
  (void)argument;
  mtx_lock(&mutex);
  ++shared;
  mtx_unlock(&mutex);
  return 7;
}

static int leave_early(void* argument) {
  (void)argument;
  thrd_yield();
  thrd_exit(9);
}

static void test_threads(void) {
  thrd_t a, b;
  int result = 0;
  mtx_init(&mutex, mtx_plain);
  assert(thrd_create(&a, add, NULL) == thrd_success);
  assert(thrd_create(&b, leave_early, NULL) == thrd_success);
  assert(!thrd_equal(a, b) && !thrd_equal(a, thrd_current()));
  assert(thrd_join(a, &result) == thrd_success && result == 7);
  assert(thrd_join(b, &result) == thrd_success && result == 9);
  assert(thrd_create(&a, add, NULL) == thrd_success);
  assert(thrd_detach(a) == thrd_success);
  struct timespec moment = {0, 1000};
  assert(thrd_sleep(&moment, NULL) == 0);
}

static int try_in_vain(void* argument) {
  (void)argument;
  assert(mtx_trylock(&mutex) == thrd_busy);
  return 0;
}

static void mutexes(void) {
  thrd_t other;
  assert(mtx_init(&mutex, mtx_plain | mtx_recursive) == thrd_success);
  assert(mtx_lock(&mutex) == thrd_success && mtx_trylock(&mutex) == thrd_success);
  thrd_create(&other, try_in_vain, NULL);
  thrd_join(other, NULL);
  assert(mtx_unlock(&mutex) == thrd_success);
  mtx_destroy(&mutex);  // locked, which C11 allows as long as nobody waits
}

static int time_out(void* argument) {
  (void)argument;
  struct timespec until;
  timespec_get(&until, TIME_UTC);
  ++until.tv_sec;
  assert(mtx_timedlock(&mutex, &until) == thrd_timedout);
  return 0;
}

static void timed_mutex(void) {
  thrd_t other;
  mtx_init(&mutex, mtx_timed);
  mtx_lock(&mutex);
  thrd_create(&other, time_out, NULL);
  thrd_join(other, NULL);
  mtx_unlock(&mutex);
  mtx_destroy(&mutex);
}

static int announce(void* argument) {
  (void)argument;
  mtx_lock(&mutex);
  ready = 1;
  mtx_unlock(&mutex);
  cnd_broadcast(&condition);
  return 0;
}

static void test_condition(void) {
  thrd_t other;
  mtx_init(&mutex, mtx_plain);
  assert(cnd_init(&condition) == thrd_success);
  thrd_create(&other, announce, NULL);
  mtx_lock(&mutex);
  while (!ready) assert(cnd_wait(&condition, &mutex) == thrd_success);
  struct timespec until;
  timespec_get(&until, TIME_UTC);
  int result;
  while ((result = cnd_timedwait(&condition, &mutex, &until)) == thrd_success) {
  }
  assert(result == thrd_timedout);
  mtx_unlock(&mutex);
  thrd_join(other, NULL);
  cnd_signal(&condition);
  cnd_destroy(&condition);
  mtx_destroy(&mutex);
}

static once_flag flag = ONCE_FLAG_INIT;
static void initialise(void) { ++shared; }

static int initialise_once(void* argument) {
  (void)argument;
  call_once(&flag, initialise);
  assert(shared == 1);
  return 0;
}

static void once(void) {
  thrd_t other;
  thrd_create(&other, initialise_once, NULL);
  initialise_once(NULL);
  thrd_join(other, NULL);
}

static tss_t key;
static int destroyed;
static void destroy(void* value) { destroyed += *(int*)value; }

static int set_own(void* value) {
  assert(tss_get(key) == NULL);
  assert(tss_set(key, value) == thrd_success);
  thrd_yield();
  assert(tss_get(key) == value);
  return 0;
}

static void thread_specific(void) {
  thrd_t other;
  int one = 1, two = 2;
  assert(tss_create(&key, destroy) == thrd_success);
  thrd_create(&other, set_own, &two);
  set_own(&one);
  thrd_join(other, NULL);
  assert(destroyed == 2);
  tss_delete(key);
}

RUN_CASES({"threads", test_threads}, {"mutexes", mutexes}, {"timed_mutex", timed_mutex},
          {"condition", test_condition}, {"once", once}, {"thread_specific", thread_specific})
