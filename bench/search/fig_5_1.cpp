// Fig. 5.1 of the thesis: fails in the order 8-1-2-3-4-9-10-5-6-7 only, on paths that no execution which
// passes takes.
#include <pthread.h>

#include <atomic>
#include <cassert>

namespace {

std::atomic<int> x{0}, y{0}, w{0}, z{0};

void* first(void*) {
  if (z.load() > 0) w.store(w.load() + 1);
  x.store(1);
  y.store(1);
  if (y.load() == 0) x.store(x.load() - 1);
  assert(x.load() > 0);
  return nullptr;
}

void* second(void*) {
  z.store(1);
  if (w.load() > 0) y.store(0);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t t1, t2;
  pthread_create(&t1, nullptr, first, nullptr);
  pthread_create(&t2, nullptr, second, nullptr);
  pthread_join(t1, nullptr);
  pthread_join(t2, nullptr);
  return 0;
}
