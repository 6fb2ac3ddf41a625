#include "compiler/compiler_identity.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace heddle::compiler {
namespace {

namespace fs = std::filesystem;

TEST(NameHint, NamesOfDebianCompilers) {
  const NameHint gcc = hint_from_name("/usr/bin/x86_64-linux-gnu-g++-12");
  EXPECT_EQ(gcc.family, Family::kGcc);
  EXPECT_EQ(gcc.major, 12);
  EXPECT_TRUE(gcc.x86_64);
  const NameHint clang = hint_from_name("clang++-19");
  EXPECT_EQ(clang.family, Family::kClang);
  EXPECT_EQ(clang.major, 19);
  EXPECT_EQ(hint_from_name("/usr/lib/llvm-14/bin/clang").major, 14);
  EXPECT_EQ(hint_from_name("g++").family, Family::kGcc);
  EXPECT_EQ(hint_from_name("g++").major, 0);
  EXPECT_EQ(hint_from_name("clang-16.0").major, 16);
}

TEST(NameHint, NamesThatDoNotTell) {
  for (const char* name :
       {"cc", "c++", "/usr/bin/ccache", "gcc-ar", "gcc-ranlib-12", "clang-cl", "wrapper.sh", ""}) {
    EXPECT_FALSE(hint_from_name(name).family.has_value()) << name;
  }
}

TEST(NameHint, CrossCompiler) { EXPECT_FALSE(hint_from_name("aarch64-linux-gnu-gcc-12").x86_64); }

TEST(Macros, ClangAlsoSaysItIsGnu) {
  const auto clang =
      identity_from_macros("#define __GNUC__ 4\n#define __clang_major__ 19\n#define __x86_64__ 1\n");
  ASSERT_TRUE(clang.has_value());
  EXPECT_EQ(clang->family, Family::kClang);
  EXPECT_EQ(clang->major, 19);
  EXPECT_TRUE(clang->x86_64);
  const auto gcc = identity_from_macros("#define __GNUC__ 12\n#define __aarch64__ 1\n");
  ASSERT_TRUE(gcc.has_value());
  EXPECT_EQ(gcc->family, Family::kGcc);
  EXPECT_EQ(gcc->major, 12);
  EXPECT_FALSE(gcc->x86_64);
  EXPECT_FALSE(identity_from_macros("#define __TINYC__ 1\n").has_value());
}

TEST(ChooseCompiler, OptionThenEnvironmentThenDefault) {
  unsetenv("HEDDLE_CC");
  setenv("HEDDLE_CXX", "ccache g++", 1);
  std::vector<std::string> args = {"-c", "--compiler=clang++-19", "a.cpp"};
  EXPECT_EQ(choose_compiler(true, args), std::vector<std::string>{"clang++-19"});
  EXPECT_EQ(args, (std::vector<std::string>{"-c", "a.cpp"}));
  EXPECT_EQ(choose_compiler(true, args), (std::vector<std::string>{"ccache", "g++"}));
  EXPECT_EQ(choose_compiler(false, args), std::vector<std::string>{"cc"});
  unsetenv("HEDDLE_CXX");
  EXPECT_EQ(choose_compiler(true, args), std::vector<std::string>{"c++"});
}

TEST(ChooseCompiler, AFullBuildIsMadeByClang19UnlessNamed) {
  unsetenv("HEDDLE_CXX");
  unsetenv("HEDDLE_CC");
  std::vector<std::string> args = {"--full", "-c", "a.cpp"};
  EXPECT_TRUE(take_full(args));
  EXPECT_FALSE(take_full(args));
  EXPECT_EQ(args, (std::vector<std::string>{"-c", "a.cpp"}));
  EXPECT_EQ(choose_full_compiler(true, args), std::vector<std::string>{"clang++-19"});
  EXPECT_EQ(choose_full_compiler(false, args), std::vector<std::string>{"clang-19"});
  args.emplace_back("--compiler=/opt/clang/bin/clang++");
  EXPECT_EQ(choose_full_compiler(true, args), std::vector<std::string>{"/opt/clang/bin/clang++"});
}

class Identify : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "heddle-identity-" + std::to_string(getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string script(const std::string& name, const std::string& body) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    chmod(path.c_str(), 0755);
    return path;
  }
  std::string folder_;
};

TEST_F(Identify, LinkTellsWithoutRunningAnything) {
  script("x86_64-linux-gnu-g++-13", "exit 1");
  fs::create_symlink("x86_64-linux-gnu-g++-13", folder_ + "/g++");
  fs::create_symlink("g++", folder_ + "/c++");
  const auto identity = identify(true, {folder_ + "/c++"});
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->family, Family::kGcc);
  EXPECT_EQ(identity->major, 13);
  EXPECT_TRUE(identity->cxx);
}

TEST_F(Identify, AskedWhenTheNameDoesNotTell) {
  const auto identity =
      identify(false, {script("vendor-cc", "printf '#define __clang_major__ 17\\n#define __x86_64__ 1\\n'")});
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->family, Family::kClang);
  EXPECT_EQ(identity->major, 17);
}

TEST_F(Identify, LauncherIsNotTheCompiler) {
  script("g++-12", "exit 1");
  const auto identity = identify(true, {script("launcher", "exit 1"), folder_ + "/g++-12"});
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->major, 12);
}

TEST_F(Identify, ErrorsSayWhatToDo) {
  const auto missing = identify(true, {"no-such-compiler"});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("'no-such-compiler' is not there"), std::string::npos);
  EXPECT_NE(missing.error().message.find("--compiler="), std::string::npos);
  const auto unknown = identify(true, {script("tcc", "echo '#define __TINYC__ 1'")});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("neither gcc nor clang"), std::string::npos);
  EXPECT_FALSE(identify(true, {script("broken", "exit 3")}));
}

}  // namespace
}  // namespace heddle::compiler
