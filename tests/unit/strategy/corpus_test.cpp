#include "core/trace/corpus.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace heddle {
namespace {

class CorpusTest : public testing::Test {
 protected:
  static std::vector<Pick> log_of(std::uint16_t number) { return {Pick{number}, Pick{7}}; }

  std::vector<std::uint16_t> first_picks(std::uint32_t round, std::uint64_t begin) {
    std::uint16_t numbers[Corpus::kMostLogs];
    std::vector<std::uint16_t> firsts;
    for (std::uint32_t i = 0, count = corpus_->logs(round, begin, numbers); i < count; ++i)
      firsts.push_back(corpus_->log(numbers[i])[0].bits);
    return firsts;
  }

  std::unique_ptr<Corpus> corpus_ = std::make_unique<Corpus>();
};

TEST_F(CorpusTest, TheFirstExecutionWithAPairStays) {
  const std::vector<std::uint16_t> expected = {5};
  corpus_->keep_for_pair(99, 7, log_of(7));
  corpus_->keep_for_pair(99, 5, log_of(5));
  corpus_->keep_for_pair(99, 6, log_of(6));
  EXPECT_TRUE(first_picks(3, 5).empty());  // not for its own round
  EXPECT_EQ(first_picks(4, 8), expected);
}

TEST_F(CorpusTest, NewFingerprintsAreForTheNextRound) {
  const std::vector<std::uint16_t> expected = {6};
  corpus_->keep_for_fingerprint(99, 6, 3, log_of(6));
  corpus_->keep_for_fingerprint(99, 5, 3, log_of(5));
  EXPECT_TRUE(first_picks(3, 4).empty());
  EXPECT_EQ(first_picks(4, 8), expected);
  corpus_->keep_for_fingerprint(99, 8, 4, log_of(8));
  EXPECT_EQ(first_picks(4, 8), expected);  // a round does not see what it writes
}

TEST_F(CorpusTest, AShortLogTakesThePlaceOfALongOne) {
  corpus_->keep_for_fingerprint(99, 5, 3, std::vector<Pick>(1000, Pick{5}));
  EXPECT_EQ(first_picks(4, 8), std::vector<std::uint16_t>{5});
  corpus_->keep_for_fingerprint(99, 6, 3, log_of(6));
  EXPECT_EQ(first_picks(4, 8), std::vector<std::uint16_t>{6});
}

TEST_F(CorpusTest, LongLogsAreCut) {
  corpus_->keep_for_pair(1, 0, std::vector<Pick>(Corpus::kMostPicks + 10));
  std::uint16_t numbers[Corpus::kMostLogs];
  ASSERT_EQ(corpus_->logs(1, 1, numbers), 1u);
  EXPECT_EQ(corpus_->log(numbers[0]).size(), Corpus::kMostPicks);
}

}  // namespace
}  // namespace heddle
