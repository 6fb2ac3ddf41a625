// A quote of two prices behind a sequence lock: the writer makes the number odd, writes and makes it even
// again; readers try again when the number has changed. The writer's fence is of the wrong kind: it does not
// keep the prices behind the odd number, and a reader can take half of a new quote for an old one.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef FIXED
constexpr std::memory_order kBeforePrices = std::memory_order_release;
#else
constexpr std::memory_order kBeforePrices = std::memory_order_acquire;
#endif

struct Quote {
  int bid, ask;
};

class QuoteBoard {
 public:
  // By one thread.
  void write(const Quote& quote) {
    const unsigned now = number_.load(std::memory_order_relaxed);
    number_.store(now + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(kBeforePrices);
    bid_.store(quote.bid, std::memory_order_relaxed);
    ask_.store(quote.ask, std::memory_order_relaxed);
    number_.store(now + 2, std::memory_order_release);
  }

  bool try_read(Quote& quote) const {
    const unsigned before = number_.load(std::memory_order_acquire);
    if (before % 2 != 0) return false;
    quote.bid = bid_.load(std::memory_order_relaxed);
    quote.ask = ask_.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    return number_.load(std::memory_order_relaxed) == before;
  }

 private:
  std::atomic<unsigned> number_{0};
  std::atomic<int> bid_{100}, ask_{101};
};

namespace {

constexpr int kTries = 3;

void watch(const QuoteBoard& board) {
  for (int i = 0; i < kTries; ++i) {
    Quote quote{};
    if (!board.try_read(quote)) {
      std::this_thread::yield();
      continue;
    }
    assert(quote.ask == quote.bid + 1);
  }
}

}  // namespace

int main() {
  QuoteBoard board;
  std::thread exchange([&board] {
    board.write({200, 201});
    board.write({300, 301});
  });
  std::thread watcher(watch, std::cref(board));
  exchange.join();
  watcher.join();
}
