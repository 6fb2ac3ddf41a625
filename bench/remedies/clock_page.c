/* A page with the time, as a kernel shares it with programs: one thread updates it, others read it without a lock. A
 * counter is odd during an update, and a reader tries again when it was odd or has changed. The reader's first look at
 * the counter is too weak. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef CORRECT
#define FIRST_LOOK memory_order_acquire
#else
#define FIRST_LOOK memory_order_relaxed
#endif

#define TICK 1000

struct clock_page {
  atomic_uint sequence;
  atomic_long seconds;
  atomic_long ticks; /* always TICK times the seconds */
};

struct reading {
  long seconds;
  long ticks;
};

static struct clock_page page;

/* By one thread. */
static void page_update(struct clock_page* p, long seconds) {
  const unsigned sequence = atomic_load_explicit(&p->sequence, memory_order_relaxed);
  atomic_store_explicit(&p->sequence, sequence + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&p->seconds, seconds, memory_order_relaxed);
  atomic_store_explicit(&p->ticks, seconds * TICK, memory_order_relaxed);
  atomic_store_explicit(&p->sequence, sequence + 2, memory_order_release);
}

/* False if the page was being updated. */
static bool page_try_read(struct clock_page* p, struct reading* reading) {
  const unsigned before = atomic_load_explicit(&p->sequence, FIRST_LOOK);
  if (before & 1) return false;
  reading->seconds = atomic_load_explicit(&p->seconds, memory_order_relaxed);
  reading->ticks = atomic_load_explicit(&p->ticks, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&p->sequence, memory_order_relaxed) == before;
}

/* Gives up after some attempts; the caller then asks the kernel. */
static bool page_read(struct clock_page* p, struct reading* reading) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (page_try_read(p, reading)) return true;
  }
  return false;
}

struct reader {
  pthread_t thread;
  int read;
};

static void* reader_main(void* argument) {
  struct reader* const reader = argument;
  struct reading reading;
  for (int i = 0; i < 2; ++i) {
    if (!page_read(&page, &reading)) continue;
    assert(reading.ticks == reading.seconds * TICK);
    ++reader->read;
  }
  return NULL;
}

int main(void) {
  struct reader readers[2] = {{.read = 0}, {.read = 0}};
  page_update(&page, 41);
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&readers[i].thread, NULL, reader_main, &readers[i]) != 0) abort();
  }
  page_update(&page, 42);
  for (int i = 0; i < 2; ++i) {
    pthread_join(readers[i].thread, NULL);
    assert(readers[i].read <= 2);
  }
  struct reading now;
  const bool known = page_read(&page, &now);
  assert(known && now.seconds == 42 && now.ticks == 42 * TICK);
  (void)known;
  return 0;
}
