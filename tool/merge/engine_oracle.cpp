#include "tool/merge/engine_oracle.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tool/artifact/symboliser.h"
#include "tool/merge/failure_place.h"
#include "tool/record/element_orders.h"

namespace heddle::merge {

EngineOracle::EngineOracle(const run::Target& target, const LogSet& logs,
                           const std::vector<std::string>& threads, EngineOptions options)
    : target_(target), logs_(logs), threads_(threads), options_(std::move(options)) {}

// In the order of their ids, as the answers come. `elements`: which they are.
std::vector<AccessVector> EngineOracle::vectors_of(const Candidate& candidate,
                                                   std::vector<ElementIndex>& elements) const {
  for (ElementIndex e = 0; e < candidate.vectors.size(); ++e) {
    if (candidate.vectors[e] != kNone) elements.push_back(e);
  }
  std::sort(elements.begin(), elements.end(),
            [&](ElementIndex a, ElementIndex b) { return logs_.id(a) < logs_.id(b); });
  std::vector<AccessVector> vectors;
  for (const ElementIndex e : elements) {
    AccessVector& vector = vectors.emplace_back();
    vector.element = logs_.id(e);
    VectorReader reader(logs_.bytes(candidate.vectors[e]));
    for (Run run; reader.next(run);) vector.runs.push_back({run.thread, run.with_last, run.count});
  }
  return vectors;
}

Result<Attempt> EngineOracle::replay(const Candidate& candidate, std::uint64_t seed) {
  std::vector<ElementIndex> elements;
  const std::vector<AccessVector> vectors = vectors_of(candidate, elements);
  for (const ElementIndex e : elements) {
    if (!is_access_vector(logs_.bytes(candidate.vectors[e]), threads_.size()))
      return Error{"The log store has a vector that names no thread.", ExitCode::kBadInput};
  }
  const std::vector<std::byte> orders = make_orders(vectors, threads_);
  RunSpec spec;
  spec.seed = seed;
  spec.element_points = 1;
  spec.model = ModelKind::kSc;  // vectors are about what came last
  spec.timeout_ns = static_cast<std::uint64_t>(options_.seconds * 1e9);
  // PRES (SOSP 2009, §4): what a sketch leaves open is tried with as few deviations as can be first, and with
  // more as attempts fail.
  const std::string strategy = options_.scheme == AccessScheme::kBlocks && executions_ < 3
                                   ? "pct:d=" + std::to_string(executions_ + 1)
                                   : "random";
  ++executions_;
  std::memcpy(spec.strategy, strategy.c_str(), strategy.size() + 1);
  run::SingleOptions how;
  how.symbolise = false;
  how.allowed_exits = options_.allowed_exits;
  how.orders = orders;
  const auto began = std::chrono::steady_clock::now();
  auto run = run::run_single(target_, spec, how);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (!run) return run.error();
  if (run->result.ending == Ending::kInternalError || run->result.ending == Ending::kUnsupported)
    return Error{"The program cannot be run under heddle: " + run->trace.result.message,
                 ExitCode::kInconclusive};
  Attempt attempt;
  attempt.followed.assign(candidate.vectors.size(), 0);
  for (std::size_t i = 0; i < elements.size() && i < run->orders_reached.size(); ++i)
    attempt.followed[elements[i]] = run->orders_reached[i];
  if (take_failure(*run)) {
    attempt.verdict = Verdict::kReproduced;
  } else if (run->result.ending == Ending::kInfeasible) {
    attempt.verdict = Verdict::kInfeasible;
    const std::uint32_t stuck = run->result.divergence_choice;
    if (stuck < elements.size()) attempt.stuck.push_back(elements[stuck]);
  }
  return attempt;
}

bool EngineOracle::take_failure(run::SingleRun& run) {
  Trace& trace = run.trace;
  bool is_symbolised = false;
  for (std::size_t i = 0; i < trace.findings.size(); ++i) {
    const TraceFinding& finding = trace.findings[i];
    if (!is_kind_of_failure(finding.kind, options_.place)) {
      if (finding.severity == Severity::kBug) ++others_[finding.message];
      continue;
    }
    if (!is_symbolised) {
      Symboliser symboliser(trace.modules);
      symbolise(trace, symboliser);
      is_symbolised = true;
    }
    const auto [known, is_new] = is_failure_.try_emplace(finding.signature, false);
    if (is_new) known->second = is_failure_at(trace, finding, options_.place);
    if (!known->second) {
      ++others_[finding.message];
      continue;
    }
    std::rotate(trace.findings.begin(), trace.findings.begin() + static_cast<std::ptrdiff_t>(i),
                trace.findings.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    trace_ = std::move(trace);
    return true;
  }
  return false;
}

}  // namespace heddle::merge
