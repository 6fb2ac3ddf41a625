// Cost of one atomic operation in the memory model alone (no fibers, no scheduling, no choice log). Threads
// take turns in random bursts; a load reads a candidate at random. Arguments: threads, locations, operations.
#include <benchmark/benchmark.h>

#include <vector>

#include "core/base/random.h"
#include "runtime/memory/memory_model.h"

namespace heddle::memory {
namespace {

enum class Mix { kLoads, kStores, kUpdates, kAll };

struct Orders {
  MemoryOrder load, store, update;
};
constexpr Orders kRelaxed{MemoryOrder::kRelaxed, MemoryOrder::kRelaxed, MemoryOrder::kRelaxed};
constexpr Orders kAcqRel{MemoryOrder::kAcquire, MemoryOrder::kRelease, MemoryOrder::kAcqRel};
constexpr Orders kSeqCst{MemoryOrder::kSeqCst, MemoryOrder::kSeqCst, MemoryOrder::kSeqCst};

class Program {
 public:
  Program(MemoryModel& model, std::uint32_t threads, std::uint32_t locations, Orders orders)
      : model_(model), memory_(locations), random_(1), threads_(threads), orders_(orders) {
    for (std::uint32_t t = 1; t <= threads; ++t) model_.thread_created(kMainThread, thread(t - 1));
  }

  void operate(Mix mix) {
    const std::uint64_t r = random_.next();
    if ((r & 3) == 0) current_ = static_cast<std::uint32_t>((((r >> 2) & 0xffff) * threads_) >> 16);
    const auto x = static_cast<std::uint32_t>((((r >> 18) & 0xffff) * memory_.size()) >> 16);
    if (mix == Mix::kAll) mix = static_cast<Mix>((r >> 40) % 3);
    const Place place{0x1000 + 8ull * x, 8, memory_[x]};
    const ThreadId t = thread(current_);
    if (mix == Mix::kStores) {
      memory_[x] = model_.store(t, place, orders_.store, {++value_, 0});
    } else if (mix == Mix::kUpdates) {
      const Reading reading = model_.begin_update(t, place, orders_.update);
      const Sequence store = model_.store_at(reading, choose(reading.count, r));
      const std::uint64_t old = reading.location->store(store).value.low;
      memory_[x] = model_.commit_update(reading, store, {old + 1, 0});
    } else {
      const Reading reading = model_.begin_load(t, place, orders_.load);
      model_.commit_load(reading, model_.store_at(reading, choose(reading.count, r)));
      memory_[x] = MemoryModel::newest_value(*reading.location);
    }
  }

 private:
  static ThreadId thread(std::uint32_t i) { return ThreadId{static_cast<std::uint16_t>(i + 1)}; }
  static std::uint32_t choose(std::uint32_t count, std::uint64_t r) {
    return static_cast<std::uint32_t>((((r >> 44) & 0xffff) * count) >> 16);
  }

  MemoryModel& model_;
  std::vector<Value> memory_;
  Random random_;
  std::uint32_t threads_;
  Orders orders_;
  std::uint32_t current_ = 0;
  std::uint64_t value_ = 0;
};

void operations(benchmark::State& state, Orders orders, Mix mix) {
  MemoryModel model;
  const auto count = static_cast<std::uint64_t>(state.range(2));
  std::size_t used = 0;
  for (auto _ : state) {
    model.reset(Options{});
    Program program(model, static_cast<std::uint32_t>(state.range(0)),
                    static_cast<std::uint32_t>(state.range(1)), orders);
    for (std::uint64_t i = 0; i < count; ++i) program.operate(mix);
    used = model.memory_used();
  }
  const double total = static_cast<double>(count) * static_cast<double>(state.iterations());
  state.counters["ns/op"] =
      benchmark::Counter(total * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["KB"] = static_cast<double>(used) / 1024;
}

void resets(benchmark::State& state) {
  MemoryModel model;
  for (auto _ : state) {
    model.reset(Options{});
    Program program(model, 2, 4, kSeqCst);
    for (int i = 0; i < 30; ++i) program.operate(Mix::kAll);
  }
}

void arguments(benchmark::internal::Benchmark* b) {
  for (const int threads : {2, 4, 64}) {
    for (const int locations : {1, 16}) b->Args({threads, locations, 100'000});
  }
  b->Args({2, 1, 10'000})->Args({2, 1, 1'000'000})->Args({300, 1, 100'000});
  b->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(operations, relaxed_loads_and_stores, kRelaxed, Mix::kAll)->Apply(arguments);
BENCHMARK_CAPTURE(operations, relaxed_stores, kRelaxed, Mix::kStores)->Apply(arguments);
BENCHMARK_CAPTURE(operations, relaxed_updates, kRelaxed, Mix::kUpdates)->Apply(arguments);
BENCHMARK_CAPTURE(operations, relaxed_loads, kRelaxed, Mix::kLoads)
    ->Args({2, 1, 100'000})
    ->Args({64, 16, 100'000});
BENCHMARK_CAPTURE(operations, acq_rel_all, kAcqRel, Mix::kAll)->Apply(arguments);
BENCHMARK_CAPTURE(operations, acq_rel_updates, kAcqRel, Mix::kUpdates)->Apply(arguments);
BENCHMARK_CAPTURE(operations, seq_cst_all, kSeqCst, Mix::kAll)->Apply(arguments);
BENCHMARK_CAPTURE(operations, seq_cst_stores, kSeqCst, Mix::kStores)->Apply(arguments);
BENCHMARK(resets);

}  // namespace
}  // namespace heddle::memory

BENCHMARK_MAIN();
