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
    fs::create_directories(layout_.preload_dir);
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

TEST_F(InstallLayoutTest, PreloadOurLibraryBeforeTheEmptyOnes) {
  std::ofstream(layout_.preload_dir + "/libtsan.so.2") << "";
  const auto plain = preload_list(layout_, {});
  ASSERT_TRUE(plain);
  EXPECT_EQ(*plain, layout_.library);
  const auto gcc = preload_list(layout_, {"libtsan.so.2"});
  ASSERT_TRUE(gcc);
  EXPECT_EQ(*gcc, layout_.library + ":" + layout_.preload_dir + "/libtsan.so.2");
  const auto unknown = preload_list(layout_, {"libtsan.so.9"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("libtsan.so.9"), std::string::npos);
}

TEST(FindLayout, IsAroundTheRunningProgram) {
  const auto layout = find_layout();
  ASSERT_TRUE(layout);
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  EXPECT_EQ(layout->library, (bin.parent_path() / "lib/libheddle.so").string());
}

}  // namespace
}  // namespace heddle::compiler
