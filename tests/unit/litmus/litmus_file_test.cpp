// Litmus files that are wrong: each is refused with its line.
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "core/litmus/litmus.h"

namespace heddle::litmus {
namespace {

const std::string kProgram = "test SB\nthread store x 1 rlx ; a = load y rlx\nthread store y 1 rlx\n";

std::string refused_with(const std::string& text) {
  const std::string path = testing::TempDir() + "/a.litmus";
  std::ofstream(path) << text;
  try {
    read_litmus_file(path);
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "";
}

TEST(LitmusFile, IsRead) { EXPECT_EQ(refused_with(kProgram + "limit a=0 : no load buffering\n"), ""); }

TEST(LitmusFile, HasAReasonAfterAColon) {
  EXPECT_EQ(refused_with(kProgram + "limit a=0 :\n"), ":4: no reason after the colon");
  EXPECT_EQ(refused_with(kProgram + "limit a=0:"), ":4: no reason after the colon");
}

}  // namespace
}  // namespace heddle::litmus
