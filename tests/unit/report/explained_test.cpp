#include "tool/report/explained.h"

#include <gtest/gtest.h>

#include "tests/unit/report/trace_builder.h"

namespace heddle::report {
namespace {

// T1 asks so often whether it is ready, then sees it.
ProjectedRun waits(std::size_t rounds, std::uint64_t before = 0, std::uint64_t then = 1) {
  TraceBuilder b;
  const Address ready = b.global("ready", 4);
  for (std::size_t i = 0; i <= rounds; ++i)
    b.access(EventKind::kAtomicLoad, 1, ready, i == rounds ? then : before, MemoryOrder::kAcquire,
             {{"wait()", "w.cpp", 3, 1}});
  ProjectedRun run;
  for (const TraceEvent& event : b.trace.events) {
    run.kept.push_back(event.id);
    run.flows.push_back({event.id, kNoEvent});
  }
  run.trace = std::move(b.trace);
  return run;
}

TEST(Explained, LoopsShowTheirFirstRoundAndTheirLast) {
  const auto lines = folded_lines(waits(10'000));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1].text, "… the same 9,998 more times");
  EXPECT_EQ(lines[1].event, kNoEvent);
  EXPECT_EQ(lines[0].text, lines[2].text);
  EXPECT_NE(lines[3].text, lines[2].text);
  EXPECT_EQ(projected_lines(waits(10'000)).size(), 10'001u);
}

TEST(Explained, FewRoundsAreAllShown) {
  EXPECT_EQ(folded_lines(waits(3)).size(), 4u);
  EXPECT_EQ(folded_lines(waits(0)).size(), 1u);
  EXPECT_TRUE(folded_lines({}).empty());
}

TEST(Explained, DataFlowsThatAreAlikeAreToldOnce) {
  Explanation e;
  e.failing = waits(500);
  e.passing = waits(500, 2, 3);
  const auto flows = flow_differences(e);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].times, 500u);
  EXPECT_EQ(flows[0].times_text(), " (500 times)");
  EXPECT_EQ(flows[1].times_text(), "");
}

TEST(Explained, DataFlowsThatLookAlikeOnBothSidesAreNotTold) {
  Explanation e;
  e.failing = waits(500);
  e.passing = waits(500);
  EXPECT_TRUE(flow_differences(e).empty());
}

TEST(Explained, NothingIsClaimedOfExecutionsThatWereNotTried) {
  Explanation e;
  e.failing = waits(1);
  EXPECT_EQ(explained_how(e).find("passes"), std::string::npos);
  EXPECT_NE(explained_how(e).find("-t"), std::string::npos);
  e.interventions = 7;
  EXPECT_NE(explained_how(e).find("No execution near this one passes"), std::string::npos);
}

}  // namespace
}  // namespace heddle::report
