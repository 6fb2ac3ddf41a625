// What it costs to switch from one fiber to another and back, with their thread-local storage: the part of a
// visible operation that no cleverness of the engine can save.
#include <benchmark/benchmark.h>

#include "core/base/check.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/ghost.h"

namespace heddle::sched {
namespace {

Fiber first;
Fiber second;
std::uint64_t turns = 0;

void take_turns(void*) {
  for (;;) {
    ++turns;
    switch_fiber(second, first);
  }
}

void start_second_fiber() {
  static Ghost ghost;
  if (ghost.fs_base != 0) return;
  HEDDLE_CHECK(make_ghost(1, 64 * 1024, ghost));
  first.fs_base = current_fs_base();
  prepare_fiber(second, ghost.stack_top, ghost.fs_base, take_turns, nullptr);
}

void there_and_back(benchmark::State& state) {
  start_second_fiber();
  const std::uint64_t before = turns;
  for (auto _ : state) switch_fiber(first, second);
  HEDDLE_CHECK(turns - before == static_cast<std::uint64_t>(state.iterations()));
  state.counters["ns/switch"] = benchmark::Counter(2e-9 * static_cast<double>(state.iterations()),
                                                   benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(there_and_back);

}  // namespace
}  // namespace heddle::sched

BENCHMARK_MAIN();
