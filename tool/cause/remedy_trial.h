// What the search for a remedy shares: the bug, the trials, and what becomes of a proposal that looks right.
// Each kind of remedy has a function of its own (remedy_kinds.h) that makes proposals.
#pragma once

#include <optional>
#include <vector>

#include "tool/cause/remedy.h"
#include "tool/cause/trials.h"
#include "tool/trace/explanation.h"

namespace heddle::cause {

class RemedyTrial {
 public:
  RemedyTrial(const run::Target& target, Explanation& explanation, const RemedyOptions& options)
      : explanation_(explanation),
        options_(options),
        trials_(target, explanation.failing.trace, options.trials) {}

  const Trace& failing() const { return explanation_.failing.trace; }
  const Explanation& explanation() const { return explanation_; }

  void calibrate();
  // Does the bug stay away where executions are held to these parts, in a short trial?
  bool helps(const std::vector<RemedyPart>& parts);
  bool helps(const Rules& rules);
  // Of a race: where its accesses are choices, neither the race shows under these rules nor what it leads to.
  bool removes_consequences(const Rules& rules);
  // Tries at length what looks right. True: it is the remedy.
  bool accept(RemedyKind kind, const std::vector<RemedyPart>& parts);
  // The same for rules that hold only where the race's accesses are choices.
  bool accept_visible(RemedyKind kind, std::vector<RemedyPart> parts);
  bool time_left() const { return trials_.time_left(); }
  std::uint64_t count() const { return trials_.count(); }

  // The latest execution under rules that showed the bug in spite of them.
  const std::optional<Trace>& last_failure() const { return last_failure_; }
  void forget_last_failure() { last_failure_.reset(); }

  void say(const char* what) const {
    if (options_.on_step) options_.on_step(what);
  }

 private:
  bool take(RemedyKind kind, std::vector<RemedyPart> parts, const Trials::Outcome& outcome);

  Explanation& explanation_;
  const RemedyOptions& options_;
  Trials trials_;
  std::optional<Trace> last_failure_;
};

}  // namespace heddle::cause
