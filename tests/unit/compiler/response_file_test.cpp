#include "compiler/response_file.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace heddle::compiler {
namespace {

using Words = std::vector<std::string>;

class ResponseFile : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path =
        ::testing::TempDir() + "heddle-response-" + std::to_string(getpid()) + "-" + name;
    std::ofstream(path) << text;
    written_.push_back(path);
    return path;
  }
  void TearDown() override {
    for (const auto& path : written_) std::filesystem::remove(path);
  }
  std::vector<std::string> written_;
};

TEST(SplitWords, QuotesAndBackslashes) {
  EXPECT_EQ(split_words("a b\n\tc "), (Words{"a", "b", "c"}));
  EXPECT_EQ(split_words("'a b' \"c d\" e\\ f"), (Words{"a b", "c d", "e f"}));
  EXPECT_EQ(split_words("-DX='\"y\"' \"\""), (Words{"-DX=\"y\"", ""}));
  EXPECT_EQ(split_words(""), Words{});
}

TEST_F(ResponseFile, ExpandsInPlaceAndNested) {
  const std::string inner = write("inner", "-c 'x y.c'");
  const std::string outer = write("outer", "-O2 @" + inner + " -g");
  EXPECT_EQ(expand_response_files({"-a", "@" + outer, "-b"}),
            (Words{"-a", "-O2", "-c", "x y.c", "-g", "-b"}));
}

TEST_F(ResponseFile, MissingFileStaysAsItIs) {
  EXPECT_EQ(expand_response_files({"@/nowhere/at/all", "@"}), (Words{"@/nowhere/at/all", "@"}));
}

TEST_F(ResponseFile, FileThatNamesItselfEnds) {
  const std::string path = write("loop", "");
  std::ofstream(path) << "-g @" << path;
  EXPECT_FALSE(expand_response_files({"@" + path}).empty());
}

}  // namespace
}  // namespace heddle::compiler
