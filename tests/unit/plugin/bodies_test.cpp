// Which bodies a function gets, and by what a build is known.
#include <gtest/gtest.h>

#include "tests/unit/needs.h"
#include "tests/unit/plugin/compiled.h"

namespace heddle::plugin::testing {
namespace {

class FunctionBodies : public ::testing::Test {
 protected:
  void SetUp() override { HEDDLE_NEEDS(can_compile(), "clang-19, with the pass of --full"); }
};

constexpr char kBodies[] = R"(
int plain(int n) { return n > 3 ? n : 4; }
int open(int n, ...) { return n; }
__attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation)) int left_alone(int n) { return n; }
void* labels(int n) { void* at = &&here; if (n) goto *at; here: return at; }
)";

TEST_F(FunctionBodies, AreOneForTheEngineAndOneForEachRecording) {
  const Compiled compiled(kBodies, "c");
  EXPECT_TRUE(compiled.has_symbol("plain.heddle"));
  EXPECT_TRUE(compiled.has_symbol("plain.heddle_bits"));
  EXPECT_TRUE(compiled.has_symbol("plain.heddle_elements"));
  EXPECT_TRUE(compiled.has_symbol("open.heddle_path"))
      << "the number of arguments is open: bits go by memory";
  EXPECT_FALSE(compiled.has_symbol("open.heddle_bits"));
  EXPECT_TRUE(compiled.has_symbol("left_alone"));
  EXPECT_FALSE(compiled.has_symbol("left_alone.heddle"));
  EXPECT_EQ(compiled.path("left_alone"), nullptr);
}

TEST_F(FunctionBodies, AreKnownByTheirControlFlow) {
  const auto graph = [](const char* source) { return Compiled(source, "c").graph_section(); };
  const std::string one = graph("int f(int n) { return n; } int g(void) { return 1; }");
  EXPECT_EQ(one.size(), 8u);
  EXPECT_EQ(graph("\n\nint f(int other) { return other; } int g(void) { return 2; }"), one)
      << "lines, names of variables and constants are no control flow";
  EXPECT_NE(graph("int f(int n) { return n + 1; } int g(void) { return 1; }"), one);
  EXPECT_NE(graph("int f(int n) { return n; } int h(void) { return 1; }"), one);
  EXPECT_NE(graph("int f(int n) { return n + 5; }"), graph("int f(int n) { return n ^ 5; }"));
}

}  // namespace
}  // namespace heddle::plugin::testing
