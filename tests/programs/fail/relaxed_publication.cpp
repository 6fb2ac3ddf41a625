// expect: data race
// message: Previous write (allocation by operator new
// A node is given away by a relaxed store: its allocation is not ordered before what the other thread does
// with it.
#include <atomic>
#include <thread>

struct Node {
  int value;
};

std::atomic<Node*> published{nullptr};

int main() {
  std::thread reader([] {
    if (Node* node = published.load(std::memory_order_relaxed)) node->value = 2;
  });
  published.store(new Node, std::memory_order_relaxed);
  reader.join();
}
