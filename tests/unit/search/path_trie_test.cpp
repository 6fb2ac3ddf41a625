#include "tool/search/path_trie.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace heddle::search {
namespace {

Path path_of(const char* bits) {
  Path path;
  for (std::uint64_t branch = 1; *bits != '\0'; ++bits, ++branch)
    path.push_back(Step::make(branch, *bits == '1'));
  return path;
}

TEST(PathTrie, SharesPrefixes) {
  PathTrie trie;
  const auto a = trie.insert(path_of("1010"));
  EXPECT_EQ(trie.insert(path_of("1010")), a);
  EXPECT_EQ(trie.nodes(), 5u);
  trie.insert(path_of("1011"));
  EXPECT_EQ(trie.nodes(), 6u);
  EXPECT_EQ(trie.path_to(a), path_of("1010"));
  EXPECT_TRUE(trie.contains(path_of("1011")));
  EXPECT_FALSE(trie.contains(path_of("101")));
}

TEST(PathTrie, FindsTheShortestFirst) {
  PathTrie trie;
  for (const char* bits : {"11010", "110", "1111", "00"}) trie.insert(path_of(bits));
  EXPECT_EQ(trie.beginning_with(path_of("11"), 2), (std::vector<Path>{path_of("110"), path_of("1111")}));
  EXPECT_EQ(trie.beginning_with(path_of("11"), 9).size(), 3u);
  EXPECT_TRUE(trie.beginning_with(path_of("01"), 9).empty());
}

TEST(PathDatabase, KeepsThousandsOfRunsOnce) {
  PathDatabase database;
  for (int i = 0; i < 5000; ++i) {
    const bool is_new = database.add({{"0", path_of("1")}, {"0.1", path_of(i % 2 == 0 ? "10" : "11")}});
    EXPECT_EQ(is_new, i < 2);
  }
  EXPECT_EQ(database.distinct_runs(), 2u);
  EXPECT_EQ(database.runs(), 5000u);
  EXPECT_EQ(database.times_seen(0), 2500u);
  EXPECT_LT(database.nodes(), 8u);
}

class StoredDatabase : public testing::Test {
 protected:
  void SetUp() override {
    file_ = testing::TempDir() + "paths-" + std::to_string(getpid()) + ".db";
    PathDatabase database;
    database.add({{"0", path_of("1")}, {"0.1", path_of("10")}});
    database.add({{"0", path_of("1")}, {"0.1", path_of("11")}});
    database.add({{"0", path_of("1")}, {"0.1", path_of("11")}});
    ASSERT_TRUE(database.write(file_));
  }
  void TearDown() override { std::filesystem::remove(file_); }

  std::string file_;
};

TEST_F(StoredDatabase, ComesBack) {
  auto read = PathDatabase::read(file_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->distinct_runs(), 2u);
  EXPECT_EQ(read->times_seen(1), 2u);
  EXPECT_EQ(read->run(1).at("0.1"), path_of("11"));
  EXPECT_FALSE(read->add({{"0", path_of("1")}, {"0.1", path_of("10")}}));
}

TEST_F(StoredDatabase, RefusesWhatIsDamaged) {
  std::ifstream in(file_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x11);
    std::ofstream(file_, std::ios::binary) << damaged;
    EXPECT_FALSE(PathDatabase::read(file_)) << at;
  }
  std::ofstream(file_, std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_FALSE(PathDatabase::read(file_));
}

// Behind a checksum that fits.
TEST(PathTrie, DecodesNothingThatIsNoTree) {
  PathTrie trie;
  trie.insert(path_of("1010"));
  trie.insert(path_of("11"));
  const std::string whole = trie.encode();
  ASSERT_TRUE(PathTrie::decode(whole));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 0x40, 0x80}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      auto read = PathTrie::decode(damaged);
      if (!read) continue;
      // Whatever it is now, it is a tree: every walk to the root ends.
      EXPECT_LT(read->path_to(static_cast<PathTrie::Node>(read->nodes() - 1)).size(), read->nodes());
    }
    EXPECT_FALSE(PathTrie::decode(whole.substr(0, at)));
  }
}

}  // namespace
}  // namespace heddle::search
