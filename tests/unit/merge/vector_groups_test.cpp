// What is known of vectors by their groups against reading them.
#include "tool/merge/ranking/vector_groups.h"

#include <gtest/gtest.h>

#include "tests/unit/merge/slow_logs.h"

namespace heddle::merge {
namespace {

struct Grouped {
  explicit Grouped(const std::vector<SlowVector>& vectors) {
    for (const SlowVector& vector : vectors) add_to(set, {{0, vector}});
    samples = std::make_unique<VectorSamples>(set, 1);
    groups = std::make_unique<VectorGroups>(set, *samples);
  }
  double really(VectorIndex a, VectorIndex b) const { return hamming_similarity(set.bytes(a), set.bytes(b)); }

  LogSet set;
  std::unique_ptr<VectorSamples> samples;
  std::unique_ptr<VectorGroups> groups;
};

std::vector<SlowVector> three_ways(Random& random) {
  std::vector<SlowVector> vectors;
  for (int way = 0; way < 3; ++way) {
    const SlowVector taken = random_vector(random, 5, 200);
    for (std::uint32_t i = 0; i < 40; ++i) vectors.push_back(disturbed(random, taken, i % 9));
  }
  return vectors;
}

TEST(VectorGroups, know_how_alike_two_of_a_group_are) {
  Random random(11);
  const Grouped g(three_ways(random));
  EXPECT_EQ(g.groups->groups(), 3u);
  for (VectorIndex a = 0; a < g.set.vectors(); ++a) {
    for (VectorIndex b = 0; b < g.set.vectors(); ++b) {
      if (g.groups->group(a) != g.groups->group(b)) continue;
      ASSERT_TRUE(g.groups->alike(a, b));
      EXPECT_EQ(*g.groups->alike(a, b), g.really(a, b)) << a << " " << b;
    }
  }
}

TEST(VectorGroups, bound_how_alike_others_are) {
  Random random(12);
  const Grouped g(three_ways(random));
  for (VectorIndex a = 0; a < g.set.vectors(); ++a) {
    EXPECT_LT(g.groups->most_alike_elsewhere(a), 0.75) << "says something";
    for (VectorIndex b = 0; b < g.set.vectors(); ++b) {
      EXPECT_GE(g.groups->most_alike(a, b), g.really(a, b)) << a << " " << b;
      if (g.groups->group(a) == g.groups->group(b)) continue;
      EXPECT_GE(g.groups->most_alike_elsewhere(a), g.really(a, b)) << a << " " << b;
    }
  }
}

// Lengths around the words into which vectors are packed, empty ones included.
TEST(VectorGroups, know_vectors_that_are_like_no_other) {
  Random random(13);
  std::vector<SlowVector> vectors = three_ways(random);
  for (std::size_t length = 0; length < 70; ++length) vectors.push_back(random_vector(random, 5, length * 4));
  for (std::size_t length : {15, 16, 17, 31, 32, 33, 240, 241, 256})
    vectors.push_back(random_vector(random, 15, length));
  const Grouped g(vectors);
  for (VectorIndex a = 0; a < g.set.vectors(); ++a) {
    for (VectorIndex b = 0; b < g.set.vectors(); ++b) {
      ASSERT_TRUE(g.groups->alike(a, b)) << a << " " << b;
      EXPECT_EQ(*g.groups->alike(a, b), g.really(a, b)) << a << " " << b;
    }
  }
}

// Rare ways are found between vectors that are like no others.
TEST(VectorGroups, find_a_way_among_many_vectors_that_go_none) {
  Random random(14);
  const SlowVector way = random_vector(random, 5, 200);
  std::vector<SlowVector> vectors;
  for (int i = 0; i < 600; ++i)
    vectors.push_back(i % 6 == 0 ? disturbed(random, way, 4) : random_vector(random, 5, 200));
  const Grouped g(vectors);
  EXPECT_EQ(g.groups->groups(), 1u);
  for (VectorIndex v = 0; v < g.set.vectors(); ++v)
    EXPECT_EQ(g.groups->group(v) != kNone, g.really(v, 0) > 0.5) << v;
}

TEST(VectorGroups, leave_vectors_of_many_threads_to_estimates) {
  Random random(15);
  std::vector<SlowVector> vectors;
  for (int i = 0; i < 10; ++i) vectors.push_back(random_vector(random, 60, 100));
  const Grouped g(vectors);
  EXPECT_EQ(g.groups->groups(), 0u);
  EXPECT_FALSE(g.groups->alike(0, 1));
  EXPECT_EQ(g.groups->alike(1, 1), 1);
}

}  // namespace
}  // namespace heddle::merge
