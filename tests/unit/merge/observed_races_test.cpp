// Which accesses of an execution could have come in the other order.
#include "tool/merge/replay/observed_races.h"

#include <gtest/gtest.h>

namespace heddle::merge {
namespace {

class ObservedRaces : public testing::Test {
 protected:
  static constexpr std::uint64_t kElement = 77;

  void add(std::uint16_t thread, EventKind kind, Address address, std::uint16_t other = 0) {
    TraceEvent event;
    event.thread = ThreadId{thread};
    event.kind = kind;
    event.address = address;
    event.other = ThreadId{other};
    event.value2 = address != 0 ? kElement : 0;
    trace_.events.push_back(event);
  }
  void create_two() {
    add(0, EventKind::kThreadCreate, 0, 1);
    add(0, EventKind::kThreadCreate, 0, 2);
  }
  Trace trace_;
};

TEST_F(ObservedRaces, are_turned_round_the_latest_first) {
  add(0, EventKind::kPlainWrite, 100);
  create_two();
  add(1, EventKind::kPlainRead, 100);
  add(1, EventKind::kPlainWrite, 100);
  add(1, EventKind::kPlainRead, 100);
  add(2, EventKind::kPlainRead, 200);
  add(2, EventKind::kPlainWrite, 100);
  add(0, EventKind::kThreadJoin, 0, 1);
  add(0, EventKind::kThreadJoin, 0, 2);
  add(0, EventKind::kPlainRead, 100);
  using Turns = std::vector<TurnedRace::Turn>;
  const std::vector<TurnedRace> all = turned_round(trace_, 10);
  ASSERT_EQ(all.size(), 2u) << "what creating and joining order is no race";
  // The last read of the first thread, and its write, after the write of the second.
  EXPECT_EQ(all[0], (TurnedRace{kElement, Turns{{"0", 1}, {"0.1", 2}, {"0.2", 2}}}));
  EXPECT_EQ(all[1], (TurnedRace{kElement, Turns{{"0", 1}, {"0.1", 1}, {"0.2", 2}}}));
  EXPECT_EQ(turned_round(trace_, 1), std::vector<TurnedRace>(all.begin(), all.begin() + 1));
}

// One thread is held back early, and others go on: what it did last comes before most that they did.
TEST_F(ObservedRaces, of_each_thread_the_last_one_first) {
  create_two();
  add(1, EventKind::kPlainWrite, 100);
  add(2, EventKind::kPlainRead, 100);
  for (int i = 0; i < 3; ++i) {
    add(0, EventKind::kPlainWrite, 200);
    add(1, EventKind::kPlainWrite, 200);
  }
  const std::vector<TurnedRace> all = turned_round(trace_, 10);
  using Turns = std::vector<TurnedRace::Turn>;
  ASSERT_GE(all.size(), 4u);
  EXPECT_EQ(all[2], (TurnedRace{kElement, Turns{{"0.2", 1}}}));
}

TEST_F(ObservedRaces, put_the_last_lock_off_where_an_execution_was_broken_off) {
  create_two();
  const auto take_lock = [&](std::uint16_t thread) {
    add(thread, EventKind::kPlainWrite, 0);
    trace_.events.back().value2 = kElement;
  };
  take_lock(1);
  take_lock(2);
  take_lock(1);
  using Turns = std::vector<TurnedRace::Turn>;
  const std::vector<TurnedRace> all = turned_round(trace_, 10, true);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0], (TurnedRace{kElement, Turns{{"0.1", 1}, {"0.2", 2}, {"0.1", 1}}}));
  for (const TurnedRace& race : turned_round(trace_, 10)) EXPECT_NE(race, all[0]);
}

TEST_F(ObservedRaces, need_a_write_and_the_same_memory) {
  create_two();
  add(1, EventKind::kPlainRead, 100);
  add(2, EventKind::kPlainRead, 100);
  add(1, EventKind::kPlainWrite, 108);
  EXPECT_TRUE(turned_round(trace_, 10).empty());
}

}  // namespace
}  // namespace heddle::merge
