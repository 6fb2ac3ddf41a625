// The lazy list (Heller et al. 2005): removed nodes are marked first, and validation looks at the marks only.
// NO_MARK: nodes are not marked (a seeded variant). GIVES_UP: where the place has changed it answers no
// instead of looking again (another).
#include "list_node.h"
#include "set_test.h"

class LazyList {
 public:
  bool add(long v) {
    while (true) {
      const Window w = list_.find(v);
      const std::lock_guard<std::mutex> pred(w.pred->mutex);
      const std::lock_guard<std::mutex> curr(w.curr->mutex);
      if (!is_valid(w)) {
        if (kGivesUp) return false;
        continue;
      }
      if (w.curr->value == v) return false;
      w.pred->next.store(new Node(v, w.curr));
      return true;
    }
  }

  bool remove(long v) {
    while (true) {
      const Window w = list_.find(v);
      const std::lock_guard<std::mutex> pred(w.pred->mutex);
      const std::lock_guard<std::mutex> curr(w.curr->mutex);
      if (!is_valid(w)) {
        if (kGivesUp) return false;
        continue;
      }
      if (w.curr->value != v) return false;
#ifndef NO_MARK
      w.curr->marked.store(true);
#endif
      w.pred->next.store(w.curr->next.load());
      return true;
    }
  }

 private:
#ifdef GIVES_UP
  static constexpr bool kGivesUp = true;
#else
  static constexpr bool kGivesUp = false;
#endif

  static bool is_valid(const Window& w) {
    return !w.pred->marked.load() && !w.curr->marked.load() && w.pred->next.load() == w.curr;
  }

  SortedList list_;
};

SET_TEST(LazyList)
