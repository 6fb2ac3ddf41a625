// The thesis' running example (Fig. 4.2): a scanner's queue whose consumers check that there is an element,
// and take it, in two critical sections. Both see the last one.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex lock;
int filled;
int buffer[2];

void put(int element) {
  lock.lock();
  buffer[filled] = element;
  filled++;
  lock.unlock();
}

bool get(int& element) {
  lock.lock();
  if (filled > 0) {
    lock.unlock();
  } else {
    lock.unlock();
    return false;
  }
  lock.lock();
  assert(filled > 0);
  filled--;
  element = buffer[filled];
  lock.unlock();
  return true;
}

}  // namespace

int main() {
  std::thread producer([] { put(1); });
  const auto consume = [] {
    int element = 0;
    get(element);
  };
  std::thread first(consume), second(consume);
  producer.join();
  first.join();
  second.join();
  return 0;
}
