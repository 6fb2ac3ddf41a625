// The thesis' examples, and the rules that they do not show.
#include "tool/cause/projection.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace heddle::cause {
namespace {

// A schedule from words: "0:w.x" is thread 0 writing x, "r" reads, "u" does both, "l" a lock or unlock. Reads
// read the latest write, as under sequential consistency.
class Schedule {
 public:
  // "0:w.x@7": the seventh step of its thread in a pair of executions on different paths.
  explicit Schedule(std::initializer_list<const char*> words) {
    std::map<char, std::uint32_t> last_write;
    std::map<char, std::uint32_t> ordinals;
    for (const char* word : words) {
      Step step;
      step.thread = ThreadId(static_cast<std::uint16_t>(word[0] - '0'));
      if (word[5] == '@') ordinals[word[0]] = static_cast<std::uint32_t>(word[6] - '0');
      step.ordinal = ordinals[word[0]]++;
      const char variable = word[4];
      step.variable = static_cast<std::uint32_t>(variable);
      step.reads = word[2] == 'r' || word[2] == 'u';
      step.writes = word[2] != 'r';
      if (step.reads && last_write.contains(variable)) step.source = last_write[variable];
      if (step.writes) last_write[variable] = static_cast<std::uint32_t>(steps_.size());
      steps_.push_back(step);
      words_.emplace_back(word);
    }
  }
  std::span<const Step> steps() const { return steps_; }
  std::vector<std::string> kept(const std::vector<bool>& flags) const {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (flags[i]) result.push_back(words_[i] + "#" + std::to_string(steps_[i].ordinal));
    }
    return result;
  }

 private:
  std::vector<Step> steps_;
  std::vector<std::string> words_;
};

using Words = std::vector<std::string>;

// Fig. 4.2b and 4.3c: the second critical section of T2 comes before that of T1 in the alternate.
const Schedule kPfscanFailing{"0:w.f", "0:l.m", "0:u.f", "0:l.m",                              // put
                              "1:l.m", "1:r.f", "1:l.m", "2:l.m", "2:r.f", "2:l.m",            // both see one
                              "1:l.m", "1:r.f", "1:u.f", "1:l.m", "2:l.m", "2:r.f", "2:l.m"};  // T2 fails
const Schedule kPfscanAlternate{"0:w.f", "0:l.m", "0:u.f", "0:l.m",                            //
                                "1:l.m", "1:r.f", "1:l.m", "2:l.m", "2:r.f", "2:l.m",          //
                                "2:l.m", "2:r.f", "2:l.m", "1:l.m", "1:r.f", "1:u.f", "1:l.m"};

TEST(Projection, RunningExampleOfTheThesis) {
  const Projection p = projection(kPfscanFailing.steps(), kPfscanAlternate.steps());
  ASSERT_EQ(p.flows.size(), 1u);  // Fig. 4.3d: W1.20 → R2.19 becomes W0.4 → R2.19
  EXPECT_EQ(p.flows[0].failing_reader, 15u);
  EXPECT_EQ(p.flows[0].failing_writer, 12u);
  EXPECT_EQ(p.flows[0].alternate_reader, 11u);
  EXPECT_EQ(p.flows[0].alternate_writer, 2u);
  EXPECT_EQ(kPfscanFailing.kept(p.failing),
            (Words{"0:u.f#2", "1:l.m#3", "1:r.f#4", "1:u.f#5", "1:l.m#6", "2:l.m#3", "2:r.f#4", "2:l.m#5"}));
  EXPECT_EQ(kPfscanAlternate.kept(p.alternate),
            (Words{"0:u.f#2", "2:l.m#3", "2:r.f#4", "2:l.m#5", "1:l.m#3", "1:r.f#4", "1:u.f#5", "1:l.m#6"}));
}

TEST(Projection, OnlyDependentPairsLeaveOutReadsAmongReads) {
  const Projection p =
      projection(kPfscanFailing.steps(), kPfscanAlternate.steps(), OrderRule::kDependentPairs);
  EXPECT_EQ(kPfscanFailing.kept(p.failing),
            (Words{"0:u.f#2", "1:l.m#3", "1:u.f#5", "1:l.m#6", "2:l.m#3", "2:r.f#4", "2:l.m#5"}));
  EXPECT_EQ(p.flows.size(), 1u);
}

// Fig. 4.4a: x = 0 comes between x = 1 and the assertion, and the other variables are entangled with it.
TEST(Projection, EntangledSchedulesShowFlowsThatDoNotMatter) {
  const Schedule failing{"1:w.x", "2:w.x", "1:w.y", "2:r.y", "2:w.z", "1:r.z", "1:r.x"};
  const Schedule alternate{"1:w.x", "1:w.y", "1:r.z", "1:r.x", "2:w.x", "2:r.y", "2:w.z"};
  const Projection p = projection(failing.steps(), alternate.steps());
  ASSERT_EQ(p.flows.size(), 2u);  // of z and of x
  EXPECT_EQ(p.flows[0].failing_reader, 5u);
  EXPECT_EQ(p.flows[0].alternate_writer, kNoStep);
  EXPECT_EQ(p.flows[1].failing_reader, 6u);
}

