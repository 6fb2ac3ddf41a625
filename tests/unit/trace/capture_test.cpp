#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "tool/artifact/artifact.h"
#include "tool/trace/trace.h"

namespace heddle {
namespace {

class CaptureTest : public ::testing::Test {
 protected:
  CaptureTest() {
    sizes_.choices = 64;
    sizes_.events = 64;
    sizes_.stack_nodes = 64;
    sizes_.findings = 2;
    sizes_.text = 4096;
    sizes_.ring = 4;
    bytes_ = Channel::bytes_needed(sizes_);
    memory_.reset(static_cast<char*>(std::aligned_alloc(4096, bytes_)));
    std::memset(memory_.get(), 0, bytes_);
    channel_ = Channel::initialise(memory_.get(), sizes_);
    fill();
  }

  void fill() {
    ChannelHeader& h = *channel_.header();
    h.spec.seed = 5;
    h.execution_pid = 77;
    h.current.index = 12;
    h.current.ending = Ending::kFinding;
    h.current.outcomes[0] = 1;
    std::strcpy(channel_.outcome_text() + 1, "r1=0");
    h.outcome_at[0] = 1;
    h.outcome_count = 1;
    h.module_count = 1;
    h.modules[0].begin = 0x1000;
    h.modules[0].end = 0x9000;
    h.modules[0].build_id_size = 2;
    h.modules[0].build_id[0] = 0xab;
    channel_.choices()[0] = Choice::make(ChoiceKind::kThread, 3, ChoiceKey::thread(ThreadId{1}));
    h.choice_count = 1;
    const StackId outer = channel_.stacks()->push(kEmptyStack, 0x1100);
    channel_.stacks()->push(kEmptyStack, 0x1999);  // used by nobody
    const StackId inner = channel_.stacks()->push(outer, 0x1200);
    Event& event = channel_.events()[0];
    event.kind = EventKind::kNote;
    event.pc = 0x1300;
    event.stack = inner;
    event.text = channel_.add_text("a note", 6);
    h.event_count = 1;
    Finding& finding = channel_.findings()[0];
    finding.kind = FindingKind::kAbort;
    finding.message = channel_.add_text("why", 3);
    finding.part_count = 1;
    finding.parts[0].stack = outer;
    finding.parts[0].thread = kMainThread;
    finding.event = EventId{0};
    h.finding_count = 1;
  }

  Result<Trace> captured() {
    CaptureContext context;
    context.program.path = "/p/program";
    context.output = "out";
    return capture(channel_, bytes_, context);
  }

  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  ChannelSizes sizes_;
  std::uint64_t bytes_ = 0;
  std::unique_ptr<char, Free> memory_;
  Channel channel_;
};

TEST_F(CaptureTest, CopiesTheExecution) {
  const auto t = captured();
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_EQ(t->spec.seed, 5u);
  EXPECT_EQ(t->pid, 77u);
  EXPECT_EQ(t->execution, 12u);
  EXPECT_EQ(t->output, "out");
  EXPECT_EQ(t->result.ending, Ending::kFinding);
  EXPECT_EQ(t->result.outcomes, std::vector<std::string>{"r1=0"});
  ASSERT_EQ(t->modules.size(), 1u);
  EXPECT_EQ(t->modules[0].path, "/p/program");  // the dynamic linker's empty name
  EXPECT_EQ(t->program.build_id, "ab00");
  ASSERT_EQ(t->choices.size(), 1u);
  ASSERT_EQ(t->events.size(), 1u);
  EXPECT_EQ(t->text_of(t->events[0]), "a note");
  EXPECT_EQ(t->pcs_of(t->events[0].pc, t->events[0].stack),
            (std::vector<std::uint64_t>{0x1300, 0x1200, 0x1100}));
  EXPECT_EQ(t->stacks.size(), 3u);  // the empty stack and what is referred to
  ASSERT_EQ(t->findings.size(), 1u);
  EXPECT_EQ(t->findings[0].message, "why");
  EXPECT_EQ(t->pcs_of(0, t->findings[0].parts[0].stack), std::vector<std::uint64_t>{0x1100});
}

TEST_F(CaptureTest, TheToolsResultWins) {
  CaptureContext context;
  context.result = ExecutionResult{};
  context.result->index = 3;
  context.result->ending = Ending::kTimedOut;
  const auto t = capture(channel_, bytes_, context);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->execution, 3u);
  EXPECT_EQ(t->result.ending, Ending::kTimedOut);
}

TEST_F(CaptureTest, CountsAndOffsetsBeyondTheSectionsAreCut) {
  ChannelHeader& h = *channel_.header();
  h.choice_count = h.event_count = h.finding_count = 0xffffffff;
  h.module_count = h.outcome_count = 0xffffffff;
  h.modules[0].build_id_size = 255;
  h.modules[0].path = 0xfffffff0;
  channel_.stacks()->count = 0xffffffff;
  channel_.stacks()->nodes()[1].caller = StackId{3};  // a cycle
  channel_.findings()[0].part_count = 255;
  channel_.findings()[0].message = 0xffffffff;
  channel_.events()[0].text = static_cast<std::uint32_t>(sizes_.text - 1);
  channel_.text()[sizes_.text - 1] = 'x';  // no terminating zero
  channel_.events()[1].kind = static_cast<EventKind>(200);
  channel_.events()[1].stack = StackId{0x7fffffff};
  const auto t = captured();
  ASSERT_TRUE(t) << t.error().message;
  EXPECT_EQ(t->events.size(), 64u);
  EXPECT_EQ(t->events[1].kind, EventKind::kNone);
  EXPECT_EQ(t->events[1].stack, kEmptyStack);
  EXPECT_EQ(t->findings.size(), 1u);
  EXPECT_EQ(t->findings[0].parts.size(), kMaxFindingParts);
  EXPECT_EQ(t->text_of(t->events[0]), "x");
  ASSERT_TRUE(parse_artifact(serialise(*t)));
}

TEST_F(CaptureTest, SectionsOutsideTheMappingAreAnErrorOfOurs) {
  channel_.header()->events.offset = bytes_ - 8;
  const auto t = captured();
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().code, ExitCode::kOwnError);
  EXPECT_FALSE(capture(channel_, 16, {}));
}

// A wild write of the tested program may hit any byte of the channel.
TEST_F(CaptureTest, OverwrittenChannelsNeverCrashAndAlwaysMakeAnArtifact) {
  const std::string good(memory_.get(), bytes_);
  Random random(23);
  for (int i = 0; i < 1500; ++i) {
    std::memcpy(memory_.get(), good.data(), bytes_);
    for (std::uint32_t k = 0; k < 40; ++k) {
      // Half of the damage goes to the counters at the end of the header and the first entries of each
      // section.
      const std::uint64_t at =
          random.below(2) != 0
              ? random.below(static_cast<std::uint32_t>(bytes_))
              : 4096 * random.below(static_cast<std::uint32_t>(bytes_ / 4096)) + random.below(256);
      if (at >= 16) memory_.get()[at] = static_cast<char>(random.next());
    }
    const auto t = captured();
    if (!t) continue;
    const auto read = parse_artifact(serialise(*t));
    ASSERT_TRUE(read) << read.error().message;
  }
}

}  // namespace
}  // namespace heddle
