#include "runtime/engine/rules.h"

#include <gtest/gtest.h>

#include "runtime/engine/entry_thunks.h"
#include "tests/unit/engine/main_alone.h"

namespace heddle::engine {
namespace {

using sched::Thread;

constexpr std::uint64_t kFirst = 0x100, kLast = 0x200, kElsewhere = 0x300;

EnforcedRule rule(RuleKind kind, std::uint64_t place, std::uint64_t other) {
  EnforcedRule made;
  made.kind = kind;
  made.place.pc = place;
  made.other.pc = other;
  return made;
}

class RulesTest : public ::testing::Test {
 protected:
  RulesTest() {
    crossing.pending = 0;
    edges_.start();
    for (sched::CallFrame& frame : frames_) frame = {};
    thread_.id = kMainThread;
    thread_.frames = frames_;
    thread_.depth = 1;
  }
  void hold_to(const EnforcedRule& made) {
    rule_ = made;
    rules_.start({&rule_, 1});
  }
  // One operation of the thread's; true: nobody comes before it.
  bool perform(std::uint64_t pc) {
    const bool stays = rules_.keeps_turn(thread_, pc);
    rules_.note_turn(thread_, pc);
    return stays;
  }
  bool waits_at(std::uint64_t pc) {
    thread_.pending.pc = pc;
    return rules_.must_wait(thread_);
  }

  testing::MainAlone alone_;
  memory::MemoryModel memory_;
  race::RaceDetector race_;
  HappensBefore edges_{alone_.scheduler(), memory_, race_};
  Rules rules_{edges_};
  EnforcedRule rule_;
  sched::CallFrame frames_[4];
  Thread thread_;
};

TEST_F(RulesTest, NobodyComesBetweenTheOperationsOfARegion) {
  hold_to(rule(RuleKind::kTogether, kFirst, kLast));
  EXPECT_FALSE(perform(kElsewhere));
  EXPECT_FALSE(perform(kFirst));  // others may come before the region
  EXPECT_TRUE(perform(kElsewhere));
  EXPECT_TRUE(perform(kLast));
  EXPECT_FALSE(perform(kElsewhere));  // it is over
}

TEST_F(RulesTest, RegionEndsWithItsFunction) {
  hold_to(rule(RuleKind::kTogether, kFirst, kLast));
  perform(kFirst);
  thread_.depth = 0;
  EXPECT_FALSE(perform(kElsewhere));
}

TEST_F(RulesTest, OperationWaitsUntilAnotherWasPerformed) {
  hold_to(rule(RuleKind::kAfter, kLast, kFirst));
  EXPECT_TRUE(waits_at(kLast));
  EXPECT_FALSE(waits_at(kElsewhere));
  perform(kFirst);
  EXPECT_FALSE(waits_at(kLast));
}

TEST_F(RulesTest, PlaceMayNameItsCallers) {
  EnforcedRule made = rule(RuleKind::kStrengthen, kFirst, 0);
  made.place.callers[0] = kElsewhere;
  made.order = MemoryOrder::kSeqCst;
  hold_to(made);
  EXPECT_EQ(rules_.order_at(thread_, kFirst, MemoryOrder::kRelaxed), MemoryOrder::kRelaxed);
  frames_[0].pc = kElsewhere;
  EXPECT_EQ(rules_.order_at(thread_, kFirst, MemoryOrder::kRelaxed), MemoryOrder::kSeqCst);
  EXPECT_EQ(rules_.order_at(thread_, kLast, MemoryOrder::kRelaxed), MemoryOrder::kRelaxed);
}

TEST_F(RulesTest, LockedPlainAccessesAreOrdered) {
  hold_to(rule(RuleKind::kLocked, kFirst, kLast));
  EXPECT_TRUE(rules_.locks_plain_accesses());
  rules_.lock_plain_access(thread_, kElsewhere);
  EXPECT_FALSE(rules_.is_under_plain_lock());
  rules_.lock_plain_access(thread_, kLast);
  EXPECT_TRUE(rules_.is_under_plain_lock());
  rules_.unlock_plain_access();
  EXPECT_FALSE(rules_.is_under_plain_lock());
  // Whoever takes the lock next knows what was done under it.
  memory_.thread_created(kMainThread, ThreadId{1});
  const std::uint32_t published = memory_.epoch(kMainThread).time;
  rules_.lock_plain_access(thread_, kFirst);
  rules_.unlock_plain_access();
  Thread other;
  other.id = ThreadId{1};
  other.frames = frames_;
  rules_.lock_plain_access(other, kLast);
  EXPECT_GE(memory_.clock(other.id).at(kMainThread), published);
}

}  // namespace
}  // namespace heddle::engine
