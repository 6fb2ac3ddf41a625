#include "tool/findings/findings_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tool/base/atomic_file.h"

namespace heddle {
namespace {

class FindingsFolder : public testing::Test {
 protected:
  FindingsFolder()
      : folder_(testing::TempDir() + "heddle-folder-" + std::to_string(getpid()) + "-" +
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
  }
  ~FindingsFolder() override { std::filesystem::remove_all(folder_); }

  std::string content(const std::string& name) const { return *read_whole_file(folder_ + "/" + name, 1000); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::string folder_;
};

TEST(NumberedName, NamesAndNumbersAreInverse) {
  EXPECT_EQ(kBugName.of(1), "bug-1.heddle");
  EXPECT_EQ(kCampaignName.of(1), "campaign.json");
  EXPECT_EQ(kCampaignName.of(12), "campaign-12.json");
  for (const NumberedName& name : {kBugName, kCampaignName}) {
    for (const std::uint64_t number : {1u, 2u, 10u, 4'000'000'000u})
      EXPECT_EQ(name.number_of(name.of(number)), number);
  }
  for (const char* other :
       {"bug.heddle", "bug-.heddle", "bug-1", "bug-1.heddle~", "bug-1x.heddle", "bug--1.heddle",
        "bug-99999999999999999999.heddle", "bugs-1.heddle", ".bug-1.heddle", "heddle", ""})
    EXPECT_EQ(kBugName.number_of(other), 0u) << other;
}

TEST_F(FindingsFolder, NumbersGoOnAfterTheLargest) {
  for (const char* there : {"bug-7.heddle", "bug-2.heddle", "bug-x.heddle", "other"}) write(there, "old");
  const auto added = add_numbered_file(folder_, kBugName, "new");
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(added->path, folder_ + "/bug-8.heddle");
  EXPECT_EQ(content("bug-8.heddle"), "new");
  EXPECT_EQ(content("bug-7.heddle"), "old");
  EXPECT_EQ(add_numbered_file(folder_, kBugName, "", 20)->number, 21u);
}

TEST_F(FindingsFolder, ANameThatIsTakenIsNeverWritten) {
  write("there", "old");
  std::filesystem::create_symlink("nowhere", folder_ + "/link");
  for (const char* name : {"there", "link"}) {
    const auto written = write_new_file(folder_ + "/" + name, "new");
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_FALSE(*written) << name;
  }
  EXPECT_EQ(content("there"), "old");
  EXPECT_EQ(files(), 2u);
}

TEST_F(FindingsFolder, TemporaryFilesOfTheDeadAreRemovedAndNoOthers) {
  write(".bug-1.heddle.12-0.tmp", "of a writer that has died");
  write(".campaign.json.12-0.tmp", "of one that lives");
  write(".mine.tmp", "of the user");
  const int lock = open((folder_ + "/.campaign.json.12-0.tmp").c_str(), O_RDONLY);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  ASSERT_TRUE(add_numbered_file(folder_, kBugName, "new"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/.bug-1.heddle.12-0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/.campaign.json.12-0.tmp"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/.mine.tmp"));
  close(lock);
}

TEST_F(FindingsFolder, WritingOverAFileLeavesNothingElse) {
  write("report", "old");
  std::filesystem::permissions(folder_ + "/report", std::filesystem::perms{0600});
  ASSERT_TRUE(write_file_atomically(folder_ + "/report", "new"));
  EXPECT_EQ(content("report"), "new");
  EXPECT_EQ(std::filesystem::status(folder_ + "/report").permissions(), std::filesystem::perms{0600});
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace heddle
