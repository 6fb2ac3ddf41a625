#include "tool/bench/explore_program.h"

#include <cstring>

#include "tool/run/campaign.h"

namespace heddle::bench {

ExploreOptions exhaustive_exploration() {
  ExploreOptions options;
  std::strncpy(options.spec.strategy, "exhaustive:reduce=0", sizeof options.spec.strategy - 1);
  options.spec.max_spurious = 64;  // every weak exchange of a program may fail
  return options;
}

run::Target with_program(run::Target interpreter, const litmus::Program& program) {
  interpreter.argv.resize(1);
  interpreter.argv.push_back(to_string(program));
  return interpreter;
}

namespace {

Result<run::CampaignOutcome> run_exploration(const run::Target& runner, const ExploreOptions& options) {
  run::CampaignOptions campaign;
  campaign.spec = options.spec;
  campaign.executions = options.executions;
  campaign.seconds = options.seconds;
  run::CampaignOutcome outcome = run::Campaign(runner, campaign).run();
  if (outcome.error) return *outcome.error;
  if (!outcome.bugs.empty()) {
    const run::FoundBug& bug = outcome.bugs.front();
    return Error{"The runner of a litmus program failed: " + bug.trace.findings[bug.finding].message + " (" +
                     bug.artifact + "). Its output was:\n" + bug.trace.output,
                 ExitCode::kOwnError};
  }
  return outcome;
}

Explored without_outcomes(const report::CampaignReport& report) {
  Explored explored;
  explored.executions = report.executions;
  explored.pruned_executions = report.pruned_executions;
  explored.exhausted = report.search_ended;
  return explored;
}

std::size_t outcome_size(const litmus::Program& program) {
  return static_cast<std::size_t>(litmus::OutcomeLayout(program).size);
}

Error strange_answer(const std::string& text) {
  return {"The runner of a litmus program answered \"" + text + "\".", ExitCode::kOwnError};
}

}  // namespace

Result<Explored> explore_program(const run::Target& runner, const litmus::Program& program,
                                 const ExploreOptions& options) {
  const auto outcome = run_exploration(runner, options);
  if (!outcome) return outcome.error();
  Explored explored = without_outcomes(outcome->report);
  for (const auto& [text, first] : outcome->report.first_executions) {
    litmus::Outcome numbers = litmus::outcome_of(text);
    if (numbers.size() != outcome_size(program)) return strange_answer(text);
    explored.outcomes.emplace(std::move(numbers), first);
  }
  return explored;
}

Result<std::vector<Explored>> explore_programs(const run::Target& interpreter,
                                               const std::vector<litmus::Program>& programs,
                                               const ExploreOptions& options) {
  if (programs.size() == 1) {
    auto explored = explore_program(with_program(interpreter, programs[0]), programs[0], options);
    if (!explored) return explored.error();
    return std::vector<Explored>{std::move(*explored)};
  }
  run::Target runner = interpreter;
  runner.argv.resize(1);
  for (const litmus::Program& program : programs) runner.argv.push_back(to_string(program));
  const auto outcome = run_exploration(runner, options);
  if (!outcome) return outcome.error();
  std::vector<Explored> explored(programs.size(), without_outcomes(outcome->report));
  for (const auto& [text, first] : outcome->report.first_executions) {
    litmus::Outcome numbers = litmus::outcome_of(text);
    const std::size_t number = numbers.empty() ? programs.size() : static_cast<std::size_t>(numbers[0]);
    if (number >= programs.size() || numbers.size() != outcome_size(programs[number]) + 1)
      return strange_answer(text);
    explored[number].outcomes.emplace(litmus::Outcome(numbers.begin() + 1, numbers.end()), first);
  }
  return explored;
}

}  // namespace heddle::bench
