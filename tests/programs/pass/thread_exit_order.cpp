// At a thread's end thread_local objects go in reverse order of construction, then pthread keys, then join
// returns.
#include <pthread.h>

#include <cassert>
#include <string>
#include <thread>

std::string order;  // one thread at a time: joined before the next one starts

struct First {
  ~First() { order += '1'; }
  void touch() {}
};
struct Second {
  ~Second() { order += '2'; }
  void touch() {}
};
thread_local First first;
thread_local Second second;

void key_gone(void*) { order += 'k'; }

int main() {
  pthread_key_t key;
  assert(pthread_key_create(&key, key_gone) == 0);
  for (int i = 0; i < 2; ++i) {
    std::thread([&] {
      first.touch();
      second.touch();
      pthread_setspecific(key, &order);
      order += 'r';
    }).join();
  }
  assert(order == "r21kr21k");
  pthread_key_delete(key);
}
