// The optimistic queue of Ladan-Mozes and Shavit (2004): enqueue swings the tail and sets the way back to its
// node after that; dequeue goes that way. Here a dequeue takes a way back that is not there yet for the end
// of the queue. CORRECT: mends it first (fixList).
#include <atomic>
#include <optional>

#include "queue_test.h"

class OptimisticQueue {
 public:
  OptimisticQueue() {
    Node* dummy = new Node{0};
    head_.store(dummy);
    tail_.store(dummy);
  }

  void enq(int v) {
    Node* node = new Node{v};
    Node* tail = tail_.load();
    do {
      node->next.store(tail);
    } while (!tail_.compare_exchange_strong(tail, node));
    tail->prev.store(node);
  }

  std::optional<int> deq() {
    while (true) {
      Node* head = head_.load();
      Node* tail = tail_.load();
      Node* first = head->prev.load();
      if (head != head_.load()) continue;
      if (head == tail) return std::nullopt;
      if (first == nullptr) {
#ifdef CORRECT
        fix_list(tail, head);
        continue;
#else
        return std::nullopt;
#endif
      }
      if (head_.compare_exchange_strong(head, first)) return first->value;
    }
  }

 private:
  struct Node {
    int value;
    std::atomic<Node*> next{nullptr};  // the one that was enqueued before it
    std::atomic<Node*> prev{nullptr};  // … after it
  };

  void fix_list(Node* tail, Node* head) {
    for (Node* node = tail; node != head && head == head_.load();) {
      Node* next = node->next.load();
      next->prev.store(node);
      node = next;
    }
  }

  std::atomic<Node*> head_;
  std::atomic<Node*> tail_;
};

QUEUE_TEST(OptimisticQueue)
