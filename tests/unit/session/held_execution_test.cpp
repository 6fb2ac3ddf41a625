// What becomes of an execution: in order, and when a process dies with it at any of its phases.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "core/base/check.h"
#include "runtime/session/held_execution.h"
#include "tests/unit/engine/small_channel.h"

namespace heddle::session {
namespace {

// The wait status of a process that exited, and of one that a signal has ended (wait(2)).
constexpr int exited(int status) { return status << 8; }
constexpr int killed_by(int signal) { return signal; }

class Followed final : public strategy::Strategy {
 public:
  void begin(std::uint64_t, std::uint64_t, const strategy::View&) override {}
  std::uint32_t choose(const strategy::ChoicePoint&) override { return 0; }
  void teach(const ExecutionResult&) override { ++taught; }
  bool prepare_next(std::uint64_t) override {
    ++prepared;
    return has_next;
  }
  bool explored_all() const override { return has_all; }
  bool repeatable_by_index() const override { return by_index; }

  int taught = 0;
  int prepared = 0;
  bool has_next = true;
  bool has_all = false;
  bool by_index = true;
};

class HeldExecution : public ::testing::Test {
 protected:
  HeldExecution() {
    memory_ = mmap(nullptr, CampaignState::kBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    s.campaign = new (memory_) CampaignState;
    s.channel = small_.channel();
    s.strategy = &strategy;
  }
  ~HeldExecution() override { munmap(memory_, CampaignState::kBytes); }

  Phase phase() const { return header().phase.load(); }
  ChannelHeader& header() const { return small_.header(); }
  CampaignState& campaign() const { return *s.campaign; }
  std::uint64_t published() const { return header().ring_written.load(); }
  const ExecutionResult& latest() const {
    return s.channel.ring()[(published() - 1) % s.channel.ring_capacity()];
  }
  // Takes the next execution and begins it.
  std::uint64_t begin_next() {
    std::uint64_t index = ~0ull;
    EXPECT_TRUE(take_execution(s, index));
    start_execution(s, index);
    return index;
  }
  void end(Ending ending, int status = 0) {
    header().current.ending = ending;
    header().current.status = status;
    finish_execution(s);
  }
  // One is over, its result is in the channel, and the process has died in this phase.
  void die_with_result_in(Phase at) {
    begin_next();
    header().current.ending = Ending::kExited;
    header().phase.store(at);
    settle_after_death(s, killed_by(SIGKILL), false);
  }

  engine::testing::SmallChannel small_;
  void* memory_;
  Followed strategy;
  std::unique_ptr<State> owned_ = std::make_unique<State>();
  State& s = *owned_;
};

TEST_F(HeldExecution, IsTakenInOrderAndPublished) {
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_EQ(begin_next(), i);
    EXPECT_EQ(phase(), Phase::kReady);
    EXPECT_NE(header().execution_began.load(), 0u);
    header().choice_count = 7;
    header().current.threads = static_cast<std::uint16_t>(5 - i);
    end(Ending::kExited);
    EXPECT_EQ(phase(), Phase::kIdle);
    EXPECT_EQ(header().execution_began.load(), 0u);
    EXPECT_EQ(header().done.load(), i + 1);
    ASSERT_EQ(published(), i + 1);
    EXPECT_EQ(latest().index, i);
    EXPECT_EQ(latest().choices, 7u);
  }
  EXPECT_EQ(header().most_threads, 5u);
  EXPECT_EQ(strategy.taught, 3);
  EXPECT_EQ(campaign().learning().completed(), 3u);
}

TEST_F(HeldExecution, BeginsWithWhatThePrefixLeft) {
  s.prefix.steps = 11;
  s.prefix.ending = Ending::kRunning;
  s.prefix_events = 3;
  s.prefix_findings = 1;
  s.prefix_text = 20;
  begin_next();
  header().current.findings = 2;
  header().event_count = 50;
  header().finding_count = 4;
  header().text_used = 1000;
  end(Ending::kFinding);
  begin_next();
  EXPECT_EQ(header().current.steps, 11u);
  EXPECT_EQ(header().current.findings, 0u);
  EXPECT_EQ(header().current.ending, Ending::kRunning);
  EXPECT_EQ(header().choice_count.load(), 0u);
  EXPECT_EQ(header().event_count.load(), 3u);
  EXPECT_EQ(header().finding_count.load(), 1u);
  EXPECT_EQ(header().text_used.load(), 20u);
}

TEST_F(HeldExecution, SetsTheOutputBackWhereSystemCallsWereMade) {
  std::FILE* output = std::tmpfile();
  ASSERT_NE(output, nullptr);
  const int file = fileno(output);
  header().output_fd = file;
  s.prefix_output = 4;
  ASSERT_EQ(write(file, "0123456789", 10), 10);
  begin_next();
  EXPECT_EQ(lseek(file, 0, SEEK_CUR), 4) << "another process may have written";
  end(Ending::kExited);
  ASSERT_EQ(lseek(file, 9, SEEK_SET), 9);
  begin_next();
  EXPECT_EQ(lseek(file, 0, SEEK_CUR), 9) << "no call was noted: nothing can have moved";
  end(Ending::kExited);
  s.gate.note_call();
  begin_next();
  EXPECT_EQ(lseek(file, 0, SEEK_CUR), 4);
  std::fclose(output);
}

TEST_F(HeldExecution, IsNotTakenBeyondTheLimit) {
  campaign().limit = 1;
  begin_next();
  end(Ending::kExited);
  std::uint64_t index = 0;
  EXPECT_FALSE(take_execution(s, index));
  EXPECT_EQ(phase(), Phase::kIdle);
  EXPECT_EQ(campaign().none_left.load(), 0u) << "the limit may be raised";
  campaign().limit = 2;
  EXPECT_TRUE(take_execution(s, index));
  EXPECT_EQ(index, 1u);
}

TEST_F(HeldExecution, ThatWasBrokenOffIsMadeUpFor) {
  campaign().limit = 1;
  begin_next();
  end(Ending::kRedundant);
  EXPECT_EQ(begin_next(), 1u);
}

TEST_F(HeldExecution, IsNotTakenOnceTheCampaignStops) {
  campaign().stop = 1;
  std::uint64_t index = 0;
  EXPECT_FALSE(take_execution(s, index));
  EXPECT_EQ(campaign().claims.next(), 0u) << "no index is lost";
}

TEST_F(HeldExecution, IsNotThereWhenTheStrategyHasNone) {
  for (const bool all : {false, true}) {
    campaign().none_left = 0;
    strategy.has_next = false;
    strategy.has_all = all;
    const std::uint32_t told = campaign().signal;
    std::uint64_t index = 0;
    EXPECT_FALSE(take_execution(s, index));
    EXPECT_EQ(campaign().none_left.load(), 1u);
    EXPECT_EQ(campaign().exhausted.load(), all ? 1u : 0u);
    EXPECT_NE(campaign().signal.load(), told);
    EXPECT_FALSE(take_execution(s, index)) << "and others do not ask again";
  }
}

// --- whom the tool is told of

TEST_F(HeldExecution, TellsTheToolOfWhatIsUrgent) {
  const auto is_told = [&](Ending ending, int status, std::uint8_t findings) {
    begin_next();
    const std::uint32_t before = campaign().signal;
    header().current.findings = findings;
    end(ending, status);
    return campaign().signal != before;
  };
  EXPECT_TRUE(is_told(Ending::kExited, 0, 0)) << "the first of all";
  EXPECT_FALSE(is_told(Ending::kExited, 0, 0));
  EXPECT_TRUE(is_told(Ending::kExited, 1, 0));
  EXPECT_TRUE(is_told(Ending::kExited, 0, 1));
  EXPECT_TRUE(is_told(Ending::kTimedOut, 0, 0));
  EXPECT_FALSE(is_told(Ending::kExited, 0, 0));
}

TEST_F(HeldExecution, KeepsChoicesThatNothingElseRepeats) {
  header().stop = 1;  // the tool reads nothing: who waits for it goes on
  const auto are_held = [&](bool by_index, Ending ending) {
    strategy.by_index = by_index;
    begin_next();
    end(ending);
    return (latest().flags & result_flags::kChoicesHeld) != 0;
  };
  EXPECT_FALSE(are_held(true, Ending::kFinding));
  EXPECT_TRUE(are_held(false, Ending::kFinding));
  EXPECT_FALSE(are_held(false, Ending::kExited));
}

// --- deaths

TEST_F(HeldExecution, IsNotThereWhenAnIdleProcessDies) {
  settle_after_death(s, killed_by(SIGKILL), false);
  EXPECT_EQ(phase(), Phase::kIdle);
  EXPECT_EQ(published(), 0u);
}

TEST_F(HeldExecution, IsKnownWhenItsTakerDies) {
  // It has taken none.
  header().phase = Phase::kTaking;
  settle_after_death(s, killed_by(SIGKILL), false);
  EXPECT_EQ(phase(), Phase::kIdle);
  // It has taken one.
  ASSERT_EQ(campaign().claims.take(header().worker, campaign().limit), 0u);
  header().phase = Phase::kTaking;
  settle_after_death(s, killed_by(SIGKILL), false);
  EXPECT_EQ(phase(), Phase::kTaken);
  EXPECT_EQ(begin_next(), 0u);
  end(Ending::kExited);
  // The latest that it took is over.
  header().phase = Phase::kTaking;
  settle_after_death(s, killed_by(SIGKILL), false);
  EXPECT_EQ(phase(), Phase::kIdle);
  EXPECT_EQ(begin_next(), 1u);
}

TEST_F(HeldExecution, IsPreparedAnewWhereTheStrategyWasInterrupted) {
  begin_next();
  header().execution_began = 0;
  header().phase = Phase::kPreparing;
  settle_after_death(s, killed_by(SIGKILL), false);
  EXPECT_EQ(campaign().torn.load(), 1u) << "the search may have left something out";
  EXPECT_EQ(published(), 0u);
  EXPECT_EQ(begin_next(), 0u);
  EXPECT_EQ(strategy.prepared, 2);
}

TEST_F(HeldExecution, IsRunOnceMoreWhenKilledFromOutside) {
  begin_next();
  settle_after_death(s, killed_by(SIGKILL), false);
  EXPECT_EQ(published(), 0u);
  EXPECT_EQ(begin_next(), 0u);
  EXPECT_EQ(strategy.prepared, 1) << "it is the same execution";
  end(Ending::kExited);
  EXPECT_EQ(campaign().torn.load(), 0u);
  // The next one has both its lives.
  begin_next();
  settle_after_death(s, killed_by(SIGKILL), false);
  EXPECT_EQ(published(), 1u);
}

TEST_F(HeldExecution, IsGivenUpWhenKilledTwice) {
  begin_next();
  settle_after_death(s, killed_by(SIGKILL), false);
  begin_next();
  settle_after_death(s, killed_by(SIGKILL), false);
  ASSERT_EQ(published(), 1u);
  EXPECT_EQ(latest().ending, Ending::kSignalled);
  EXPECT_EQ(latest().status, SIGKILL);
  EXPECT_EQ(campaign().torn.load(), 1u);
  EXPECT_EQ(begin_next(), 1u);
}

TEST_F(HeldExecution, IsGivenUpWhenKilledTwiceBeforeItBegan) {
  s.prefix.steps = 11;
  std::uint64_t index = 0;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(take_execution(s, index));
    header().current.steps = 99;  // of the execution before
    settle_after_death(s, killed_by(SIGKILL), false);
  }
  ASSERT_EQ(published(), 1u);
  EXPECT_EQ(latest().index, 0u);
  EXPECT_EQ(latest().steps, 11u);
}

TEST_F(HeldExecution, EndsAsItsProcessDid) {
  struct Case {
    int wait_status;
    bool timed_out;
    Ending ending;
    int status;
  };
  const Case cases[] = {
      {exited(0), false, Ending::kExited, 0},
      {exited(3), false, Ending::kExited, 3},
      {exited(kInternalErrorStatus), false, Ending::kInternalError, kInternalErrorStatus},
      {killed_by(SIGSEGV), false, Ending::kSignalled, SIGSEGV},
      {killed_by(SIGKILL), true, Ending::kTimedOut, 0},
  };
  std::uint64_t count = 0;
  for (const Case& one : cases) {
    begin_next();
    settle_after_death(s, one.wait_status, one.timed_out);
    ASSERT_EQ(published(), ++count);
    EXPECT_EQ(latest().ending, one.ending);
    EXPECT_EQ(latest().status, one.status);
    EXPECT_EQ(phase(), Phase::kIdle);
  }
  EXPECT_EQ(campaign().torn.load(), 0u);
}

TEST_F(HeldExecution, KeepsWhatItSaidOfItsEnd) {
  begin_next();
  header().current.ending = Ending::kFinding;
  settle_after_death(s, killed_by(SIGKILL), false);
  ASSERT_EQ(published(), 1u);
  EXPECT_EQ(latest().ending, Ending::kFinding);
}

TEST_F(HeldExecution, IsHandedOverFromWhereItsProcessDied) {
  die_with_result_in(Phase::kFinishing);
  EXPECT_EQ(published(), 1u);
  EXPECT_EQ(strategy.taught, 1);
  EXPECT_EQ(campaign().learning().completed(), 1u);
  EXPECT_EQ(header().execution_began.load(), 0u);
  // From here on it may have been taught and counted: that is not done twice.
  die_with_result_in(Phase::kCounting);
  EXPECT_EQ(published(), 2u);
  die_with_result_in(Phase::kPublishing);
  EXPECT_EQ(published(), 3u);
  EXPECT_EQ(strategy.taught, 1);
  EXPECT_EQ(campaign().learning().completed(), 1u);
  EXPECT_EQ(header().done.load(), 3u);
  EXPECT_EQ(phase(), Phase::kIdle);
}

TEST_F(HeldExecution, IsNotPublishedTwice) {
  begin_next();
  end(Ending::kExited);
  // It died after its result went into the ring, before it said so.
  header().phase = Phase::kPublishing;
  header().done = 0;
  const std::uint32_t told = campaign().signal;
  settle_after_death(s, killed_by(SIGKILL), false);
  EXPECT_EQ(published(), 1u);
  EXPECT_EQ(header().done.load(), 1u);
  EXPECT_NE(campaign().signal.load(), told) << "the tool may not know of it";
  EXPECT_EQ(begin_next(), 1u);
}

}  // namespace
}  // namespace heddle::session
