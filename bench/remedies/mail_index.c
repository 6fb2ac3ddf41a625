/* A mail store: folders with messages, and an index over all of them. A message that comes in is put into its folder
 * and entered into the index; the index is rebuilt from the folders now and then. Each has a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MESSAGES 8

struct folder {
  pthread_mutex_t mutex;
  int count;
  int ids[MAX_MESSAGES];
  int lengths[MAX_MESSAGES];
};

struct search_index {
  pthread_mutex_t mutex;
  int generation;
  int count;
  int ids[MAX_MESSAGES];
};

struct store {
  struct folder inbox;
  struct search_index index;
  int next_id; /* with the folder's lock */
};

static struct store store = {
    .inbox.mutex = PTHREAD_MUTEX_INITIALIZER, .index.mutex = PTHREAD_MUTEX_INITIALIZER, .next_id = 1};

/* With the index's lock. */
static void index_add(struct search_index* index, int id) {
  assert(index->count < MAX_MESSAGES);
  index->ids[index->count++] = id;
}

static int store_deliver(struct store* s, const char* text) {
  pthread_mutex_lock(&s->inbox.mutex);
  const int id = s->next_id++;
  assert(s->inbox.count < MAX_MESSAGES);
  s->inbox.ids[s->inbox.count] = id;
  s->inbox.lengths[s->inbox.count] = (int)strlen(text);
  ++s->inbox.count;
  pthread_mutex_lock(&s->index.mutex);
  index_add(&s->index, id);
  pthread_mutex_unlock(&s->index.mutex);
  pthread_mutex_unlock(&s->inbox.mutex);
  return id;
}

static void store_reindex(struct store* s) {
#ifndef CORRECT
  pthread_mutex_lock(&s->index.mutex);
  pthread_mutex_lock(&s->inbox.mutex);
#else
  pthread_mutex_lock(&s->inbox.mutex);
  pthread_mutex_lock(&s->index.mutex);
#endif
  s->index.count = 0;
  for (int i = 0; i < s->inbox.count; ++i) index_add(&s->index, s->inbox.ids[i]);
  ++s->index.generation;
  pthread_mutex_unlock(&s->inbox.mutex);
  pthread_mutex_unlock(&s->index.mutex);
}

static void* deliver_main(void* argument) {
  static const char* const texts[2] = {"Hello", "Are you there?"};
  int* const last = argument;
  for (int i = 0; i < 2; ++i) *last = store_deliver(&store, texts[i]);
  return NULL;
}

static void* reindex_main(void* argument) {
  (void)argument;
  store_reindex(&store);
  return NULL;
}

int main(void) {
  pthread_t delivery, maintenance;
  int last = 0;
  if (pthread_create(&delivery, NULL, deliver_main, &last) != 0) abort();
  if (pthread_create(&maintenance, NULL, reindex_main, NULL) != 0) abort();
  pthread_join(delivery, NULL);
  pthread_join(maintenance, NULL);
  assert(last == 2);
  assert(store.inbox.count == 2);
  assert(store.index.count == 2);
  assert(store.index.generation == 1);
  return 0;
}
