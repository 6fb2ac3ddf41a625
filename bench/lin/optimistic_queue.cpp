// The optimistic queue of Ladan-Mozes and Shavit (2004): enqueue swings the tail and sets the way back to its
// node after that; dequeue goes that way, and mends it where it is not there yet (fixList). Here, as in the
// object of CGVT's experiments, a dequeue moves the head and then takes the value from where the head is,
// which another dequeue may have moved on.
// CORRECT: takes it from the node that it moved the head to.
// NO_FIX_LIST: a dequeue takes a way back that is not there yet for the end of the queue (a seeded variant).
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
#ifdef NO_FIX_LIST
        return std::nullopt;
#else
        fix_list(tail, head);
        continue;
#endif
      }
#if defined CORRECT || defined NO_FIX_LIST
      if (head_.compare_exchange_strong(head, first)) return first->value;
#else
      if (head_.compare_exchange_strong(head, first)) return head_.load()->value;
#endif
    }
  }

 private:
  struct Node {
    int value;
    std::atomic<Node*> next{nullptr};  // the one that was enqueued before it
    std::atomic<Node*> prev{nullptr};  // the one that was enqueued after it
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
