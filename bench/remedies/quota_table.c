/* Quotas of a file service: how many bytes each user has stored. The table has a lock and two calls, to look at an
 * entry and to change it. An upload charges its user with one of each. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define USERS 4

struct quota {
  char user[16];
  long used;
  long limit;
};

struct quota_table {
  pthread_mutex_t mutex;
  struct quota entries[USERS];
  int count;
};

static struct quota_table table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* With the table's lock. */
static struct quota* find(const char* user) {
  for (int i = 0; i < table.count; ++i) {
    if (strcmp(table.entries[i].user, user) == 0) return &table.entries[i];
  }
  return NULL;
}

static void quota_create(const char* user, long limit) {
  pthread_mutex_lock(&table.mutex);
  struct quota* const quota = &table.entries[table.count++];
  strncpy(quota->user, user, sizeof quota->user - 1);
  quota->limit = limit;
  pthread_mutex_unlock(&table.mutex);
}

static long quota_used(const char* user) {
  pthread_mutex_lock(&table.mutex);
  const struct quota* const quota = find(user);
  const long used = quota ? quota->used : 0;
  pthread_mutex_unlock(&table.mutex);
  return used;
}

#ifndef CORRECT
/* False if the user may not store as much. */
static bool quota_set_used(const char* user, long used) {
  pthread_mutex_lock(&table.mutex);
  struct quota* const quota = find(user);
  const bool fits = quota && used <= quota->limit;
  if (fits) quota->used = used;
  pthread_mutex_unlock(&table.mutex);
  return fits;
}

static bool charge(const char* user, long bytes) {
  const long used = quota_used(user);
  return quota_set_used(user, used + bytes);
}
#else
static bool charge(const char* user, long bytes) {
  pthread_mutex_lock(&table.mutex);
  struct quota* const quota = find(user);
  const bool fits = quota && quota->used + bytes <= quota->limit;
  if (fits) quota->used += bytes;
  pthread_mutex_unlock(&table.mutex);
  return fits;
}
#endif

struct upload {
  pthread_t thread;
  const char* user;
  long sizes[2];
  long stored;
};

static void* upload_main(void* argument) {
  struct upload* const upload = argument;
  for (int i = 0; i < 2; ++i) {
    if (charge(upload->user, upload->sizes[i])) upload->stored += upload->sizes[i];
  }
  return NULL;
}

int main(void) {
  quota_create("ann", 1000);
  quota_create("bob", 500);
  struct upload uploads[2] = {{.user = "ann", .sizes = {100, 30}}, {.user = "ann", .sizes = {200, 7}}};
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&uploads[i].thread, NULL, upload_main, &uploads[i]) != 0) abort();
  }
  for (int i = 0; i < 2; ++i) pthread_join(uploads[i].thread, NULL);
  assert(quota_used("ann") == uploads[0].stored + uploads[1].stored);
  assert(quota_used("bob") == 0);
  return 0;
}
