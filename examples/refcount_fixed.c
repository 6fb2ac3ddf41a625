// The reference count of refcount.c, mended: every owner's use comes before its release, and the last one
// acquires.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct message {
  atomic_int references;
  char text[32];
};

static struct message* message_create(const char* text) {
  struct message* message = malloc(sizeof *message);
  if (message == NULL) exit(EXIT_FAILURE);
  atomic_init(&message->references, 1);
  snprintf(message->text, sizeof message->text, "%s", text);
  return message;
}

static struct message* message_ref(struct message* message) {
  atomic_fetch_add_explicit(&message->references, 1, memory_order_relaxed);
  return message;
}

static void message_unref(struct message* message) {
  if (atomic_fetch_sub_explicit(&message->references, 1, memory_order_acq_rel) == 1) {
    message->text[0] = '\0';
    free(message);
  }
}

static size_t message_length(const struct message* message) {
  size_t length = 0;
  while (message->text[length] != '\0') ++length;
  return length;
}

static void* reader(void* argument) {
  struct message* message = argument;
  const size_t length = message_length(message);
  message_unref(message);
  return length == 5 ? NULL : message;
}

int main(void) {
  struct message* message = message_create("hello");
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&threads[i], NULL, reader, message_ref(message)) != 0) return EXIT_FAILURE;
  }
  message_unref(message);
  int wrong = 0;
  for (int i = 0; i < 2; ++i) {
    void* result = NULL;
    if (pthread_join(threads[i], &result) != 0 || result != NULL) wrong = 1;
  }
  return wrong;
}
