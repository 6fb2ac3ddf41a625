// flags: -D_GNU_SOURCE
// rwlocks, spin locks, barriers, semaphores and <threads.h>, used as they are meant to be.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int shared, spun, handed;

static void* work(void* unused) {
  pthread_rwlock_wrlock(&rwlock);
  ++shared;
  pthread_rwlock_unlock(&rwlock);
  pthread_spin_lock(&spin);
  ++spun;
  pthread_spin_unlock(&spin);
  handed = 5;
  sem_post(&semaphore);
  pthread_barrier_wait(&barrier);
  return unused;
}

static mtx_t mutex;
static cnd_t condition;
static int ready;

static int c11_work(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  ready = 1;
  cnd_signal(&condition);
  mtx_unlock(&mutex);
  return 3;
}

int main(void) {
  pthread_t thread;
  pthread_spin_init(&spin, 0);
  pthread_barrier_init(&barrier, 0, 2);
  sem_init(&semaphore, 0, 0);
  pthread_create(&thread, 0, work, 0);
  pthread_rwlock_rdlock(&rwlock);
  assert(shared == 0 || shared == 1);
  pthread_rwlock_unlock(&rwlock);
  sem_wait(&semaphore);
  assert(handed == 5);
  pthread_spin_lock(&spin);
  assert(spun == 1);
  pthread_spin_unlock(&spin);
  pthread_barrier_wait(&barrier);
  assert(shared == 1);
  pthread_join(thread, 0);
  pthread_barrier_destroy(&barrier);
  sem_destroy(&semaphore);

  thrd_t other;
  int result = 0;
  mtx_init(&mutex, mtx_plain);
  cnd_init(&condition);
  thrd_create(&other, c11_work, 0);
  mtx_lock(&mutex);
  while (!ready) cnd_wait(&condition, &mutex);
  mtx_unlock(&mutex);
  thrd_join(other, &result);
  assert(result == 3);
  return 0;
}
