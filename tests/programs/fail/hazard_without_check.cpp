// expect: heap use after free
// message: Freed by
// message: , freed at hazard_without_check.cpp
// A stack announces the node that it looks at and does not look again whether the node is still there.
#include <atomic>
#include <thread>

struct Node {
  int value;
  Node* next;
};

std::atomic<Node*> hazard[2];
std::atomic<Node*> top{nullptr};

bool pop(int thread, int& value) {
  for (;;) {
    Node* node = top.load(std::memory_order_acquire);
    if (node == nullptr) return false;
    hazard[thread].store(node, std::memory_order_release);
    Node* next = node->next;
    if (!top.compare_exchange_strong(node, next, std::memory_order_acq_rel)) continue;
    hazard[thread].store(nullptr, std::memory_order_release);
    value = node->value;
    if (hazard[1 - thread].load(std::memory_order_acquire) != node) delete node;
    return true;
  }
}

int main() {
  for (int i = 0; i < 2; ++i) top.store(new Node{i, top.load()});
  std::thread other([] {
    int value;
    pop(1, value);
  });
  int value;
  pop(0, value);
  other.join();
}
