#include "tool/merge/store/access_vector.h"

#include <gtest/gtest.h>

#include "tests/unit/merge/slow_logs.h"

namespace heddle::merge {
namespace {

SlowVector decode(std::string_view bytes) {
  SlowVector vector;
  VectorReader reader(bytes);
  for (Run run; reader.next(run);) vector.insert(vector.end(), run.count, static_cast<int>(run.thread));
  return vector;
}

TEST(AccessVector, is_read_back) {
  const SlowVector vector{0, 0, 1, 6, 7, 7, 8, 1000, 0};
  EXPECT_EQ(decode(encode(vector)), vector);
  EXPECT_EQ(length_of(encode(vector)), vector.size());
  EXPECT_TRUE(encode({}).empty());
  EXPECT_EQ(encode(SlowVector(8, 3)).size(), 1u);
}

TEST(AccessVector, keeps_runs_that_need_no_order) {
  VectorWriter writer;
  const merge::Run runs[] = {{2, 3, false}, {1, 4, true}, {1, 1, false}};
  for (const merge::Run& run : runs) writer.add(run);
  const std::string bytes = writer.take();
  VectorReader reader(bytes);
  for (const merge::Run& run : runs) {
    merge::Run read;
    ASSERT_TRUE(reader.next(read));
    EXPECT_EQ(std::tie(read.thread, read.count, read.with_last),
              std::tie(run.thread, run.count, run.with_last));
  }
}

TEST(AccessVector, rejects_what_is_none) {
  EXPECT_TRUE(is_access_vector(encode({0, 1, 0}), 2));
  EXPECT_FALSE(is_access_vector(encode({0, 1, 0}), 1));
  EXPECT_FALSE(is_access_vector("\x80", 2));
}

// The examples of §3.2.3.
TEST(AccessVector, similarity_is_by_position) {
  const std::string a = encode({1, 1, 1, 1}), b = encode({1, 1, 1, 0}), c = encode({0, 0, 0, 0});
  EXPECT_DOUBLE_EQ(hamming_similarity(a, b), 0.75);
  EXPECT_DOUBLE_EQ(hamming_similarity(a, c), 0);
  EXPECT_DOUBLE_EQ(hamming_similarity(a, encode({1, 1})), 0.5) << "padded with threads unlike all others";
  EXPECT_DOUBLE_EQ(hamming_similarity("", ""), 1);
  EXPECT_DOUBLE_EQ(hamming_similarity("", a), 0);
}

TEST(AccessVector, prefixes_and_samples) {
  const std::string a = encode({0, 0, 1, 1, 2}), b = encode({0, 0, 1, 0});
  EXPECT_TRUE(same_prefix(a, b, 3));
  EXPECT_FALSE(same_prefix(a, b, 4));
  EXPECT_FALSE(same_prefix(a, encode({0, 0, 1}), 4));
  EXPECT_TRUE(same_prefix(a, a, 100));
  const std::vector<std::uint64_t> positions{0, 2, 4, 5};
  std::uint32_t threads[4];
  sample(a, positions, threads);
  EXPECT_EQ((std::vector<std::uint32_t>(threads, threads + 4)),
            (std::vector<std::uint32_t>{0, 1, 2, kNoThread}));
}

TEST(AccessVector, differences_are_what_the_first_one_has_elsewhere) {
  const auto listed = [](const SlowVector& vector, const SlowVector& from) {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> all;
    for (const Stretch& s : differences(encode(vector), encode(from)))
      all.emplace_back(s.begin, s.end, s.thread);
    return all;
  };
  using All = std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>>;
  EXPECT_EQ(listed({0, 1, 1, 2}, {0, 1, 1, 2}), All{});
  EXPECT_EQ(listed({0, 1, 1, 2}, {0, 0, 2, 2}), (All{{1, 3, 1}}));
  EXPECT_EQ(listed({0, 2, 3}, {0}), (All{{1, 2, 2}, {2, 3, 3}}));
  EXPECT_EQ(listed({0}, {0, 2, 3}), (All{{1, 3, kNoThread}}));
  EXPECT_EQ(listed({}, {}), All{});
}

TEST(AccessVector, the_majority_decides_at_each_position) {
  const std::string a = encode({0, 1, 1, 2}), b = encode({0, 1, 2}), c = encode({3, 0, 2, 2, 1, 1});
  const std::string_view all[] = {a, b, c};
  EXPECT_EQ(decode(majority_of(all)), (SlowVector{0, 1, 2, 2}));
}

}  // namespace
}  // namespace heddle::merge
