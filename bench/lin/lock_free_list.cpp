// The lock-free list of Herlihy and Shavit's book (14 of the first printing; Harris 2001, Michael 2002). Its
// remove marks a node by attemptMark, which succeeds if the node is marked already: two threads remove one
// value.
// CORRECT: marks by a compare-and-set of the pointer together with its mark (the book's errata).
// NO_MARK_CHECK: add links its node behind a marked one (a seeded variant).
#include <atomic>
#include <cstdint>
#include <limits>

#include "set_test.h"

class LockFreeList {
 public:
  LockFreeList() {
    head_ = new Node{std::numeric_limits<long>::min()};
    head_->next.store(word(new Node{std::numeric_limits<long>::max()}, false));
  }

  bool add(long v) {
    Node* node = new Node{v};
    while (true) {
      const Window w = find(v);
      if (w.curr->value == v) return false;
      node->next.store(word(w.curr, false));
      std::uintptr_t expected = word(w.curr, false);
#ifdef NO_MARK_CHECK
      if (pointer(w.pred->next.load()) == w.curr) {
        w.pred->next.store(word(node, false));
        return true;
      }
#else
      if (w.pred->next.compare_exchange_strong(expected, word(node, false))) return true;
#endif
    }
  }

  bool remove(long v) {
    while (true) {
      const Window w = find(v);
      if (w.curr->value != v) return false;
      Node* succ = pointer(w.curr->next.load());
#if defined CORRECT || defined NO_MARK_CHECK
      std::uintptr_t expected = word(succ, false);
      if (!w.curr->next.compare_exchange_strong(expected, word(succ, true))) continue;
#else
      if (!attempt_mark(w.curr->next, succ)) continue;
#endif
      std::uintptr_t unmarked = word(w.curr, false);
      w.pred->next.compare_exchange_strong(unmarked, word(succ, false));
      return true;
    }
  }

 private:
  struct Node {
    long value;
    std::atomic<std::uintptr_t> next{0};  // the lowest bit is the mark
  };
  struct Window {
    Node* pred;
    Node* curr;
  };
  static std::uintptr_t word(Node* node, bool mark) {
    return reinterpret_cast<std::uintptr_t>(node) | (mark ? 1 : 0);
  }
  static Node* pointer(std::uintptr_t word) { return reinterpret_cast<Node*>(word & ~std::uintptr_t{1}); }

  // As java.util.concurrent's AtomicMarkableReference has it.
  static bool attempt_mark(std::atomic<std::uintptr_t>& next, Node* expected) {
    std::uintptr_t seen = next.load();
    if (pointer(seen) != expected) return false;
    return seen == word(expected, true) || next.compare_exchange_strong(seen, word(expected, true));
  }

  Window find(long v) {
  retry:
    Node* pred = head_;
    Node* curr = pointer(pred->next.load());
    while (true) {
      std::uintptr_t succ = curr->next.load();
      while ((succ & 1) != 0) {
        std::uintptr_t expected = word(curr, false);
        if (!pred->next.compare_exchange_strong(expected, word(pointer(succ), false))) goto retry;
        curr = pointer(succ);
        succ = curr->next.load();
      }
      if (curr->value >= v) return {pred, curr};
      pred = curr;
      curr = pointer(succ);
    }
  }

  Node* head_;
};

SET_TEST(LockFreeList)
