// What the race detector costs beyond sweeps in one epoch: many epochs and threads, words in states of their
// own, the reset between executions, fork, and the choice of the shadow's mapping.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "runtime/race/race_detector.h"

namespace heddle::race {
namespace {

constinit RaceDetector detector;
constexpr Address kHeap = 0x600000000000;
constexpr std::uint32_t kThreads = 16;

// Threads that pass one lock around: each turn acquires all before it and releases.
class Turns {
 public:
  explicit Turns(std::uint32_t threads) : threads_(threads) {
    for (std::uint32_t& time : clock_) time = 1;
  }
  void next() {
    ++clock_[turn_ % threads_];
    ++turn_;
    detector.enter(ThreadId{static_cast<std::uint16_t>(turn_ % threads_)}, clock_[turn_ % threads_],
                   {clock_, kThreads});
  }
  std::uint32_t thread() const { return turn_ % threads_; }

 private:
  std::uint32_t clock_[kThreads];
  std::uint32_t threads_;
  std::uint32_t turn_ = 0;
};

struct Started {
  explicit Started(Mode mode) {
    if (!detector.start(mode)) std::abort();
  }
  ~Started() { detector.stop(); }
};

void no_race(const Race* race) {
  if (race != nullptr) std::abort();
}

[[gnu::noinline]] void read8(Address a) { no_race(detector.on_access<AccessOp::kRead, 8>(a, a)); }
[[gnu::noinline]] void write8(Address a) { no_race(detector.on_access<AccessOp::kWrite, 8>(a, a)); }

void set_accesses(benchmark::State& state, std::uint64_t per_iteration) {
  state.counters["ns_per_access"] =
      benchmark::Counter(static_cast<double>(per_iteration) * 1e-9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Each turn of a thread reads and writes `range(1)` words that all threads use. Epochs change with each turn.
void BM_lock_protected(benchmark::State& state) {
  Started started(static_cast<Mode>(state.range(2)));
  Turns turns(static_cast<std::uint32_t>(state.range(0)));
  const auto words = static_cast<std::uint64_t>(state.range(1));
  for (auto _ : state) {
    turns.next();
    for (std::uint64_t w = 0; w < words; ++w) read8(kHeap + 8 * w), write8(kHeap + 8 * w);
  }
  set_accesses(state, 2 * words);
}
BENCHMARK(BM_lock_protected)
    ->ArgNames({"threads", "words", "precise"})
    ->ArgsProduct({{2, 8}, {1, 4, 32}, {0}})
    ->ArgsProduct({{2}, {4, 32}, {1}});

// Words, far apart, that were written in many epochs; each turn reads some at random.
void BM_scattered(benchmark::State& state) {
  Started started(Mode::kFast);
  Turns turns(4);
  Random random(11);
  const auto words = static_cast<std::uint32_t>(state.range(0));
  for (std::uint32_t w = 0; w < words; ++w) turns.next(), write8(kHeap + 64 * w);
  for (auto _ : state) {
    turns.next();
    for (int i = 0; i < 4; ++i) {
      const Address a = kHeap + 64 * random.below(words);
      read8(a), write8(a);
    }
  }
  set_accesses(state, 8);
}
BENCHMARK(BM_scattered)->Arg(64)->Arg(4096)->Arg(1 << 18);

// Words that all threads read, unordered, epoch after epoch.
void BM_read_shared(benchmark::State& state) {
  Started started(Mode::kFast);
  const auto threads = static_cast<std::uint32_t>(state.range(0));
  std::uint32_t clocks[kThreads][kThreads] = {};
  std::uint32_t t = 0;
  for (auto _ : state) {
    t = (t + 1) % threads;
    ++clocks[t][t];
    detector.enter(ThreadId{static_cast<std::uint16_t>(t)}, clocks[t][t], {clocks[t], kThreads});
    for (Address w = 0; w < 4; ++w) read8(kHeap + 8 * w);
  }
  set_accesses(state, 4);
}
BENCHMARK(BM_read_shared)->Arg(2)->Arg(8)->Arg(16);

void BM_enter(benchmark::State& state) {
  Started started(Mode::kFast);
  Turns turns(4);
  for (auto _ : state) turns.next();
}
BENCHMARK(BM_enter);

// An execution that touches some KB of memory here and there, and the reset after it.
void BM_reset(benchmark::State& state) {
  Started started(Mode::kFast);
  Turns turns(2);
  turns.next();
  const auto chunks = static_cast<std::uint64_t>(state.range(0)) * 1024 / Shadow::kChunkBytes;
  for (auto _ : state) {
    for (std::uint64_t c = 0; c < chunks; ++c) write8(kHeap + c * Shadow::kChunkBytes);
    detector.reset();
  }
}
BENCHMARK(BM_reset)->ArgName("KB")->Arg(16)->Arg(256)->Arg(4096)->Arg(65536);

void BM_free_and_allocate(benchmark::State& state) {
  Started started(Mode::kFast);
  Turns turns(2);
  const auto size = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    turns.next();
    detector.reset_range(kHeap, size);
    write8(kHeap);
    no_race(detector.on_free(kHeap, size, 1));
  }
}
BENCHMARK(BM_free_and_allocate)->Arg(32)->Arg(1024)->Arg(1 << 20)->Arg(1 << 30);

// A fork, the child's end and its burial, with so many MB of program memory in the shadow.
void BM_fork(benchmark::State& state) {
  Started started(Mode::kFast);
  Turns turns(2);
  turns.next();
  no_race(detector.on_range(AccessOp::kWrite, kHeap, static_cast<std::uint64_t>(state.range(0)) << 20, 1));
  for (auto _ : state) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  }
}
BENCHMARK(BM_fork)->ArgName("MB")->Arg(0)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->UseRealTime();

// The shadow as a table of blocks instead of a linear function of the address: one more load for each access.
// Only the cell's address is computed and the cell compared, as the hot path does.
template <bool kLinear>
void BM_mapping(benchmark::State& state) {
  constexpr std::uint32_t kBlockBits = 26;  // 64 MB of the program for each block
  Started started(Mode::kFast);
  static StateId* blocks[1u << (47 - kBlockBits)];
  const auto size = static_cast<std::uint64_t>(state.range(0));
  for (Address a = kHeap; a < kHeap + size + (1 << kBlockBits); a += 1 << kBlockBits)
    blocks[a >> kBlockBits] = Shadow::cell_of(a);
  for (auto _ : state) {
    for (Address a = kHeap; a < kHeap + size; a += 4) {
      Address hidden = a;
      asm volatile("" : "+r"(hidden)::"memory");
      const StateId* cell = kLinear
                                ? Shadow::cell_of(hidden)
                                : blocks[hidden >> kBlockBits] + ((hidden & ((1 << kBlockBits) - 1)) >> 3);
      if (*cell == kNoState) std::abort();
    }
  }
  set_accesses(state, size / 4);
}
BENCHMARK(BM_mapping<true>)->Arg(16 << 10)->Arg(16 << 20);
BENCHMARK(BM_mapping<false>)->Arg(16 << 10)->Arg(16 << 20);

}  // namespace
}  // namespace heddle::race

BENCHMARK_MAIN();
