#include "runtime/engine/element_turns.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "runtime/engine/entry_thunks.h"
#include "tests/unit/engine/main_alone.h"

namespace heddle::engine {
namespace {

using sched::Thread;

// One element, with a vector of single accesses by main and a second thread.
class ElementTurnsTest : public ::testing::Test {
 protected:
  ElementTurnsTest() {
    crossing.pending = 0;
    locks_.start();
    edges_.start();
  }
  void order(const std::vector<std::uint64_t>& lineages, std::uint32_t is_lent = 0) {
    memory_words_.assign(OrderTable::bytes(1, lineages.size()) / 8 + 1, 0);
    auto* table = reinterpret_cast<OrderTable*>(memory_words_.data());
    table->vectors = 1;
    table->runs = static_cast<std::uint32_t>(lineages.size());
    table->vector()[0].count = table->runs;
    table->vector()[0].is_lent = is_lent;
    for (std::uint32_t i = 0; i < lineages.size(); ++i) table->run()[i] = {lineages[i], 1, 0};
    turns_.start(table, false);
  }
  std::vector<std::uint32_t> free() {
    FreeThreads found;
    turns_.find_free(found, rules_, 1, 1);
    std::vector<std::uint32_t> threads;
    for (std::uint32_t i = 0; i < found.count; ++i) threads.push_back(index_of(found.threads[i]));
    return threads;
  }
  using Threads = std::vector<std::uint32_t>;

  testing::MainAlone alone_;
  Thread& main_ = alone_.main();
  Thread& second_ = alone_.add();
  memory::MemoryModel memory_;
  race::RaceDetector race_;
  HappensBefore edges_{alone_.scheduler(), memory_, race_};
  sched::SyncTable sync_;
  Rules rules_{edges_, alone_.scheduler(), sync_};
  sched::LockGraph locks_;
  ElementTurns turns_{alone_.scheduler(), locks_};
  std::vector<std::uint64_t> memory_words_;
};

TEST_F(ElementTurnsTest, ThreadThatIsOutOfTurnIsHeldBack) {
  order({second_.lineage, main_.lineage});
  turns_.await(main_, 0);
  turns_.await(second_, 0);
  EXPECT_EQ(free(), Threads{1});
  turns_.pass(second_);
  EXPECT_EQ(second_.awaited_order, 0u);
  EXPECT_EQ(free(), (Threads{0, 1}));
}

TEST_F(ElementTurnsTest, WhoAwaitsNothingIsFree) {
  order({second_.lineage, main_.lineage});
  EXPECT_EQ(free(), (Threads{0, 1}));
}

TEST_F(ElementTurnsTest, OrderThatWasNotLentIsKeptAtAnyPrice) {
  order({kMainLineage + 1, main_.lineage, second_.lineage});  // the first one is of nobody
  turns_.await(main_, 0);
  turns_.await(second_, 0);
  EXPECT_TRUE(free().empty());
  EXPECT_EQ(turns_.unkept_order(), 0u);
}

TEST_F(ElementTurnsTest, LentOrderGivesWayWhereNobodyCouldGoOn) {
  order({kMainLineage + 1, main_.lineage, second_.lineage}, 1);
  turns_.await(main_, 0);
  turns_.await(second_, 0);
  EXPECT_EQ(free(), (Threads{0, 1}));
}

TEST_F(ElementTurnsTest, WaiterWhoseTurnComesFirstIsWoken) {
  order({second_.lineage, main_.lineage});
  turns_.await(main_, 0);
  turns_.await(second_, 0);
  Thread* const waiters[] = {&main_, &second_};
  EXPECT_EQ(turns_.first_waiter(waiters), 1u);
  second_.awaited_order = main_.awaited_order = 0;
  EXPECT_EQ(turns_.first_waiter(waiters), ElementOrders::kNone);
}

TEST_F(ElementTurnsTest, RunningThreadIsKnownAmongTheFree) {
  FreeThreads found;
  order({main_.lineage, second_.lineage});
  turns_.await(second_, 0);
  turns_.find_free(found, rules_, 1, 1);
  ASSERT_EQ(found.count, 1u);
  EXPECT_TRUE(found.has_own());
  EXPECT_EQ(found.own_position, 0u);
}

}  // namespace
}  // namespace heddle::engine
