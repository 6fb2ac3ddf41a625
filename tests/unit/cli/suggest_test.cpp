#include "tool/cli/suggest.h"

#include <gtest/gtest.h>

namespace heddle::cli {
namespace {

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("run", "run"), 0u);
  EXPECT_EQ(edit_distance("", "run"), 3u);
  EXPECT_EQ(edit_distance("rn", "run"), 1u);    // one left out
  EXPECT_EQ(edit_distance("ruun", "run"), 1u);  // one too many
  EXPECT_EQ(edit_distance("rin", "run"), 1u);   // one replaced
  EXPECT_EQ(edit_distance("rnu", "run"), 1u);   // two swapped
  EXPECT_EQ(edit_distance("rpelya", "replay"), 2u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(DidYouMean, NamesTheNearestWords) {
  const std::vector<std::string> commands = {"run", "replay", "record", "report", "reconstruct"};
  EXPECT_EQ(did_you_mean("rnu", commands), " Did you mean 'run'?");
  EXPECT_EQ(did_you_mean("recrod", commands), " Did you mean 'record'?");
  EXPECT_EQ(did_you_mean("rec", commands), " Did you mean 'record' or 'reconstruct'?");
  EXPECT_EQ(did_you_mean("RUN", commands), " Did you mean 'run'?");
}

TEST(DidYouMean, OfOptionsDashesDoNotCount) {
  const std::vector<std::string> options = {"-n", "-s", "--seed", "--executions"};
  EXPECT_EQ(did_you_mean("-seed", options), " Did you mean '--seed'?");
  EXPECT_EQ(did_you_mean("--sede", options), " Did you mean '--seed'?");
  EXPECT_EQ(did_you_mean("--exec", options), " Did you mean '--executions'?");
  EXPECT_EQ(did_you_mean("-N", options), " Did you mean '-n'?");
}

TEST(DidYouMean, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(did_you_mean("frobnicate", {"run", "replay"}), "");
  EXPECT_EQ(did_you_mean("x", {"n", "run"}), "");
  EXPECT_EQ(did_you_mean("", {"run"}), "");
  EXPECT_EQ(did_you_mean("--", {"--seed"}), "");
  EXPECT_EQ(did_you_mean(std::string(100'000, 'a'), {"run"}), "");
}

}  // namespace
}  // namespace heddle::cli
