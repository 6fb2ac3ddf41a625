// In which order the blocks of one log were entered, all together.
#include "tool/merge/store/entry_order.h"

#include <gtest/gtest.h>

#include "tool/merge/ranking/candidates.h"
#include "tool/merge/store/log_store.h"

namespace heddle::merge {
namespace {

AccessLog log_of(std::vector<AccessVector> vectors, const std::string& path = "a.log") {
  AccessLog log;
  log.path = path;
  log.scheme = AccessScheme::kBlocks;
  log.outcome = RunOutcome::kFailed;
  log.failure_place = "assertion queue.cpp:41";
  log.elements_in_all = 2;
  log.threads = {"0.1", "0.2"};
  log.vectors = std::move(vectors);
  return log;
}

using Runs = std::vector<ThreadRun>;

Runs entry_order(const AccessLog& log) {
  EntryOrder order;
  for (const AccessVector& vector : log.vectors) order.add(vector);
  return order.runs();
}

TEST(EntryOrder, puts_blocks_together_by_rank) {
  const AccessLog log = log_of({{5, {{0, false, 1, 0, 0}, {1, false, 1, 3, 3}}},  //
                                {6, {{1, false, 1, 1, 1}, {0, false, 1, 4, 4}}}});
  EXPECT_EQ(entry_order(log), (Runs{{0, false, 1}, {1, false, 2}, {0, false, 1}}));
}

// Thread 0 was in a loop from rank 0 to rank 8, five times, and thread 1 came in between.
TEST(EntryOrder, spaces_the_entries_of_a_run_evenly) {
  const AccessLog log = log_of({{5, {{0, false, 5, 0, 8}}}, {6, {{1, false, 1, 3, 3}, {1, false, 1, 5, 5}}}});
  EXPECT_EQ(entry_order(log),
            (Runs{{0, false, 2}, {1, false, 1}, {0, false, 1}, {1, false, 1}, {0, false, 2}}));
}

TEST(EntryOrder, has_all_entries_of_long_runs) {
  constexpr std::uint64_t kMany = 1'000'003;
  const AccessLog log = log_of({{5, {{0, false, kMany, 0, 4}}}, {6, {{1, false, 1, 2, 2}}}});
  std::uint64_t entries[2] = {};
  for (const ThreadRun& run : entry_order(log)) entries[run.thread] += run.accesses;
  EXPECT_EQ(entries[0], kMany);
  EXPECT_EQ(entries[1], 1u);
}

TEST(EntryOrder, is_not_known_of_logs_without_ranks) {
  EXPECT_TRUE(entry_order(log_of({{5, {{0, false, 3, 0, 0}, {1, false, 1, 0, 0}}}})).empty());
}

// Vectors are compared without it: both logs are one, and the first one's order is kept.
TEST(EntryOrder, is_no_part_of_what_makes_logs_equal) {
  auto store = LogStore::open("");
  ASSERT_TRUE(store);
  const Runs first{{0, false, 2, 0, 1}};
  ASSERT_TRUE((*store)->add(log_of({{5, first}, {6, {{1, false, 1, 2, 2}}}})));
  ASSERT_TRUE((*store)->add(log_of({{5, first}, {6, {{1, false, 1, 0, 0}}}}, "b.log")));
  // Thread 1 came in the middle: it tells more of how threads lay side by side.
  ASSERT_TRUE((*store)->add(log_of({{5, {{0, false, 3, 0, 2}}}, {6, {{1, false, 1, 1, 1}}}}, "c.log")));
  const auto bugs = (*store)->bugs();
  ASSERT_TRUE(bugs);
  const LogSet& logs = bugs->front()->logs;
  ASSERT_EQ(logs.logs(), 2u);
  EXPECT_EQ(logs.elements(), 2u);
  VectorReader reader(logs.entry_order(0));
  merge::Run run;
  ASSERT_TRUE(reader.next(run));
  EXPECT_EQ((*store)->threads()[run.thread], "0.1");
  EXPECT_EQ(run.count, 2u);
  ASSERT_TRUE(reader.next(run));
  EXPECT_EQ((*store)->threads()[run.thread], "0.2");
  EXPECT_FALSE(reader.next(run));
  EXPECT_EQ(entries_relevance(logs, 1).front().log, 1u);
}

}  // namespace
}  // namespace heddle::merge
