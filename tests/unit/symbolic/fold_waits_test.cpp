#include "tool/replay/fold_waits.h"

#include "tests/unit/symbolic/fixture.h"

namespace heddle::symbolic {
namespace {

class FoldedWaits : public TracedTest {
 protected:
  // while (flag == 0) {}
  ExpressionId look(std::uint64_t value, std::uint64_t pc = 1) {
    Moment at = shared();
    at.pc = pc;
    TraceEvent event;
    event.id = at.event;
    event.kind = EventKind::kAtomicLoad;
    trace_.events.push_back(event);
    const ExpressionId flag = tracer_.load(at, 0x1000, value, 4);
    at.is_recorded = false;
    tracer_.branch(at, table().binary(Operator::kEqual, 32, flag, 0, kConcrete, 0), value == 0);
    return flag;
  }
  SymbolicTables folded() const { return replay::fold_waits(trace_, tables()); }
  static std::vector<RecordKind> kinds(const SymbolicTables& t) {
    std::vector<RecordKind> result;
    for (const Record& r : t.records) result.push_back(r.kind);
    return result;
  }

  Trace trace_;
};

TEST_F(FoldedWaits, RoundsWithoutEffectBecomeOne) {
  for (int i = 0; i < 5; ++i) look(0);
  look(1);
  const SymbolicTables t = folded();
  EXPECT_EQ(kinds(t), (std::vector{RecordKind::kFolded, RecordKind::kRead, RecordKind::kBranch}));
  EXPECT_EQ(t.records[0].value, 5u);
  EXPECT_EQ(defect_of(t), "");
  EXPECT_EQ(replay::first_wrong_value(t), "");
}

TEST_F(FoldedWaits, NotWhereSomethingWasComputedFromThem) {
  const ExpressionId first = look(0);
  look(1);
  tracer_.store(shared(), 0x2000, 0, 4, first);
  EXPECT_EQ(folded().records.size(), tables().records.size());
}

TEST_F(FoldedWaits, NotAcrossAnEffect) {
  look(0);
  TraceEvent effect;
  effect.id = EventId{next_event_++};
  effect.kind = EventKind::kMutexLock;
  trace_.events.push_back(effect);
  look(1);
  EXPECT_EQ(folded().records.size(), tables().records.size());
}

TEST_F(FoldedWaits, NotOtherPlaces) {
  look(0, 1);
  look(0, 2);
  look(1, 3);
  EXPECT_EQ(folded().records.size(), tables().records.size());
}

}  // namespace
}  // namespace heddle::symbolic
