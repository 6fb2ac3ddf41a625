// expect: deadlock
// Two locks in two orders, in C, through functions.
#include <pthread.h>

struct account {
  pthread_mutex_t mutex;
  int balance;
};

static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account* from, struct account* to, int amount) {
  pthread_mutex_lock(&from->mutex);
  pthread_mutex_lock(&to->mutex);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&to->mutex);
  pthread_mutex_unlock(&from->mutex);
}

static void* there(void* argument) {
  transfer(&alice, &bob, 10);
  return argument;
}

static void* back(void* argument) {
  transfer(&bob, &alice, 10);
  return argument;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, there, NULL);
  pthread_create(&second, NULL, back, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
