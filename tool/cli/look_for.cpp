#include "tool/cli/look_for.h"

#include "tool/artifact/artifact.h"
#include "tool/record/access_log.h"
#include "tool/record/log_reader.h"

namespace heddle::cli {
namespace {

Error passed(const std::string& path) {
  return {path + " is of a run that did not fail: there is nothing to look for."};
}

}  // namespace

Result<run::WantedFailure> read_wanted_failure(const std::string& path) {
  if (auto trace = read_artifact(path)) {
    if (trace->findings.empty()) return passed(path);
    return run::WantedFailure::like(*trace);
  }
  if (auto log = read_log(path)) {
    const record::Outcome& outcome = log->header.outcome;
    if (outcome.kind == record::OutcomeKind::kUnknown) return run::WantedFailure::at_place({});
    if (!is_failure(outcome)) return passed(path);
    return run::WantedFailure::at_place(outcome_text(outcome));
  }
  auto log = read_access_log(path);
  if (!log) return Error{path + " is neither an artifact nor a log of a run. " + log.error().message};
  if (log->outcome == RunOutcome::kPassed) return passed(path);
  return run::WantedFailure::at_place(log->failure_place);
}

}  // namespace heddle::cli
