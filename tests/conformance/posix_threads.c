// flags: -D_GNU_SOURCE
// case: given_stack
// case: small_given_stack
// case: signal_mask_attribute
// case: refused_attributes
// case: default_attributes
// case: join_without_a_time
// case: cancels_itself_at_once
// case: cancel_comes_before_the_call
// case: cancel_where_nothing_blocks
// case: signal_at_a_barrier
// case: alarm_ends_a_deadlock => warning lock held at thread end: still holds a lock
// case: many_fork_handlers
// case: spin_until_a_sleeper_acts
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

static void* told_stack;
static size_t told_bytes;
static int local_is_inside;

static void* look_at_stack(void* unused) {
  pthread_attr_t attributes;
  char local = 0;
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  assert(pthread_attr_getstack(&attributes, &told_stack, &told_bytes) == 0);
  local_is_inside = &local >= (char*)told_stack && &local < (char*)told_stack + told_bytes;
  pthread_attr_destroy(&attributes);
  return unused;
}

static void run_on(void* memory, size_t bytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert(pthread_attr_setstack(&attributes, memory, bytes) == 0);
  pthread_t thread;
  assert(pthread_create(&thread, &attributes, look_at_stack, NULL) == 0);
  join(thread);
  assert(told_stack == memory && told_bytes == bytes);
}

static void given_stack(void) {
  static char memory[1 << 20] __attribute__((aligned(4096)));
  run_on(memory, sizeof memory);
  assert(local_is_inside);
}

static void small_given_stack(void) {
  void* memory = NULL;
  assert(posix_memalign(&memory, 4096, 16384) == 0);
  run_on(memory, 16384);
  free(memory);
}

static void* usr1_is_blocked(void* unused) {
  (void)unused;
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  return sigismember(&mask, SIGUSR1) == 1 && sigismember(&mask, SIGUSR2) == 0 ? "yes" : NULL;
}

static void signal_mask_attribute(void) {
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert(pthread_attr_setsigmask_np(&attributes, &mask) == 0);
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &mask, NULL);
  pthread_t thread;
  assert(pthread_create(&thread, &attributes, usr1_is_blocked, NULL) == 0);
  assert(join(thread) != NULL);
}

static void* nothing(void* argument) { return argument; }

static void refused_attributes(void) {
  pthread_t thread;
  pthread_attr_t scheduling;
  pthread_attr_init(&scheduling);
  const struct sched_param parameters = {.sched_priority = 5};
  pthread_attr_setinheritsched(&scheduling, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&scheduling, SCHED_FIFO);
  pthread_attr_setschedparam(&scheduling, &parameters);
  pthread_attr_setschedpolicy(&scheduling, SCHED_OTHER);  // which has no priority 5
  assert(pthread_create(&thread, &scheduling, nothing, NULL) == EINVAL);

  pthread_attr_t affinity;
  pthread_attr_init(&affinity);
  cpu_set_t none;
  CPU_ZERO(&none);
  pthread_attr_setaffinity_np(&affinity, sizeof none, &none);
  assert(pthread_create(&thread, &affinity, nothing, NULL) == EINVAL);

  // What a thread tells of its processors is what it may use.
  pthread_attr_t own;
  cpu_set_t told, used;
  assert(pthread_getattr_np(pthread_self(), &own) == 0);
  assert(pthread_attr_getaffinity_np(&own, sizeof told, &told) == 0);
  assert(pthread_getaffinity_np(pthread_self(), sizeof used, &used) == 0 && CPU_EQUAL(&told, &used));
}

static void default_attributes(void) {
  pthread_attr_t defaults;
  assert(pthread_getattr_default_np(&defaults) == 0);
  assert(pthread_attr_setstacksize(&defaults, 3 << 20) == 0);
  assert(pthread_setattr_default_np(&defaults) == 0);
  join(start(look_at_stack, NULL));
  assert(told_bytes == 3 << 20 && local_is_inside);
}

static void join_without_a_time(void) {
  void* result = NULL;
  assert(pthread_timedjoin_np(start(nothing, "a"), &result, NULL) == 0 && result != NULL);
  assert(pthread_clockjoin_np(start(nothing, "b"), &result, CLOCK_MONOTONIC, NULL) == 0 && result != NULL);
}

