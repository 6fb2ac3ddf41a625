// Push by compare-exchange and take everything by exchange: no ABA, nothing lost.
#include <atomic>
#include <cassert>
#include <thread>

struct Node {
  int value;
  Node* next;
};

std::atomic<Node*> top{nullptr};

void push(int value) {
  Node* node = new Node{value, top.load(std::memory_order_relaxed)};
  while (!top.compare_exchange_weak(node->next, node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

int take_all() {
  int sum = 0;
  for (Node* node = top.exchange(nullptr, std::memory_order_acquire); node != nullptr;) {
    sum += node->value;
    Node* const next = node->next;
    delete node;
    node = next;
  }
  return sum;
}

int main() {
  std::thread first([] {
    push(1);
    push(2);
  });
  std::thread second([] { push(4); });
  const int early = take_all();
  first.join();
  second.join();
  assert(early + take_all() == 7);
}
