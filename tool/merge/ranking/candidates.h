// Candidate replay logs in the order in which they are worth a try (thesis §3.3, §3.4): by similarity-guided
// merge, by dispersion-guided merge, by correlation with the bug where logs have one element each, and in the
// end all combinations that there are.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tool/merge/ranking/neighbours.h"
#include "tool/merge/ranking/turned_race.h"

namespace heddle::merge {

struct Candidate {
  LogIndex base = kNone;  // kNone: put together from many logs
  double relevance = 0;
  std::vector<VectorIndex> vectors;  // by element; kNone: nobody recorded it
  // Races that are to go the other way (turned_race.h), where vectors leave the order of accesses open.
  std::vector<TurnedRace> turned = {};
  bool gives_way = false;   // vectors do where they do not fit, those of the base last
  bool keeps_base = false;  // the base's never do: an execution that departs from its base is broken off
  bool in_turn = false;     // whoever the base waits for goes first where nothing is said
  // Who has done the smallest part of what its vectors have of it goes first, and who is done goes last.
  bool abreast = false;
  // Who enters a block next by the base's entry_order goes first; what threads do in other blocks comes late
  // or early (OrderTable::follows_entries).
  enum class Entries : std::uint8_t { kLeft, kLate, kEarly } entries = Entries::kLeft;
  bool to_chance = false;  // what it leaves open is drawn anew for each execution
};

// Is the element's vector of another log than the base?
bool is_borrowed(const LogSet& logs, const Candidate& candidate, ElementIndex element);

class Candidates {
 public:
  virtual ~Candidates() = default;
  virtual std::optional<Candidate> next() = 0;
};

struct Ranked {
  LogIndex log = kNone;
  double relevance = 0;
};

// SGM (Algorithm 1, equation 3.5): the mean similarity to the neighbours that complete the log. `jobs`
// threads. Most relevant first; equal ones in an order by the seed. A log that misses nothing has no
// neighbours: it needs none, and comes first with relevance 1.
std::vector<Ranked> sgm_relevance(const LogSet& logs, const NeighbourIndex& index, std::uint64_t seed,
                                  unsigned jobs);
// DGM (Algorithm 3, equation 3.6): the overall-dispersion of what it recorded.
std::vector<Ranked> dgm_relevance(const LogSet& logs, std::uint64_t seed);

// Ours: how often another thread came in the order in which its blocks were entered (entry_order.h), which
// says how the threads' paths lie side by side. Empty where no log has such an order.
std::vector<Ranked> entries_relevance(const LogSet& logs, std::uint64_t seed);

// The base completed by its neighbours (line 9 of Algorithm 1, Algorithm 4).
Candidate complete(const LogSet& logs, const NeighbourIndex& index, const Ranked& base);

// In the order of `ranking`, each completed when asked for. REQUIRES: `logs` and `index` outlive it.
std::unique_ptr<Candidates> by_relevance(const LogSet& logs, const NeighbourIndex& index,
                                         std::vector<Ranked> ranking);

// BugCorrelation (3.7-3.9): the harmonic mean of sensitivity and specificity.
double bug_correlation(const LogSet& logs, VectorIndex vector);
// Does every failing log have at most one element, so that nothing overlaps?
bool has_single_elements_only(const LogSet& logs);
// The vectors that correlate best; where several do, all combinations of those.
std::unique_ptr<Candidates> by_correlation(const LogSet& logs);

// Brute force (Algorithm 5, lines 10-12): for the bases in the order of `ranking`, all combinations of
// vectors for what each misses; those that many logs have, first. Without bases (one-element logs): all
// combinations of all vectors.
std::unique_ptr<Candidates> all_combinations(const LogSet& logs, std::vector<Ranked> ranking);

}  // namespace heddle::merge
