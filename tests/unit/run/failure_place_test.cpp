#include "tool/run/failure_place.h"

#include <gtest/gtest.h>

namespace heddle::run {
namespace {

TEST(FailurePlace, tells_kinds_of_failures) {
  EXPECT_TRUE(is_kind_of_failure(FindingKind::kAssertion, "assertion queue.cpp:41: pop: head != 0"));
  EXPECT_FALSE(is_kind_of_failure(FindingKind::kDeadlock, "assertion queue.cpp:41: pop: head != 0"));
  EXPECT_TRUE(is_kind_of_failure(FindingKind::kSignal, "signal 11 program+0x1234"));
  EXPECT_TRUE(is_kind_of_failure(FindingKind::kHeapUseAfterFree, "signal 11 program+0x1234"));
  EXPECT_TRUE(is_kind_of_failure(FindingKind::kSignal, "SIGSEGV at program+0x1234"));
  EXPECT_FALSE(is_kind_of_failure(FindingKind::kAssertion, "SIGSEGV at program+0x1234"));
  EXPECT_TRUE(is_kind_of_failure(FindingKind::kHeapUseAfterFree, "aborted at program+0x1234")) << "by malloc";
  EXPECT_FALSE(is_kind_of_failure(FindingKind::kHeapUseAfterFree, "assertion queue.cpp:41"));
  EXPECT_FALSE(is_kind_of_failure(FindingKind::kNonZeroExit, "SIGSEGV at program+0x1234"));
  EXPECT_TRUE(is_kind_of_failure(FindingKind::kDeadlock, "SIGTERM at libc.so.6+0x8a"));
  EXPECT_TRUE(is_kind_of_failure(FindingKind::kUncaughtException, "signal 6 libc.so.6+0x8a"));
  EXPECT_TRUE(is_kind_of_failure(FindingKind::kNonZeroExit, "exit status 3"));
  EXPECT_TRUE(is_kind_of_failure(FindingKind::kLostWakeUp, "")) << "killed from outside: it hung";
  EXPECT_FALSE(is_kind_of_failure(FindingKind::kAssertion, ""));
  EXPECT_FALSE(is_kind_of_failure(FindingKind::kDataRace, "assertion queue.cpp:41"))
      << "a race is not what the instance died of";
}

}  // namespace
}  // namespace heddle::run
