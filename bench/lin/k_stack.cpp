// A k-stack (Henzinger et al. 2013; Haas et al., Scal 2015) with k = 2: a stack of segments of k slots each,
// of which any may be filled or emptied. As a strict stack it is wrong by design. CORRECT: judged as what it
// is, a stack whose pops are out of order by less than k.
#include <atomic>
#include <heddle/lin.hpp>
#include <optional>

class KStack {
 public:
  static constexpr int kSlots = 2;

  KStack() : top_(new Segment) {}

  void push(int v) {
    while (true) {
      Segment* top = top_.load();
      for (int i = 0; i < kSlots; ++i) {
        int empty = 0;
        if (top->slots[i].load() != 0 || !top->slots[i].compare_exchange_strong(empty, v)) continue;
        if (committed(top, i, v)) return;
        break;
      }
      if (is_full(top)) {
        Segment* segment = new Segment;
        segment->below = top;
        top_.compare_exchange_strong(top, segment);
      }
    }
  }

  std::optional<int> pop() {
    while (true) {
      Segment* top = top_.load();
      for (int i = 0; i < kSlots; ++i) {
        int v = top->slots[i].load();
        if (v != 0 && top->slots[i].compare_exchange_strong(v, 0)) return v;
      }
      if (top_.load() != top || !is_empty(top)) continue;
      if (top->below == nullptr) return std::nullopt;
      remove(top);
    }
  }

 private:
  struct Segment {
    std::atomic<int> slots[kSlots] = {};
    std::atomic<int> removing{0};  // pops that are taking it off
    Segment* below = nullptr;
  };

  static bool is_full(Segment* segment) {
    for (auto& slot : segment->slots) {
      if (slot.load() == 0) return false;
    }
    return true;
  }
  static bool is_empty(Segment* segment) {
    for (auto& slot : segment->slots) {
      if (slot.load() != 0) return false;
    }
    return true;
  }

  // The value counts if its segment was not taken off meanwhile.
  bool committed(Segment* segment, int slot, int v) {
    if (segment->slots[slot].load() != v) return true;  // popped already
    int expected = v;
    if (segment->removing.load() == 0) return true;
    if (top_.load() == segment) {
      Segment* same = segment;
      if (top_.compare_exchange_strong(same, segment)) return true;
    }
    return !segment->slots[slot].compare_exchange_strong(expected, 0);
  }

  void remove(Segment* top) {
    top->removing.fetch_add(1);
    if (is_empty(top)) {
      Segment* expected = top;
      top_.compare_exchange_strong(expected, top->below);
    }
    top->removing.fetch_sub(1);
  }

  std::atomic<Segment*> top_;
};

#ifdef CORRECT
using Spec = heddle::lin::RelaxedStackSpec;
#else
using Spec = heddle::lin::StackSpec;
#endif

HEDDLE_LIN_TEST(KStack, Spec) {
  test.clients(2, 3);
  test.operation("push", [](KStack& s, int v) { s.push(v); }, heddle::lin::fresh());
  test.operation("pop", [](KStack& s) { return s.pop(); });
#ifdef CORRECT
  test.specification(Spec(KStack::kSlots - 1));
#endif
}
