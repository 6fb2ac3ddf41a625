// The queue of Michael and Scott (1996). STORE_HEAD: dequeue moves the head by a store (a seeded variant).
// STORE_LINK: enqueue links its node by a store (another).
#include <atomic>
#include <optional>

#include "queue_test.h"

class MichaelScottQueue {
 public:
  MichaelScottQueue() {
    Node* dummy = new Node{0};
    head_.store(dummy);
    tail_.store(dummy);
  }

  void enq(int v) {
    Node* node = new Node{v};
    while (true) {
      Node* tail = tail_.load();
      Node* next = tail->next.load();
      if (tail != tail_.load()) continue;
      if (next != nullptr) {
        tail_.compare_exchange_strong(tail, next);
        continue;
      }
#ifdef STORE_LINK
      tail->next.store(node);
#else
      if (!tail->next.compare_exchange_strong(next, node)) continue;
#endif
      tail_.compare_exchange_strong(tail, node);
      return;
    }
  }

  std::optional<int> deq() {
    while (true) {
      Node* head = head_.load();
      Node* tail = tail_.load();
      Node* next = head->next.load();
      if (head != head_.load()) continue;
      if (next == nullptr) return std::nullopt;
      if (head == tail) {
        tail_.compare_exchange_strong(tail, next);
        continue;
      }
#ifdef STORE_HEAD
      head_.store(next);
      return next->value;
#else
      if (head_.compare_exchange_strong(head, next)) return next->value;
#endif
    }
  }

 private:
  struct Node {
    int value;
    std::atomic<Node*> next{nullptr};
  };
  std::atomic<Node*> head_;
  std::atomic<Node*> tail_;
};

QUEUE_TEST(MichaelScottQueue)
