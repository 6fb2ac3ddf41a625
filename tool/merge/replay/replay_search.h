// Algorithm 5 of the thesis (§3.4): candidate replay logs are tried until one shows the bug or the attempts
// are spent; combinations by brute force come last.
//
// Beyond it, what an attempt taught spares others: an attempt that got stuck, or went to its end, would do so
// again under every candidate that agrees with it as far as it came. And candidates that do not fit are taken
// apart: vectors of other logs than the base are dropped, those first that stood in the way. What nothing
// prescribes any more is left to a strategy of the engine. A base log alone always fits, since it was recorded
// in one run.
#pragma once

#include <functional>

#include "core/base/result.h"
#include "tool/merge/ranking/candidates.h"

namespace heddle::merge {

enum class Heuristic {
  kSgm,
  kDgm,
  kBoth,  // in turns, DGM first; of blocks, before them those that tell most of the order of all
};

enum class Verdict {
  kReproduced,
  kInfeasible,  // all threads waited for their turn
  kPassed,      // the vectors were followed, and the bug did not show
};

struct Attempt {
  Verdict verdict = Verdict::kPassed;
  // By element: accesses that were made in the prescribed order.
  std::vector<std::uint64_t> followed;
  // Elements whose next access was prescribed and could not come: where it was infeasible, and those whose
  // vectors gave way (Candidate::gives_way).
  std::vector<ElementIndex> stuck;
  std::uint64_t as_base = 0;  // accesses that were made in the order of the base's own vectors
  // What the next execution could do differently where vectors are of blocks, most promising first.
  std::vector<TurnedRace> races = {};
};

class ReplayOracle {
 public:
  virtual ~ReplayOracle() = default;
  // Enforces the vectors that are not kNone; `seed` is for what they leave open.
  virtual Result<Attempt> replay(const Candidate& candidate, std::uint64_t seed) = 0;
};

struct SearchOptions {
  Metric metric = Metric::kDsim;
  Heuristic heuristic = Heuristic::kBoth;
  std::uint64_t attempts = 500;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  // Executions of a candidate that leaves something to the strategy; 0: candidates are never taken apart,
  // as in the thesis.
  unsigned guided = 4;
  // Vectors are of blocks, and leave the order of accesses in them open: executions of each candidate that
  // turn round races of those before (PRES). 0: vectors are of variables.
  unsigned feedback = 0;
  bool prune = true;        // with what attempts taught
  bool brute_force = true;  // when the heuristics have no more
};

struct SearchOutcome {
  bool reproduced = false;
  Candidate candidate;  // that showed the bug
  std::uint64_t seed = 0;
  std::uint64_t attempts = 0;    // executions that were not broken off
  std::uint64_t broken_off = 0;  // executions that did not do what the base's blocks say
  std::uint64_t candidates = 0;  // that were tried
  std::uint64_t infeasible = 0;
  std::uint64_t passed = 0;
  std::uint64_t pruned = 0;  // candidates that were spared
  bool by_brute_force = false;
  bool guided = false;  // something was left to the strategy
  double relevance_seconds = 0;
};

using OnAttempt = std::function<void(std::uint64_t number, const Candidate&, const Attempt&)>;

Result<SearchOutcome> search(const LogSet& logs, ReplayOracle& oracle, const SearchOptions& options,
                             const OnAttempt& on_attempt = {});

}  // namespace heddle::merge
