// BBuf: a shared buffer of which consumers see that it is not empty, and take from it, in two critical
// sections.
// Another bug than in bench/coop and bench/deep, where a wake-up is lost.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kSize = 8;
std::mutex lock;
int items[kSize];
int head, rear;
int put_count, taken_count, sum;

void produce(int first) {
  for (int i = 0; i < 3; ++i) {
    std::lock_guard<std::mutex> guard(lock);
    items[rear % kSize] = first + i;
    rear++;
    put_count++;
  }
}

void consume() {
  for (int i = 0; i < 2; ++i) {
    lock.lock();
    const bool any = head != rear;
    lock.unlock();
    if (!any) continue;
    lock.lock();
    assert(head != rear);
    sum += items[head % kSize];
    head++;
    taken_count++;
    lock.unlock();
  }
}

}  // namespace

int main() {
  produce(0);
  consume();
  std::vector<std::thread> threads;
  threads.emplace_back(produce, 10);
  for (int i = 0; i < 3; ++i) threads.emplace_back(consume);
  for (std::thread& t : threads) t.join();
  return 0;
}
