// Producer and consumer with two condition variables, waiting in loops.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

class BoundedQueue {
 public:
  void push(int value) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return items_.size() < 2; });
    items_.push_back(value);
    not_empty_.notify_one();
  }
  int pop() {
    std::unique_lock lock(mutex_);
    while (items_.empty()) not_empty_.wait(lock);
    const int value = items_.front();
    items_.pop_front();
    not_full_.notify_one();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<int> items_;
};

int main() {
  BoundedQueue queue;
  std::thread producer([&] {
    for (int i = 1; i <= 6; ++i) queue.push(i);
  });
  int first = 0, second = 0;
  std::thread consumer([&] {
    for (int i = 0; i < 3; ++i) first += queue.pop();
  });
  for (int i = 0; i < 3; ++i) second += queue.pop();
  producer.join();
  consumer.join();
  assert(first + second == 21);
}
