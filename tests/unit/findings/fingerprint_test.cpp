#include "tool/findings/fingerprint.h"

#include <gtest/gtest.h>

#include "tool/trace/stack_view.h"

namespace heddle {
namespace {

constexpr const char* kProgram = "/home/u/program";

Frame frame(const char* function, const char* file, std::uint32_t line, std::uint32_t function_line = 0,
            const char* module = kProgram) {
  return {function, file, line, 1, function_line, module, 0x1000, 8, false};
}

struct RaceAt {
  Frame first, second;
  std::uint64_t base = 0x1000;

  std::string print() const {
    Trace t;
    t.symbols.frames[base + 1] = {first};
    t.symbols.frames[base + 2] = {second};
    TraceFinding f;
    f.kind = FindingKind::kDataRace;
    TracePart a, b;
    a.role = PartRole::kAccess;
    a.pc = base + 1;
    b.role = PartRole::kPreviousAccess;
    b.pc = base + 2;
    f.parts = {a, b};
    return fingerprint(t, f);
  }
};

TEST(Fingerprint, TheSamePairOfPlacesIsOneBug) {
  const Frame put = frame("put()", "/src/q.cpp", 12, 10), get = frame("get()", "/src/q.cpp", 25, 20);
  const std::string print = RaceAt{put, get}.print();
  EXPECT_EQ(print.size(), 16u);
  EXPECT_EQ((RaceAt{put, get, 0x70000}.print()), print) << "addresses do not count";
  EXPECT_EQ((RaceAt{get, put}.print()), print) << "nor which access came second";
  EXPECT_EQ((RaceAt{frame("put()", "/elsewhere/q.cpp", 12, 10), get}.print()), print) << "nor the directory";
  EXPECT_EQ((RaceAt{frame("put()", "/src/q.cpp", 112, 110), get}.print()), print) << "nor edits above";
  EXPECT_NE((RaceAt{frame("put()", "/src/q.cpp", 13, 10), get}.print()), print)
      << "another line is another bug";
  EXPECT_NE((RaceAt{frame("pop()", "/src/q.cpp", 12, 10), get}.print()), print);
}

TEST(Fingerprint, WithoutDebugInformationTheOffsetInTheFunctionCounts) {
  Frame put = frame("put()", "", 0), get = frame("get()", "", 0);
  const std::string print = RaceAt{put, get}.print();
  put.offset = 0x2000;
  EXPECT_EQ((RaceAt{put, get}.print()), print);
  put.function_offset = 16;
  EXPECT_NE((RaceAt{put, get}.print()), print);
}

TEST(StackView, StripsTheRuntimeAndTheWayToStartAThread) {
  Trace t;
  t.symbols.frames[1] = {frame("heddle::abi::mutex_lock", "/h/abi.cpp", 3, 0, "/opt/lib/libheddle.so")};
  t.symbols.frames[2] = {frame("std::mutex::lock()", "/usr/include/c++/12/bits/std_mutex.h", 100),
                         frame("worker(int)", "/src/a.cpp", 9)};
  t.symbols.frames[3] = {frame("void std::__invoke_impl<void, void (*)(int), int>(...)",
                               "/usr/include/c++/12/bits/invoke.h", 61)};
  t.symbols.frames[4] = {
      frame("execute_native_thread_routine", "", 0, 0, "/lib/x86_64-linux-gnu/libstdc++.so.6")};
  t.symbols.frames[5] = {frame("heddle::fiber_main", "", 0, 0, "/opt/lib/libheddle.so")};
  for (const std::uint64_t pc : {5, 4, 3, 2}) {
    t.stacks.push_back({pc, StackId{static_cast<std::uint32_t>(t.stacks.size() - 1)}});
  }
  const auto frames = visible_frames(t, 1, StackId{4});
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].function, "std::mutex::lock()");
  EXPECT_EQ(frames[1].function, "worker(int)");
  EXPECT_EQ(deciding_frame(frames)->function, "worker(int)");
  EXPECT_EQ(frames_of(t, 1, StackId{4}).size(), 6u);
}

TEST(StackView, KnowsTheUsersCode) {
  EXPECT_TRUE(is_own_code(frame("f()", "/src/a.cpp", 1)));
  EXPECT_TRUE(is_own_code(frame("f(std::string)", "", 0)));
  EXPECT_TRUE(is_own_code(frame("main::{lambda()#1}::operator()() const", "", 0)));
  EXPECT_FALSE(is_own_code(frame("std::mutex::lock()", "/usr/include/c++/12/bits/std_mutex.h", 1)));
  EXPECT_FALSE(is_own_code(frame("void std::__invoke_impl<void, void (*)()>(void (*&&)())", "", 0)));
  EXPECT_FALSE(
      is_own_code(frame("pthread_once", "./nptl/pthread_once.c", 1, 0, "/lib/x86_64-linux-gnu/libc.so.6")));
  EXPECT_FALSE(is_own_code(frame("f", "/h/f.cpp", 1, 0, "/opt/lib/libheddle.so")));
}

TEST(StackView, ShowsNoFrameOfTheRuntimeBesideOthers) {
  Trace t;
  t.symbols.frames[1] = {frame("std::thread::join()", "", 0, 0, "/lib/libstdc++.so.6")};
  t.symbols.frames[2] = {frame("run_main(void*)", "startup.cpp", 38, 30, "/opt/lib/libheddle.so.0")};
  t.stacks.push_back({2, kEmptyStack});
  ASSERT_EQ(frames_of(t, 1, StackId{1}).size(), 2u);
  const auto frames = visible_frames(t, 1, StackId{1});
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].function, "std::thread::join()");
  EXPECT_EQ(visible_frames(t, 2, kEmptyStack).size(), 1u) << "better than nothing";
}

}  // namespace
}  // namespace heddle
