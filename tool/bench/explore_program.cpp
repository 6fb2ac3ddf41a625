#include "tool/bench/explore_program.h"

#include <atomic>
#include <cstring>

#include "tool/run/campaign.h"

namespace heddle::bench {

ExploreOptions exhaustive_exploration() {
  ExploreOptions options;
  std::strncpy(options.spec.strategy, "exhaustive", sizeof options.spec.strategy - 1);
  options.spec.max_spurious = 64;  // every weak exchange of a program may fail
  return options;
}

run::Target with_program(run::Target interpreter, const litmus::Program& program) {
  interpreter.argv.resize(1);
  interpreter.argv.push_back(to_string(program));
  return interpreter;
}

Result<Explored> explore_program(const run::Target& runner, const litmus::Program& program,
                                 const ExploreOptions& options) {
  run::CampaignOptions campaign;
  campaign.spec = options.spec;
  campaign.executions = options.executions;
  campaign.seconds = options.seconds;
  static const std::atomic<bool> kNever{false};
  const run::CampaignOutcome outcome = run::Campaign(runner, campaign).run(kNever);
  if (outcome.error) return *outcome.error;
  if (!outcome.bugs.empty()) {
    const run::FoundBug& bug = outcome.bugs.front();
    return Error{"The runner of a litmus program failed: " + bug.trace.findings[bug.finding].message + " (" +
                     bug.artifact + "). Its output was:\n" + bug.trace.output,
                 ExitCode::kOwnError};
  }
  Explored explored;
  explored.executions = outcome.report.executions;
  explored.pruned_executions = outcome.report.pruned_executions;
  explored.exhausted = outcome.report.exhausted;
  const auto size = static_cast<std::size_t>(litmus::OutcomeLayout(program).size);
  for (const auto& [text, first] : outcome.report.first_executions) {
    litmus::Outcome numbers = litmus::outcome_of(text);
    if (numbers.size() != size)
      return Error{"The runner of a litmus program answered \"" + text + "\".", ExitCode::kOwnError};
    explored.outcomes.emplace(std::move(numbers), first);
  }
  return explored;
}

}  // namespace heddle::bench
