// Treiber's stack (1986) with nodes that are used again: ABA. CORRECT: the top has a count beside it.
#include <atomic>
#include <cstdint>
#include <heddle/lin.hpp>
#include <optional>

class TreiberStack {
 public:
  void push(int v) {
    const std::uint32_t node = take_free();
    nodes_[node].value = v;
    std::uint64_t top = top_.load();
    do {
      nodes_[node].next.store(index(top));
    } while (!top_.compare_exchange_strong(top, next_word(top, node)));
  }

  std::optional<int> pop() {
    std::uint64_t top = top_.load();
    while (index(top) != kNone) {
      const std::uint32_t next = nodes_[index(top)].next.load();
      if (!top_.compare_exchange_strong(top, next_word(top, next))) continue;
      const int v = nodes_[index(top)].value;
      give_free(index(top));
      return v;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Node {
    std::atomic<int> value{0};
    std::atomic<std::uint32_t> next{kNone};
    std::atomic<std::uint32_t> next_free{kNone};
  };
  static std::uint32_t index(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  static std::uint64_t next_word(std::uint64_t old, std::uint32_t node) {
#ifdef CORRECT
    return ((old >> 32) + 1) << 32 | node;
#else
    static_cast<void>(old);
    return node;
#endif
  }

  // The free nodes are a stack of their own, with a count.
  std::uint32_t take_free() {
    std::uint64_t top = free_.load();
    while (index(top) != kNone) {
      const std::uint64_t next = ((top >> 32) + 1) << 32 | nodes_[index(top)].next_free.load();
      if (free_.compare_exchange_strong(top, next)) return index(top);
    }
    return unused_.fetch_add(1);
  }
  void give_free(std::uint32_t node) {
    std::uint64_t top = free_.load();
    do {
      nodes_[node].next_free.store(index(top));
    } while (!free_.compare_exchange_strong(top, ((top >> 32) + 1) << 32 | node));
  }

  Node nodes_[2048];
  std::atomic<std::uint64_t> top_{kNone};
  std::atomic<std::uint64_t> free_{kNone};
  std::atomic<std::uint32_t> unused_{0};
};

HEDDLE_LIN_TEST(TreiberStack, heddle::lin::StackSpec) {
  test.clients(2, 4);
  test.operation("push", [](TreiberStack& s, int v) { s.push(v); }, heddle::lin::fresh());
  test.operation("pop", [](TreiberStack& s) { return s.pop(); });
}
