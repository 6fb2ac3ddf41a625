// flags: -D_GNU_SOURCE -mcx16 -Wno-atomic-alignment -latomic
// clang-format off
// case: exchange_lock [-n 4]
// case: stores_until_told [-n 4]
// case: crowd_around_slow_owner [-n 2]
// case: bounded_by_counter_far_up [-n 3]
// case: bounded_by_counter_of_library [-n 3]
// case: hour_by_the_clock [-n 3]
// case: hour_of_others [-n 3]
// case: until_alarm [-n 5]
// case: until_signal [-n 5]
// case: until_process [-n 5]
// case: until_orphan [-n 2]
// case: stale_read
// case: stuck_on_test_and_set => livelock: #0 test_and_set
// case: stuck_on_updates => livelock: 2 threads repeat
// case: stuck_on_large => livelock: 1 thread repeats
// case: stuck_storing => livelock: 2 threads repeat
// case: stuck_on_tries => livelock: 1 thread repeats
// case: stuck_with_pauses => livelock: 1 thread repeats
// case: stuck_in_calls => livelock: 1 thread repeats
// case: stuck_asking_for_time => livelock: 1 thread repeats
// case: stuck_in_timed_waits => livelock: 1 thread repeats
// clang-format on
//
// Loops that write and change nothing: as stuck as those that only read, and as right where somebody ends
// them.
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

// More operations than the patience with threads that change nothing.
enum { kLong = 60000 };

static atomic_int lock_word, flag, noise[4];
static atomic_flag test_flag = ATOMIC_FLAG_INIT;
static int data;

static void look_around(int times) {
  for (int i = 0; i < times; ++i) (void)atomic_load_explicit(&noise[0], memory_order_relaxed);
}

static void* nothing(void* unused) { return unused; }

// --- somebody or something ends them

static void* add_slowly(void* unused) {
  while (atomic_exchange_explicit(&lock_word, 1, memory_order_acquire)) {
  }
  look_around(kLong);
  ++data;
  atomic_store_explicit(&lock_word, 0, memory_order_release);
  return unused;
}

static void exchange_lock(void) {
  pthread_t other = start(add_slowly, NULL);
  add_slowly(NULL);
  join(other);
  assert(data == 2);
}

static void* set_late(void* unused) {
  look_around(kLong);
  atomic_store(&flag, 1);
  return unused;
}

static void stores_until_told(void) {
  pthread_t other = start(set_late, NULL);
  while (!atomic_load(&flag)) {
    for (int i = 0; i < 4; ++i) atomic_store_explicit(&noise[i], 1, memory_order_release);
  }
  join(other);
}

static void* await_flag(void* unused) {
  while (!atomic_load(&flag)) atomic_exchange(&lock_word, 1);
  return unused;
}

// One of many goes on: the others are no reason to give up on it.
static void crowd_around_slow_owner(void) {
  pthread_t crowd[6];
  for (int i = 0; i < 6; ++i) crowd[i] = start(await_flag, NULL);
  set_late(NULL);
  for (int i = 0; i < 6; ++i) join(crowd[i]);
}

__attribute__((noinline)) static int try_far_down(char* ticket) {
  char room[2048];
  memset(room, 1, sizeof room);
  __asm__ volatile("" : : "r"(room) : "memory");
  return ticket[0] + atomic_exchange(&lock_word, 1) == 0;
}

static void bounded_by_counter_far_up(void) {
  join(start(nothing, NULL));
  char ticket = 0;
  atomic_store(&lock_word, 1);
  for (int i = 0; i < 3 * kLong; ++i) {
    if (try_far_down(&ticket)) break;
  }
}

static void bounded_by_counter_of_library(void) {
  join(start(nothing, NULL));
  unsigned state = 1;
  atomic_store(&lock_word, 1);
  while (rand_r(&state) % kLong != 0) atomic_exchange(&lock_word, 1);
}

static long seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

static void hour_by_the_clock(void) {
  join(start(nothing, NULL));
  long end = seconds_now() + 3600;
  while (seconds_now() < end) atomic_exchange(&lock_word, 1);
}

static void* sleep_long(void* unused) {
  sem_t never;
  sem_init(&never, 0, 0);
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 3600;
  sem_timedwait(&never, &end);
  sem_destroy(&never);
  atomic_store(&flag, 1);
  return unused;
}

static void hour_of_others(void) {
  pthread_t other = start(sleep_long, NULL);
  await_flag(NULL);
  join(other);
}

static void on_signal(int number) {
  (void)number;
  atomic_store(&flag, 1);
}

static void until_alarm(void) {
  join(start(nothing, NULL));
  signal(SIGALRM, on_signal);
  alarm(60);
  await_flag(NULL);
}

static void* send_late(void* target) {
  look_around(kLong);
  pthread_kill(*(pthread_t*)target, SIGUSR1);
  return NULL;
}

static void until_signal(void) {
  static pthread_t self;
  self = pthread_self();
  signal(SIGUSR1, on_signal);
  pthread_t other = start(send_late, &self);
  await_flag(NULL);
  join(other);
}

static void until_process(void) {
  atomic_int* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(shared != MAP_FAILED);
  pid_t child = fork();
  if (child == 0) {
    usleep(20000);
    atomic_store(shared, 1);
    _exit(0);
  }
  while (!atomic_load(shared)) atomic_store(&lock_word, 0);
  waitpid(child, NULL, 0);
}

// Not even the child is there any more.
static void until_orphan(void) {
  atomic_int* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(shared != MAP_FAILED);
  pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) {
      usleep(200000);
      atomic_store(shared, 1);
    }
    _exit(0);
  }
  waitpid(child, NULL, 0);
  while (!atomic_load(shared)) atomic_store(&lock_word, 0);
}

