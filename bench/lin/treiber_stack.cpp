// Treiber's stack (1986) with nodes that are used again: ABA. CORRECT: the top has a count beside it.
// LOOKS_AT_TOP: a push does not ask its compare-and-swap whether it was done, but looks whether the top is on
// what it saw, which another push may have done. POPS_ONCE: a pop gives what it saw, whether or not its
// compare-and-swap took it. Nodes are not used again in these two: Table II's KStack and TBStack.
// bench/deep/treiber.c is a program whose assertion fails by the first of these bugs.
#include <atomic>
#include <cstdint>
#include <heddle/lin.hpp>
#include <mutex>
#include <optional>

class TreiberStack {
 public:
  void push(int v) {
    const std::uint32_t node = take_free();
    nodes_[node].value = v;
    std::uint64_t top = top_.load();
#ifdef LOOKS_AT_TOP
    for (;; top = top_.load()) {
      nodes_[node].next.store(index(top));
      std::uint64_t expected = top;
      top_.compare_exchange_strong(expected, next_word(top, node));
      const std::uint32_t now = index(top_.load());
      if (now != kNone && nodes_[now].next.load() == index(top)) return;
    }
#else
    do {
      nodes_[node].next.store(index(top));
    } while (!top_.compare_exchange_strong(top, next_word(top, node)));
#endif
  }

  std::optional<int> pop() {
    std::uint64_t top = top_.load();
    while (index(top) != kNone) {
      const std::uint32_t next = nodes_[index(top)].next.load();
#ifdef POPS_ONCE
      std::uint64_t expected = top;
      top_.compare_exchange_strong(expected, next_word(top, next));
#else
      if (!top_.compare_exchange_strong(top, next_word(top, next))) continue;
#endif
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

  // The node that was given back first is used first, as pools do that put off reuse. (With the latest first,
  // what one thread pushes undoes its pops node by node, and the thread that it overtakes sees what it saw.)
  std::uint32_t take_free() {
    const std::lock_guard<std::mutex> guard(pool_);
    return oldest_ != latest_ ? free_[oldest_++ % kNodes] : unused_++;
  }
  void give_free(std::uint32_t node) {
#if defined LOOKS_AT_TOP || defined POPS_ONCE
    static_cast<void>(node);
#else
    const std::lock_guard<std::mutex> guard(pool_);
    free_[latest_++ % kNodes] = node;
#endif
  }

  static constexpr std::uint32_t kNodes = 2048;
  Node nodes_[kNodes];
  std::atomic<std::uint64_t> top_{kNone};
  std::mutex pool_;
  std::uint32_t free_[kNodes];
  std::uint32_t oldest_ = 0, latest_ = 0, unused_ = 0;
};

HEDDLE_LIN_TEST(TreiberStack, heddle::lin::StackSpec) {
  test.clients(2, 3);
  test.around(2, 2);
  test.operation("push", [](TreiberStack& s, int v) { s.push(v); }, heddle::lin::fresh());
  test.operation("pop", [](TreiberStack& s) { return s.pop(); });
}
