#include "tool/program/program_image.h"

#include "tests/unit/needs.h"
#include "tests/unit/program/sample.h"

namespace heddle {
namespace {

class ProgramImageTest : public SampleTest {};

TEST_F(ProgramImageTest, GccBuildNeedsNoRebuild) {
  run("g++ -g -fsanitize=thread threads.cpp -o program");
  const ProgramImage image = inspect("program");
  EXPECT_EQ(image.runtime, TsanRuntime::kSharedTsan);
  ASSERT_EQ(image.tsan_sonames.size(), 1u);
  EXPECT_TRUE(contains(image.tsan_sonames[0], "libtsan.so."));
  EXPECT_TRUE(image.is_instrumented);
  EXPECT_TRUE(image.has_debug_info);
  EXPECT_TRUE(image.needs_cxx);
  EXPECT_EQ(image.build_id.size(), 40u);
  EXPECT_EQ(refusal(image), "");
  EXPECT_EQ(all_warnings(image), "");
}

TEST_F(ProgramImageTest, UninstrumentedProgramIsToldItsOwnCommand) {
  run("g++ threads.cpp -o program");
  const ProgramImage image = inspect("program");
  EXPECT_FALSE(image.any_instrumented());
  EXPECT_TRUE(contains(refusal(image), "is not instrumented"));
  EXPECT_TRUE(contains(refusal(image), "heddle c++ -g -O1 threads.cpp -o program"));
}

TEST_F(ProgramImageTest, CProgramIsToldTheCCommand) {
  write("main.c", "int main(void) { return 0; }\n");
  run("gcc main.c -o program");
  EXPECT_TRUE(contains(refusal(inspect("program")), "heddle cc -g -O1 main.c -o program"));
}

TEST_F(ProgramImageTest, ClangsStaticRuntimeIsRefused) {
  HEDDLE_NEEDS(has("clang++-19"), "clang++-19");
  run("clang++-19 -g -fsanitize=thread threads.cpp -o program && strip -o stripped program");
  for (const char* name : {"program", "stripped"}) {
    const ProgramImage image = inspect(name);
    EXPECT_EQ(image.runtime, TsanRuntime::kStaticClang) << name;
    EXPECT_TRUE(contains(refusal(image), "clang links in statically"));
    EXPECT_TRUE(contains(refusal(image), "heddle c++ --compiler=clang++"));
    EXPECT_TRUE(contains(refusal(image), "-shared-libsan"));
  }
}

TEST_F(ProgramImageTest, ClangsSharedRuntimeCanBeReplaced) {
  HEDDLE_NEEDS(has("clang++-19"), "clang++-19");
  run("clang++-19 -g -fsanitize=thread -shared-libsan threads.cpp -o program");
  const ProgramImage image = inspect("program");
  EXPECT_EQ(image.runtime, TsanRuntime::kSharedTsan);
  ASSERT_EQ(image.tsan_sonames.size(), 1u);
  EXPECT_TRUE(contains(image.tsan_sonames[0], "libclang_rt.tsan"));
  EXPECT_EQ(refusal(image), "");
}

TEST_F(ProgramImageTest, GccsStaticRuntimeIsRefused) {
  run("g++ -g -fsanitize=thread -static-libtsan threads.cpp -o program");
  const ProgramImage image = inspect("program");
  EXPECT_EQ(image.runtime, TsanRuntime::kStaticGcc);
  EXPECT_TRUE(contains(refusal(image), "without -static-libtsan"));
}

TEST_F(ProgramImageTest, LinkedWithHeddle) {
  write("runtime.c",
        "void __tsan_init(void) {} void __tsan_func_entry(void* p) {} void __tsan_func_exit(void) {}\n");
  write("main.cpp", "int f(int); int main(int c, char**) { return f(c); }\n");
  write("f.cpp", "int v; int f(int c) { return c - 1; }\n");
  run("gcc -shared -fPIC -Wl,-soname,libheddle.so.0 runtime.c -o libheddle.so.0");
  run("g++ -O0 -g -fsanitize=thread -c main.cpp f.cpp && g++ main.o f.o ./libheddle.so.0 -Wl,-rpath,. -o "
      "program");
  const ProgramImage image = inspect("program");
  EXPECT_EQ(image.runtime, TsanRuntime::kHeddle);
  EXPECT_TRUE(image.tsan_sonames.empty());
  EXPECT_TRUE(image.is_instrumented);
  EXPECT_EQ(refusal(image), "");
}

TEST_F(ProgramImageTest, NoDebugInformationIsAWarning) {
  run("g++ -fsanitize=thread threads.cpp -o program");
  const ProgramImage image = inspect("program");
  EXPECT_FALSE(image.has_debug_info);
  EXPECT_EQ(refusal(image), "");
  EXPECT_TRUE(contains(all_warnings(image), "has no debug information"));
  EXPECT_TRUE(contains(all_warnings(image), "-g"));
}

TEST_F(ProgramImageTest, InstrumentedLibraryOfAPlainProgram) {
  write("lib.cpp", "int v; void f() { ++v; }\n");
  write("main.cpp", "void f(); int main() { f(); }\n");
  run("g++ -g -fsanitize=thread -fPIC -shared lib.cpp -o libown.so");
  run("g++ -g main.cpp -L. -lown -Wl,-rpath,'$ORIGIN' -o program");
  const ProgramImage image = inspect("program");
  EXPECT_FALSE(image.is_instrumented);
  ASSERT_EQ(image.libraries.size(), 1u);
  EXPECT_TRUE(image.libraries[0].is_instrumented);
  EXPECT_EQ(image.tsan_sonames.size(), 1u);
  EXPECT_EQ(refusal(image), "");
  EXPECT_TRUE(contains(all_warnings(image), "itself is not instrumented"));
}

TEST_F(ProgramImageTest, PlainLibraryOfAnInstrumentedProgram) {
  write("lib.cpp", "#include <atomic>\nstd::atomic<int> v; void f() { ++v; }\n");
  write("main.cpp", "void f(); int main() { f(); }\n");
  run("g++ -g -fPIC -shared lib.cpp -o libown.so");
  run("g++ -g -fsanitize=thread main.cpp -L. -lown -Wl,--disable-new-dtags,-rpath,'$ORIGIN' -o program");
  const ProgramImage image = inspect("program");
  EXPECT_TRUE(image.is_instrumented);
  EXPECT_TRUE(image.hidden_atomics.empty());
  EXPECT_TRUE(contains(all_warnings(image), "libown.so is not instrumented"));
}

TEST_F(ProgramImageTest, OtherSanitizerIsRefused) {
  run("g++ -fsanitize=address threads.cpp -o program");
  EXPECT_TRUE(contains(refusal(inspect("program")), "built with AddressSanitizer"));
}

TEST_F(ProgramImageTest, StaticProgramsAreRefused) {
  write("main.c", "int main(void) { return 0; }\n");
  run("gcc -static main.c -o fixed && gcc -static-pie main.c -o pie");
  for (const char* name : {"fixed", "pie"}) {
    const ProgramImage image = inspect(name);
    EXPECT_TRUE(image.is_static) << name;
    EXPECT_TRUE(contains(refusal(image), "statically linked")) << name;
  }
}

TEST_F(ProgramImageTest, WhatIsNoProgram) {
  EXPECT_TRUE(contains(error_of("missing"), "No such file"));
  EXPECT_TRUE(contains(inspect_program("missing-and-without-folder").error().message,
                       "./missing-and-without-folder"));
  EXPECT_TRUE(contains(error_of("."), "is a folder"));
  write("script", "#!/bin/sh\nexec ./program\n");
  EXPECT_TRUE(contains(error_of("script"), "is a script"));
  write("wrapper",
        "#!/bin/bash\n# wrapper - temporary wrapper script for .libs/wrapper\n# Generated by libtool\n");
  EXPECT_TRUE(contains(error_of("wrapper"), "libtool --mode=execute heddle run -- "));
  write("text", "hello");
  EXPECT_TRUE(contains(error_of("text"), "is not executable"));
  run("chmod +x text && : >empty && chmod +x empty");
  EXPECT_TRUE(contains(error_of("text"), "no ELF file"));
  EXPECT_TRUE(contains(error_of("empty"), "no ELF file"));
  run("g++ -c threads.cpp -o object.o && chmod +x object.o");
  EXPECT_TRUE(contains(error_of("object.o"), "is an object file"));
  run("g++ -fPIC -shared threads.cpp -o library.so");
  EXPECT_TRUE(contains(error_of("library.so"), "is a shared library"));
}

TEST_F(ProgramImageTest, OtherMachines) {
  run("g++ threads.cpp -o program");
  // e_machine of an ELF header, at offset 18: EM_386 and EM_AARCH64.
  run("cp program i386 && printf '\\003\\000' | dd of=i386 bs=1 seek=18 conv=notrunc");
  run("cp program arm && printf '\\267\\000' | dd of=arm bs=1 seek=18 conv=notrunc");
  EXPECT_TRUE(contains(error_of("i386"), "32-bit x86"));
  EXPECT_TRUE(contains(error_of("arm"), "not a program for x86-64"));
}

TEST_F(ProgramImageTest, SetuidIsAWarning) {
  run("g++ -g -fsanitize=thread threads.cpp -o program && chmod u+s program");
  EXPECT_TRUE(contains(all_warnings(inspect("program")), "chmod ug-s"));
}

TEST_F(ProgramImageTest, PreloadOurLibraryWhereTheProgramDoesNotFindIt) {
  write("runtime.c", "void heddle_sample(void) {}\n");
  run("mkdir here there && gcc -shared -fPIC runtime.c -Wl,-soname,libheddle.so.0 -o here/libheddle.so.0");
  run("cp here/libheddle.so.0 there && gcc -shared -fPIC runtime.c -Wl,-soname,libheddle.so.9 -o other");
  run("ln -s ../here/libheddle.so.0 there/link.so");
  const auto list = [&](const std::string& run_path, const std::string& library) {
    run("g++ threads.cpp -o program -Wl,--no-as-needed here/libheddle.so.0 -Wl,-rpath," + run_path);
    const auto result = preload_list(inspect("program"), library);
    return result ? *result : result.error().message;
  };
  EXPECT_EQ(list(at("here"), at("here/libheddle.so.0")), "");
  EXPECT_EQ(list(at("here"), at("there/link.so")), "");
  EXPECT_EQ(list("'$ORIGIN/here'", at("here/libheddle.so.0")), "");
  EXPECT_EQ(list(at("nowhere"), at("here/libheddle.so.0")), at("here/libheddle.so.0"));
  EXPECT_EQ(list(at("nowhere") + ":" + at("there"), at("here/libheddle.so.0")), at("here/libheddle.so.0"));
  EXPECT_TRUE(
      contains(list(at("here"), at("other")), "needs libheddle.so.0, and this one has libheddle.so.9"));
}

TEST_F(ProgramImageTest, PreloadOurLibraryBeforeTheEmptyOnes) {
  run("mkdir -p heddle/preload && touch libheddle.so heddle/preload/libtsan.so.2");
  ProgramImage image;
  image.runtime = TsanRuntime::kHeddle;
  const auto list = [&] {
    const auto result = preload_list(image, at("libheddle.so"));
    return result ? *result : result.error().message;
  };
  EXPECT_EQ(list(), "");
  image.tsan_sonames = {"libtsan.so.2"};  // one of its libraries was built otherwise
  EXPECT_EQ(list(), at("libheddle.so") + ":" + at("heddle/preload/libtsan.so.2"));
  image.runtime = TsanRuntime::kSharedTsan;
  EXPECT_EQ(list(), at("libheddle.so") + ":" + at("heddle/preload/libtsan.so.2"));
  image.runtime = TsanRuntime::kNone;
  image.tsan_sonames = {};
  EXPECT_EQ(list(), at("libheddle.so"));
  image.tsan_sonames = {"libtsan.so.9"};
  EXPECT_TRUE(contains(list(), "needs libtsan.so.9"));
}

}  // namespace
}  // namespace heddle
