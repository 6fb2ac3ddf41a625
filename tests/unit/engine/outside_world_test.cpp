#include "runtime/engine/outside_world.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "tests/unit/engine/main_alone.h"

namespace heddle::engine {
namespace {

using sched::BlockingCall;
using sched::ThreadState;
using sched::WaitKind;
using Passed = OutsideWorld::Passed;

class FakeOutside final : public OutsideHost {
 public:
  bool take_arrived_signals() override { return false; }
  bool handles_signal(int) override { return false; }
  void send(const sched::QueuedSignal& signal) override { sent.push_back(signal.signal); }
  void changed() override { ++changes; }
  void waits_for_real() override { ++real_waits; }

  std::vector<int> sent;
  int changes = 0;
  int real_waits = 0;
};

class OutsideWorldTest : public ::testing::Test {
 protected:
  OutsideWorldTest() {
    EXPECT_EQ(pipe(pipe_), 0);
    polled_ = {pipe_[0], POLLIN, 0};
    call_.name = "read";
    call_.polled = &polled_;
    call_.polled_count = 1;
  }
  ~OutsideWorldTest() override {
    for (const int end : pipe_) close(end);
  }
  void park(std::uint64_t deadline = sched::kNoDeadline) {
    world_.park(alone_.main(), call_);
    alone_.scheduler().block(WaitKind::kOutside, 0, deadline);
  }
  bool can_run() { return alone_.main().state == ThreadState::kRunnable; }
  void write_byte() { EXPECT_EQ(write(pipe_[1], "x", 1), 1); }

  testing::MainAlone alone_;
  OutsideWorld world_{alone_.scheduler()};
  FakeOutside host_;
  int pipe_[2] = {};
  pollfd polled_{};
  BlockingCall call_{};
};

TEST_F(OutsideWorldTest, ParkedCallAsksAgainAfterIo) {
  park();
  world_.io_happened();
  EXPECT_FALSE(can_run());
  write_byte();
  world_.io_happened();
  EXPECT_TRUE(can_run());
  world_.unpark(alone_.main());
  EXPECT_EQ(world_.parked(), 0u);
}

// How fast children are must not decide what threads do.
TEST_F(OutsideWorldTest, WithChildrenIoIsSeenOnlyWhenAllWait) {
  world_.child_started();
  park();
  write_byte();
  world_.io_happened();
  EXPECT_FALSE(can_run());
  EXPECT_TRUE(world_.wake_ready_calls());
  world_.child_reaped();
  EXPECT_FALSE(world_.has_children());
  world_.child_reaped();  // one that the program did not start
  EXPECT_FALSE(world_.has_children());
}

TEST_F(OutsideWorldTest, NobodyCanHelpWhereOnlyThisProgramHoldsTheOtherEnd) {
  park();
  EXPECT_EQ(world_.pass_time(host_), Passed::kNothing);
  EXPECT_EQ(host_.real_waits, 0);
}

TEST_F(OutsideWorldTest, ChildThatWritesIsWaitedFor) {
  const pid_t child = fork();
  if (child == 0) {
    usleep(20'000);
    _exit(write(pipe_[1], "x", 1) == 1 ? 0 : 1);
  }
  world_.child_started();
  park();
  EXPECT_EQ(world_.pass_time(host_), Passed::kSomething);
  EXPECT_TRUE(can_run());
  EXPECT_NE(host_.real_waits, 0);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

TEST_F(OutsideWorldTest, DeadlinePassesInVirtualTime) {
  constexpr std::uint64_t kYear = 365ull * 86'400 * 1'000'000'000;
  park(kYear);
  EXPECT_EQ(world_.pass_time(host_), Passed::kSomething);
  EXPECT_TRUE(can_run());
  EXPECT_TRUE(alone_.main().timed_out);
  EXPECT_EQ(alone_.scheduler().now(), kYear);
}

TEST_F(OutsideWorldTest, TimerSendsItsSignalWhenItsTimeHasCome) {
  const std::uint32_t timer = world_.timers().add();
  world_.timers().at(timer).signal = SIGUSR1;
  world_.timers().set(timer, 1000, 0);
  alone_.scheduler().advance_to(999);
  world_.fire_timers(host_);
  EXPECT_TRUE(host_.sent.empty());
  park();
  EXPECT_EQ(world_.pass_time(host_), Passed::kSomething);
  EXPECT_EQ(host_.sent, std::vector<int>{SIGUSR1});
  EXPECT_EQ(alone_.scheduler().now(), 1000u);
}

TEST_F(OutsideWorldTest, SpinsWithoutAnybodyOutsideAreNotHelped) {
  world_.wait_with_spins(host_);
  EXPECT_EQ(host_.changes, 0);
}

TEST_F(OutsideWorldTest, PipesHaveClocksOfTheirOwn) {
  int other[2] = {};
  ASSERT_EQ(pipe(other), 0);
  EXPECT_EQ(&world_.clock_of(pipe_[0]), &world_.clock_of(pipe_[1]));
  EXPECT_NE(&world_.clock_of(pipe_[0]), &world_.clock_of(other[0]));
  close(other[0]);
  close(other[1]);
}

}  // namespace
}  // namespace heddle::engine
