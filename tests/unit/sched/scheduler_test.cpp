// Who can run and what time it is. Threads are created for real, on ghosts.
#include "runtime/sched/scheduler.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <memory>
#include <set>
#include <vector>

#include "core/base/pages.h"
#include "runtime/sched/ghost.h"

namespace heddle::sched {
namespace {

constexpr Address kObject = 0x5000;
constexpr Address kOther = 0x6000;

void never_run(void*) { __builtin_trap(); }

// Stacks lie at fixed addresses, so tests take turns: each gives them back at its end.
class SchedulerTest : public testing::Test {
 protected:
  SchedulerTest() { scheduler_->start(); }
  ~SchedulerTest() override {
    const std::uint32_t count = scheduler_->thread_count();
    for (std::uint32_t i = 1; i < kMaxThreads; ++i) {
      Ghost& ghost = scheduler_->thread(id(i)).ghost;
      if (ghost.fs_base == 0 && i >= count) break;
      if (ghost.fs_base != 0) release_ghost(ghost);
    }
    munmap(reinterpret_cast<void*>(address_map::kFiberSlots),
           address_map::kFiberSlotsEnd - address_map::kFiberSlots);
    munmap(reinterpret_cast<void*>(address_map::kMainCallStack), address_map::kCallStackBytes);
  }
  static ThreadId id(std::uint32_t i) { return ThreadId{static_cast<std::uint16_t>(i)}; }
  Thread& create(void (*entry)(void*) = never_run) {
    Thread* thread = scheduler_->create({.bytes = 64 * 1024}, entry);
    HEDDLE_CHECK(thread != nullptr);
    return *thread;
  }
  std::set<std::uint32_t> runnable() const {
    std::set<std::uint32_t> result;
    for (const ThreadId t : scheduler_->runnable()) result.insert(index_of(t));
    EXPECT_EQ(result.size(), scheduler_->runnable().size());
    return result;
  }
  using Set = std::set<std::uint32_t>;

