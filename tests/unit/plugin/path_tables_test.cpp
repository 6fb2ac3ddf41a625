// Which places of a function's control flow are numbered, and which loops are logged how. The modules are given as
// LLVM's own language and not optimised, so that blocks are what they are here.
#include <gtest/gtest.h>

#include "tests/unit/needs.h"
#include "tests/unit/plugin/compiled.h"

namespace heddle::plugin::testing {
namespace {

const char* const kDecisions = R"(
declare void @callee()
declare i32 @thrower()
declare i32 @__gxx_personality_v0(...)
declare i32 @setjmp(ptr) returns_twice
declare i64 @strlen(ptr)
declare void @llvm.donothing()

define i32 @branch(i1 %a) sanitize_thread {
  br i1 %a, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}
define i32 @same_ways(i1 %a, i1 %b) sanitize_thread {
  br i1 %a, label %next, label %next
next:
  br i1 %b, label %yes, label %no
yes:
  ret i32 1
no:
  unreachable
}
define i32 @switches(i32 %n) sanitize_thread {
  switch i32 %n, label %other [ i32 1, label %one
                                i32 2, label %one
                                i32 3, label %other
                                i32 4, label %four ]
one:
  ret i32 1
four:
  ret i32 4
other:
  ret i32 0
}
define i32 @all_cases(i32 %n) sanitize_thread {
  switch i32 %n, label %never [ i32 0, label %a
                                i32 1, label %b ]
a:
  switch i32 %n, label %never [ i32 0, label %b ]
b:
  ret i32 1
never:
  unreachable
}
define i32 @calls(ptr %f, ptr %text) sanitize_thread {
  call void @callee()
  call void %f()
  call void @llvm.donothing()
  call void asm sideeffect "nop", ""()
  %n = call i64 @strlen(ptr %text)
  call void %f()
  ret i32 0
}
define i32 @lands(ptr %f) sanitize_thread personality ptr @__gxx_personality_v0 {
  %a = invoke i32 @thrower() to label %well unwind label %pad
well:
  %b = invoke i32 %f() to label %done unwind label %pad
done:
  ret i32 %b
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  resume { ptr, i32 } %e
}
define i32 @jumps(ptr %buffer) sanitize_thread {
  %first = call i32 @setjmp(ptr %buffer) returns_twice
  ret i32 %first
}
define i32 @unseen(i1 %a) {
  br i1 %a, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}
define i32 @wide(i128 %n) sanitize_thread {
  switch i128 %n, label %a [ i128 1, label %b ]
a:
  ret i32 1
b:
  ret i32 2
}
define ptr @memchr(ptr %p, i32 %c, i64 %n) sanitize_thread {
  ret ptr %p
}
define i32 @by_error(ptr swifterror %e) sanitize_thread {
  ret i32 1
}
define internal i32 @local(i1 %a) sanitize_thread {
  br i1 %a, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}
@kept = global ptr @local
)";

const char* const kLoops = R"(
declare void @callee()
declare i64 @strlen(ptr)

define i32 @counted(ptr %p, i32 %n) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %head ]
  store volatile i32 %i, ptr %p
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  ret i32 0
}
define i32 @two_exits(ptr %p, i32 %n) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %rest ]
  %over = icmp eq i32 %i, %n
  br i1 %over, label %done, label %rest
rest:
  %c = load volatile i32, ptr %p
  %next = add i32 %i, 3
  %zero = icmp ne i32 %c, 0
  br i1 %zero, label %head, label %done
done:
  ret i32 0
}
define i32 @calls_in_it(i32 %n) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %head ]
  call void @callee()
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  ret i32 0
}
define i32 @no_bound(ptr %p) sanitize_thread {
  br label %head
head:
  %c = load volatile i32, ptr %p
  %more = icmp slt i32 %c, 5
  br i1 %more, label %head, label %done
done:
  ret i32 0
}
define i32 @bound_that_changes(ptr %p) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %head ]
  %n = load volatile i32, ptr %p
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  ret i32 0
}
define i32 @five_exits(ptr %p, i32 %n) sanitize_thread {
  br label %a
a:
  %i = phi i32 [ 0, %0 ], [ %next, %e ]
  %c = load volatile i1, ptr %p
  br i1 %c, label %b, label %done
b:
  %d = load volatile i1, ptr %p
  br i1 %d, label %c1, label %done
c1:
  %f = load volatile i1, ptr %p
  br i1 %f, label %d1, label %done
d1:
  %g = load volatile i1, ptr %p
  br i1 %g, label %e, label %done
e:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %a, label %done
done:
  ret i32 0
}
define i32 @nested(ptr %p, i32 %n) sanitize_thread {
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %i_next, %after ]
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k_next, %inner ]
  store volatile i32 %k, ptr %p
  %k_next = add nsw i32 %k, 1
  %k_more = icmp slt i32 %k_next, %n
  br i1 %k_more, label %inner, label %after
