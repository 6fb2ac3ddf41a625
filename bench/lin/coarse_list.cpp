// A list-based set (Vechev and Yahav 2008; CGVT, Fig. 3): add looks for its place without the lock and links
// its node under it, without looking again.
// CORRECT: looks under the lock. SIZE: add and remove are correct, and size counts without the lock.
#include <heddle/lin.hpp>

#include "list_node.h"

class CoarseList {
 public:
  bool add(long v) {
#if defined CORRECT || defined SIZE
    const std::lock_guard<std::mutex> guard(mutex_);
    const Window w = list_.find(v);
#else
    const Window w = list_.find(v);
    const std::lock_guard<std::mutex> guard(mutex_);
#endif
    if (w.curr->value == v) return false;
    w.pred->next.store(new Node(v, w.curr));
    return true;
  }

  bool remove(long v) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const Window w = list_.find(v);
    if (w.curr->value != v) return false;
    w.pred->next.store(w.curr->next.load());
    return true;
  }

  bool contains(long v) {
    const std::lock_guard<std::mutex> guard(mutex_);
    return list_.find(v).curr->value == v;
  }

  int size() {
#ifdef CORRECT
    const std::lock_guard<std::mutex> guard(mutex_);
#endif
    int count = -1;
    for (Node* node = list_.head()->next.load(); node != nullptr; node = node->next.load()) ++count;
    return count;
  }

 private:
  SortedList list_;
  std::mutex mutex_;
};

#ifdef SIZE
#include <algorithm>
#include <vector>

// A set that knows its size, in the form of a specification of one's own.
struct SizedSet {
  using Input = heddle::lin::Invocation;
  using Output = heddle::lin::Reply;
  std::vector<long> values;

  Output step(const Input& call) {
    if (call.is("size")) return Output::of(static_cast<long>(values.size()));
    const auto at = std::lower_bound(values.begin(), values.end(), call[0]);
    const bool found = at != values.end() && *at == call[0];
    if (call.is("add") && !found) values.insert(at, call[0]);
    if (call.is("remove") && found) values.erase(at);
    return Output::truth(call.is("add") != found);
  }
  std::size_t hash() const { return heddle::linearize::hash_values(values); }
  friend bool operator==(const SizedSet& a, const SizedSet& b) { return a.values == b.values; }
};

HEDDLE_LIN_TEST(CoarseList, SizedSet) {
  test.clients(2, 3);
  test.around(2, 0);
  test.operation("add", [](CoarseList& s, long v) { return s.add(v); }, heddle::lin::values(1, 4));
  test.operation("remove", [](CoarseList& s, long v) { return s.remove(v); }, heddle::lin::values(1, 4));
  test.operation("size", [](CoarseList& s) { return s.size(); });
}
#else
// Nothing is ever removed: in long histories of few values all of them would be there soon, and an add that
// finds its value cannot lose another's.
#ifndef VALUES
#define VALUES 4
#endif

HEDDLE_LIN_TEST(CoarseList, heddle::lin::SetSpec) {
  test.clients(2, 3);
  test.operation("add", [](CoarseList& s, long v) { return s.add(v); }, heddle::lin::values(1, VALUES));
  test.operation(
      "contains", [](CoarseList& s, long v) { return s.contains(v); }, heddle::lin::values(1, VALUES));
}
#endif
