// flags: -D_GNU_SOURCE
// case: all_kinds_with_a_child
// case: timed_waits
// case: error_checking
// case: robust_owner_in_child
// case: named_semaphore_with_a_child
// case: without_the_attribute
// case: sleep_gives_a_child_time
// case: threads_only_deadlock => deadlock: pthread_mutex_lock
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

struct Shared {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  pthread_barrier_t barrier;
  pthread_rwlock_t rwlock;
  pthread_spinlock_t spin;
  sem_t ask, answer;
  int turns, written, spun;
};
static struct Shared* s;

static void initialise(int type, int robust) {
  s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(s != MAP_FAILED);
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_settype(&mutex, type);
  pthread_mutexattr_setrobust(&mutex, robust);
  pthread_mutex_init(&s->mutex, &mutex);
  pthread_condattr_t condition;
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&s->condition, &condition);
  pthread_barrierattr_t barrier;
  pthread_barrierattr_init(&barrier);
  pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&s->barrier, &barrier, 3);
  pthread_rwlockattr_t rwlock;
  pthread_rwlockattr_init(&rwlock);
  pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
  pthread_rwlock_init(&s->rwlock, &rwlock);
  pthread_spin_init(&s->spin, PTHREAD_PROCESS_SHARED);
  sem_init(&s->ask, 1, 0);
  sem_init(&s->answer, 1, 0);
}

static void expect_end(pid_t child, int status) {
  int got = 0;
  assert(waitpid(child, &got, 0) == child);
  assert(WIFEXITED(got) && WEXITSTATUS(got) == status);
}

// What the child and two threads of the parent do.
static void take_part(void) {
  pthread_mutex_lock(&s->mutex);
  ++s->turns;
  pthread_cond_broadcast(&s->condition);
  while (s->turns < 3) pthread_cond_wait(&s->condition, &s->mutex);
  pthread_mutex_unlock(&s->mutex);

  const int last = pthread_barrier_wait(&s->barrier);
  assert(last == 0 || last == PTHREAD_BARRIER_SERIAL_THREAD);

  pthread_rwlock_wrlock(&s->rwlock);
  ++s->written;
  pthread_rwlock_unlock(&s->rwlock);
  pthread_rwlock_rdlock(&s->rwlock);
  assert(s->written >= 1 && s->written <= 3);
  pthread_rwlock_unlock(&s->rwlock);

  pthread_spin_lock(&s->spin);
  ++s->spun;
  pthread_spin_unlock(&s->spin);
  pthread_barrier_wait(&s->barrier);
}

static void* other_thread(void* unused) {
  take_part();
  return unused;
}

static void all_kinds_with_a_child(void) {
  initialise(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  const pid_t child = fork();
  if (child == 0) {
    take_part();
    sem_post(&s->ask);
    sem_wait(&s->answer);
    _exit(7);
  }
  pthread_t thread = start(other_thread, NULL);
  take_part();
  join(thread);
  sem_wait(&s->ask);
  assert(s->turns == 3 && s->written == 3 && s->spun == 3);
  sem_post(&s->answer);
  expect_end(child, 7);
}

// Nobody comes: virtual time passes.
static void timed_waits(void) {
  initialise(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  const struct timespec later = in_time(CLOCK_REALTIME, 3600 * 1000);
  const struct timespec past = {1, 0};
  assert(sem_timedwait(&s->ask, &later) == -1 && errno == ETIMEDOUT);
  assert(pthread_mutex_lock(&s->mutex) == 0);
  assert(pthread_mutex_trylock(&s->mutex) == EBUSY);
  assert(pthread_mutex_timedlock(&s->mutex, &past) == ETIMEDOUT);
  const struct timespec even_later = in_time(CLOCK_REALTIME, 3600 * 1000);
  assert(pthread_cond_timedwait(&s->condition, &s->mutex, &even_later) == ETIMEDOUT);
  assert(pthread_mutex_unlock(&s->mutex) == 0);
  assert(pthread_rwlock_rdlock(&s->rwlock) == 0 && pthread_rwlock_trywrlock(&s->rwlock) == EBUSY);
  assert(pthread_rwlock_timedwrlock(&s->rwlock, &past) == ETIMEDOUT);
  assert(pthread_rwlock_unlock(&s->rwlock) == 0);
}

static void error_checking(void) {
  initialise(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
  assert(pthread_mutex_unlock(&s->mutex) == EPERM);
  assert(pthread_mutex_lock(&s->mutex) == 0 && pthread_mutex_lock(&s->mutex) == EDEADLK);
  assert(pthread_mutex_unlock(&s->mutex) == 0);
}

static void robust_owner_in_child(void) {
  initialise(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&s->mutex);
    _exit(0);
  }
  expect_end(child, 0);
  assert(pthread_mutex_lock(&s->mutex) == EOWNERDEAD);
  assert(pthread_mutex_consistent(&s->mutex) == 0 && pthread_mutex_unlock(&s->mutex) == 0);
  assert(pthread_mutex_lock(&s->mutex) == 0 && pthread_mutex_unlock(&s->mutex) == 0);
}

static void named_semaphore_with_a_child(void) {
  sem_t* ask = sem_open("/heddle-ask", O_CREAT | O_EXCL, 0600, 0);
  sem_t* answer = sem_open("/heddle-answer", O_CREAT | O_EXCL, 0600, 1);
  assert(ask != SEM_FAILED && answer != SEM_FAILED);
  assert(sem_wait(answer) == 0);
  const pid_t child = fork();
  if (child == 0) {
    sem_post(ask);
    sem_wait(answer);
    _exit(5);
  }
  assert(sem_wait(ask) == 0 && sem_post(answer) == 0);
  expect_end(child, 5);
  int value = 1;
  assert(sem_getvalue(answer, &value) == 0 && value == 0);
  assert(sem_unlink("/heddle-ask") == 0 && sem_unlink("/heddle-answer") == 0);
}

// Not to be used by two processes at once; that a child is there does not matter to the parent's own use.
static void without_the_attribute(void) {
  pthread_mutex_t* mutex =
      mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(mutex != MAP_FAILED && pthread_mutex_init(mutex, NULL) == 0);
  assert(pthread_mutex_lock(mutex) == 0);
  const pid_t child = fork();
  if (child == 0) _exit(5);
  expect_end(child, 5);
  assert(pthread_mutex_trylock(mutex) == EBUSY);
  assert(pthread_mutex_unlock(mutex) == 0 && pthread_mutex_destroy(mutex) == 0);
}

static void sleep_gives_a_child_time(void) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  usleep(20000);
  kill(child, SIGKILL);
  int got = 0;
  assert(waitpid(child, &got, 0) == child && WIFSIGNALED(got));
}

static void threads_only_deadlock(void) {
  initialise(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  pthread_mutex_lock(&s->mutex);
  pthread_mutex_lock(&s->mutex);
}

RUN_CASES({"all_kinds_with_a_child", all_kinds_with_a_child}, {"timed_waits", timed_waits},
          {"error_checking", error_checking}, {"robust_owner_in_child", robust_owner_in_child},
          {"named_semaphore_with_a_child", named_semaphore_with_a_child},
          {"without_the_attribute", without_the_attribute},
          {"sleep_gives_a_child_time", sleep_gives_a_child_time},
          {"threads_only_deadlock", threads_only_deadlock})