after:
  %i_next = add nsw i32 %i, 1
  %i_more = icmp slt i32 %i_next, %n
  br i1 %i_more, label %outer, label %done
done:
  ret i32 0
}
define i32 @fixed(ptr %p) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  %c = load volatile i1, ptr %p
  br i1 %c, label %odd, label %latch
odd:
  store volatile i32 %i, ptr %p
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %over = icmp eq i32 %next, 12
  br i1 %over, label %done, label %head
done:
  ret i32 0
}
define i32 @decides(ptr %p, i32 %n) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  %c = load volatile i1, ptr %p
  br i1 %c, label %odd, label %latch
odd:
  store volatile i32 %i, ptr %p
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %over = icmp eq i32 %next, %n
  br i1 %over, label %done, label %head
done:
  ret i32 0
}
define i32 @decides_and_looks(ptr %p, i32 %n) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  %c = load volatile i1, ptr %p
  br i1 %c, label %odd, label %latch
odd:
  store volatile i32 %i, ptr %p
  br label %latch
latch:
  %next = add nuw nsw i32 %i, 1
  %over = load volatile i1, ptr %p
  br i1 %over, label %done, label %head
done:
  ret i32 0
}
define i32 @quiet(ptr %p, i32 %n) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  %length = call i64 @strlen(ptr %p)
  %rare = icmp eq i64 %length, 77
  br i1 %rare, label %seldom, label %latch, !prof !0
seldom:
  call void @callee()
  br label %latch
latch:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  ret i32 0
}
define i32 @quiet_after_two(ptr %p, i32 %n) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  %c = load volatile i1, ptr %p
  br i1 %c, label %latch, label %second
second:
  %d = load volatile i1, ptr %p
  br i1 %d, label %latch, label %seldom, !prof !1
seldom:
  call void @callee()
  br label %latch
latch:
  %next = add nsw i32 %i, 1
  %over = icmp eq i32 %next, %n
  br i1 %over, label %done, label %head
done:
  ret i32 0
}
define i32 @begins_with_a_call(ptr %p, i32 %n) sanitize_thread {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  call void @callee()
  %c = load volatile i1, ptr %p
  br i1 %c, label %seldom, label %latch, !prof !0
seldom:
  store volatile i32 %i, ptr %p
  br label %latch
latch:
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %head, label %done
done:
  ret i32 0
}
!0 = !{!"branch_weights", i32 1, i32 1000}
!1 = !{!"branch_weights", i32 1000, i32 1}
)";

const Compiled& decisions() {
  static const Compiled compiled(kDecisions, "ir");
  return compiled;
}
const Compiled& loops() {
  static const Compiled compiled(kLoops, "ir");
  return compiled;
}

class PathTable : public ::testing::Test {
 protected:
  void SetUp() override { HEDDLE_NEEDS(can_compile(), "clang-19, with the pass of --full"); }
};
using PathLoopsOf = PathTable;

TEST_F(PathTable, HasBranchesWithTheHoldingOneFirst) {
  EXPECT_EQ(decisions().path_text("branch"), "0: branch#0 1 2\n1: return\n2: return\n");
}

TEST_F(PathTable, NumbersNothingThatIsNotDecided) {
  EXPECT_EQ(decisions().path_text("same_ways"), "0: jump 1\n1: branch#0 2 3\n2: return\n3: stop\n");
}

TEST_F(PathTable, HasEachSuccessorOfASwitchOnce) {
  EXPECT_EQ(decisions().path_text("switches"), "0: switch#0 3 1 2\n1: return\n2: return\n3: return\n");
}

TEST_F(PathTable, LeavesOutADefaultThatIsNeverTaken) {
  EXPECT_EQ(decisions().path_text("all_cases"), "0: switch#0 1 2\n1: jump 2\n2: return\n3: stop\n");
}

TEST_F(PathTable, NumbersCallsThatNoSymbolNames) {
  EXPECT_EQ(decisions().path_text("calls"), "0: call indirect#0 call indirect#1 return\n");
  const PathFunction* calls = decisions().path("calls");
  ASSERT_NE(calls, nullptr);
  EXPECT_EQ(calls->blocks[0].items[0].callee, record::key_of("callee", 6));
}

TEST_F(PathTable, SaysWhereExceptionsLand) {
  EXPECT_EQ(decisions().path_text("lands"),
            "0: call~3 jump 1\n1: indirect#0~3 jump 2\n2: return\n3: landing#1 stop\n");
}

TEST_F(PathTable, KnowsThatSetjmpReturnsAgain) {
  EXPECT_EQ(decisions().path_text("jumps"), "0: call again#0 return\n");
}

