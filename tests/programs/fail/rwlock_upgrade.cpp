// expect: deadlock
// Two readers that both want to write wait for each other.
#include <pthread.h>
#include <shared_mutex>
#include <thread>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void upgrade() {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
}

int main() {
  std::thread a(upgrade), b(upgrade);
  a.join();
  b.join();
}