static void* set_relaxed(void* unused) {
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}

static void stale_read(void) {
  pthread_t other = start(set_relaxed, NULL);
  while (!atomic_load_explicit(&flag, memory_order_relaxed))
    atomic_store_explicit(&noise[1], 0, memory_order_relaxed);
  join(other);
}

// --- nobody does

static void* test_and_set(void* unused) {
  while (atomic_flag_test_and_set_explicit(&test_flag, memory_order_acquire)) sched_yield();
  return unused;
}

static void stuck_on_test_and_set(void) {
  pthread_t other = start(test_and_set, NULL);
  test_and_set(NULL);
  join(other);
}

static atomic_uchar one = 1;
static atomic_ushort two = 1;
static atomic_uint four = 1;
static atomic_ullong eight = 1;
static _Atomic __int128 sixteen = 1;

static void* update_all(void* unused) {
  unsigned any = 1;
  while (any != 0) {
    any = atomic_exchange(&one, 1) & atomic_exchange_explicit(&two, 1, memory_order_relaxed);
    any &= atomic_fetch_or(&four, 1) & atomic_fetch_and(&eight, ~0ull);
    any &= atomic_fetch_add(&four, 0) & atomic_fetch_xor(&one, 0) & (atomic_exchange(&sixteen, 1) == 1);
    unsigned long long expected = 1;
    any &= atomic_compare_exchange_strong(&eight, &expected, 1);
  }
  return unused;
}

static void stuck_on_updates(void) {
  pthread_t other = start(update_all, NULL);
  update_all(NULL);
  join(other);
}

// No instruction is that wide.
struct Large {
  _Alignas(64) long words[8];
};

static void stuck_on_large(void) {
  static _Atomic(struct Large) object;
  struct Large value = {{1}};
  atomic_store(&object, value);
  do {
    value = atomic_exchange(&object, value);
    atomic_store(&object, value);
  } while (value.words[0] != 0);
}

static volatile int volatile_word;

static void* store_all(void* own) {
  int* cells = own;
  while (!atomic_load(&flag)) {
    for (int i = 0; i < 4; ++i) atomic_store_explicit(&noise[i], 7, memory_order_release);
    for (int i = 0; i < 100; ++i) cells[i] = i;
    volatile_word = 3;
    __asm__ volatile("" : : "r"(cells) : "memory");
  }
  return NULL;
}

static void stuck_storing(void) {
  static int cells[2][100];
  pthread_t other = start(store_all, cells[0]);
  store_all(cells[1]);
  join(other);
}

static pthread_spinlock_t spin_lock;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

static void* try_all(void* unused) {
  while (pthread_spin_trylock(&spin_lock) != 0 && sem_trywait(&semaphore) != 0 &&
         pthread_rwlock_tryrdlock(&rwlock) != 0 && pthread_rwlock_trywrlock(&rwlock) != 0 &&
         pthread_mutex_trylock(&mutex) != 0) {
  }
  return unused;
}

static void stuck_on_tries(void) {
  pthread_spin_init(&spin_lock, 0);
  sem_init(&semaphore, 0, 0);
  pthread_spin_lock(&spin_lock);
  pthread_rwlock_wrlock(&rwlock);
  pthread_mutex_lock(&mutex);
  join(start(try_all, NULL));
}

static void stuck_with_pauses(void) {
  atomic_store(&lock_word, 1);
  while (atomic_exchange(&lock_word, 1)) {
    struct timespec brief = {0, 1000};
    nanosleep(&brief, NULL);
    __builtin_ia32_pause();
  }
}

__attribute__((noinline)) static int try_once(int depth) {
  char room[100];
  __asm__ volatile("" : : "r"(room) : "memory");
  if (depth != 0) return try_once(depth - 1) & (atomic_load(&flag) == 0);
  return atomic_exchange(&lock_word, 1);
}

static void stuck_in_calls(void) {
  atomic_store(&lock_word, 1);
  for (int depth = 0; try_once(depth); depth = (depth + 1) % 4) sched_yield();
}

static void stuck_asking_for_time(void) {
  long latest = 0;
  do {
    latest = seconds_now();
  } while (atomic_exchange(&lock_word, 1) != 2 || latest < 0);
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void* wait_and_look(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!data) {
    struct timespec end = in_time(CLOCK_REALTIME, 10);
    pthread_cond_timedwait(&condition, &mutex, &end);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void stuck_in_timed_waits(void) { join(start(wait_and_look, NULL)); }

RUN_CASES({"exchange_lock", exchange_lock}, {"stores_until_told", stores_until_told},
          {"crowd_around_slow_owner", crowd_around_slow_owner},
          {"bounded_by_counter_far_up", bounded_by_counter_far_up},
          {"bounded_by_counter_of_library", bounded_by_counter_of_library},
          {"hour_by_the_clock", hour_by_the_clock}, {"hour_of_others", hour_of_others},
          {"until_alarm", until_alarm}, {"until_signal", until_signal}, {"until_process", until_process},
          {"until_orphan", until_orphan}, {"stale_read", stale_read},
          {"stuck_on_test_and_set", stuck_on_test_and_set}, {"stuck_on_updates", stuck_on_updates},
          {"stuck_on_large", stuck_on_large}, {"stuck_on_tries", stuck_on_tries},
          {"stuck_storing", stuck_storing}, {"stuck_with_pauses", stuck_with_pauses},
          {"stuck_in_calls", stuck_in_calls}, {"stuck_asking_for_time", stuck_asking_for_time},
          {"stuck_in_timed_waits", stuck_in_timed_waits})
