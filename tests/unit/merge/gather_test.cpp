// Logs are read as long as the command has time.
#include "tool/merge/store/gather.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tool/run/time_limit.h"

namespace heddle::merge {
namespace {

TEST(Gatherer, LeavesForTheNextCallWhatTheTimeIsNotEnoughFor) {
  const std::string folder = testing::TempDir() + "heddle-gather-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (const char* name : {"/a.hlog", "/b.hlog", "/c.hlog"}) std::ofstream(folder + name) << "no log";
  auto store = LogStore::open("");
  ASSERT_TRUE(store);
  Gatherer gatherer(**store, {folder});
  std::vector<std::string> skipped;
  gatherer.on_skipped = [&](const std::string& text) { skipped.push_back(text); };
  {
    const run::TimeShare none(1e-9);
    ASSERT_TRUE(gatherer.gather());
    EXPECT_EQ(gatherer.unread(), 3u);
    EXPECT_TRUE(skipped.empty());
  }
  ASSERT_TRUE(gatherer.gather());
  EXPECT_EQ(gatherer.unread(), 0u);
  EXPECT_EQ(skipped.size(), 3u);  // each was read, and is no log
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace heddle::merge
