#include "tool/program/program_atomics.h"

#include "tests/unit/needs.h"
#include "tests/unit/program/sample.h"

namespace heddle {
namespace {

const char kAssembly[] =
    "int lock, shared;\n"
    "static inline int swap(int* p, int v) {\n"
    "  __asm__ volatile(\"xchg %0, %1\" : \"+r\"(v), \"+m\"(*p) : : \"memory\");\n"
    "  return v;\n"
    "}\n"
    "void leaf_add(int* p) { __asm__ volatile(\"lock; addl $1, %0\" : \"+m\"(*p) : : \"memory\"); }\n"
    "void full_fence(void) { __asm__ volatile(\"mfence\" : : : \"memory\"); }\n"
    "int plain_exchange(int a, int b) { __asm__ volatile(\"xchg %0, %1\" : \"+r\"(a), \"+r\"(b)); return a - "
    "b; }\n"
    "void spin(void) {\n"
    "  while (swap(&lock, 1)) {}\n"
    "  shared++;\n"
    "  lock = 0;\n"
    "}\n"
    "int main(void) { spin(); leaf_add(&lock); full_fence(); return plain_exchange(0, 0) + shared - 1; }\n";

class HiddenAtomicsTest : public SampleTest {
 protected:
  const HiddenAtomics* find(const ProgramImage& image, const std::string& function) {
    for (const HiddenAtomics& atomics : image.hidden_atomics) {
      if (atomics.function == function) return &atomics;
    }
    return nullptr;
  }
};

TEST_F(HiddenAtomicsTest, InlineAssemblyIsFoundWithItsPlace) {
  write("asm.c", kAssembly);
  for (const char* compiler : {"gcc", "clang-19 -shared-libsan"}) {
    if (!has(compiler)) continue;
    run(std::string(compiler) + " -g -O1 -fsanitize=thread asm.c -o program");
    const ProgramImage image = inspect("program");
    const HiddenAtomics* spin = find(image, "spin");
    ASSERT_NE(spin, nullptr) << compiler;
    EXPECT_EQ(spin->instruction, "xchg");
    EXPECT_TRUE(contains(spin->file, "asm.c"));
    EXPECT_EQ(spin->line, 3);
    EXPECT_TRUE(spin->in_instrumented_code);
    // Not instrumented by itself, since there is nothing to instrument in it, but its source file is.
    const HiddenAtomics* leaf = find(image, "leaf_add");
    ASSERT_NE(leaf, nullptr) << compiler;
    EXPECT_TRUE(leaf->in_instrumented_code);
    EXPECT_EQ(leaf->line, 6);
    ASSERT_NE(find(image, "full_fence"), nullptr);
    EXPECT_EQ(find(image, "full_fence")->instruction, "mfence");
    EXPECT_EQ(find(image, "plain_exchange"), nullptr);
    EXPECT_TRUE(contains(all_warnings(image), "in inline assembly:"));
    EXPECT_TRUE(contains(all_warnings(image), "asm.c:6 (lock add)"));
  }
}

TEST_F(HiddenAtomicsTest, FoundWithoutDebugInformationAndWithoutSymbols) {
  write("asm.c", kAssembly);
  run("gcc -O1 -fsanitize=thread asm.c -o program && strip -o stripped program");
  const ProgramImage image = inspect("program");
  ASSERT_NE(find(image, "spin"), nullptr);
  EXPECT_TRUE(find(image, "spin")->in_instrumented_code);
  EXPECT_EQ(find(image, "spin")->file, "");
  ASSERT_NE(find(image, "leaf_add"), nullptr);
  EXPECT_FALSE(inspect("stripped").hidden_atomics.empty());
}

TEST_F(HiddenAtomicsTest, OrdinaryProgramsGiveNoWarning) {
  write("many.cpp",
        "#include <atomic>\n#include <condition_variable>\n#include <future>\n#include <iostream>\n#include "
        "<memory>\n"
        "#include <mutex>\n#include <shared_mutex>\n#include <thread>\n"
        "std::atomic<long> a; std::atomic<std::shared_ptr<int>> s; std::mutex m; std::once_flag o;\n"
        "int main() {\n  std::call_once(o, [] { a = 1; });\n"
        "  auto f = std::async([] { a.fetch_or(4); s.store(std::make_shared<int>(3)); return 1; });\n"
        "  std::jthread t([] { static int local = std::rand(); a ^= local; long e = 0; "
        "a.compare_exchange_weak(e, 2); });\n"
        "  std::atomic_thread_fence(std::memory_order_seq_cst);\n"
        "  std::cout << f.get() << a.exchange(3) << std::endl;\n}\n");
  for (const char* flags : {"g++ -O0", "g++ -O2 -fno-plt", "g++ -O2 -static-libstdc++ -static-libgcc",
                            "clang++-19 -O2 -shared-libsan"}) {
    if (!has(flags)) continue;
    run(std::string(flags) + " -std=c++20 -g -fsanitize=thread -Wno-tsan many.cpp -o program");
    EXPECT_EQ(all_warnings(inspect("program")), "") << flags;
  }
}

TEST_F(HiddenAtomicsTest, GoogleTestProgramGivesNoWarning) {
  write("test.cpp", "#include <gtest/gtest.h>\nTEST(A, B) { EXPECT_EQ(1, 1); }\n");
  run("g++ -g -O1 -fsanitize=thread test.cpp -o program -lgtest -lgtest_main");
  EXPECT_EQ(all_warnings(inspect("program")), "");
}

TEST_F(HiddenAtomicsTest, CodeBuiltWithoutInstrumentation) {
  write("plain.cpp", "#include <atomic>\nstd::atomic<int> n; int bump() { return n.fetch_add(1); }\n");
  write("main.cpp", "int v; int bump(); int main() { v = bump(); }\n");
  run("g++ -g -c plain.cpp && g++ -g -fsanitize=thread main.cpp plain.o -o program");
  const ProgramImage image = inspect("program");
  ASSERT_NE(find(image, "bump()"), nullptr);
  EXPECT_FALSE(find(image, "bump()")->in_instrumented_code);
  EXPECT_TRUE(contains(all_warnings(image), "Build that code through heddle cc or heddle c++"));
}

TEST_F(HiddenAtomicsTest, KnownLibrariesGetTheirRemedy) {
  write("main.c", "int v; int main(void) { v = 1; return 0; }\n");
  write("ck.c", "void ck_stub(void) {}\n");
  run("gcc -shared -Wl,-soname,libck.so.0 ck.c -o libck.so.0 && gcc -shared -Wl,-soname,liburcu.so.8 ck.c -o "
      "liburcu.so.8");
  run("gcc -g -fsanitize=thread main.c -Wl,--no-as-needed ./libck.so.0 ./liburcu.so.8 -o program");
  const std::string text = all_warnings(inspect("program"));
  EXPECT_TRUE(contains(text, "-DCK_USE_CC_BUILTINS=1"));
  EXPECT_TRUE(contains(text, "liburcu has no switch"));
}

TEST_F(HiddenAtomicsTest, HeaderOfConcurrencyKit) {
  HEDDLE_NEEDS(std::filesystem::exists("/usr/include/ck_pr.h"), "libck-dev");
  write(
      "main.c",
      "#include <ck_pr.h>\nint v; int main(void) { ck_pr_inc_int(&v); v++; return ck_pr_faa_int(&v, 1); }\n");
  run("gcc -g -O1 -fsanitize=thread main.c -o program");
  EXPECT_TRUE(contains(all_warnings(inspect("program")), "-DCK_USE_CC_BUILTINS=1"));
  run("gcc -g -O1 -fsanitize=thread -DCK_USE_CC_BUILTINS=1 main.c -o program");
  EXPECT_EQ(all_warnings(inspect("program")), "");
}

TEST(ToolchainFunction, ByItsMangledName) {
  for (const char* symbol :
       {"_ZNSt16_Sp_counted_baseILN9__gnu_cxx12_Lock_policyE2EE10_M_releaseEv", "_start", "_init",
        "_ZN7testing4TestC2Ev", "_Znwm", "_ZN9__gnu_cxx9__freeresEv", "__cxa_guard_acquire", "frame_dummy",
        "_ZL23__gxx_exception_cleanupv", "_ZNKSt5ctypeIcE8do_widenEc", "_ZSt9terminatev"}) {
    EXPECT_TRUE(is_toolchain_function(symbol)) << symbol;
  }
  for (const char* symbol :
       {"main", "spin_lock", "_ZN3foo4lockEv", "_Z4lockv", "_ZN8Standard4lockEv", "_Z", "_Z", ""}) {
    EXPECT_FALSE(is_toolchain_function(symbol)) << symbol;
  }
}

}  // namespace
}  // namespace heddle
