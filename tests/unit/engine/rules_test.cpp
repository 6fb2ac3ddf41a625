#include "runtime/engine/rules.h"

#include <gtest/gtest.h>

#include <vector>

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
  sched::SyncTable sync_;
  Rules rules_{edges_, alone_.scheduler(), sync_};
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
  rules_.begin_plain_access(thread_, kElsewhere, true);
  EXPECT_FALSE(rules_.is_in_plain_access());
  rules_.begin_plain_access(thread_, kLast, true);
  EXPECT_TRUE(rules_.is_in_plain_access());
  rules_.end_plain_access();
  EXPECT_FALSE(rules_.is_in_plain_access());
  // Whoever takes the lock next knows what was done under it.
  memory_.thread_created(kMainThread, ThreadId{1});
  const std::uint32_t published = memory_.epoch(kMainThread).time;
  rules_.begin_plain_access(thread_, kFirst, true);
  rules_.end_plain_access();
  Thread other;
  other.id = ThreadId{1};
  other.frames = frames_;
  rules_.begin_plain_access(other, kLast, false);
  EXPECT_GE(memory_.clock(other.id).at(kMainThread), published);
}

TEST_F(RulesTest, AnAtomicAccessOrdersOnlyWhatItsOrderSays) {
  EnforcedRule made = rule(RuleKind::kAtomic, kFirst, kLast);
  hold_to(made);
  rules_.begin_plain_access(thread_, kFirst, true);
  EXPECT_TRUE(rules_.is_atomic_access());
  rules_.end_plain_access();
  EXPECT_FALSE(rules_.is_atomic_access());
  memory_.thread_created(kMainThread, ThreadId{1});
  Thread other;
  other.id = ThreadId{1};
  other.frames = frames_;
  const auto known = [&] { return memory_.clock(other.id).at(kMainThread); };
  const std::uint32_t before = known();
  rules_.begin_plain_access(thread_, kFirst, true);
  rules_.end_plain_access();
  rules_.begin_plain_access(other, kLast, false);
  EXPECT_EQ(known(), before) << "relaxed";
  rules_.end_plain_access();
  made.order = MemoryOrder::kAcqRel;
  hold_to(made);
  const std::uint32_t published = memory_.epoch(kMainThread).time;
  rules_.begin_plain_access(thread_, kFirst, true);
  rules_.end_plain_access();
  rules_.begin_plain_access(other, kLast, false);
  EXPECT_GE(known(), published);
}

TEST_F(RulesTest, AnOperationWaitsForTheEndOfThreadsStartedAtAPlace) {
  hold_to(rule(RuleKind::kAfterEnd, kLast, kFirst));
  EXPECT_FALSE(waits_at(kLast));
  Thread& started = alone_.add();
  rules_.note_created(thread_, started, kElsewhere, kElsewhere);
  EXPECT_FALSE(waits_at(kLast)) << "started elsewhere";
  rules_.note_created(thread_, started, kFirst, kFirst);
  EXPECT_TRUE(waits_at(kLast));
  EXPECT_FALSE(waits_at(kElsewhere));
  started.state = sched::ThreadState::kFinished;
  EXPECT_FALSE(waits_at(kLast));
}

TEST_F(RulesTest, AThreadBeginsWhenAllThatItUsesIsThere) {
  EnforcedRule one = rule(RuleKind::kStartAfter, kFirst, kLast), two = one;
  two.other.pc = kElsewhere;
  const EnforcedRule rules[] = {one, two};
  rules_.start(rules);
  Thread& started = alone_.add();
  rules_.note_created(thread_, started, kLast, kLast);
  EXPECT_FALSE(rules_.must_wait(started)) << "started elsewhere";
  rules_.note_created(thread_, started, kFirst, kFirst);
  EXPECT_TRUE(rules_.must_wait(started));
  perform(kLast);
  EXPECT_TRUE(rules_.must_wait(started)) << "one of two";
  perform(kElsewhere);
  EXPECT_FALSE(rules_.must_wait(started));
  Thread& next = alone_.add();
  rules_.note_created(thread_, next, kFirst, kFirst);
  EXPECT_TRUE(rules_.must_wait(next)) << "that was for the one before";
}

// std::thread is started by libstdc++: what tells its creations apart is where the program called that.
TEST_F(RulesTest, AThreadThatALibraryStartsIsKnownByTheCallOfTheLibrary) {
  EnforcedRule made = rule(RuleKind::kStartAfter, kElsewhere, kLast);
  made.place.callers[0] = 0x7000;  // in the library
  made.place.callers[1] = kFirst;
  hold_to(made);
  Thread& started = alone_.add();
  rules_.note_created(thread_, started, kElsewhere, kLast);
  EXPECT_FALSE(rules_.must_wait(started));
  rules_.note_created(thread_, started, kElsewhere, kFirst);
  EXPECT_TRUE(rules_.must_wait(started));
}

TEST_F(RulesTest, AnOperationOfALibraryIsKnownByTheCallOfTheLibrary) {
  EnforcedRule made = rule(RuleKind::kStartAfter, kFirst, kElsewhere);
  made.other.callers[0] = 0x7000;  // in the library
  made.other.callers[1] = kLast;
  hold_to(made);
  EXPECT_TRUE(rules_.name_callers());
  Thread& started = alone_.add();
  rules_.note_created(thread_, started, kFirst, kFirst);
  thread_.rule_site = kFirst;
  perform(kElsewhere);
  EXPECT_TRUE(rules_.must_wait(started)) << "called elsewhere";
  thread_.rule_site = kLast;
  perform(kElsewhere);
  EXPECT_FALSE(rules_.must_wait(started));
}

