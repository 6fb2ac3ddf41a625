#include "tool/linearize/check_client.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "tool/run/time_limit.h"

namespace heddle::linearize {
namespace {

// `left`: where the history is, if the trace has no events.
std::optional<Violated> violation_in(const Trace& trace, std::optional<std::string_view> left = {}) {
  for (std::size_t i = 0; i < trace.findings.size(); ++i) {
    if (trace.findings[i].kind != FindingKind::kNotLinearizable) continue;
    auto history = left ? observed_history(*left) : observed_history(trace);
    if (history) return Violated{trace, i, std::move(*history)};
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
  if (run::time_is_up()) return {};
  const auto at_once = std::count_if(client.threads.begin(), client.threads.end(),
                                     [](const lin::Steps& steps) { return !steps.empty(); });
  const std::string text = client.text();
  // What one thread does alone has one history.
  if (at_once < 2) return {try_client({text}), true};
  if (!schedule.empty()) {
    if (auto violated = try_client({text, ClientSearch::kGuided, 1, schedule}))
      return {std::move(violated), false};
  }
  if (effort == Effort::kGuided) return {};
  const std::uint64_t sigma = options_.executions.value_or(1);
  if (effort == Effort::kQuick) return {try_client({text, own_search(), std::min(sigma, kMostQuick)}), false};
  if (Checked all = try_all(text, 2 * sigma); all.violated || all.complete) return all;
  return {try_client({text, own_search(), sigma}), false};
}

ClientSearch ClientChecker::own_search() const {
  return std::string_view(options_.spec.strategy).starts_with("exhaustive") ? ClientSearch::kExhaustive
                                                                            : ClientSearch::kStrategy;
}

// Exhaustive search as long as it promises to end within so many executions.
Checked ClientChecker::try_all(const std::string& client, std::uint64_t most) {
  constexpr std::uint64_t kProbe = 64;
  Checked checked;
  checked.violated = try_client({client, ClientSearch::kExhaustive, std::min(kProbe, most)});
  if (!checked.violated && worker_ && !worker_->explored_all() && most > kProbe &&
      worker_->expected_executions() <= static_cast<double>(most))
    checked.violated = try_client({client, ClientSearch::kExhaustive, most - kProbe});
  checked.complete = worker_ && worker_->explored_all();
  return checked;
}

std::optional<Violated> ClientChecker::try_client(const ClientWorker::Wish& wish) {
  bool was_killed = false;
  auto violated = try_client(wish, was_killed);
  return was_killed ? try_client(wish, was_killed) : violated;
}

std::optional<Violated> ClientChecker::try_client(const ClientWorker::Wish& wish, bool& was_killed) {
  constexpr std::size_t kRoom = 1u << 16;
  if (worker_ && wish.log.size() > worker_->room()) worker_.reset();
  if (!worker_) {
    auto started = ClientWorker::start(target_, options_.spec, std::max(kRoom, 2 * wish.log.size()));
    if (!started) return std::nullopt;
    worker_ = std::move(*started);
  }
  std::optional<Violated> violated;
  const std::uint64_t before = worker_->executed();
  const auto done = worker_->run(wish, [&](const Trace& trace, std::string_view history) {
    violated = violation_in(trace, history);
    return !violated;
  });
  executions_ += worker_->executed() - before;
  was_killed = !done && !violated && worker_->was_killed();
  if (!done) worker_.reset();
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
