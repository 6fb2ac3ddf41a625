#include "tool/linearize/check_client.h"

#include <atomic>
#include <utility>

namespace heddle::linearize {
namespace {

std::optional<Violated> violation_in(const Trace& trace) {
  for (std::size_t i = 0; i < trace.findings.size(); ++i) {
    if (trace.findings[i].kind != FindingKind::kNotLinearizable) continue;
    if (auto history = observed_history(trace)) return Violated{trace, i, std::move(*history)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Violated> violation_of(const run::CampaignOutcome& outcome) {
  for (const run::FoundBug& bug : outcome.bugs) {
    if (!bug.confirmed) continue;
    if (auto violated = violation_in(bug.trace)) return violated;
  }
  return std::nullopt;
}

std::optional<Violated> ClientChecker::operator()(const lin::Client& client,
                                                  const std::vector<Choice>& schedule) {
  const run::Target target = with_client(client);
  if (!schedule.empty()) {
    if (auto violated = follow(target, schedule)) return violated;
  }
  const std::atomic<bool> interrupted{false};
  const run::CampaignOutcome outcome = run::Campaign(target, options_).run(interrupted);
  executions_ += outcome.report.executions;
  return violation_of(outcome);
}

std::optional<Violated> ClientChecker::follow(const run::Target& target,
                                              const std::vector<Choice>& schedule) {
  RunSpec spec = options_.spec;
  spec.replay = ReplayKind::kGuided;
  run::SingleOptions single;
  single.replay = schedule;
  single.symbolise = false;
  ++executions_;
  auto run = run::run_single(target, spec, single);
  return run ? violation_in(run->trace) : std::nullopt;
}

std::optional<Violated> ClientChecker::with_symbols(const Violated& violated) const {
  RunSpec spec = violated.trace.spec;
  spec.replay = ReplayKind::kExact;
  run::SingleOptions single;
  single.index = violated.trace.execution;
  single.replay = violated.trace.choices;
  auto run = run::run_single(with_client(violated.history.client), spec, single);
  return run ? violation_in(run->trace) : std::nullopt;
}

run::Target ClientChecker::with_client(const lin::Client& client) const {
  run::Target target = target_;
  target.argv.insert(target.argv.end(), {"--client", client.text()});
  return target;
}

}  // namespace heddle::linearize