// A release fence before a relaxed store, and an acquire fence after a relaxed load ([atomics.fences]).
TEST_F(RulesTest, AFenceComesBeforeAnOperation) {
  EnforcedRule made = rule(RuleKind::kFence, kLast, 0);
  made.order = MemoryOrder::kRelease;
  hold_to(made);
  const auto before = memory_.epoch(kMainThread).time;
  perform(kElsewhere);
  EXPECT_EQ(memory_.epoch(kMainThread).time, before);
  perform(kLast);
  EXPECT_GT(memory_.epoch(kMainThread).time, before) << "what it published can be told from what comes after";
}

TEST_F(RulesTest, ALockIsHeldForOneOperation) {
  sync_.start();
  hold_to(rule(RuleKind::kHoldLock, kLast, kFirst));
  sched::SyncObject& lock = sync_.get(0x1000, sched::SyncKind::kMutex);
  thread_.pending = {EventKind::kMutexLock, MemoryOrder::kRelaxed, 0, 0x1000, kFirst};
  perform(kFirst);
  lock.count = 1;
  lock.owner = ThreadId{1};
  EXPECT_TRUE(waits_at(kLast));
  lock.owner = thread_.id;
  EXPECT_FALSE(waits_at(kLast)) << "its own";
  lock.count = 0;
  lock.owner = kNoThread;
  EXPECT_FALSE(waits_at(kLast));
  perform(kLast);
  EXPECT_EQ(lock.clock, 0u);
  perform(kElsewhere);
  EXPECT_NE(lock.clock, 0u) << "who takes the lock next knows of it";
}

TEST_F(RulesTest, TwoThatHoldALockAreOrderedThoughNobodyHasTakenItYet) {
  sync_.start();
  hold_to(rule(RuleKind::kHoldLock, kLast, kFirst));
  memory_.thread_created(kMainThread, ThreadId{1});
  const std::uint32_t published = memory_.epoch(kMainThread).time;
  perform(kLast);
  perform(kElsewhere);  // it is over
  Thread other;
  other.id = ThreadId{1};
  other.frames = frames_;
  rules_.note_turn(other, kLast);
  EXPECT_GE(memory_.clock(other.id).at(kMainThread), published);
}

TEST_F(RulesTest, ALockIsHeldForAStep) {
  sync_.start();
  const EnforcedRule rules[] = {rule(RuleKind::kHoldLock, kFirst, kElsewhere),
                                rule(RuleKind::kTogether, kFirst, kLast)};
  rules_.start(rules);
  sched::SyncObject& lock = sync_.get(0x1000, sched::SyncKind::kMutex);
  thread_.pending = {EventKind::kMutexLock, MemoryOrder::kRelaxed, 0, 0x1000, kElsewhere};
  perform(kElsewhere);
  Thread other;
  other.id = ThreadId{1};
  other.frames = frames_;
  other.pending = thread_.pending;
  lock.count = 0;
  EXPECT_FALSE(rules_.must_wait(other));
  perform(kFirst);
  EXPECT_TRUE(rules_.must_wait(other)) << "the step holds it, though it has not taken it";
  other.pending.address = 0x2000;
  EXPECT_FALSE(rules_.must_wait(other)) << "another lock";
  other.pending.address = 0x1000;
  perform(kLast);
  EXPECT_TRUE(rules_.must_wait(other));
  EXPECT_FALSE(rules_.keeps_turn(thread_, kElsewhere)) << "the step is over";
  EXPECT_FALSE(rules_.must_wait(other));
}

TEST_F(RulesTest, ALockIsHandedOverToWhoWasSignalled) {
  hold_to(rule(RuleKind::kHandOver, kFirst, 0));
  Thread waiter;
  waiter.id = ThreadId{1};
  waiter.frames = frames_;
  waiter.last_pc = kFirst;
  thread_.pending = {EventKind::kMutexLock, MemoryOrder::kRelaxed, 0, 0x1000, kLast};
  EXPECT_FALSE(rules_.must_wait(thread_));
  rules_.expect_hand_over(waiter, 0x1000);
  EXPECT_TRUE(rules_.must_wait(thread_));
  thread_.pending.address = 0x2000;
  EXPECT_FALSE(rules_.must_wait(thread_)) << "another lock";
  thread_.pending.address = 0x1000;
  rules_.handed_over(waiter);
  EXPECT_FALSE(rules_.must_wait(thread_));
}

TEST_F(RulesTest, RulesBeyondTheSixtyFourthAreKept) {
  std::vector<EnforcedRule> many(kMostRules, rule(RuleKind::kAfter, 0x9000, 0x9001));
  many.back() = rule(RuleKind::kAfter, kLast, kFirst);
  rules_.start(many);
  EXPECT_TRUE(waits_at(kLast));
  perform(kFirst);
  EXPECT_FALSE(waits_at(kLast));
}

}  // namespace
}  // namespace heddle::engine
