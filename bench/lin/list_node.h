// A sorted list between two sentinels. Removed nodes are never freed: the algorithms assume a collector.
#pragma once

#include <atomic>
#include <limits>
#include <mutex>

struct Node {
  explicit Node(long v, Node* n = nullptr) : value(v), next(n) {}
  long value;
  std::atomic<Node*> next;
  std::atomic<bool> marked{false};
  std::mutex mutex;
};

struct Window {
  Node* pred;
  Node* curr;
};

class SortedList {
 public:
  SortedList()
      : head_(new Node(std::numeric_limits<long>::min(), new Node(std::numeric_limits<long>::max()))) {}

  Window find(long v) const {
    Node* pred = head_;
    Node* curr = pred->next.load();
    while (curr->value < v) {
      pred = curr;
      curr = curr->next.load();
    }
    return {pred, curr};
  }

  Node* head() const { return head_; }

 private:
  Node* head_;
};
