// Does a bug still show when executions are held to rules (core/trace/enforcement.h)?
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/trace/enforcement.h"
#include "core/trace/plan.h"
#include "tool/run/campaign.h"

namespace heddle::cause {

using Rules = std::vector<EnforcedRule>;

struct TrialOptions {
  double seconds = 60;  // for all trials
  unsigned jobs = 1;
  std::vector<int> allowed_exits;
};

class Trials {
 public:
  Trials(const run::Target& target, const Trace& failing, const TrialOptions& options);

  struct Outcome {
    bool shows = false;            // the bug did show
    bool known = true;             // false: there was no time to tell
    std::uint64_t executions = 0;  // that were run
    bool is_complete = false;      // these are all that there are
    std::vector<std::string> other_bugs;
    std::optional<Trace> trace;  // of an execution that shows it
  };

  // How long a campaign without rules needs to show the bug; from it, how long trials have to be.
  void calibrate();
  // Executions until the bug shows without rules: the most of what was seen, or, where it did not show in the time for
  // that, what it took to find it first.
  std::uint64_t base_executions() const { return base_; }
  // So many without the bug that a change without effect would show fewer with 99 %: (1 - 1/m)^5m < 0.7 %.
  std::uint64_t executions_for_evidence() const { return 5 * base_; }
  bool is_race() const { return race_.any(); }

  // First the failing execution itself, as far as the rules let it; then a campaign of trial_length().
  Outcome try_rules(const Rules& rules);
  // A campaign of `executions`; it may take `seconds` even where less is left.
  Outcome explore(const Rules& rules, std::uint64_t executions, double seconds = 0);
  // Of a race: the same with its accesses as choices. Whatever the race led to without rules counts as the bug, too:
  // a lock that silences a race and leaves the null pointer is no remedy.
  Outcome explore_consequences(const Rules& rules, std::uint64_t executions = 0, double seconds = 0);

  // The failing execution under the rules, as far as they let it, with the plain accesses to shared memory.
  std::optional<Trace> trace_when_followed(const Rules& rules);

  // Distinct behaviours of a sample of executions under the rules.
  std::uint64_t behaviours(const Rules& rules, bool of_race);

  // While it lives, plain accesses and frees of this code have a turn of their own.
  class Turns {
   public:
    Turns(Trials& trials, std::span<const std::uint64_t> code);
    ~Turns() { trials_.visible_ = before_; }
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

   private:
    Trials& trials_;
    VisiblePlaces before_;
  };

  bool time_left() const;
  double seconds_used() const;
  // What it takes to try one change as often as the bug is rare.
  double seconds_for_evidence() const {
    return static_cast<double>(executions_for_evidence()) * seconds_of_one_;
  }
  std::uint64_t count() const { return count_; }

 private:
  bool is_wanted(const Trace& trace, const TraceFinding& finding) const;
  bool is_left_over(const Trace& trace, const TraceFinding& finding) const;
  // How many executions fit into this share of the time, and no fewer than `fewest`.
  std::uint64_t that_fit(std::uint64_t executions, double share, std::uint64_t fewest) const;
  Outcome explore_as(RunSpec spec, const Rules& rules, std::uint64_t executions, double seconds);
  void learn_consequences();
  bool shows_when_followed(const Rules& rules);
  RunSpec spec_with_turns() const;

  const run::Target& target_;
  const Trace& failing_;
  TrialOptions options_;
  std::string wanted_;     // fingerprint
  VisiblePlaces race_;     // its accesses; none: the bug is no race
  VisiblePlaces visible_;  // of the failing execution, and Turns
  bool knows_consequences_ = false;
  std::set<std::string> consequences_;   // fingerprints
  std::set<std::string> without_rules_;  // fingerprints of other bugs, that are there without any change
  std::vector<Departure> plan_;
  bool has_plan_ = false;
  double began_;  // by run::budget_seconds()
  std::uint64_t base_ = 0;
  double seconds_of_one_ = 0;  // execution, as measured
  std::uint64_t length_ = 2000;
  std::uint64_t count_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace heddle::cause
