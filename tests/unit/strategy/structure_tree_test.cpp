#include "runtime/strategy/structure_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"

namespace heddle::strategy {
namespace {

using Path = std::vector<std::uint64_t>;
using Paths = std::vector<Path>;

// Runs of one operation, each the places that it came to.
class Operation {
 public:
  explicit Operation(const Paths& runs) : tree_(std::make_unique<StructureTree>()) {
    tree_->clear();
    for (const Path& run : runs) {
      std::uint64_t latest = 0;
      std::map<std::uint64_t, std::uint64_t> visits;
      for (const std::uint64_t place : run) {
        tree_->add_edge(latest, place);
        latest = place;
        ++visits[place];
      }
      tree_->add_edge(latest, 0);
      for (const auto& [place, times] : visits) tree_->add_visits(place, times);
    }
    tree_->build();
  }

  // R(S1 L2(S3) C(B(S1) B())): units in their order, θ of loops and instructions of sequential units.
  std::string text() const { return text(tree_->root()); }
  std::uint32_t sum() const { return tree_->sum(); }
  std::uint32_t remaining(std::uint64_t place) const { return tree_->remaining(place); }

 private:
  std::string text(const StructureTree::Node& node) const {
    std::string result(1, static_cast<char>(node.type));
    if (node.type == StructureTree::Type::kSequence) return result + std::to_string(node.count);
    if (node.type == StructureTree::Type::kLoop) result += std::to_string(node.times);
    result += "(";
    std::uint32_t children = 0;
    for (std::uint32_t child = node.first_child; child != 0; child = tree_->node(child).next)
      result += (children++ == 0 ? "" : " ") + text(tree_->node(child));
    EXPECT_EQ(children, node.count);
    return result + ")";
  }

  std::unique_ptr<StructureTree> tree_;
};

// Fig. 1: d[i] = v is one instruction.
TEST(StructureTree, WriteOfPairSnapShot) {
  const Operation write(Paths{Path{1}});
  EXPECT_EQ(write.text(), "R(S1)");
  EXPECT_EQ(write.sum(), 1u);
}

// Fig. 1: #2, #3 and #4 in a loop whose iterations nobody knows beforehand: θ = 1.
TEST(StructureTree, ReadOfPairSnapShot) {
  const Operation read(Paths{{2, 3, 4}, {2, 3, 4, 2, 3, 4}});
  EXPECT_EQ(read.text(), "R(L1(S3))");
  EXPECT_EQ(read.sum(), 3u);
  EXPECT_EQ(read.remaining(2), 3u);
  EXPECT_EQ(read.remaining(4), 1u);
}

// Fig. 3: add walks the list in a loop (#1 before it, #2 in it), and links the node in #3, in one branch.
TEST(StructureTree, AddOfTheList) {
  const Operation add(Paths{{1, 2, 3}, {1, 2, 2, 2, 3}, {1, 2, 2}});
  EXPECT_EQ(add.text(), "R(S1 L1(S1) C(B(S1) B()))");
  EXPECT_EQ(add.sum(), 3u);
  EXPECT_EQ(add.remaining(2), 2u);
  EXPECT_EQ(add.remaining(3), 1u);
}

// Lines 13-14: of branches the longest counts, and not all of them.
TEST(StructureTree, TheLongestBranchCounts) {
  const Operation operation(Paths{{1, 10, 11, 12, 9}, {1, 20, 9}, {1, 9}});
  EXPECT_EQ(operation.text(), "R(S1 C(B() B(S3) B(S1)) S1)");
  EXPECT_EQ(operation.sum(), 5u);
  EXPECT_EQ(operation.remaining(10), 4u);
  EXPECT_EQ(operation.remaining(20), 2u);
}

// Every run goes through the loop five times: θ = 5; the inner loop three times in each of these.
TEST(StructureTree, KnownTripCounts) {
  Path run = {1};
  for (int i = 0; i < 5; ++i) run.insert(run.end(), {2, 3, 3, 3, 4});
  run.push_back(5);
  const Operation operation(Paths{run, run});
  EXPECT_EQ(operation.text(), "R(S1 L5(S1 L3(S1) S1) S1)");
  EXPECT_EQ(operation.sum(), 1 + 5 * (1 + 3 + 1) + 1u);
  // Before the last place of the last iteration.
  EXPECT_EQ(operation.remaining(4), 2u);
}

// A run that took another number of iterations makes θ unknown, also of what is inside.
TEST(StructureTree, TripCountsThatDiffer) {
  const Operation operation(Paths{{1, 2, 2, 3, 1, 2, 2, 3}, {1, 2, 2, 3}});
  EXPECT_EQ(operation.text(), "R(L1(S1 L1(S1) S1))");
  EXPECT_EQ(operation.sum(), 3u);
}

TEST(StructureTree, ReturnsFromWithinALoop) {
  const Operation operation(Paths{{1, 2, 3, 1, 2, 9}, {1, 8}});
  EXPECT_EQ(operation.text(), "R(L1(S1 C(B(S1 C(B(S1) B())) B())) C(B(S1) B(S1)))");
}

TEST(StructureTree, LoopsInBranches) {
  const Operation operation(Paths{{1, 2, 2, 4}, {1, 3, 4, 6}, {1, 5, 7, 5, 7, 4}});
  EXPECT_EQ(operation.text(), "R(S1 C(B(L2(S1)) B(S1) B(L2(S2))) S1 C(B(S1) B()))");
  EXPECT_EQ(operation.remaining(1), 7u);
}

// Any graph has a tree.
TEST(StructureTree, RandomGraphs) {
  std::uint64_t state = 1;
  for (int i = 0; i < 300; ++i) {
    Paths runs(1 + i % 7);
    for (Path& run : runs)
      for (int length = 0; length < 40; ++length) run.push_back(1 + splitmix64(state) % (2 + i % 60));
    const Operation operation(runs);
    EXPECT_GT(operation.sum(), 0u);
    for (const std::uint64_t place : runs[0]) EXPECT_LE(operation.remaining(place), operation.sum());
  }
}

TEST(StructureTree, DifferentBeginnings) {
  const Operation operation(Paths{{1, 2}, {5, 6, 7}});
  EXPECT_EQ(operation.text(), "R(C(B(S2) B(S3)))");
  EXPECT_EQ(operation.sum(), 3u);
}

// The tree does not depend on the order in which runs were seen. Nothing is known of an operation never seen.
TEST(StructureTree, OrderDoesNotMatter) {
  const Paths runs = {{1, 2, 3, 2, 4}, {1, 5, 4}, {1, 2, 7}, {6, 4}};
  const Operation forward(runs);
  const Operation backward(Paths{runs.rbegin(), runs.rend()});
  EXPECT_EQ(forward.text(), backward.text());
  EXPECT_EQ(Operation(Paths()).sum(), 0u);
  EXPECT_EQ(forward.remaining(99), 0u);
}

// More places than there is room for, and a graph whose tree would be exponential: an answer all the same.
TEST(StructureTree, HugeOperations) {
  Path line;
  for (std::uint64_t place = 1; place < 1000; ++place) line.push_back(place);
  EXPECT_EQ(Operation(Paths{line}).sum(), StructureTree::kPlaces);
  Paths dense;
  for (std::uint64_t a = 1; a < 60; ++a)
    for (std::uint64_t b = a + 1; b < 60; ++b) dense.push_back({1, a + 100, b + 100});
  EXPECT_GT(Operation(dense).sum(), 0u);
}

}  // namespace
}  // namespace heddle::strategy
