// The two-lock queue of Michael and Scott (1996). NO_TAIL_LOCK: enqueue does not lock (a seeded variant).
#include <atomic>
#include <mutex>
#include <optional>

#include "queue_test.h"

class TwoLockQueue {
 public:
  TwoLockQueue() : head_(new Node{0}), tail_(head_) {}

  void enq(int v) {
    Node* node = new Node{v};
#ifndef NO_TAIL_LOCK
    const std::lock_guard<std::mutex> guard(tail_mutex_);
#endif
    tail_.load()->next.store(node);
    tail_.store(node);
  }

  std::optional<int> deq() {
    const std::lock_guard<std::mutex> guard(head_mutex_);
    Node* next = head_->next.load();
    if (next == nullptr) return std::nullopt;
    head_ = next;
    return next->value;
  }

 private:
  struct Node {
    int value;
    std::atomic<Node*> next{nullptr};
  };
  Node* head_;
  std::atomic<Node*> tail_;
  std::mutex head_mutex_;
  std::mutex tail_mutex_;
};

QUEUE_TEST(TwoLockQueue)
