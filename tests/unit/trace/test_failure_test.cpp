#include "tool/trace/test_failure.h"

#include <gtest/gtest.h>

#include "tool/trace/symbols.h"

namespace heddle {
namespace {

TEST(TestFailure, TellsTheFirstFailedCheckOfGoogleTest) {
  const auto failure = first_test_failure(
      "[ RUN      ] Cache.Evicts\n"
      "made 3 entries\n"
      "tests/cache_test.cpp:30: Failure\n"
      "Expected equality of these values:\n"
      "  hits\n"
      "    Which is: 3\n"
      "  4\n"
      "after two rounds\n"
      "\n"
      "tests/cache_test.cpp:31: Failure\n"
      "Value of: ok\n"
      "[  FAILED  ] Cache.Evicts (0 ms)\n");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->framework, "GoogleTest");
  EXPECT_EQ(failure->test, "Cache.Evicts");
  EXPECT_EQ(failure->file, "tests/cache_test.cpp");
  EXPECT_EQ(failure->line, 30u);
  EXPECT_EQ(failure->text, "Expected equality of these values: hits (which is 3), 4, after two rounds");
}

TEST(TestFailure, ReadsPastColours) {
  const auto failure = first_test_failure(
      "\x1b[0;32m[ RUN      ] \x1b[mA.B\n/x/a.cpp:7: Failure\nFailed\nno luck\n\x1b[0;31m[  FAILED  ] "
      "\x1b[mA.B\n");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->test, "A.B");
  EXPECT_EQ(failure->line, 7u);
  EXPECT_EQ(failure->text, "Failed, no luck");
}

// GoogleTest does not know where an exception came from.
TEST(TestFailure, AnExceptionHasNoPlace) {
  const auto failure = first_test_failure(
      "[ RUN      ] A.B\nunknown file: Failure\nC++ exception with description \"x\" thrown.\n");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->line, 0u);
  EXPECT_TRUE(failure->file.empty());
}

TEST(TestFailure, OtherOutputIsNoFailure) {
  EXPECT_FALSE(first_test_failure(""));
  EXPECT_FALSE(first_test_failure("Connection: Failure\n"));
  EXPECT_FALSE(first_test_failure("a.cpp:x: Failure\n"));
  EXPECT_FALSE(first_test_failure(":7: Failure\n"));
  EXPECT_FALSE(first_test_failure("a.cpp:99999999999: Failure\n"));
  EXPECT_FALSE(first_test_failure("[ RUN      ] A.B\n[       OK ] A.B (0 ms)\n"));
}

TEST(TestFailure, AFileIsOneOfTheProgram) {
  Symbols symbols;
  Frame frame;
  frame.file = "/home/ada/work/tests/cache_test.cpp";
  symbols.frames[1] = {frame};
  TestFailure failure;
  failure.file = "tests/cache_test.cpp";
  EXPECT_EQ(source_file_of(failure, symbols), frame.file);
  failure.file = "./tests/cache_test.cpp";
  EXPECT_EQ(source_file_of(failure, symbols), frame.file);
  failure.file = "e_test.cpp";
  EXPECT_EQ(source_file_of(failure, symbols), "");
  failure.file = "/etc/passwd";
  EXPECT_EQ(source_file_of(failure, symbols), "");
}

}  // namespace
}  // namespace heddle
