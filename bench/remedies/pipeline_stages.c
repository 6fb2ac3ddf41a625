/* A pipeline of three stages, each a thread with an inbox: the first reads the samples, the second scales them, the
 * third adds them up. A stage hands what it has made to the next one. The stages are linked while they already run. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define STAGES 3
#define SAMPLES 3
#define END (-1)

struct stage {
  const char* name;
  void (*work)(struct stage*);
  struct stage* next;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t filled;
  int inbox[SAMPLES + 1];
  int put;
  int taken;
};

static const int samples[SAMPLES] = {4, 7, 9};
static int sum;

static void inbox_put(struct stage* stage, int value) {
  pthread_mutex_lock(&stage->mutex);
  stage->inbox[stage->put++] = value;
  pthread_cond_signal(&stage->filled);
  pthread_mutex_unlock(&stage->mutex);
}

static int inbox_take(struct stage* stage) {
  pthread_mutex_lock(&stage->mutex);
  while (stage->taken == stage->put) pthread_cond_wait(&stage->filled, &stage->mutex);
  const int value = stage->inbox[stage->taken++];
  pthread_mutex_unlock(&stage->mutex);
  return value;
}

static void hand_on(struct stage* stage, int value) {
  struct stage* const next = stage->next;
  assert(next != NULL);
  inbox_put(next, value);
}

static void read_samples(struct stage* stage) {
  for (int i = 0; i < SAMPLES; ++i) hand_on(stage, samples[i]);
  hand_on(stage, END);
}

static void scale_samples(struct stage* stage) {
  for (;;) {
    const int value = inbox_take(stage);
    hand_on(stage, value == END ? END : value * 10);
    if (value == END) return;
  }
}

static void add_samples(struct stage* stage) {
  for (;;) {
    const int value = inbox_take(stage);
    if (value == END) return;
    sum += value;
  }
}

static void* stage_main(void* argument) {
  struct stage* const stage = argument;
  stage->work(stage);
  return NULL;
}

static void stage_init(struct stage* stage, const char* name, void (*work)(struct stage*)) {
  stage->name = name;
  stage->work = work;
  stage->next = NULL;
  stage->put = stage->taken = 0;
  pthread_mutex_init(&stage->mutex, NULL);
  pthread_cond_init(&stage->filled, NULL);
}

static void stage_start(struct stage* stage) {
  const int failed = pthread_create(&stage->thread, NULL, stage_main, stage);
  assert(!failed);
  (void)failed;
}

int main(void) {
  static struct stage stages[STAGES];
  stage_init(&stages[0], "read", read_samples);
  stage_init(&stages[1], "scale", scale_samples);
  stage_init(&stages[2], "add", add_samples);

#ifdef CORRECT
  for (int i = 0; i + 1 < STAGES; ++i) stages[i].next = &stages[i + 1];
#endif
  for (int i = 0; i < STAGES; ++i) {
    stage_start(&stages[i]);
#ifndef CORRECT
    if (i + 1 < STAGES) stages[i].next = &stages[i + 1];
#endif
  }

  for (int i = 0; i < STAGES; ++i) pthread_join(stages[i].thread, NULL);
  for (int i = 0; i < STAGES; ++i) {
    pthread_cond_destroy(&stages[i].filled);
    pthread_mutex_destroy(&stages[i].mutex);
  }
  assert(sum == 200);
  return 0;
}