static void* cancel_self(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cancel(pthread_self());
  for (;;) {
  }
  return unused;
}
static void cancels_itself_at_once(void) { assert(join(start(cancel_self, NULL)) == PTHREAD_CANCELED); }

static int pipe_ends[2];
static void* write_much(void* unused) {
  static const char zeros[100000];
  while (write(pipe_ends[1], zeros, sizeof zeros) > 0) {
  }
  return unused;
}
// A request that came before the call took effect ends the thread, whatever the call would have answered.
static void cancel_comes_before_the_call(void) {
  signal(SIGPIPE, SIG_IGN);
  assert(pipe(pipe_ends) == 0);
  pthread_t thread = start(write_much, NULL);
  pthread_cancel(thread);
  close(pipe_ends[0]);
  assert(join(thread) == PTHREAD_CANCELED);
}

static atomic_int cancelled;
static void* read_from_closed(void* unused) {
  char byte;
  while (atomic_load(&cancelled) == 0) sched_yield();
  return read(pipe_ends[0], &byte, 1) == -1 ? unused : NULL;
}
static void cancel_where_nothing_blocks(void) {
  assert(pipe(pipe_ends) == 0);
  pthread_t thread = start(read_from_closed, NULL);
  close(pipe_ends[0]);
  pthread_cancel(thread);
  atomic_store(&cancelled, 1);
  assert(join(thread) == PTHREAD_CANCELED);
}

static pthread_barrier_t barrier;
static atomic_int handled, passed;
static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}
static void* pass_barrier(void* unused) {
  pthread_barrier_wait(&barrier);
  atomic_store(&passed, 1);
  return unused;
}
// A signal is handled by a thread that a barrier holds back, and does not let it pass.
static void signal_at_a_barrier(void) {
  signal(SIGUSR1, handle);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread = start(pass_barrier, NULL);
  assert(pthread_kill(thread, SIGUSR1) == 0);
  while (atomic_load(&handled) == 0) sched_yield();
  assert(atomic_load(&passed) == 0);
  pthread_barrier_wait(&barrier);
  join(thread);
}

static void leave_thread(int number) {
  (void)number;
  pthread_exit("left");
}
// The handler of a signal may end a thread that waits for what it will never get.
static void* lock_twice(void* mutex) {
  pthread_mutex_lock(mutex);
  alarm(2);
  pthread_mutex_lock(mutex);
  return NULL;
}
static void alarm_ends_a_deadlock(void) {
  signal(SIGALRM, leave_thread);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_t thread = start(lock_twice, &mutex);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &mask, NULL);
  assert(join(thread) != NULL);
}

static int prepared;
static void prepare(void) { ++prepared; }
static void many_fork_handlers(void) {
  for (int i = 0; i < 300; ++i) assert(pthread_atfork(prepare, NULL, NULL) == 0);
  const pid_t child = fork();
  if (child == 0) _exit(prepared == 300 ? 0 : 1);
  int status = 1;
  assert(waitpid(child, &status, 0) == child && status == 0);
}

static void* sleep_then_store(void* unused) {
  struct timespec until = in_time(CLOCK_REALTIME, 60 * 1000);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  while (pthread_cond_timedwait(&never, &mutex, &until) == 0) {
  }
  pthread_mutex_unlock(&mutex);
  atomic_store(&passed, 1);
  return unused;
}
// Time passes for a spin that nothing else can end: no livelock.
static void spin_until_a_sleeper_acts(void) {
  pthread_t thread = start(sleep_then_store, NULL);
  while (atomic_load(&passed) == 0) sched_yield();
  join(thread);
}

RUN_CASES({"given_stack", given_stack}, {"small_given_stack", small_given_stack},
          {"signal_mask_attribute", signal_mask_attribute}, {"refused_attributes", refused_attributes},
          {"default_attributes", default_attributes}, {"join_without_a_time", join_without_a_time},
          {"cancels_itself_at_once", cancels_itself_at_once},
          {"cancel_comes_before_the_call", cancel_comes_before_the_call},
          {"cancel_where_nothing_blocks", cancel_where_nothing_blocks},
          {"signal_at_a_barrier", signal_at_a_barrier}, {"alarm_ends_a_deadlock", alarm_ends_a_deadlock},
          {"many_fork_handlers", many_fork_handlers},
          {"spin_until_a_sleeper_acts", spin_until_a_sleeper_acts})
