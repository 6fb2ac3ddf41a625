#include "tool/linearize/check_client.h"

#include <algorithm>
#include <cstring>
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

Checked ClientChecker::operator()(const lin::Client& client, const std::vector<Choice>& schedule,
                                  Effort effort) {
  constexpr std::uint64_t kMostQuick = 24;
  const auto at_once = std::count_if(client.threads.begin(), client.threads.end(),
                                     [](const lin::Steps& steps) { return !steps.empty(); });
  // What one thread does alone has one history.
  if (at_once < 2) return {try_in(searcher_, options_.spec, client, 1, {}), true};
  if (!schedule.empty()) {
    RunSpec guided = options_.spec;
    guided.replay = ReplayKind::kGuided;
    if (auto violated = try_in(guided_, guided, client, 1, schedule)) return {std::move(violated), false};
  }
  if (effort == Effort::kGuided) return {};
  const std::uint64_t sigma = options_.executions.value_or(1);
  if (effort == Effort::kQuick)
    return {try_in(searcher_, options_.spec, client, std::min(sigma, kMostQuick), {}), false};
  if (Checked all = try_all(client, 2 * sigma); all.violated || all.complete) return all;
  return {try_in(searcher_, options_.spec, client, sigma, {}), false};
}

// Exhaustive search as long as it promises to end within so many executions.
Checked ClientChecker::try_all(const lin::Client& client, std::uint64_t most) {
  constexpr std::uint64_t kProbe = 64;
  RunSpec spec = options_.spec;
  std::strcpy(spec.strategy, "exhaustive");
  std::optional<ClientWorker> worker;
  Checked checked;
  checked.violated = try_in(worker, spec, client, std::min(kProbe, most), {});
  if (!checked.violated && worker && !worker->explored_all() && most > kProbe &&
      worker->expected_executions() <= static_cast<double>(most))
    checked.violated = try_in(worker, spec, client, most - kProbe, {});
  checked.complete = worker && worker->explored_all();
  return checked;
}

std::optional<Violated> ClientChecker::try_in(std::optional<ClientWorker>& worker, const RunSpec& spec,
                                              const lin::Client& client, std::uint64_t executions,
                                              const std::vector<Choice>& schedule) {
  // Room for a schedule twice as long as the first. Exhaustive search knows one client only.
  const bool is_exhaustive =
      spec.replay == ReplayKind::kNone && std::string_view(spec.strategy).starts_with("exhaustive");
  const bool is_other = worker && is_exhaustive && worker->latest_client() != client.text();
  if (worker && (schedule.size() > worker->room() || is_other)) worker.reset();
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
