#include "compiler/install_layout.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace heddle::compiler {
namespace {

namespace fs = std::filesystem;

class InstallLayoutTest : public ::testing::Test {
 protected:
  void SetUp() override {
    prefix_ = ::testing::TempDir() + "heddle-layout-" + std::to_string(getpid());
    layout_ = layout_under(prefix_);
    fs::create_directories(layout_.link_dir);
  }
  void TearDown() override { fs::remove_all(prefix_); }
  std::string prefix_;
  InstallLayout layout_;
};

TEST_F(InstallLayoutTest, FirstMissingFileIsNamed) {
  const Status nothing = check_link_files(layout_);
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().message.find(layout_.library + " is missing"), std::string::npos);
  for (const std::string& file :
       {layout_.library, layout_.link_dir + "/libheddle.so.0", layout_.link_dir + "/libtsan.so",
        layout_.link_dir + "/libtsan_preinit.o"}) {
    EXPECT_FALSE(check_link_files(layout_));
    std::ofstream(file) << "";
  }
  EXPECT_TRUE(check_link_files(layout_));
}

TEST(FindLayout, IsAroundTheRunningProgram) {
  const auto layout = find_layout();
  ASSERT_TRUE(layout);
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  EXPECT_EQ(layout->library, (bin.parent_path() / "lib/libheddle.so").string());
}

}  // namespace
}  // namespace heddle::compiler
