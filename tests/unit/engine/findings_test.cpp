// Findings, races and waits as they are written into the channel: no execution, no fiber.
#include <gtest/gtest.h>

#include <cstring>

#include "core/trace/event.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/race_reports.h"
#include "runtime/engine/waits.h"
#include "tests/unit/engine/main_alone.h"
#include "tests/unit/engine/small_channel.h"

namespace heddle::engine {
namespace {

using sched::Thread;
using sched::WaitKind;

class FindingsTest : public ::testing::Test, private FindingHost {
 protected:
  FindingsTest() {
    channel_ = memory_.channel();
    events_.start(channel_, false);
    stacks_.start(channel_, false);
    sync_->start();
    locks_->start();
    second_.frames = frames_;
  }
  Event* record_finding() override { return nullptr; }
  const Finding& finding(std::uint32_t i) const { return channel_.findings()[i]; }
  std::uint32_t count() const { return memory_.header().finding_count; }
  const char* message(std::uint32_t i) const { return channel_.text() + finding(i).message; }
  static void block(Thread& t, WaitKind kind, ThreadId waits_for) {
    t.state = sched::ThreadState::kBlocked;
    t.wait = kind;
    t.waits_for = waits_for;
    t.deadline = sched::kNoDeadline;
  }

  testing::SmallChannel memory_;
  Channel channel_;
  testing::MainAlone alone_;
  Thread& main_ = alone_.main();
  Thread& second_ = alone_.add();
  sched::CallFrame frames_[4];
  EventLog events_;
  Stacks stacks_{alone_.scheduler(), events_};
  std::unique_ptr<sched::SyncTable> sync_ = std::make_unique<sched::SyncTable>();
  std::unique_ptr<sched::LockGraph> locks_ = std::make_unique<sched::LockGraph>();
  Scene scene_{channel_, alone_.scheduler(), *sync_, *locks_, stacks_, *this};
};

TEST_F(FindingsTest, FindingIsPublishedWhenItsBuilderEnds) {
  {
    FindingBuilder builder(scene_, FindingKind::kAssertion, "it went wrong");
    builder.part(PartRole::kHere, main_, 0x1234);
    EXPECT_EQ(count(), 0u);
  }
  ASSERT_EQ(count(), 1u);
  EXPECT_STREQ(message(0), "it went wrong");
  EXPECT_EQ(finding(0).parts[0].pc, 0x1234u);
  EXPECT_EQ(memory_.header().current.signature, finding(0).signature);
}

TEST_F(FindingsTest, SignatureDoesNotDependOnTheOrderOfThreads) {
  for (const bool swapped : {false, true}) {
    FindingBuilder builder(scene_, FindingKind::kDeadlock, "");
    builder.part(PartRole::kBlockedThread, main_, swapped ? 1 : 2);
    builder.part(PartRole::kBlockedThread, second_, swapped ? 2 : 1);
    builder.part(PartRole::kHolds, main_, swapped ? 3 : 4);  // decides nothing
  }
  {
    FindingBuilder(scene_, FindingKind::kDeadlock, "").part(PartRole::kBlockedThread, main_, 1);
  }
  EXPECT_EQ(finding(0).signature, finding(1).signature);
  EXPECT_NE(finding(0).signature, finding(2).signature);
}

TEST_F(FindingsTest, FindingsWithoutRoomAreOnlyCounted) {
  for (int i = 0; i < 6; ++i) FindingBuilder(scene_, FindingKind::kAssertion, "");
  EXPECT_EQ(count(), channel_.finding_capacity());
  EXPECT_EQ(memory_.header().current.findings, 6);
}

TEST_F(FindingsTest, ThreadsThatJoinEachOtherAreACircle) {
  WaitCycle cycle;
  block(main_, WaitKind::kJoin, second_.id);
  EXPECT_FALSE(find_cycle(alone_.scheduler(), main_.id, cycle));
  block(second_, WaitKind::kJoin, main_.id);
  EXPECT_TRUE(find_cycle(alone_.scheduler(), main_.id, cycle));
  EXPECT_EQ(cycle.length, 2u);
  second_.deadline = 100;  // that wait will end
  EXPECT_FALSE(find_cycle(alone_.scheduler(), main_.id, cycle));
}

TEST_F(FindingsTest, DeadlockCitesThoseWhoWait) {
  block(main_, WaitKind::kJoin, second_.id);
  block(second_, WaitKind::kJoin, main_.id);
  report_deadlock(scene_);
  ASSERT_EQ(count(), 1u);
  EXPECT_EQ(finding(0).kind, FindingKind::kDeadlock);
  EXPECT_STREQ(message(0), "a circle of 2 threads wait for each other");
}

TEST_F(FindingsTest, WaitForWhatNobodyGivesIsNoCircle) {
  block(main_, WaitKind::kPause, kNoThread);
  block(second_, WaitKind::kPause, kNoThread);
  report_deadlock(scene_);
  EXPECT_STREQ(message(0), kEverybodyWaits);
}

TEST_F(FindingsTest, PairOfPlacesRacesOnce) {
  RaceReports reports;
  race::Race race;
  race.current.pc = 1;
  race.previous.pc = 2;
  EXPECT_TRUE(reports.is_news(race));
  EXPECT_FALSE(reports.is_news(race));
  race.previous.pc = 3;
  EXPECT_TRUE(reports.is_news(race));
}

TEST_F(FindingsTest, EventsHaveNumbersAndOverflow) {
  EXPECT_EQ(events_.next(), kNoEvent);
  events_.turn(true);
  memory_.header().end_after_event = memory_.header().pause_at_event = ~0u;
  const std::uint32_t room = channel_.event_capacity();
  for (std::uint32_t i = 0; i < room; ++i) {
    EXPECT_EQ(events_.next(), EventId{i});
    ASSERT_EQ(events_.make_room(), EventLog::Room::kThere);
    events_.add(EventKind::kYield, i, main_.id);
  }
  EXPECT_EQ(events_.make_room(), EventLog::Room::kNone);
  EXPECT_NE(memory_.header().current.flags & result_flags::kEventOverflow, 0u);
}

TEST_F(FindingsTest, ValueOfAPlainWriteIsTakenWhenItsThreadActsAgain) {
  events_.turn(true);
  memory_.header().end_after_event = memory_.header().pause_at_event = ~0u;
  std::uint32_t variable = 1;
  events_.make_room();
  events_.add(EventKind::kPlainWrite, 1, main_.id);
  events_.await_value(reinterpret_cast<Address>(&variable), sizeof variable);
  variable = 42;
  events_.make_room();
  EXPECT_EQ(channel_.events()[0].value, 42u);
}

TEST_F(FindingsTest, NothingIsRecordedWhilePaused) {
  events_.turn(true);
  events_.pause(true);
  EXPECT_FALSE(events_.is_on());
  events_.pause(false);
  EXPECT_TRUE(events_.is_on());
}

TEST_F(FindingsTest, ShadowStackIsWhereAThreadIs) {
  frames_[0].pc = 10;
  frames_[1].pc = 20;
  second_.depth = 2;
  const StackId whole = stacks_.of(second_);
  EXPECT_EQ(stacks_.below(second_, 2), whole);
  EXPECT_NE(stacks_.below(second_, 1), whole);
  EXPECT_EQ(stacks_.below(second_, 0), kEmptyStack);
}

}  // namespace
}  // namespace heddle::engine
