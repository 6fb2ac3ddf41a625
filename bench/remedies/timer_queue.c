/* Timers that a thread fires when the clock, which is moved by hand, has come to them. The thread sleeps while nothing
 * is due. Closing the queue sets a flag and wakes the thread. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define MAX_TIMERS 4

struct timer {
  long due;
  void (*fire)(void*);
  void* argument;
};

struct timer_queue {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_t thread;
  struct timer timers[MAX_TIMERS];
  int count;
  long now;
  atomic_bool closing;
};

/* With the queue's lock: takes a timer that is due out of the queue. */
static bool take_due(struct timer_queue* q, struct timer* due) {
  for (int i = 0; i < q->count; ++i) {
    if (q->timers[i].due <= q->now) {
      *due = q->timers[i];
      q->timers[i] = q->timers[--q->count];
      return true;
    }
  }
  return false;
}

static void* timer_main(void* argument) {
  struct timer_queue* const q = argument;
  struct timer due;
  pthread_mutex_lock(&q->mutex);
  for (;;) {
    if (take_due(q, &due)) {
      pthread_mutex_unlock(&q->mutex);
      due.fire(due.argument);
      pthread_mutex_lock(&q->mutex);
    } else if (atomic_load(&q->closing)) {
      break;
    } else {
      pthread_cond_wait(&q->changed, &q->mutex);
    }
  }
  pthread_mutex_unlock(&q->mutex);
  return NULL;
}

static void timer_open(struct timer_queue* q) {
  pthread_mutex_init(&q->mutex, NULL);
  pthread_cond_init(&q->changed, NULL);
  q->count = 0;
  q->now = 0;
  atomic_init(&q->closing, false);
  if (pthread_create(&q->thread, NULL, timer_main, q) != 0) abort();
}

static void timer_add(struct timer_queue* q, long due, void (*fire)(void*), void* argument) {
  pthread_mutex_lock(&q->mutex);
  assert(q->count < MAX_TIMERS);
  q->timers[q->count++] = (struct timer){due, fire, argument};
  pthread_cond_signal(&q->changed);
  pthread_mutex_unlock(&q->mutex);
}

static void timer_advance(struct timer_queue* q, long now) {
  pthread_mutex_lock(&q->mutex);
  q->now = now;
  pthread_cond_signal(&q->changed);
  pthread_mutex_unlock(&q->mutex);
}

/* Fires what is due and ends the thread. */
static void timer_close(struct timer_queue* q) {
#ifndef CORRECT
  atomic_store(&q->closing, true);
  pthread_cond_signal(&q->changed);
#else
  pthread_mutex_lock(&q->mutex);
  atomic_store(&q->closing, true);
  pthread_cond_signal(&q->changed);
  pthread_mutex_unlock(&q->mutex);
#endif
  pthread_join(q->thread, NULL);
  pthread_cond_destroy(&q->changed);
  pthread_mutex_destroy(&q->mutex);
}

static void count_up(void* argument) { ++*(int*)argument; }

int main(void) {
  static struct timer_queue queue;
  int early = 0, late = 0;
  timer_open(&queue);
  timer_add(&queue, 10, count_up, &early);
  timer_add(&queue, 90, count_up, &late);
  timer_advance(&queue, 20);
  timer_close(&queue);
  assert(early == 1);
  assert(late == 0);
  return 0;
}
