#include "runtime/strategy/dpct.h"

#include <gtest/gtest.h>

#include "tests/unit/strategy/points.h"

namespace heddle::strategy {
namespace {

struct StoresView final : View {
  NextOperation next_operation(ThreadId) const override { return {EventKind::kAtomicStore}; }
  std::uint32_t unfinished_threads() const override { return 2; }
  std::uint32_t latest_stores(std::uint32_t*, std::uint32_t) const override { return 0; }
  std::uint32_t nearest_store(ChoiceKey) const override { return 0; }
  bool store_precedes(const Location&, ChoiceKey, ChoiceKey) const override { return false; }
};

// Two threads that do one operation of 8 stores in each piece: what is assumed of an unknown operation.
class Pieces {
 public:
  struct Seen {
    std::uint16_t first;  // thread
    bool preempted;
  };
  explicit Pieces(std::uint64_t index) { strategy_.begin(1, index, view_); }

  Seen run(bool begins) {
    if (begins) strategy_.piece_begins();
    strategy_.operations_planned(0, 2);
    for (const std::uint16_t t : {1, 2}) strategy_.operation_called(ThreadId{t}, 0);
    int left[3] = {0, kStores, kStores};
    Seen seen = {0, false};
    while (left[1] + left[2] != 0) {
      std::uint16_t thread = left[1] != 0 ? 1 : 2;
      if (left[1] != 0 && left[2] != 0)
        thread = static_cast<std::uint16_t>(1 + strategy_.choose(ThreadPoint({1, 2}, 1)));
      if (seen.first == 0) seen.first = thread;
      seen.preempted = seen.preempted || (thread != seen.first && left[seen.first] != 0);
      Operation operation;
      operation.thread = ThreadId{thread};
      operation.kind = EventKind::kAtomicStore;
      strategy_.performed(operation);
      if (--left[thread] == 0) strategy_.operation_returned(ThreadId{thread});
    }
    return seen;
  }

 private:
  static constexpr int kStores = 8;
  StoresView view_;
  StrategySpec spec() {
    StrategySpec spec;
    TextBuffer<512> error;
    EXPECT_TRUE(spec.parse("dpct:d=2", error));
    return spec;
  }
  DPctStrategy strategy_{spec()};
};

// The one change point of each piece lies uniformly among its 16 events, and preempts whoever came first at 7
// of them; who comes first is drawn anew. Of 400 executions fewer than 120 or more than 230 (280) do so with
// a probability below 10⁻⁵ (10⁻¹⁴).
TEST(DPct, EveryPieceIsScheduledAnew) {
  int preempted = 0, others_first = 0;
  for (std::uint64_t index = 0; index < 400; ++index) {
    Pieces pieces(index);
    Pieces::Seen before = pieces.run(false);
    for (int i = 0; i < 3; ++i) before = pieces.run(true);
    const Pieces::Seen seen = pieces.run(true);
    if (seen.preempted) ++preempted;
    if (seen.first != before.first) ++others_first;
  }
  EXPECT_GT(preempted, 120);
  EXPECT_LT(preempted, 230);
  EXPECT_GT(others_first, 120);
  EXPECT_LT(others_first, 280);
}

}  // namespace
}  // namespace heddle::strategy