TEST_F(PathTable, IsOfInstrumentedFunctionsOnly) { EXPECT_EQ(decisions().path_text("unseen"), "none"); }

TEST_F(PathTable, IsMissingWhereAPathCannotBeLogged) {
  EXPECT_EQ(decisions().path_text("wide"), "none") << "a switch on more than 64 bits";
  EXPECT_EQ(decisions().path_text("memchr"), "none") << "callers take it for libc's";
  EXPECT_EQ(decisions().path_text("by_error"), "none") << "the register of pending bits is taken";
}

TEST_F(PathTable, TellsLocalFunctionsOfOneNameApart) {
  const std::string other = std::string(kDecisions) + "define void @more() sanitize_thread { ret void }\n";
  const Compiled second(other, "ir");
  ASSERT_NE(decisions().path("local"), nullptr);
  ASSERT_NE(second.path("local"), nullptr);
  EXPECT_NE(decisions().path("local")->key, second.path("local")->key);
  EXPECT_EQ(decisions().path("branch")->key, second.path("branch")->key);
  EXPECT_EQ(decisions().path("branch")->key, record::key_of("branch", 6));
}

TEST_F(PathLoopsOf, RoundsThatDecideNothingAreCounted) {
  EXPECT_EQ(loops().path_text("counted"), "0: jump 1\n1: branch#0 1 2\n2: return\ncounted 1, left from 1+\n");
}

TEST_F(PathLoopsOf, SeveralExitsAreInTheOrderOfARound) {
  EXPECT_EQ(loops().path_text("two_exits"),
            "0: jump 1\n1: branch#0 3 2\n2: branch#1 1 3\n3: return\ncounted 1, left from 1- 2+\n");
}

TEST_F(PathLoopsOf, CallsAreNotCounted) {
  EXPECT_EQ(loops().path_text("calls_in_it"), "0: jump 1\n1: call branch#0 1 2\n2: return\n");
}

TEST_F(PathLoopsOf, OnlyWhatIsBoundedIsCounted) {
  EXPECT_EQ(loops().path_text("no_bound"), "0: jump 1\n1: branch#0 1 2\n2: return\n");
  EXPECT_EQ(loops().path_text("bound_that_changes"), "0: jump 1\n1: branch#0 1 2\n2: return\n");
}

TEST_F(PathLoopsOf, TooManyExitsAreLoggedBitByBit) {
  EXPECT_NE(loops().path("five_exits"), nullptr);
  EXPECT_EQ(loops().path_text("five_exits").find("counted"), std::string::npos);
}

TEST_F(PathLoopsOf, OnlyTheInnermostIsCounted) {
  EXPECT_EQ(loops().path_text("nested"),
            "0: jump 1\n1: jump 2\n2: branch#0 2 3\n3: branch#1 1 4\n4: return\ncounted 2, left from 2+\n");
}

TEST_F(PathLoopsOf, ConstantRoundsAreNotLogged) {
  EXPECT_EQ(loops().path_text("fixed"),
            "0: jump 1\n1: branch#0 2 3\n2: jump 3\n3: branch#1 4 1\n4: return\nfixed 1 to 3-, rounds 12\n");
}

TEST_F(PathLoopsOf, RoundsThatDecideAreLoggedWhereNothingCountsThem) {
  EXPECT_EQ(loops().path_text("decides_and_looks"),
            "0: jump 1\n1: branch#0 2 3\n2: jump 3\n3: branch#1 4 1\n4: return\n");
  EXPECT_EQ(loops().path_text("decides"),
            "0: jump 1\n1: branch#0 2 3\n2: jump 3\n3: branch#1 4 1\n4: return\n"
            "quiet 3-, rare 1+, bits 1 code 1\n")
      << "half a bit for each round is less than one";
}

TEST_F(PathLoopsOf, ARareWayTellsThatTheLoopWasLeft) {
  EXPECT_EQ(loops().path_text("quiet"),
            "0: jump 1\n1: call branch#0 2 3\n2: call jump 3\n3: branch#1 1 4\n4: return\n"
            "quiet 3+, rare 1+, bits 1 code 1\n");
  EXPECT_EQ(loops().path_text("quiet_after_two"),
            "0: jump 1\n1: branch#0 4 2\n2: branch#1 4 3\n3: call jump 4\n4: branch#2 5 1\n5: return\n"
            "quiet 4-, rare 2-, bits 2 code 0\n");
}

TEST_F(PathLoopsOf, ACallBeforeTheRareWayHasBitsOfItsOwn) {
  EXPECT_NE(loops().path("begins_with_a_call"), nullptr);
  EXPECT_EQ(loops().path_text("begins_with_a_call").find("quiet"), std::string::npos);
}

}  // namespace
}  // namespace heddle::plugin::testing
