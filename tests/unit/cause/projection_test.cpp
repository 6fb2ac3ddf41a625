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
  explicit Schedule(std::initializer_list<const char*> words) {
    std::map<char, std::uint32_t> last_write;
    std::map<char, std::uint32_t> ordinals;
    for (const char* word : words) {
      Step step;
      step.thread = ThreadId(static_cast<std::uint16_t>(word[0] - '0'));
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

}  // namespace
}  // namespace heddle::cause
