// What a campaign does with an execution that shows something: runs it again, keeps it, tells of it.
#include <algorithm>

#include "tool/findings/fingerprint.h"
#include "tool/run/campaign.h"
#include "tool/run/free_run.h"
#include "tool/run/interruption.h"
#include "tool/run/limits.h"
#include "tool/run/visible_race.h"

namespace heddle::run {
namespace {

constexpr std::uint64_t kMostBehaviours = 4'000'000;
constexpr std::uint64_t kMostWarningsExamined = 8;
constexpr std::uint32_t kMostSuppressedExamined = 8;
constexpr std::uint32_t kMostLooks = 8;

}  // namespace

void Campaign::consume_findings(const Arrived& arrived) {
  const ExecutionResult& result = arrived.result;
  report::CampaignReport& report = outcome_.report;
  report.pruned_executions += (result.flags & result_flags::kPruned) != 0 ? 1 : 0;
  if (behaviours_.size() < kMostBehaviours) behaviours_.note(behaviour(result));
  if (result.ending == Ending::kUnsupported) {
    const bool is_limit = (result.flags & result_flags::kLimit) != 0;
    stopped_because_ =
        is_limit ? "a limit of heddle's own was reached" : "the program makes a call that is not supported";
    // Of the zygote: it could start no process.
    if (is_limit && result.status != 0)
      return end_with({"Cannot start a process for an execution: " + why_refused("clone", result.status)});
  }
  if (result.ending == Ending::kUnsupported || result.ending == Ending::kInternalError) {
    return investigate(arrived, 0);
  }
  const std::vector<std::uint64_t> signatures = signatures_of(result, options_.allowed_exits);
  if (!signatures.empty()) {
    count_bugs(arrived, signatures);
  } else if (result.findings != 0) {
    if (options_.warnings_as_bugs) ++report.buggy_executions;
    if (warnings_examined_++ < kMostWarningsExamined) investigate(arrived, 0);
  }
}

// A signature is less than a fingerprint: of a race it has one side, of a failed check the exit status. Behind that of a
// bug which does not matter there may be one which does.
bool Campaign::is_worth_another_look(std::uint64_t signature) const {
  const auto at = by_signature_.find(signature);
  if (at == by_signature_.end()) return false;
  const FoundBug& bug = outcome_.bugs[at->second];
  const auto looks = looks_.find(signature);
  return (bug.passed_by || !bug.known.empty()) && (looks == looks_.end() || looks->second < kMostLooks);
}

// Of several bugs with one signature it stands for one that matters.
void Campaign::map_signature(std::uint64_t signature, std::size_t bug) {
  const auto matters = [&](std::size_t i) {
    return !outcome_.bugs[i].passed_by && outcome_.bugs[i].known.empty();
  };
  const auto [at, is_new] = by_signature_.emplace(signature, bug);
  if (!is_new && matters(bug) && !matters(at->second)) at->second = bug;
}

void Campaign::count_bugs(const Arrived& arrived, const std::vector<std::uint64_t>& signatures) {
  const bool all_known = std::all_of(signatures.begin(), signatures.end(), [&](std::uint64_t signature) {
    const auto suppressed = suppressed_.find(signature);
    return (is_bug(signature) && !is_worth_another_look(signature)) ||
           (suppressed != suppressed_.end() && suppressed->second.examined >= kMostSuppressedExamined);
  });
  if (all_known) {
    for (const std::uint64_t signature : signatures) {
      if (is_bug(signature)) {
        ++outcome_.bugs[by_signature_.at(signature)].count;
      } else {
        ++suppressed_.at(signature).by->hits;
      }
    }
  } else {
    for (const std::uint64_t signature : signatures) ++looks_[signature];
    investigate(arrived, signatures.front());
  }
  if (options_.looks_for) count_wanted(arrived, signatures);
  const bool has_bug = std::any_of(signatures.begin(), signatures.end(), [&](std::uint64_t signature) {
    return is_bug(signature) || !suppressed_.contains(signature);
  });
  if (has_bug) ++outcome_.report.buggy_executions;
}

void Campaign::count_wanted(const Arrived& arrived, const std::vector<std::uint64_t>& signatures) {
  const bool has_wanted = std::any_of(signatures.begin(), signatures.end(), [&](std::uint64_t signature) {
    return is_bug(signature) && !outcome_.bugs[by_signature_.at(signature)].passed_by;
  });
  const bool was_ended = arrived.result.ending == Ending::kFinding ||
                         (arrived.result.ending == Ending::kExited &&
                          finding_of_ending(arrived.result, options_.allowed_exits).has_value());
  if (has_wanted) {
    ++outcome_.wanted;
  } else if (was_ended) {
    ++outcome_.ended_by_other;
  }
}

void Campaign::take_out_suppressed(Trace& trace) {
  std::erase_if(trace.findings, [&](const TraceFinding& finding) {
    Suppressions::Entry* entry = options_.suppressions.match(trace, finding);
    if (entry == nullptr) return false;
    ++entry->hits;
    if (!entry->built_in) add_race(finding, outcome_.suppressed_races);
    Suppressed& suppressed = suppressed_[finding.signature];
    suppressed.by = entry;
    ++suppressed.examined;
    return true;
  });
}

void Campaign::investigate(const Arrived& arrived, std::uint64_t signature) {
  const ExecutionResult& result = arrived.result;
  SingleOptions single;
  single.index = result.index;
  single.replay = arrived.choices;
  single.campaign = state_memory_.descriptor();
  single.allowed_exits = options_.allowed_exits;
  single.kept_events = options_.kept_events;
  single.symbolise = options_.symbolise;
  RunSpec spec = options_.spec;
  if (!arrived.choices.empty()) spec.replay = ReplayKind::kExact;
  auto run = [&] {
    const OwnTurn turn = wait_for_turn();
    return run_single(target_, spec, single);
  }();
  if (!run) return end_with(run.error());
  if (was_interrupted() && run->result.ending == Ending::kTimedOut) return;  // it was not run to its end
  if (result.ending == Ending::kUnsupported) {
    // (A limit that is reached again is an error of the run itself.)
    if ((result.flags & result_flags::kLimit) != 0)
      return end_with(
          {"A limit was reached in one execution, and not when it was run again alone: there are too few "
           "processes or too little memory for several (`ulimit -u`, `ulimit -v`, pids.max of the control "
           "group). Try -j 1."});
    return end_with({run->trace.result.message.empty() ? "The program uses a call that is not supported."
                                                       : run->trace.result.message,
                     ExitCode::kInconclusive});
  }
  if (result.ending == Ending::kInternalError) {
    return end_with({"An execution ended by an error of heddle's own (execution " +
                         std::to_string(outcome_.report.executions - 1) + "). Output:\n" + run->trace.output,
                     ExitCode::kOwnError});
  }
  const std::vector<std::uint64_t> again = signatures_of(run->result, options_.allowed_exits);
  const bool same = run->result.trace_hash == result.trace_hash && run->result.choices == result.choices &&
                    run->result.ending == result.ending &&
                    (signature == 0 || (!again.empty() && again.front() == signature));
  if (!same) {
    ++outcome_.unconfirmed;
    auto by_recording = is_difference_of_recording(target_, spec, single, result, run->result);
    if (!by_recording) return end_with(by_recording.error());
    outcome_.report.warnings.push_back(
        "Execution " + std::to_string(outcome_.report.executions - 1) +
        " showed a finding that did not show when it was run again: " +
        (*by_recording
             ? "heddle ran it otherwise when it recorded it. That is a fault of heddle's own; please "
               "report it. --verify-determinism shows where."
             : "the program depends on something outside heddle's control. --verify-determinism shows "
               "where."));
    if (signature == 0) return;
  }
  take_out_suppressed(run->trace);
  for (std::size_t i = 0; i < run->trace.findings.size() && !done_; ++i) {
    add_finding(run->trace, i, result, run->trace.findings[i].signature);
  }
}

void Campaign::add_finding(Trace trace, std::size_t index, const ExecutionResult& result,
                           std::uint64_t signature) {
  const TraceFinding& finding = trace.findings[index];
  const std::string print = fingerprint(trace, finding);
  const auto known = by_fingerprint_.find(print);
  if (known != by_fingerprint_.end()) {
    map_signature(signature, known->second);
    // The two sides may have met both ways in one execution.
    FoundBug& bug = outcome_.bugs[known->second];
    if (bug.last_execution != result.index) ++bug.count;
    bug.last_execution = result.index;
    return;
  }
  const bool is_bug = finding.severity == Severity::kBug || options_.warnings_as_bugs;
  put_first(trace, index);
  FoundBug bug;
  bug.count = 1;
  bug.first_execution = outcome_.report.executions - 1;
  bug.last_execution = result.index;
  bug.confirmed = trace.result.trace_hash == result.trace_hash;
  bug.trace = std::move(trace);
  const KnownBug* old = find_known(options_.known, bug.trace, bug.trace.findings.front());
  if (old != nullptr) bug.known = old->artifact;
  bug.passed_by = options_.looks_for && !options_.looks_for(bug.trace, bug.trace.findings.front());
  const bool is_new_bug = is_bug && bug.known.empty() && !bug.passed_by;
  if (is_new_bug) {
    ++distinct_bugs_;
  }
  if (is_new_bug && !options_.output_directory.empty()) {
    bug.keep(options_.output_directory, bug.trace);
    if (!bug.why_not_kept.empty()) outcome_.report.warnings.push_back(bug.why_not_kept);
  }
  by_fingerprint_.emplace(print, outcome_.bugs.size());
  outcome_.bugs.push_back(std::move(bug));
  map_signature(signature, outcome_.bugs.size() - 1);
  has_unkept_bug_ = has_unkept_bug_ || is_new_bug;
  if (is_new_bug && options_.max_failures != 0 && distinct_bugs_ >= options_.max_failures) {
    done_ = true;
    stopped_because_ = distinct_bugs_ == 1 ? "a bug was found" : "enough bugs were found";
    if (minimise) return;  // it is reported in its smaller form
  }
  outcome_.bugs.back().reported = true;
  if (on_bug) on_bug(outcome_.bugs.back());
}

void Campaign::minimise_bugs() {
  for (FoundBug& bug : outcome_.bugs) {
    if (minimise && bug.confirmed && bug.was_tried()) {
      minimise(bug);
      if (auto written = bug.keep_smaller(bug.trace); !written)
        outcome_.report.warnings.push_back(written.error().message);
    }
    if (!bug.reported && on_bug) on_bug(bug);
    bug.reported = true;
  }
}

}  // namespace heddle::run
