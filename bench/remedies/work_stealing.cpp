// Tasks of one thread, from which others steal at the other end. The owner takes a task by moving its end
// first and looking at the thieves' end afterwards; the fence between is not strong enough to keep that
// order, and the last task can be taken twice.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#ifdef FIXED
constexpr std::memory_order kBetween = std::memory_order_seq_cst;
#else
constexpr std::memory_order kBetween = std::memory_order_acq_rel;
#endif

namespace {

constexpr int kNone = -1;

class Tasks {
 public:
  void push(int task) {
    const long end = end_.load(std::memory_order_relaxed);
    slots_[static_cast<std::size_t>(end) % kSize].store(task, std::memory_order_relaxed);
    end_.store(end + 1, std::memory_order_release);
  }

  // By the owner.
  int take() {
    const long last = end_.load(std::memory_order_relaxed) - 1;
    end_.store(last, std::memory_order_relaxed);
    std::atomic_thread_fence(kBetween);
    long first = begin_.load(std::memory_order_relaxed);
    if (first > last) {
      end_.store(last + 1, std::memory_order_relaxed);
      return kNone;
    }
    int task = slots_[static_cast<std::size_t>(last) % kSize].load(std::memory_order_relaxed);
    if (first == last) {
      // The last one: whoever moves the beginning has it.
      if (!begin_.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst,
                                          std::memory_order_relaxed))
        task = kNone;
      end_.store(last + 1, std::memory_order_relaxed);
    }
    return task;
  }

  // By anybody else.
  int steal() {
    long first = begin_.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const long end = end_.load(std::memory_order_acquire);
    if (first >= end) return kNone;
    const int task = slots_[static_cast<std::size_t>(first) % kSize].load(std::memory_order_relaxed);
    if (!begin_.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed))
      return kNone;
    return task;
  }

 private:
  static constexpr std::size_t kSize = 4;
  std::array<std::atomic<int>, kSize> slots_{};
  std::atomic<long> begin_{0}, end_{0};
};

std::array<std::atomic<int>, 2> runs;

void run(int task) {
  if (task == kNone) return;
  const int before = runs[static_cast<std::size_t>(task)].fetch_add(1);
  assert(before == 0);
}

}  // namespace

int main() {
  Tasks tasks;
  tasks.push(0);
  tasks.push(1);
  std::thread thief([&tasks] {
    run(tasks.steal());
    run(tasks.steal());
  });
  run(tasks.take());
  run(tasks.take());
  thief.join();
}
