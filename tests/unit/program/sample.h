// Small programs that a test builds with the system's compilers in a folder of its own.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tool/program/program_image.h"

namespace heddle {

class SampleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = ::testing::TempDir() + "heddle-" + test->name() + "-" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    write("threads.cpp",
          "#include <atomic>\n#include <memory>\n#include <thread>\nstd::atomic<int> x;\nint main() {\n"
          "  auto p = std::make_shared<int>(1);\n  std::thread t([p] { x += *p; });\n  t.join();\n  return x "
          "- 1;\n}\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }

  // Runs a shell command in the folder.
  void run(const std::string& command) {
    const std::string line = "cd '" + folder_ + "' && { " + command + "; } >log.txt 2>&1";
    if (std::system(line.c_str()) == 0) return;
    std::ifstream log(folder_ + "/log.txt");
    FAIL() << command << "\n" << std::string(std::istreambuf_iterator<char>(log), {});
  }

  static bool has(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
  }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }

  ProgramImage inspect(const std::string& name) {
    auto image = inspect_program(at(name));
    EXPECT_TRUE(image) << (image ? "" : image.error().message);
    return image ? *image : ProgramImage{};
  }

  std::string error_of(const std::string& name) {
    const auto image = inspect_program(at(name));
    EXPECT_FALSE(image);
    if (image) return "";
    EXPECT_EQ(image.error().code, ExitCode::kBadInput);
    return image.error().message;
  }

  static std::string refusal(const ProgramImage& image) {
    const auto error = refuse_reason(image);
    if (!error) return "";
    EXPECT_EQ(error->code, ExitCode::kBadInput);
    return error->message;
  }

  static std::string all_warnings(const ProgramImage& image) {
    std::string text;
    for (const std::string& warning : warnings(image)) text += warning + "\n";
    return text;
  }

  std::string folder_;
};

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in:\n" << text;
}

}  // namespace heddle
