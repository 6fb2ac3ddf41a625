#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <heddle/heddle.h>

#include "shared.h"

static atomic_int done;

static void* body(void* argument) {
  *(int*)argument += add(1, 2);
  atomic_store(&done, 1);
  return NULL;
}

int main(void) {
  int result = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, body, &result);
  pthread_join(thread, NULL);
  printf("%d %d\n", result, atomic_load(&done));
  return 0;
}
