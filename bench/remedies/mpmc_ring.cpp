// A bounded queue for many producers and consumers: each cell has a turn that says who may use it next. A
// consumer hands its cell back with a relaxed store, so that the producer of the next round may write into it
// while the consumer, as far as the memory model goes, is still reading.
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>
#include <vector>

#ifdef FIXED
constexpr std::memory_order kHandBack = std::memory_order_release;
#else
constexpr std::memory_order kHandBack = std::memory_order_relaxed;
#endif

template <typename T, std::size_t Size>
class Mailbox {
 public:
  Mailbox() {
    for (std::size_t i = 0; i < Size; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
  }

  bool post(const T& letter) {
    std::size_t ticket = next_post_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[ticket % Size];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == ticket) {
        if (!next_post_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed)) continue;
        cell.letter = letter;
        cell.turn.store(ticket + 1, std::memory_order_release);
        return true;
      }
      if (turn < ticket) return false;  // full
      ticket = next_post_.load(std::memory_order_relaxed);
    }
  }

  bool fetch(T& letter) {
    std::size_t ticket = next_fetch_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[ticket % Size];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == ticket + 1) {
        if (!next_fetch_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed)) continue;
        letter = cell.letter;
        cell.turn.store(ticket + Size, kHandBack);
        return true;
      }
      if (turn < ticket + 1) return false;  // empty
      ticket = next_fetch_.load(std::memory_order_relaxed);
    }
  }

 private:
  struct Cell {
    std::atomic<std::size_t> turn{0};
    T letter{};
  };
  std::array<Cell, Size> cells_;
  std::atomic<std::size_t> next_post_{0}, next_fetch_{0};
};

int main() {
  Mailbox<int, 2> mailbox;
  std::atomic<int> sum{0}, fetched{0};
  std::vector<std::thread> threads;
  for (int sender = 0; sender < 2; ++sender) {
    threads.emplace_back([&mailbox, sender] {
      for (int i = 1; i <= 2; ++i) {
        while (!mailbox.post(10 * sender + i)) std::this_thread::yield();
      }
    });
  }
  threads.emplace_back([&] {
    while (fetched.load() < 4) {
      int letter = 0;
      if (mailbox.fetch(letter)) {
        sum.fetch_add(letter);
        fetched.fetch_add(1);
      } else {
        std::this_thread::yield();
      }
    }
  });
  for (auto& thread : threads) thread.join();
  assert(sum.load() == 1 + 2 + 11 + 12);
}
