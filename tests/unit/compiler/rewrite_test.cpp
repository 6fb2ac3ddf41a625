#include "compiler/rewrite.h"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace heddle::compiler {
namespace {

using Args = std::vector<std::string>;

const InstallLayout kLayout = layout_under("/opt/heddle");
const CompilerIdentity kGcc{Family::kGcc, 12, true, true};
const CompilerIdentity kClang{Family::kClang, 19, true, true};

Args rewritten(const CompilerIdentity& compiler, const Args& args, const RuntimeFinder& finder = {}) {
  auto result = rewrite(compiler, args, kLayout, finder);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? *result : Args{};
}

bool has(const Args& args, const std::string& word) {
  return std::find(args.begin(), args.end(), word) != args.end();
}

bool has_pair(const Args& args, const std::string& option, const std::string& value) {
  for (std::size_t i = 0; i + 1 < args.size(); ++i) {
    if (args[i] == option && args[i + 1] == value) return true;
  }
  return false;
}

bool ends_with(const Args& args, const Args& tail) {
  return args.size() >= tail.size() && std::equal(tail.rbegin(), tail.rend(), args.rbegin());
}

bool links_heddle(const Args& args) { return has_pair(args, "-Xlinker", "/opt/heddle/lib/libheddle.so"); }

TEST(Rewrite, GccCompile) {
  const Args user = {"-c", "a.cpp", "-o", "a.o"};
  EXPECT_EQ(rewritten(kGcc, user),
            (Args{"-fsanitize=thread", "-fno-builtin-memcmp", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                  "-fno-builtin-memset", "-fno-builtin-strcat", "-fno-builtin-strcpy", "-fno-builtin-strncpy",
                  "--param=tsan-distinguish-volatile=1", "-Wno-tsan", "-mcx16", "-idirafter",
                  "/opt/heddle/include", "-c", "a.cpp", "-o", "a.o"}));
}

TEST(Rewrite, ClangCompile) {
  const Args user = {"-c", "a.cpp"};
  EXPECT_EQ(rewritten(kClang, user),
            (Args{"--start-no-unused-arguments", "-fsanitize=thread", "-fno-sanitize-link-runtime", "-mllvm",
                  "-tsan-distinguish-volatile", "-mllvm", "-tsan-instrument-read-before-write", "-mllvm",
                  "-vectorize-loops=false", "-mllvm", "-vectorize-slp=false", "-mcx16", "-idirafter",
                  "/opt/heddle/include", "--end-no-unused-arguments", "-c", "a.cpp"}));
}

TEST(Rewrite, FullBuildsLoadThePassAndKeepScalars) {
  const auto result = rewrite(kClang, {"-c", "a.cpp"}, kLayout, {}, Build::kFull);
  ASSERT_TRUE(result);
  EXPECT_TRUE(has(*result, "-fpass-plugin=/opt/heddle/lib/heddle/symbolic-pass.so"));
  EXPECT_TRUE(has_pair(*result, "-mllvm", "-vectorize-loops=false"));
  EXPECT_TRUE(has_pair(*result, "-mllvm", "-vectorize-slp=false"));
  EXPECT_TRUE(has(*result, "-fsanitize=thread"));
}

TEST(Rewrite, SameCompileFlagsInEveryStage) {
  // Otherwise a precompiled header would not fit, and __SANITIZE_THREAD__ would differ between -E and -c.
  for (const CompilerIdentity& compiler : {kGcc, kClang}) {
    const Args reference = rewritten(compiler, {"-c", "a.cpp"});
    const Args flags(reference.begin(), reference.end() - 2);
    for (const Args& user : {Args{"-E", "a.cpp"}, Args{"-S", "a.cpp"}, Args{"-x", "c++-header", "a.h"},
                             Args{"-M", "a.cpp"}, Args{"a.cpp", "-o", "a"}}) {
      const Args args = rewritten(compiler, user);
      ASSERT_GE(args.size(), flags.size());
      EXPECT_TRUE(std::equal(flags.begin(), flags.end(), args.begin()));
      EXPECT_TRUE(ends_with(args, user));
    }
  }
}

TEST(Rewrite, LinkPutsOurLibraryBeforeTheUsersArguments) {
  const Args user = {"a.o", "-lfoo", "-o", "a"};
  for (const CompilerIdentity& compiler : {kGcc, kClang}) {
    const Args args = rewritten(compiler, user);
    EXPECT_TRUE(ends_with(args, user));
    EXPECT_TRUE(links_heddle(args));
    EXPECT_TRUE(has_pair(args, "-Xlinker", "-rpath"));
    EXPECT_TRUE(has_pair(args, "-Xlinker", "/opt/heddle/lib/heddle/link"));
    EXPECT_TRUE(has_pair(args, "-Xlinker", "--no-as-needed"));
  }
}

TEST(Rewrite, GccFindsOurStandInsForLibtsan) {
  const Args args = rewritten(kGcc, {"a.o"});
  EXPECT_TRUE(has_pair(args, "-B", "/opt/heddle/lib/heddle/link/"));
  EXPECT_TRUE(has_pair(args, "-L", "/opt/heddle/lib/heddle/link"));
  EXPECT_FALSE(has(rewritten(kClang, {"a.o"}), "-B"));
  EXPECT_TRUE(has(rewritten(kClang, {"a.o"}), "-fno-sanitize-link-runtime"));
}

TEST(Rewrite, LibraryIsNamedEvenWithoutTheStandardOnes) {
  EXPECT_TRUE(links_heddle(rewritten(kGcc, {"-nostdlib", "-shared", "a.o"})));
  EXPECT_TRUE(links_heddle(rewritten(kGcc, {"-nodefaultlibs", "a.o"})));
  EXPECT_TRUE(links_heddle(rewritten(kGcc, {"-fno-sanitize=all", "a.o"})));
}

TEST(Rewrite, NothingIsAddedToQueries) {
  for (const Args& user : {Args{}, Args{"--version"}, Args{"-v"}, Args{"-print-search-dirs"},
                           Args{"-dumpmachine"}, Args{"-print-prog-name=ld", "a.c"}}) {
    EXPECT_EQ(rewritten(kGcc, user), user);
    EXPECT_EQ(rewritten(kClang, user), user);
  }
}

TEST(Rewrite, NoLibraryWhereNothingIsLinked) {
  for (const Args& user : {Args{"-c", "a.c"}, Args{"-E", "-"}, Args{"a.h"}, Args{"-r", "a.o", "b.o"},
                           Args{"-nostdlib", "-Wl,-r", "a.o"}}) {
    EXPECT_FALSE(links_heddle(rewritten(kGcc, user)));
    EXPECT_FALSE(links_heddle(rewritten(kClang, user)));
  }
}

TEST(Rewrite, OldCompilersGetOnlyWhatTheyKnow) {
  const Args gcc = rewritten({Family::kGcc, 10, true, true}, {"-c", "a.c"});
  EXPECT_FALSE(has(gcc, "--param=tsan-distinguish-volatile=1"));
  const Args clang = rewritten({Family::kClang, 10, true, true}, {"-c", "a.c"});
  EXPECT_FALSE(has(clang, "-mllvm"));
  EXPECT_FALSE(has(clang, "--start-no-unused-arguments"));
  EXPECT_TRUE(has(clang, "-Qunused-arguments"));
}

TEST(Rewrite, OtherTargetsGetNoX86Option) {
  EXPECT_FALSE(has(rewritten({Family::kGcc, 12, false, true}, {"-c", "a.c"}), "-mcx16"));
  EXPECT_FALSE(has(rewritten(kClang, {"--target=aarch64-linux-gnu", "-c", "a.c"}), "-mcx16"));
}

TEST(Rewrite, LlvmOptionIsNotRepeated) {
  const Args args = rewritten(kClang, {"-mllvm", "-tsan-distinguish-volatile", "-c", "a.c"});
  EXPECT_EQ(std::count(args.begin(), args.end(), "-tsan-distinguish-volatile"), 1);
  EXPECT_EQ(std::count(args.begin(), args.end(), "-tsan-instrument-read-before-write"), 1);
}

TEST(Rewrite, OtherSanitizersAreRefusedByName) {
  for (const char* name : {"address", "memory", "leak", "hwaddress", "fuzzer"}) {
    const auto result = rewrite(kClang, {std::string("-fsanitize=undefined,") + name, "-c", "a.c"}, kLayout);
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(result.error().code, ExitCode::kBadInput);
    EXPECT_NE(result.error().message.find(std::string("-fsanitize=") + name + " cannot be combined"),
              std::string::npos);
  }
  EXPECT_TRUE(rewrite(kGcc, {"-fsanitize=address", "-fno-sanitize=address", "-c", "a.c"}, kLayout));
  EXPECT_TRUE(rewrite(kGcc, {"-fsanitize=thread", "-c", "a.c"}, kLayout));
}

TEST(Rewrite, StaticProgramIsRefusedAtTheLinkOnly) {
  const auto link = rewrite(kGcc, {"-static", "a.o"}, kLayout);
  ASSERT_FALSE(link);
  EXPECT_NE(link.error().message.find("fully static program"), std::string::npos);
  EXPECT_TRUE(rewrite(kGcc, {"-static", "-c", "a.c"}, kLayout));
  EXPECT_TRUE(rewrite(kGcc, {"-static-libstdc++", "a.o"}, kLayout));
}

TEST(Rewrite, ClangsUbsanRuntimeIsLinkedByName) {
  const RuntimeFinder finder = [](const std::string& file) { return "/rt/" + file; };
  const Args cxx = rewritten(kClang, {"-fsanitize=undefined", "a.o"}, finder);
  EXPECT_TRUE(has_pair(cxx, "-Xlinker", "/rt/libclang_rt.ubsan_standalone-x86_64.a"));
  EXPECT_TRUE(has_pair(cxx, "-Xlinker", "/rt/libclang_rt.ubsan_standalone_cxx-x86_64.a"));
  const Args plain = rewritten(kClang, {"-fsanitize=thread", "a.o"}, finder);
  EXPECT_FALSE(has_pair(plain, "-Xlinker", "/rt/libclang_rt.ubsan_standalone-x86_64.a"));
}

TEST(Rewrite, ResponseFilesAreReadButPassedOnAsFiles) {
  const std::string path = ::testing::TempDir() + "heddle-rewrite-" + std::to_string(getpid()) + ".rsp";
  std::ofstream(path) << "-c a.c -o 'a b.o'";
  const Args args = rewritten(kGcc, {"@" + path});
  EXPECT_TRUE(ends_with(args, {"@" + path}));
  EXPECT_FALSE(links_heddle(args));
  std::ofstream(path) << "a.o -static";
  EXPECT_FALSE(rewrite(kGcc, {"@" + path}, kLayout));
  unlink(path.c_str());
}

}  // namespace
}  // namespace heddle::compiler
