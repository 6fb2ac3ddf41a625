/* Sessions of a server: the table has a reference to each, and so has every request that uses one; the last one frees
 * it. A request looks its session up and then takes its reference. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SLOTS 4

struct session {
  int id;
  atomic_int references;
  atomic_int requests;
};

struct session_table {
  pthread_mutex_t mutex;
  struct session* slots[SLOTS];
};

static struct session_table table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static struct session* session_new(int id) {
  struct session* const session = calloc(1, sizeof *session);
  if (!session) abort();
  session->id = id;
  atomic_init(&session->references, 1);
  atomic_init(&session->requests, 0);
  return session;
}

static void session_ref(struct session* session) {
  const int before = atomic_fetch_add(&session->references, 1);
  assert(before > 0);
  (void)before;
}

static void session_unref(struct session* session) {
  if (atomic_fetch_sub(&session->references, 1) == 1) free(session);
}

static void table_add(int slot, struct session* session) {
  pthread_mutex_lock(&table.mutex);
  assert(table.slots[slot] == NULL);
  table.slots[slot] = session;
  pthread_mutex_unlock(&table.mutex);
}

static struct session* table_find(int slot) {
  pthread_mutex_lock(&table.mutex);
  struct session* const session = table.slots[slot];
#ifdef CORRECT
  if (session) session_ref(session);
#endif
  pthread_mutex_unlock(&table.mutex);
  return session;
}

static void table_remove(int slot) {
  pthread_mutex_lock(&table.mutex);
  struct session* const session = table.slots[slot];
  table.slots[slot] = NULL;
  pthread_mutex_unlock(&table.mutex);
  if (session) session_unref(session);
}

/* The number of requests of the session so far, or 0 if there is no such session. */
static int handle_request(int slot) {
  struct session* const session = table_find(slot);
  if (!session) return 0;
#ifndef CORRECT
  session_ref(session);
#endif
  const int requests = atomic_fetch_add(&session->requests, 1) + 1;
  session_unref(session);
  return requests;
}

static void* worker_main(void* argument) {
  int* const served = argument;
  for (int i = 0; i < 2; ++i) *served += handle_request(1) > 0;
  return NULL;
}

static void* logout_main(void* argument) {
  (void)argument;
  table_remove(1);
  return NULL;
}

int main(void) {
  pthread_t worker, logout;
  int served = 0;
  table_add(1, session_new(4711));
  if (pthread_create(&worker, NULL, worker_main, &served) != 0) abort();
  if (pthread_create(&logout, NULL, logout_main, NULL) != 0) abort();
  pthread_join(worker, NULL);
  pthread_join(logout, NULL);
  assert(table_find(1) == NULL);
  assert(served <= 2);
  return 0;
}
