// Does a bug still show when executions are held to rules (core/trace/enforcement.h)?
#pragma once

#include <chrono>
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
  std::uint64_t base_executions() const { return base_; }
  bool is_race() const { return race_.any(); }

  // First the failing execution itself, as far as the rules let it; then a campaign of trial_length().
  Outcome try_rules(const Rules& rules);
  // A campaign of `executions`; it may take `seconds` even where less is left.
  Outcome explore(const Rules& rules, std::uint64_t executions, double seconds = 0);
  // Of a race: the same with its accesses as choices. Whatever the race led to without rules counts as the bug, too:
  // a lock that silences a race and leaves the null pointer is no remedy.
  Outcome explore_consequences(const Rules& rules, std::uint64_t executions = 0, double seconds = 0);

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
  std::uint64_t count() const { return count_; }

 private:
  bool is_wanted(const Trace& trace, const TraceFinding& finding) const;
  bool is_left_over(const Trace& trace, const TraceFinding& finding) const;
  Outcome explore_as(RunSpec spec, const Rules& rules, std::uint64_t executions, double seconds);
  void learn_consequences();
  std::optional<Trace> failure_when_followed(const Rules& rules);
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
  std::chrono::steady_clock::time_point began_;
  std::uint64_t base_ = 0;
  std::uint64_t length_ = 2000;
  std::uint64_t count_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace heddle::cause
