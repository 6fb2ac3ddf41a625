#include "compiler/command_line.h"

#include <gtest/gtest.h>

namespace heddle::compiler {
namespace {

Goal goal(const std::vector<std::string>& args) { return parse_command_line(args).goal; }

TEST(CommandLine, SourcesLinkUnlessAnOptionStopsBefore) {
  EXPECT_EQ(goal({"a.cpp"}), Goal::kLink);
  EXPECT_EQ(goal({"a.cpp", "-o", "a", "-MD", "-MF", "a.d"}), Goal::kLink);
  for (const char* option : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile"}) {
    EXPECT_EQ(goal({option, "a.cpp"}), Goal::kCompile) << option;
    EXPECT_EQ(goal({"a.cpp", option}), Goal::kCompile) << option;
  }
}

TEST(CommandLine, LinkOnlyCalls) {
  EXPECT_EQ(goal({"-o", "a", "a.o", "libb.a"}), Goal::kLink);
  EXPECT_EQ(goal({"-shared", "-o", "liba.so", "a.o"}), Goal::kLink);
  EXPECT_EQ(goal({"-lfoo"}), Goal::kLink);
  EXPECT_EQ(goal({"-l", "foo"}), Goal::kLink);
}

TEST(CommandLine, NoInputIsAQuery) {
  EXPECT_EQ(goal({}), Goal::kQuery);
  EXPECT_EQ(goal({"-v"}), Goal::kQuery);
  EXPECT_EQ(goal({"-O2", "-o", "a"}), Goal::kQuery);
  EXPECT_EQ(goal({"-I", "include", "-D", "X"}), Goal::kQuery);
}

TEST(CommandLine, PrintingOptionsAreQueries) {
  for (const char* option : {"--version", "-dumpversion", "-dumpmachine", "-print-search-dirs", "--help",
                             "-print-file-name=libc.so", "--print-multi-os-directory", "--help=optimizers"}) {
    EXPECT_EQ(goal({option}), Goal::kQuery) << option;
  }
  EXPECT_EQ(goal({"--version", "a.c"}), Goal::kQuery);
}

TEST(CommandLine, ValuesAreNotInputs) {
  const auto line =
      parse_command_line({"-o", "out.o", "-c", "-include", "config.h", "-MT", "x.o", "-MF", "x.d", "-isystem",
                          "inc", "-x", "c++", "main.in", "-Xlinker", "lib.map"});
  EXPECT_EQ(line.inputs, std::vector<std::string>{"main.in"});
}

TEST(CommandLine, StandardInput) {
  EXPECT_EQ(goal({"-x", "c", "-"}), Goal::kLink);
  EXPECT_EQ(goal({"-E", "-dM", "-"}), Goal::kCompile);
}

TEST(CommandLine, EverythingAfterTwoDashesIsAnInput) {
  const auto line = parse_command_line({"-c", "--", "-odd.c"});
  EXPECT_EQ(line.inputs, std::vector<std::string>{"-odd.c"});
  EXPECT_EQ(line.goal, Goal::kCompile);
}

TEST(CommandLine, HeadersAloneArePrecompiled) {
  EXPECT_EQ(goal({"all.hpp"}), Goal::kCompile);
  EXPECT_EQ(goal({"-x", "c++-header", "all.inc"}), Goal::kCompile);
  EXPECT_EQ(goal({"-xc-header", "all.inc"}), Goal::kCompile);
  EXPECT_EQ(goal({"a.cpp", "all.hpp"}), Goal::kLink);
  EXPECT_EQ(goal({"-x", "c++", "a.h"}), Goal::kLink);
}

TEST(CommandLine, RelocatableLinksInEverySpelling) {
  EXPECT_TRUE(parse_command_line({"-r", "a.o"}).relocatable);
  EXPECT_TRUE(parse_command_line({"-nostdlib", "-Wl,-r", "a.o"}).relocatable);
  EXPECT_TRUE(parse_command_line({"-Wl,-x,--relocatable", "a.o"}).relocatable);
  EXPECT_TRUE(parse_command_line({"-Xlinker", "-r", "a.o"}).relocatable);
  EXPECT_FALSE(parse_command_line({"-Wl,-rpath,/x", "-rdynamic", "a.o"}).relocatable);
}

TEST(CommandLine, SanitizersAddUpAndCancel) {
  using Names = std::set<std::string>;
  EXPECT_EQ(parse_command_line({"-fsanitize=thread,undefined", "a.c"}).sanitizers,
            (Names{"thread", "undefined"}));
  EXPECT_EQ(parse_command_line({"-fsanitize=address", "-fno-sanitize=address", "a.c"}).sanitizers, Names{});
  EXPECT_EQ(
      parse_command_line({"-fsanitize=address,undefined", "-fno-sanitize=all", "-fsanitize=thread", "a.c"})
          .sanitizers,
      Names{"thread"});
}

TEST(CommandLine, OtherTargets) {
  EXPECT_TRUE(parse_command_line({"-m32", "a.c"}).other_target);
  EXPECT_TRUE(parse_command_line({"--target=aarch64-linux-gnu", "a.c"}).other_target);
  EXPECT_TRUE(parse_command_line({"-target", "riscv64", "a.c"}).other_target);
  EXPECT_FALSE(parse_command_line({"--target=x86_64-pc-linux-gnu", "a.c"}).other_target);
}

TEST(CommandLine, StaticIsNotStaticLibgcc) {
  EXPECT_TRUE(parse_command_line({"-static", "a.c"}).fully_static);
  EXPECT_TRUE(parse_command_line({"-static-pie", "a.c"}).fully_static);
  EXPECT_FALSE(parse_command_line({"-static-libgcc", "-static-libstdc++", "a.c"}).fully_static);
}

TEST(CommandLine, ClangsInnerCommandLinePassesThrough) {
  EXPECT_EQ(goal({"-cc1", "-emit-obj", "a.c"}), Goal::kQuery);
}

}  // namespace
}  // namespace heddle::compiler
