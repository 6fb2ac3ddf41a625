#include "tool/linearize/check_client.h"

#include <algorithm>
#include <string_view>
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
                                                  const std::vector<Choice>& schedule, Effort effort) {
  constexpr std::uint64_t kQuickShare = 16;
  const auto at_once = std::count_if(client.threads.begin(), client.threads.end(),
                                     [](const lin::Steps& steps) { return !steps.empty(); });
  // What one thread does alone has one history.
  if (at_once < 2) return try_in(searcher_, options_.spec, client, 1, {});
  if (!schedule.empty()) {
    RunSpec guided = options_.spec;
    guided.replay = ReplayKind::kGuided;
    if (auto violated = try_in(guided_, guided, client, 1, schedule)) return violated;
  }
  const std::uint64_t sigma = options_.executions.value_or(1);
  const std::uint64_t executions =
      effort == Effort::kThorough ? sigma : (sigma + kQuickShare - 1) / kQuickShare;
  return try_in(searcher_, options_.spec, client, executions, {});
}

std::optional<Violated> ClientChecker::try_in(std::optional<ClientWorker>& worker, const RunSpec& spec,
                                              const lin::Client& client, std::uint64_t executions,
                                              const std::vector<Choice>& schedule) {
  // Room for a schedule twice as long as the first. Exhaustive search knows one client only.
  const bool is_exhaustive = std::string_view(spec.strategy).starts_with("exhaustive");
  if (worker && (schedule.size() > worker->room() || is_exhaustive)) worker.reset();
  if (!worker) {
    auto started = ClientWorker::start(target_, spec, 2 * schedule.size());
    if (!started) return std::nullopt;
    worker = std::move(*started);
  }
  std::optional<Violated> violated;
  const std::uint64_t before = worker->executed();
  const auto done = worker->run(
      client.text(), executions,
      [&](const Trace& trace) {
        violated = violation_in(trace);
        return !violated;
      },
      schedule);
  executions_ += worker->executed() - before;
  if (!done) worker.reset();
  return violated;
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
