// What the search for a remedy shares: the bug, the trials, and what becomes of a proposal that looks right.
// Each kind of remedy has a function of its own (remedy_kinds.h) that makes proposals.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "tool/cause/proposal.h"
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

  // The user's line of an event, which is looked up once.
  const Frame& frame_of(const Trace& trace, const TraceEvent& event) const;

  void calibrate();
  // Does the bug stay away where executions are held to this, in a short trial? The compiler may have made several
  // copies of a line: those that a trial shows are added to the proposal.
  bool helps(Proposal& proposal);
  bool helps(const std::vector<RemedyPart>& parts);
  bool helps(const Rules& rules);
  // Of a race: where its accesses are choices, neither the race shows under these rules nor what it leads to.
  bool removes_consequences(const Rules& rules);
  // Tries at length what looks right. True: it is the remedy.
  bool accept(const Proposal& proposal);
  bool accept(RemedyKind kind, const std::vector<RemedyPart>& parts) {
    return accept({kind, parts, {}, false});
  }
  // How much of what the program does is left under it, from 0 to 1, by a sample.
  double behaviours_kept(const Proposal& proposal);
  bool time_left() const { return trials_.time_left(); }
  std::uint64_t count() const { return trials_.count(); }
  // Changes that looked right, and for which there was no time to try them as often as the bug is rare.
  std::uint64_t unproven() const { return unproven_; }
  double seconds_for_evidence() const { return trials_.seconds_for_evidence(); }
  double seconds_used() const { return trials_.seconds_used(); }

  // The latest execution under rules that showed the bug in spite of them.
  const std::optional<Trace>& last_failure() const { return last_failure_; }
  void forget_last_failure() { last_failure_.reset(); }

  void say(const char* what) const {
    if (options_.on_step) options_.on_step(what);
  }

 private:
  bool helps_as_it_is(const Proposal& proposal);
  bool is_of_its_kind(const Proposal::Unless& unless);
  Trials::Outcome explore_at_length(const Proposal& proposal);

  Explanation& explanation_;
  const RemedyOptions& options_;
  Trials trials_;
  std::optional<Trace> last_failure_;
  mutable std::map<std::tuple<const Trace*, std::uint64_t, StackId>, Frame> frames_;
  std::uint64_t unproven_ = 0;
  std::optional<std::uint64_t> behaviours_;  // of so many executions as a sample has, without rules
};

}  // namespace heddle::cause
