// The optimistic list of Herlihy and Shavit's book: locks both nodes of its place and walks there again.
// NO_VALIDATION: does not walk again (a seeded variant).
#include "list_node.h"
#include "set_test.h"

class OptimisticList {
 public:
  bool add(long v) {
    return at(v, [&](const Window& w) {
      if (w.curr->value == v) return false;
      w.pred->next.store(new Node(v, w.curr));
      return true;
    });
  }

  bool remove(long v) {
    return at(v, [&](const Window& w) {
      if (w.curr->value != v) return false;
      w.pred->next.store(w.curr->next.load());
      return true;
    });
  }

 private:
  template <typename Deed>
  bool at(long v, const Deed& deed) {
    while (true) {
      const Window w = list_.find(v);
      const std::lock_guard<std::mutex> pred(w.pred->mutex);
      const std::lock_guard<std::mutex> curr(w.curr->mutex);
      if (is_valid(w)) return deed(w);
    }
  }

  bool is_valid(const Window& w) const {
#ifdef NO_VALIDATION
    static_cast<void>(w);
    return true;
#else
    for (Node* node = list_.head(); node != nullptr && node->value <= w.pred->value;
         node = node->next.load()) {
      if (node == w.pred) return node->next.load() == w.curr;
    }
    return false;
#endif
  }

  SortedList list_;
};

SET_TEST(OptimisticList)