  std::unique_ptr<Scheduler> scheduler_ = std::make_unique<Scheduler>();
};

TEST_F(SchedulerTest, BeginsWithMain) {
  EXPECT_EQ(scheduler_->current(), kMainThread);
  EXPECT_EQ(runnable(), Set{0});
  EXPECT_EQ(scheduler_->unfinished_count(), 1u);
  EXPECT_EQ(scheduler_->now(), 0u);
}

TEST_F(SchedulerTest, CreatedThreadsAreRunnableAndNamedByTheirParent) {
  Thread& one = create();
  Thread& two = create();
  EXPECT_EQ(runnable(), (Set{0, 1, 2}));
  EXPECT_EQ(one.parent, kMainThread);
  EXPECT_EQ(one.child_number, 0u);
  EXPECT_EQ(two.child_number, 1u);
  EXPECT_NE(scheduler_->handle_of(one), scheduler_->handle_of(two));
  EXPECT_EQ(scheduler_->find(scheduler_->handle_of(two)), &two);
  EXPECT_EQ(scheduler_->find(12345), nullptr);
}

TEST_F(SchedulerTest, BlockedThreadsLeaveTheRunnableSet) {
  create();
  scheduler_->block(WaitKind::kMutex, kObject);
  EXPECT_EQ(runnable(), Set{1});
  EXPECT_EQ(scheduler_->self().state, ThreadState::kBlocked);
  EXPECT_EQ(scheduler_->waiters(WaitKind::kMutex, kObject), 1u);
  EXPECT_EQ(scheduler_->waiters(WaitKind::kCondition, kObject), 0u);
  EXPECT_EQ(scheduler_->waiters(WaitKind::kMutex, kOther), 0u);
}

TEST_F(SchedulerTest, WakeAllWakesThoseWhoWaitForThis) {
  create();
  scheduler_->block(WaitKind::kMutex, kObject);
  EXPECT_EQ(scheduler_->wake_all(WaitKind::kMutex, kOther), 0u);
  EXPECT_EQ(scheduler_->wake_all(WaitKind::kCondition, kObject), 0u);
  EXPECT_EQ(scheduler_->wake_all(WaitKind::kMutex, kObject), 1u);
  EXPECT_EQ(runnable(), (Set{0, 1}));
  EXPECT_EQ(scheduler_->self().wait, WaitKind::kNone);
  EXPECT_FALSE(scheduler_->self().timed_out);
}

TEST_F(SchedulerTest, MakingARunnableThreadRunnableChangesNothing) {
  Thread& one = create();
  scheduler_->make_runnable(one);
  EXPECT_EQ(runnable(), (Set{0, 1}));
}

// The hash stands for the set in the choice log: it may not depend on the order of arrivals.
TEST_F(SchedulerTest, HashOfTheRunnableSetIsAFunctionOfTheSet) {
  const std::uint32_t main_alone = scheduler_->runnable_hash();
  create();
  const std::uint32_t both = scheduler_->runnable_hash();
  create();
  const std::uint32_t all = scheduler_->runnable_hash();
  EXPECT_EQ((std::set<std::uint32_t>{main_alone, both, all}.size()), 3u);
  scheduler_->block(WaitKind::kMutex, kObject);
  EXPECT_NE(scheduler_->runnable_hash(), all);
  scheduler_->wake_all(WaitKind::kMutex, kObject);  // main comes last now
  EXPECT_EQ(scheduler_->runnable_hash(), all);
}

TEST_F(SchedulerTest, TimePassesOnlyForward) {
  scheduler_->advance(100);
  EXPECT_EQ(scheduler_->now(), 100u);
  scheduler_->advance_to(50);
  EXPECT_EQ(scheduler_->now(), 100u);
}

TEST_F(SchedulerTest, DeadlinesExpireWhenTheirTimeHasCome) {
  create();
  scheduler_->block(WaitKind::kCondition, kObject, 1000);
  scheduler_->advance_to(999);
  EXPECT_EQ(runnable(), Set{1});
  scheduler_->advance_to(1000);
  EXPECT_EQ(runnable(), (Set{0, 1}));
  EXPECT_TRUE(scheduler_->self().timed_out);
}

TEST_F(SchedulerTest, DeadlineInThePastEndsTheWaitAtOnce) {
  scheduler_->advance_to(500);
  scheduler_->block(WaitKind::kCondition, kObject, 500);
  EXPECT_EQ(runnable(), Set{0});
  EXPECT_TRUE(scheduler_->self().timed_out);
}

TEST_F(SchedulerTest, ReachingTheNextDeadlineEndsTheWait) {
  constexpr std::uint64_t kTenHours = 36'000ull * 1'000'000'000;
  scheduler_->block(WaitKind::kCondition, kObject, kTenHours);
  EXPECT_EQ(scheduler_->next_deadline(), kTenHours);
  scheduler_->advance_to(kTenHours);
  EXPECT_EQ(runnable(), Set{0});
}

TEST_F(SchedulerTest, WithoutDeadlinesThereIsNoNextOne) {
  scheduler_->block(WaitKind::kMutex, kObject);
  EXPECT_EQ(scheduler_->next_deadline(), kNoDeadline);
  EXPECT_TRUE(runnable().empty());
}

TEST_F(SchedulerTest, AWaitThatWasWokenHasNoDeadlineLeft) {
  scheduler_->block(WaitKind::kCondition, kObject, 1000);
  scheduler_->wake_all(WaitKind::kCondition, kObject);
  scheduler_->block(WaitKind::kMutex, kObject);
  scheduler_->advance_to(5000);
  EXPECT_TRUE(runnable().empty());
  EXPECT_EQ(scheduler_->next_deadline(), kNoDeadline);
}

// Two fibers hand control back and forth; each has its own thread-local storage.
thread_local int own_number = 0;
Scheduler* running = nullptr;
std::vector<int> log;

void second_thread(void*) {
  own_number = 2;
  log.push_back(own_number);
  running->switch_to(kMainThread);
  log.push_back(own_number);
  running->finish_current();
  running->switch_to(kMainThread);
  __builtin_trap();
}

TEST_F(SchedulerTest, SwitchesBetweenFibersWithTheirThreadLocals) {
  running = scheduler_.get();
  log.clear();
  own_number = 1;
  Thread& second = create(second_thread);
  scheduler_->switch_to(second.id);
  log.push_back(own_number);
  scheduler_->switch_to(second.id);
  log.push_back(own_number);
  EXPECT_EQ(log, (std::vector<int>{2, 1, 2, 1}));
  EXPECT_EQ(second.state, ThreadState::kFinished);
  EXPECT_EQ(runnable(), Set{0});
  EXPECT_EQ(scheduler_->unfinished_count(), 1u);
}

TEST_F(SchedulerTest, PreparedGhostsAreUsed) {
  scheduler_->prepare_ghosts(3);
  const std::uint64_t prepared = scheduler_->thread(id(1)).ghost.fs_base;
  EXPECT_NE(prepared, 0u);
  EXPECT_EQ(scheduler_->thread_count(), 1u);
  EXPECT_EQ(create().ghost.fs_base, prepared);
}

}  // namespace
}  // namespace heddle::sched
