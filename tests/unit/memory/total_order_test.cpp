// S as a list: moments, what is kept of it, and where a store that comes late may go.
#include <gtest/gtest.h>

#include "tests/unit/memory/memory_model_fixture.h"

namespace heddle::memory {
namespace {

class Overtakes : public MemoryModelTest {
 protected:
  void store_placed(ThreadId t, Address a, std::uint64_t v, std::uint32_t spot) {
    ASSERT_LT(spot, model.begin_store(t, place(a)));
    model.choose_spot(spot);
    store(t, a, v, kSc);
  }
  // kA: x=1 sc; y=1 rlx. kB has read y.
  void pass_message() {
    start(Options{}, {kA, kB});
    store(kA, kX, 1, kSc);
    store(kA, kY, 1);
    load(kB, kY, 1);
  }
};

TEST_F(Overtakes, NothingWhereAllIsSeqCst) {
  start(Options{}, {kA, kB});
  for (std::uint64_t i = 1; i < 200; ++i) {
    const ThreadId t = i % 2 == 0 ? kA : kB;
    store(t, i % 3 == 0 ? kX : kY, i, kSc);
    load(t == kA ? kB : kA, i % 3 == 0 ? kX : kY, i, kSc);
    ASSERT_FALSE(model.may_overtake(kA));
    ASSERT_FALSE(model.may_overtake(kB));
    ASSERT_EQ(model.begin_store(kA, place(kX)), 1u);
  }
}

TEST_F(Overtakes, AStoreThatRunsLateMayComeFirst) {
  pass_message();
  EXPECT_TRUE(model.may_overtake(kB));
  ASSERT_EQ(model.begin_store(kB, place(kX)), 2u);
  EXPECT_EQ(model.overtaken(0), 0u);
  EXPECT_EQ(model.overtaken(1), 1u);
  store_placed(kB, kX, 2, 1);
  EXPECT_EQ(memory[kX].low, 1u);  // the newest is still the one that was overtaken
  EXPECT_EQ(values(kA, kX, kSc), (Values{1}));
}

TEST_F(Overtakes, WhoHasMovedGoesOn) {
  pass_message();
  EXPECT_FALSE(model.moves_on(kB));
  store_placed(kB, kZ, 1, 1);
  EXPECT_TRUE(model.moves_on(kB));
  // Then its load may miss x, though it is executed last.
  EXPECT_EQ(values(kB, kX, kSc), (Values{1, 0}));
}

TEST_F(Overtakes, NotWhatStronglyHappensBefore) {
  start(Options{}, {kA, kB});
  store(kA, kX, 1, kSc);
  store(kA, kY, 1, kRel);
  load(kB, kY, 1, kAcq);
  EXPECT_EQ(model.begin_store(kB, place(kX)), 1u);
}

TEST_F(Overtakes, OnlyAsFarBackAsIsKnown) {
  start(Options{}, {kA, kB, kC});
  store(kA, kX, 1, kSc);
  store(kA, kY, 1);
  for (std::uint64_t i = 0; i < 2 * TotalOrder::kKept; ++i) store(kC, kZ, i + 1, kSc);
  load(kB, kY, 1);
  EXPECT_FALSE(model.refused_places());
  EXPECT_EQ(model.begin_store(kB, place(kX)), 1u);
}

TEST_F(Overtakes, UnderSomeModelsNothing) {
  for (const ModelKind kind : {ModelKind::kSc, ModelKind::kC11Tester}) {
    Options options;
    options.model = kind;
    start(options, {kA, kB});
    store(kA, kX, 1, kSc);
    store(kA, kY, 1);
    load(kB, kY, 1);
    EXPECT_EQ(model.begin_store(kB, place(kX)), 1u);
    EXPECT_EQ(model.begin_fence(kB), 1u);
  }
}

TEST_F(Overtakes, AFenceMayDecideWhatIsNewest) {
  start(Options{}, {kA, kB});
  store(kB, kX, 2);       // not ordered with the next
  store(kA, kX, 1, kSc);  // what memory holds
  store(kA, kY, 1);
  load(kB, kY, 1);
  store(kB, kZ, 3);
  ASSERT_EQ(model.begin_fence(kB), 2u);
  model.choose_spot(1);
  model.fence(kB, kSc);
  for (const Rewritten& r : model.take_rewritten()) memory[r.address] = r.value;
  EXPECT_EQ(values(kA, kX), (Values{1}));
}

TEST(TotalOrder, MomentsStayApart) {
  SeqTime before = TotalOrder::kGap;
  const SeqTime after = 2 * TotalOrder::kGap;
  int count = 0;
  while (const SeqTime time = TotalOrder::between(before, after)) {
    ASSERT_GT(time, before);
    ASSERT_LT(time, after);
    before = time;
    ++count;
  }
  EXPECT_GT(count, 20);  // so often may one thread go on moving there
}

}  // namespace
}  // namespace heddle::memory
