// The cost of plain accesses. Built twice from the same instrumented loops (race_loops.cpp): race_accesses
// runs them on the detector, race_accesses_tsan on ThreadSanitizer. race_vs_tsan.sh prints the ratio.
#include <benchmark/benchmark.h>
#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <numeric>
#include <random>
#include <vector>

#include "bench/speed/race_loops.h"

// A release by the running thread: the next access is in a new epoch. Each runtime's own means.
void new_epoch();

namespace {

// Fresh zeroed memory. From the kernel, so that neither runtime's malloc plays a part.
template <typename T>
class Block {
 public:
  explicit Block(std::size_t bytes) : size_(bytes) {
    begin_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (begin_ == MAP_FAILED) std::abort();
  }
  ~Block() { munmap(begin_, size_); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  T* get() { return static_cast<T*>(begin_); }
  std::size_t count() const { return size_ / sizeof(T); }

 private:
  void* begin_;
  std::size_t size_;
};

void count_accesses(benchmark::State& state, std::size_t per_iteration) {
  state.SetItemsProcessed(static_cast<std::int64_t>(per_iteration) *
                          static_cast<std::int64_t>(state.iterations()));
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const std::int64_t size : {1 << 10, 16 << 10, 256 << 10, 4 << 20, 100 << 20}) b->Arg(size);
}

template <typename T, void (*kLoop)(T*, std::size_t, std::type_identity_t<T>)>
void add(benchmark::State& state) {
  Block<T> block(static_cast<std::size_t>(state.range(0)));
  kLoop(block.get(), block.count(), 1);
  for (auto _ : state) kLoop(block.get(), block.count(), 3);
  count_accesses(state, 2 * block.count());
}

void BM_add_int(benchmark::State& state) { add<int, add_to_each>(state); }
BENCHMARK(BM_add_int)->Apply(sizes);
void BM_add_long(benchmark::State& state) { add<long, add_to_each_long>(state); }
BENCHMARK(BM_add_long)->Arg(16 << 10)->Arg(100 << 20);

void BM_add_byte(benchmark::State& state) {
  Block<unsigned char> block(static_cast<std::size_t>(state.range(0)));
  add_to_each_byte(block.get(), block.count(), 1);
  for (auto _ : state) add_to_each_byte(block.get(), block.count(), 3);
  count_accesses(state, 2 * block.count());
}
BENCHMARK(BM_add_byte)->Arg(16 << 10)->Arg(10 << 20);

void BM_sum_int(benchmark::State& state) {
  Block<int> block(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(sum(block.get(), block.count()));
  count_accesses(state, block.count());
}
BENCHMARK(BM_sum_int)->Apply(sizes);

// The first sweep over memory that nobody touched, as most short executions do.
void BM_first_touch_int(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    {
      Block<int> block(static_cast<std::size_t>(state.range(0)));
      state.ResumeTiming();
      add_to_each(block.get(), block.count(), 3);
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  count_accesses(state, 2 * static_cast<std::size_t>(state.range(0)) / sizeof(int));
}
BENCHMARK(BM_first_touch_int)->Arg(1 << 20)->Arg(64 << 20);

// Each sweep in a new epoch: every cell changes.
void BM_add_int_new_epoch(benchmark::State& state) {
  Block<int> block(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    add_to_each(block.get(), block.count(), 3);
    new_epoch();
  }
  count_accesses(state, 2 * block.count());
}
BENCHMARK(BM_add_int_new_epoch)->Arg(32)->Arg(128)->Arg(1 << 10)->Arg(16 << 10)->Arg(4 << 20);

void BM_copy_fields(benchmark::State& state) {
  Block<Particle> from(static_cast<std::size_t>(state.range(0))),
      to(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) copy_fields(to.get(), from.get(), from.count());
  count_accesses(state, 18 * from.count());
}
BENCHMARK(BM_copy_fields)->Arg(16 << 10)->Arg(4 << 20);

void BM_copy_structs(benchmark::State& state) {
  Block<Particle> from(static_cast<std::size_t>(state.range(0))),
      to(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) copy_structs(to.get(), from.get(), from.count());
  count_accesses(state, 2 * from.count());
}
BENCHMARK(BM_copy_structs)->Arg(16 << 10)->Arg(4 << 20)->Arg(64 << 20);

void BM_chase(benchmark::State& state) {
  Block<std::uint32_t> block(static_cast<std::size_t>(state.range(0)));
  const auto nodes = static_cast<std::uint32_t>(block.count() / 2);
  std::vector<std::uint32_t> order(nodes);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937 random(7);
  for (std::uint32_t i = nodes - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
  for (std::uint32_t i = 0; i < nodes; ++i) block.get()[2 * order[i]] = order[(i + 1) % nodes];
  for (auto _ : state) chase(block.get(), 10000);
  count_accesses(state, 30000);
}
BENCHMARK(BM_chase)->Arg(16 << 10)->Arg(4 << 20)->Arg(64 << 20);

void BM_memset(benchmark::State& state) {
  Block<char> block(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) fill(block.get(), 1, block.count());
  state.SetBytesProcessed(state.range(0) * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(BM_memset)->Arg(16)->Arg(64)->Arg(1 << 10)->Arg(64 << 10)->Arg(4 << 20)->Arg(100 << 20);

void BM_memset_new_epoch(benchmark::State& state) {
  Block<char> block(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    fill(block.get(), 1, block.count());
    new_epoch();
  }
  state.SetBytesProcessed(state.range(0) * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(BM_memset_new_epoch)->Arg(64 << 10)->Arg(100 << 20);

void BM_memcpy(benchmark::State& state) {
  Block<char> from(static_cast<std::size_t>(state.range(0))), to(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) copy(to.get(), from.get(), from.count());
  state.SetBytesProcessed(state.range(0) * static_cast<std::int64_t>(state.iterations()));
}
BENCHMARK(BM_memcpy)->Arg(64)->Arg(1 << 10)->Arg(64 << 10)->Arg(4 << 20)->Arg(100 << 20);

}  // namespace

BENCHMARK_MAIN();
