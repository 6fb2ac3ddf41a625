#include "tool/artifact/artifact.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "core/base/random.h"
#include "sample_trace.h"
#include "tool/base/atomic_file.h"
#include "tool/trace/select_events.h"

namespace heddle {
namespace {

std::string scratch(const char* name) {
  return ::testing::TempDir() + "heddle-artifact-" + std::to_string(::getpid()) + "-" + name;
}

// Field by field on what a user relies on; serialise() equality covers the rest.
TEST(Artifact, RoundTripKeepsEverything) {
  const Trace before = sample_trace();
  const std::string file = serialise(before);
  const auto after = parse_artifact(file);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(serialise(*after), file);
  EXPECT_EQ(after->spec.seed, before.spec.seed);
  EXPECT_EQ(after->spec.max_spurious, 0u);
  EXPECT_EQ(after->spec.sleep, SleepKind::kTimed);
  EXPECT_STREQ(after->spec.strategy, "pct:d=3");
  EXPECT_EQ(after->program.argv, before.program.argv);
  EXPECT_EQ(after->program.environment, before.program.environment);
  EXPECT_EQ(after->program.unset, before.program.unset);
  EXPECT_EQ(after->choices, before.choices);
  ASSERT_EQ(after->events.size(), before.events.size());
  for (std::size_t i = 0; i < before.events.size(); ++i) {
    const TraceEvent &a = after->events[i], &b = before.events[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(std::memcmp(static_cast<const void*>(static_cast<const Event*>(&a)),
                          static_cast<const Event*>(&b), sizeof(Event)),
              0)
        << i;
  }
  EXPECT_EQ(after->texts, before.texts);
  EXPECT_EQ(after->input, before.input);
  EXPECT_EQ(after->output, before.output);
  EXPECT_EQ(after->result.status, -5);
  EXPECT_EQ(after->result.outcomes, before.result.outcomes);
  ASSERT_EQ(after->findings.size(), 1u);
  EXPECT_EQ(after->findings[0].message, before.findings[0].message);
  EXPECT_EQ(after->findings[0].parts[0].event, EventId{0});
  EXPECT_EQ(after->findings[0].parts[0].thread, kMainThread);
  EXPECT_EQ(after->findings[0].parts[1].thread, kNoThread);
  ASSERT_TRUE(after->minimised);
  EXPECT_EQ(after->minimised->before.switches, 8u);
  EXPECT_TRUE(after->minimised->complete);
  ASSERT_EQ(after->departures.size(), 2u);
  EXPECT_TRUE(after->departures[0].critical);
  EXPECT_EQ(after->departures[0].to, ThreadId{1});
  EXPECT_EQ(after->departures[1].event, kNoEvent);
  EXPECT_EQ(after->departure_at(EventId{1}), &after->departures[0]);
  EXPECT_EQ(after->departure_at(EventId{0}), nullptr);
  ASSERT_EQ(after->accesses.size(), 2u);
  EXPECT_EQ(after->accesses[0].after, kNoEvent);
  EXPECT_TRUE(after->accesses[0].writes);
  EXPECT_EQ(after->accesses[1].after, EventId{1});
  EXPECT_EQ(after->accesses[1].stack, StackId{1});
  EXPECT_EQ(after->accesses[1].value, ~0ull);
  EXPECT_EQ(after->symbols.frames, before.symbols.frames);
  EXPECT_EQ(after->symbols.data, before.symbols.data);
  EXPECT_EQ(after->symbols.sources, before.symbols.sources);
}

TEST(Artifact, EmptyTraceRoundTrips) {
  const std::string file = serialise(Trace{});
  const auto after = parse_artifact(file);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(serialise(*after), file);
}

TEST(Artifact, WritesMakeDirectoriesReplaceAndLeaveNothingBehind) {
  const std::string directory = scratch("dir");
  const std::string path = directory + "/sub/bug-1.heddle";
  ASSERT_TRUE(write_artifact(path, Trace{}));
  ASSERT_TRUE(write_artifact(path, sample_trace()));
  const auto read = read_artifact(path);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->pid, 4711u);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory + "/sub")) ++files;
  EXPECT_EQ(files, 1u);
  std::filesystem::remove_all(directory);
}

TEST(Artifact, ErrorsNameTheFileAndWhatIsWrong) {
  const auto missing = read_artifact("/nonexistent/bug-1.heddle");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/nonexistent/bug-1.heddle"), std::string::npos);
  EXPECT_EQ(missing.error().code, ExitCode::kBadInput);

  const std::string path = scratch("text");
  ASSERT_TRUE(write_file_atomically(path, "#include <x>\n"));
  const auto text = read_artifact(path);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find(path), std::string::npos);
  EXPECT_NE(text.error().message.find("not a heddle artifact"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_FALSE(read_artifact("/dev/zero"));
  EXPECT_FALSE(read_artifact("/"));
}

TEST(Artifact, UnwritableDirectoryIsAnErrorThatNamesIt) {
  const auto status = write_artifact("/proc/heddle/bug-1.heddle", Trace{});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("/proc/heddle"), std::string::npos);
}

TEST(SelectEvents, KeepsWhatTheFindingsCiteAndWhatItRead) {
  Trace t;
  Random random(3);
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    TraceEvent e;
    e.id = EventId{i};
    e.kind = EventKind::kAtomicLoad;
    e.address = 0x1000 + random.below(1000) * 8;
    t.events.push_back(e);
  }
  t.events[50'000].reads_from = EventId{17};
  t.total_events = t.events.size();
  TraceFinding f;
  f.kind = FindingKind::kAssertion;
  f.event = EventId{50'000};
  t.findings = {f};
  keep_relevant_events(t, 1000);
  EXPECT_LE(t.events.size(), 2000u);
  EXPECT_NE(t.find_event(EventId{50'000}), nullptr);
  EXPECT_NE(t.find_event(EventId{50'001}), nullptr);
  EXPECT_NE(t.find_event(EventId{17}), nullptr);
  EXPECT_NE(t.find_event(EventId{99'999}), nullptr);
  EXPECT_EQ(t.find_event(EventId{30'000}), nullptr);
  EXPECT_EQ(t.total_events, 100'000u);
}

// The figure of the project: a million events and their choices fit in 5 MB.
TEST(Artifact, AMillionEventsStaySmall) {
  Trace t;
  Random random(5);
  std::uint32_t last_store[64] = {};
  std::uint32_t positions[64] = {};
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    TraceEvent e;
    e.id = EventId{i};
    const std::uint32_t location = random.below(64);
    e.kind = random.below(3) == 0 ? EventKind::kAtomicStore : EventKind::kAtomicLoad;
    e.thread = ThreadId{static_cast<std::uint16_t>(random.below(4))};
    e.pc = 0x555555555000 + 16 * location;
    e.address = 0x555555558000 + 8 * location;
    e.size = 4;
    e.value = positions[location];
    if (e.kind == EventKind::kAtomicStore) {
      e.mo_position = ++positions[location];
      last_store[location] = i;
    } else {
      e.reads_from = EventId{last_store[location]};
      e.candidates = 1 + random.below(3);
    }
    t.events.push_back(e);
    t.choices.push_back(Choice::make(ChoiceKind::kThread, 0x1234, ChoiceKey::thread(e.thread)));
  }
  t.total_events = t.events.size();
  keep_relevant_events(t, 100'000);
  EXPECT_LT(serialise(t).size(), 5u << 20);
}

}  // namespace
}  // namespace heddle
