// The oracle's axiom of seq_cst, on the shapes that tell its versions apart: S as the order of execution, the words
// of C++20, and these with LWG 3941 repaired.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/litmus/litmus.h"
#include "tests/oracle/enumerate.h"

namespace oracle {
namespace {

struct Verdict {
  const char* name;
  const char* threads;  // one in each line
  const char* outcome;
  bool execution_order, words, repaired;
};

constexpr Verdict kVerdicts[] = {
    {"SB", "store x 1 sc ; a = load y sc\nstore y 1 sc ; b = load x sc", "a=0 b=0", false, false, false},
    {"SB, fence against accesses", "store x 1 rlx ; fence sc ; a = load y rlx\nstore y 1 sc ; b = load x sc",
     "a=0 b=0", false, false, false},
    {"SB, seq_cst stores", "store x 1 sc ; a = load y rlx\nstore y 1 sc ; b = load x rlx", "a=0 b=0", true,
     true, true},
    {"IRIW, acquire loads first",
     "store x 1 sc\nstore y 1 sc\na = load x acq ; b = load y sc\nc = load y acq ; d = load x sc",
     "a=1 b=0 c=1 d=0", false, true, true},
    {"IRIW, relaxed stores",
     "store x 1 rlx\nstore y 1 rlx\na = load x sc ; b = load y sc\nc = load y sc ; d = load x sc",
     "a=1 b=0 c=1 d=0", false, false, false},
    {"RWC, relaxed store", "store x 1 rlx\na = load x sc ; b = load y sc\nstore y 1 sc ; c = load x sc",
     "a=1 b=0 c=0", false, false, false},
    {"W+RWC, sb;hb;sb",
     "store x 1 sc ; store z 1 rel\na = load z acq ; b = load y sc\nstore y 1 sc ; c = load x sc",
     "a=1 b=0 c=0", false, false, false},
    {"W+RWC, no release",
     "store x 1 sc ; store z 1 rlx\na = load z acq ; b = load y sc\nstore y 1 sc ; c = load x sc",
     "a=1 b=0 c=0", false, true, true},
    {"Z6.U", "store x 1 sc ; store y 1 rel\nb = add y 1 sc ; c = load y rlx\nstore y 3 sc ; a = load x sc",
     "b=1 c=3 a=0", false, true, true},
    {"Z6.U, seq_cst store",
     "store x 1 sc ; store y 1 sc\nb = add y 1 sc ; c = load y rlx\nstore y 3 sc ; a = load x sc",
     "b=1 c=3 a=0", false, false, false},
    {"WWmerge", "store x 1 sc ; store x 2 sc\na = load x acq ; b = load y sc\nstore y 1 sc ; c = load x sc",
     "a=2 b=0 c=0", false, false, false},
    {"MP, load overtakes", "store x 1 sc ; store y 1 rlx\na = load y rlx ; b = load x sc", "a=1 b=0", false,
     true, true},
    {"MP, fence overtakes", "store x 1 sc ; store y 1 rlx\na = load y rlx ; fence sc ; b = load x rlx",
     "a=1 b=0", false, true, true},
    {"S, store overtakes",
     "store x 2 sc ; store y 1 rlx\na = load y rlx ; store x 1 sc\nb = load x sc ; c = load x sc",
     "a=1 b=1 c=2", false, true, true},
    {"SB+rfis",
     "store x 1 rel ; a = load x sc ; b = load y sc\nstore y 1 rel ; c = load y sc ; d = load x sc",
     "a=1 b=0 c=1 d=0", false, false, true},
    {"SB+rfis, seq_cst stores",
     "store x 1 sc ; a = load x sc ; b = load y sc\nstore y 1 sc ; c = load y sc ; d = load x sc",
     "a=1 b=0 c=1 d=0", false, false, false},
    {"SB+rfi, one side", "store x 1 rlx ; a = load x sc ; b = load y sc\nstore y 1 sc ; c = load x sc",
     "a=1 b=0 c=0", false, false, true},
    {"SB+rfi, own update",
     "p = exchange x 1 rlx ; a = load x sc ; b = load y sc\nstore y 1 sc ; c = load x sc", "a=1 b=0 c=0",
     false, false, false},
    {"SB+rfi, then an update", "store x 1 rlx ; a = load x sc ; b = add y 8 sc\nstore y 1 sc ; c = load x sc",
     "a=1 b=0 c=0", false, false, false},
    {"SB+rfi, known store before",
     "store x 1 rel\np = load x acq ; store x 2 rlx ; a = load x sc ; b = load y sc\n"
     "store y 1 sc ; c = load x sc",
     "p=1 a=2 b=0 c=0", false, false, false},
    {"LB", "a = load x rlx ; store y 1 rlx\nb = load y rlx ; store x 1 rlx", "a=1 b=1", false, false, false},
};

LitmusTest parse(const Verdict& v) {
  std::string text;
  std::string threads = v.threads;
  for (std::size_t at = 0; at <= threads.size();) {
    const std::size_t end = std::min(threads.find('\n', at), threads.size());
    text += "thread " + threads.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return parse_tests("test shape\n" + text + "allowed " + v.outcome + "\n")[0];
}

TEST(Axioms, VersionsOfSeqCstDifferAsTheyShould) {
  for (const Verdict& v : kVerdicts) {
    const LitmusTest test = parse(v);
    const auto allows = [&](SeqCst axiom) {
      return shows(consistent_outcomes(test.program, {axiom, false}), test.allowed[0]);
    };
    EXPECT_EQ(allows(SeqCst::kExecutionOrder), v.execution_order) << v.name;
    EXPECT_EQ(allows(SeqCst::kWords), v.words) << v.name;
    EXPECT_EQ(allows(SeqCst::kRepaired), v.repaired) << v.name;
  }
}

TEST(Axioms, LoadBufferingIsOutsideUnlessAskedFor) {
  const LitmusTest test = parse(kVerdicts[sizeof kVerdicts / sizeof kVerdicts[0] - 1]);
  EXPECT_TRUE(shows(consistent_outcomes(test.program, {SeqCst::kRepaired, true}), test.allowed[0]));
}

}  // namespace
}  // namespace oracle
