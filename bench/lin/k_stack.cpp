// A k-stack (Henzinger et al. 2013; Haas et al., Scal 2015) with k = 2: a stack of segments of k slots each,
// of which any may be filled or emptied. Alone, each thread fills them upwards and empties them downwards, as
// a strict stack does; at the same time a push may fill a slot that a pop has passed, which leaves a hole
// below it for the next push. CORRECT: judged as what it is, a stack whose pops are out of order by less than
// k.
#include <atomic>
#include <cstdint>
#include <heddle/lin.hpp>
#include <optional>

class KStack {
 public:
  static constexpr int kSlots = 2;

  KStack() : top_(reinterpret_cast<std::uint64_t>(new Segment)) {}

  void push(int v) {
    while (true) {
      const std::uint64_t top = top_.load();
      Segment* segment = segment_of(top);
      int slot = 0;
      std::uint64_t seen = 0;
      while (slot < kSlots && value_of(seen = segment->slots[slot].load()) != 0) ++slot;
      if (slot == kSlots) {
        add_segment(top);
      } else if (segment->slots[slot].compare_exchange_strong(seen, with_value(seen, v)) &&
                 committed(top, slot, with_value(seen, v))) {
        return;
      }
    }
  }

  std::optional<int> pop() {
    while (true) {
      const std::uint64_t top = top_.load();
      Segment* segment = segment_of(top);
      std::uint64_t seen[kSlots];
      for (int i = kSlots; i-- > 0;) {
        seen[i] = segment->slots[i].load();
        if (value_of(seen[i]) != 0 &&
            segment->slots[i].compare_exchange_strong(seen[i], with_value(seen[i], 0)))
          return value_of(seen[i]);
      }
      if (!is_still(segment, seen) || top_.load() != top) continue;
      if (segment->below == nullptr) return std::nullopt;
      remove(top);
    }
  }

 private:
  struct Segment {
    std::atomic<std::uint64_t> slots[kSlots] = {};  // a value, and above it how often the slot has changed
    std::atomic<int> removers{0};                   // pops that are taking it off, or have
    Segment* below = nullptr;
  };

  // A pointer with a count above it.
  static constexpr std::uint64_t kCount = std::uint64_t{1} << 48;
  static Segment* segment_of(std::uint64_t top) { return reinterpret_cast<Segment*>(top & (kCount - 1)); }
  static std::uint64_t next_top(std::uint64_t top, Segment* segment) {
    return (top & ~(kCount - 1)) + kCount + reinterpret_cast<std::uint64_t>(segment);
  }
  static int value_of(std::uint64_t slot) { return static_cast<int>(slot & 0xffffffff); }
  static std::uint64_t with_value(std::uint64_t slot, int v) {
    return ((slot >> 32) + 1) << 32 | static_cast<std::uint32_t>(v);
  }

  // All slots were empty, and nothing has changed: there was a moment at which all were.
  static bool is_still(Segment* segment, const std::uint64_t* seen) {
    for (int i = 0; i < kSlots; ++i) {
      if (value_of(seen[i]) != 0 || segment->slots[i].load() != seen[i]) return false;
    }
    return true;
  }

  void add_segment(std::uint64_t top) {
    Segment* segment = new Segment;
    segment->below = segment_of(top);
    top_.compare_exchange_strong(top, next_top(top, segment));
  }

  // A value counts unless its segment is being taken off. Then the top is renewed, so that it stays; where
  // that fails the value is taken back.
  bool committed(std::uint64_t top, int slot, std::uint64_t word) {
    Segment* segment = segment_of(top);
    if (segment->removers.load() == 0) return true;
    if (top_.compare_exchange_strong(top, next_top(top, segment))) return true;
    return !segment->slots[slot].compare_exchange_strong(word, with_value(word, 0));
  }

  void remove(std::uint64_t top) {
    Segment* segment = segment_of(top);
    segment->removers.fetch_add(1);
    bool is_empty = true;
    for (auto& slot : segment->slots) is_empty = is_empty && value_of(slot.load()) == 0;
    if (!is_empty || !top_.compare_exchange_strong(top, next_top(top, segment->below)))
      segment->removers.fetch_sub(1);
  }

  std::atomic<std::uint64_t> top_;
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
