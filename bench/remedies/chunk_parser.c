/* Counts the words of a text that comes in chunks: they are queued as they come, and two threads parse them. A thread
 * waits while the queue is empty. */
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
  struct chunk* next;
  char text[32];
};

struct chunk_queue {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  struct chunk* head;
  struct chunk* tail;
  bool closed;
};

struct parser {
  pthread_t thread;
  struct chunk_queue* queue;
  int words;
};

static void queue_push(struct chunk_queue* q, const char* text) {
  struct chunk* const chunk = calloc(1, sizeof *chunk);
  if (!chunk) abort();
  strncpy(chunk->text, text, sizeof chunk->text - 1);
  pthread_mutex_lock(&q->mutex);
  if (q->tail) {
    q->tail->next = chunk;
  } else {
    q->head = chunk;
  }
  q->tail = chunk;
  pthread_cond_signal(&q->changed);
  pthread_mutex_unlock(&q->mutex);
}

static void queue_close(struct chunk_queue* q) {
  pthread_mutex_lock(&q->mutex);
  q->closed = true;
  pthread_cond_broadcast(&q->changed);
  pthread_mutex_unlock(&q->mutex);
}

/* The next chunk, or NULL when the queue is closed and there are no more. */
static struct chunk* queue_take(struct chunk_queue* q) {
  pthread_mutex_lock(&q->mutex);
#ifndef CORRECT
  if (q->head == NULL && !q->closed) pthread_cond_wait(&q->changed, &q->mutex);
#else
  while (q->head == NULL && !q->closed) pthread_cond_wait(&q->changed, &q->mutex);
#endif
  if (q->head == NULL && q->closed) {
    pthread_mutex_unlock(&q->mutex);
    return NULL;
  }
  struct chunk* const chunk = q->head;
  assert(chunk != NULL);
  q->head = chunk->next;
  if (q->head == NULL) q->tail = NULL;
  pthread_mutex_unlock(&q->mutex);
  return chunk;
}

static int count_words(const char* text) {
  int words = 0;
  bool inside = false;
  for (; *text; ++text) {
    const bool letter = isalnum((unsigned char)*text) != 0;
    if (letter && !inside) ++words;
    inside = letter;
  }
  return words;
}

static void* parser_main(void* argument) {
  struct parser* const parser = argument;
  struct chunk* chunk;
  while ((chunk = queue_take(parser->queue)) != NULL) {
    parser->words += count_words(chunk->text);
    free(chunk);
  }
  return NULL;
}

int main(void) {
  static const char* const text[3] = {"It was the best", "of times, it was", "the worst"};
  static struct chunk_queue queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  struct parser parsers[2] = {{.queue = &queue}, {.queue = &queue}};
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&parsers[i].thread, NULL, parser_main, &parsers[i]) != 0) abort();
  }
  for (int i = 0; i < 3; ++i) queue_push(&queue, text[i]);
  queue_close(&queue);
  for (int i = 0; i < 2; ++i) pthread_join(parsers[i].thread, NULL);
  assert(parsers[0].words + parsers[1].words == 10);
  return 0;
}