// Fig. 4.4b: with fewer switches only the flow of x is left.
TEST(Projection, FewerSwitchesLeaveTheFlowThatExplains) {
  const Schedule failing{"1:w.x", "1:w.y", "2:w.x", "1:r.z", "1:r.x", "2:r.y", "2:w.z"};
  const Schedule alternate{"1:w.x", "1:w.y", "1:r.z", "1:r.x", "2:w.x", "2:r.y", "2:w.z"};
  const Projection p = projection(failing.steps(), alternate.steps(), OrderRule::kDependentPairs);
  ASSERT_EQ(p.flows.size(), 1u);
  EXPECT_EQ(p.flows[0].failing_writer, 2u);
  EXPECT_EQ(p.flows[0].alternate_writer, 0u);
  EXPECT_EQ(failing.kept(p.failing), (Words{"1:w.x#0", "2:w.x#0", "1:r.x#3"}));
}

TEST(Projection, EqualExecutionsHaveNone) {
  const Projection p = projection(kPfscanFailing.steps(), kPfscanFailing.steps());
  EXPECT_TRUE(kPfscanFailing.kept(p.failing).empty());
  EXPECT_TRUE(p.flows.empty());
}

TEST(Projection, WhatComesAfterTheFailureIsNoDifference) {
  const Schedule failing{"1:w.x", "2:r.x"};
  const Schedule alternate{"2:r.x", "1:w.x", "2:w.y", "1:r.y"};
  const Projection p = projection(failing.steps(), alternate.steps());
  EXPECT_EQ(alternate.kept(p.alternate), (Words{"2:r.x#0", "1:w.x#0"}));
}

TEST(Projection, AThreadThatTakesAnotherPathIsShownWhereItParts) {
  const Schedule failing{"1:w.x", "2:r.x", "2:w.y", "2:w.z"};
  const Schedule alternate{"1:w.x", "2:r.x", "2:w.q", "2:w.z"};
  const Projection p = projection(failing.steps(), alternate.steps());
  EXPECT_EQ(failing.kept(p.failing), (Words{"2:w.y#1"}));
  EXPECT_EQ(alternate.kept(p.alternate), (Words{"2:w.q#1"}));
}

// Fig. 5.1's program: the failing execution of 5.1 beside the one of Fig. 5.6 that passes. Thread 1 does x--
// (6) and thread 2 y = 0 (10) only where it fails.
const Schedule kFig56Failing{"2:w.z", "1:r.z", "1:r.w", "1:w.w", "1:w.x", "1:w.y",            // 8 1 2 3 4
                             "2:r.w", "2:w.y", "1:r.y", "1:r.x", "1:w.x", "1:r.x"};           // 9 10 5 6 7
const Schedule kFig56Passing{"2:w.z", "2:r.w",  "1:r.z", "1:r.w", "1:w.w", "1:w.x", "1:w.y",  // 8 9 1 2 3 4
                             "1:r.y", "1:r.x@8"};                                             // 5 7

TEST(PathProjection, RunningExampleOfTheThesis) {
  const Projection p = path_projection(kFig56Failing.steps(), kFig56Passing.steps());
  // w at line 9 reads line 2's value and not the initial one, y at 5 that of 10 and not of 4, x at 7 that of
  // 6 and not of 3.
  ASSERT_EQ(p.flows.size(), 3u);
  EXPECT_EQ(p.flows[0].alternate_writer, kNoStep);
  EXPECT_EQ(p.flows[1].failing_writer, 7u);
  EXPECT_EQ(p.flows[2].failing_writer, 10u);
  EXPECT_EQ(p.flows[2].alternate_writer, 5u);
  // Control flow differs at 6 and at 10; what both have in common is gone.
  EXPECT_EQ(kFig56Failing.kept(p.failing),
            (Words{"1:w.w#2", "2:r.w#1", "2:w.y#2", "1:r.y#5", "1:r.x#6", "1:w.x#7", "1:r.x#8"}));
  EXPECT_EQ(kFig56Passing.kept(p.alternate),
            (Words{"2:r.w#1", "1:w.x#3", "1:w.y#4", "1:r.y#5", "1:r.x@8#8"}));
  EXPECT_EQ(p.partings.size(), 1u);
  EXPECT_EQ(p.partings[0], (std::pair{9u, kNoStep}));
}

TEST(PathProjection, KeepsFlowsToWhatOnlyOneDoes) {
  const Schedule failing{"1:w.x", "2:r.a", "2:r.x@1", "2:r.b@2"};
  const Schedule passing{"1:w.x", "2:r.a", "2:r.b@2"};
  const Projection p = path_projection(failing.steps(), passing.steps());
  ASSERT_EQ(p.flows.size(), 1u);
  EXPECT_EQ(p.flows[0].failing_reader, 2u);
  EXPECT_EQ(p.flows[0].alternate_reader, kNoStep);
  EXPECT_EQ(p.partings[0], (std::pair{2u, kNoStep}));
}

}  // namespace
}  // namespace heddle::cause
