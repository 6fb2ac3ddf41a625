#include "tool/merge/replay/engine_oracle.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <set>

#include "core/trace/orders.h"
#include "tool/merge/replay/observed_races.h"
#include "tool/record/element_orders.h"
#include "tool/run/failure_place.h"
#include "tool/symbols/symboliser.h"

namespace heddle::merge {
namespace {

constexpr std::size_t kMostRaces = 64;  // of an execution
// What an execution may take: twenty times what the runs took.
constexpr std::uint64_t kFewestSteps = 50'000;
constexpr std::uint64_t kStepsForAccess = 20;

AccessVector vector_of(std::uint64_t element, std::string_view bytes) {
  AccessVector vector;
  vector.element = element;
  VectorReader reader(bytes);
  for (Run run; reader.next(run);) vector.runs.push_back({run.thread, run.with_last, run.count, 0, 0});
  return vector;
}

void add_turned(const std::vector<TurnedRace>& turned, std::vector<AccessVector>& vectors,
                std::vector<std::string>& threads) {
  for (const TurnedRace& race : turned) {
    AccessVector& vector = vectors.emplace_back();
    vector.element = race.element;
    for (const TurnedRace::Turn& turn : race.turns) {
      auto at = std::ranges::find(threads, turn.thread);
      if (at == threads.end()) at = threads.insert(at, turn.thread);
      vector.runs.push_back({static_cast<std::uint32_t>(at - threads.begin()), false, turn.accesses, 0, 0});
    }
  }
}

}  // namespace

EngineOracle::EngineOracle(const run::Target& target, const LogSet& logs,
                           const std::vector<std::string>& threads, EngineOptions options)
    : target_(target), logs_(logs), threads_(threads), options_(std::move(options)) {
  // As long as the longest run that logs tell of, were all elements recorded.
  std::uint64_t accesses = 0;
  for (ElementIndex e = 0; e < logs.elements(); ++e) {
    std::uint64_t longest = 0;
    for (const VectorIndex v : logs.vectors_of(e)) longest = std::max(longest, length_of(logs.bytes(v)));
    accesses += longest;
  }
  if (logs.elements() != 0) accesses = accesses * logs.universe() / logs.elements();
  most_steps_ = std::min<std::uint64_t>(RunSpec{}.max_steps, kFewestSteps + kStepsForAccess * accesses);
}

// In the order of their ids, as the answers come. `elements`: which they are.
std::vector<AccessVector> EngineOracle::vectors_of(const Candidate& candidate,
                                                   std::vector<ElementIndex>& elements) const {
  for (ElementIndex e = 0; e < candidate.vectors.size(); ++e) {
    if (candidate.vectors[e] != kNone) elements.push_back(e);
  }
  std::sort(elements.begin(), elements.end(),
            [&](ElementIndex a, ElementIndex b) { return logs_.id(a) < logs_.id(b); });
  std::vector<AccessVector> vectors;
  for (const ElementIndex e : elements)
    vectors.push_back(vector_of(logs_.id(e), logs_.bytes(candidate.vectors[e])));
  return vectors;
}

// The base's order of all entries, where it is to be followed.
bool EngineOracle::add_entries(const Candidate& candidate, std::vector<AccessVector>& vectors) const {
  if (candidate.entries == Candidate::Entries::kLeft || candidate.base == kNone) return false;
  const std::string_view order = logs_.entry_order(candidate.base);
  if (order.empty() || !is_access_vector(order, threads_.size())) return false;
  vectors.push_back(vector_of(kAllEntries, order));
  return true;
}

RunSpec EngineOracle::spec_of(const Candidate& candidate, std::uint64_t seed) const {
  const bool is_of_blocks = options_.scheme == AccessScheme::kBlocks;
  RunSpec spec;
  spec.seed = seed;
  spec.element_points = element_points::kAccesses;
  if (is_of_blocks) spec.element_points |= element_points::kEvents | element_points::kBlocks;
  spec.model = ModelKind::kSc;  // vectors are about what came last
  spec.max_spurious = 0;        // wake-ups without a reason would be accesses that no log has
  // A thread that polls for what another would do, who has to wait for its turn, goes on for ever: candidates
  // that do not fit would take as long as their time limit.
  spec.max_steps = most_steps_;
  spec.timeout_ns = static_cast<std::uint64_t>(options_.seconds * 1e9);
  // Where races are turned round, all else is to stay as it was: threads have priorities, which never change.
  const std::string_view strategy = is_of_blocks && !candidate.to_chance ? "pct:d=1" : "random";
  std::memcpy(spec.strategy, strategy.data(), strategy.size());
  spec.strategy[strategy.size()] = '\0';
  return spec;
}

Result<Attempt> EngineOracle::replay(const Candidate& candidate, std::uint64_t seed) {
  std::vector<ElementIndex> elements;
  std::vector<AccessVector> vectors = vectors_of(candidate, elements);
  for (const ElementIndex e : elements) {
    if (!is_access_vector(logs_.bytes(candidate.vectors[e]), threads_.size()))
      return Error{"The log store has a vector that names no thread.", ExitCode::kBadInput};
  }
  const bool follows_entries = add_entries(candidate, vectors);
  std::vector<std::string> threads = threads_;
  add_turned(candidate.turned, vectors, threads);
  std::set<std::uint64_t> lent;
  for (const ElementIndex e : elements) {
    if (candidate.gives_way && is_borrowed(logs_, candidate, e)) lent.insert(logs_.id(e));
  }
  std::vector<std::byte> orders =
      make_orders(vectors, threads, lent, candidate.gives_way && !candidate.keeps_base);
  if (!orders.empty()) {
    OrderTable& table = *reinterpret_cast<OrderTable*>(orders.data());
    table.prefers_turns = candidate.in_turn ? 1 : 0;
    table.keeps_abreast = candidate.abreast ? 1 : 0;
    if (follows_entries)
      table.follows_entries = candidate.entries == Candidate::Entries::kEarly ? kEntriesEarly : kEntriesLate;
  }
  const RunSpec spec = spec_of(candidate, seed);
  run::SingleOptions how;
  if ((spec.element_points & element_points::kEvents) != 0)
    how.kept_events = std::numeric_limits<std::size_t>::max();
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
  for (const OrderVector& order : run->orders) {
    const auto at =
        std::ranges::lower_bound(elements, order.element, {}, [&](ElementIndex e) { return logs_.id(e); });
    // (Of a race that is turned round, the order is no log's.)
    if (at == elements.end() || logs_.id(*at) != order.element) continue;
    const bool is_own = !is_borrowed(logs_, candidate, *at);
    attempt.followed[*at] = order.reached;
    if (is_own) attempt.as_base += order.reached;
    if (order.out_of_turn == 0) continue;
    attempt.stuck.push_back(*at);
    // Its own log's order was not kept: what came of it says nothing of the candidate.
    if (is_own) attempt.verdict = Verdict::kInfeasible;
  }
  const auto failed = take_failure(*run);
  if (!failed) return failed.error();
  if (*failed) {
    attempt.verdict = Verdict::kReproduced;
  } else if (run->result.ending == Ending::kInfeasible) {
    attempt.verdict = Verdict::kInfeasible;
    const std::uint32_t stuck = run->result.divergence_choice;
    if (candidate.turned.empty() && stuck < elements.size()) attempt.stuck.push_back(elements[stuck]);
  }
  if (attempt.verdict != Verdict::kReproduced && (spec.element_points & element_points::kEvents) != 0) {
    attempt.races = turned_round(run->trace, kMostRaces, attempt.verdict == Verdict::kInfeasible);
  }
  return attempt;
}

// An artifact has no events of plain accesses that nobody asked for.
Result<Trace> EngineOracle::without_accesses(const Trace& trace) const {
  RunSpec spec = trace.spec;
  spec.element_points &= static_cast<std::uint8_t>(~element_points::kEvents);
  spec.replay = ReplayKind::kExact;
  run::SingleOptions how;
  how.allowed_exits = options_.allowed_exits;
  how.replay = trace.choices;
  auto run = run::run_single(target_, spec, how);
  if (!run) return run.error();
  Trace clean = std::move(run->trace);
  clean.spec.replay = ReplayKind::kNone;
  return clean;
}

Result<bool> EngineOracle::take_failure(run::SingleRun& run) {
  Trace& trace = run.trace;
  bool is_symbolised = false;
  for (std::size_t i = 0; i < trace.findings.size(); ++i) {
    const TraceFinding& finding = trace.findings[i];
    if (!run::is_kind_of_failure(finding.kind, options_.place)) {
      if (finding.severity == Severity::kBug) ++others_[finding.message];
      continue;
    }
    if (!is_symbolised) {
      Symboliser symboliser(trace.modules);
      symbolise(trace, symboliser);
      is_symbolised = true;
    }
    const auto [known, is_new] = is_failure_.try_emplace(finding.signature, false);
    if (is_new) known->second = run::is_failure_at(trace, finding, options_.place);
    if (!known->second) {
      ++others_[finding.message];
      continue;
    }
    const std::uint64_t signature = finding.signature;
    if ((trace.spec.element_points & element_points::kEvents) != 0) {
      auto clean = without_accesses(trace);
      if (!clean) return clean.error();
      trace = std::move(*clean);
    }
    const auto same = std::ranges::find(trace.findings, signature, &TraceFinding::signature);
    if (same == trace.findings.end())
      return Error{"The failure did not come again when its execution was repeated.", ExitCode::kOwnError};
    std::rotate(trace.findings.begin(), same, same + 1);
    trace_ = std::move(trace);
    return true;
  }
  return false;
}

}  // namespace heddle::merge
