#include "tool/merge/ranking/candidates.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/base/random.h"

namespace heddle::merge {
namespace {

void sort_by_relevance(std::vector<Ranked>& ranking, std::uint64_t seed) {
  std::sort(ranking.begin(), ranking.end(), [&](const Ranked& a, const Ranked& b) {
    if (a.relevance != b.relevance) return a.relevance > b.relevance;
    return mix(seed, a.log) < mix(seed, b.log);
  });
}

Candidate alone(const LogSet& logs, const Ranked& base) {
  Candidate candidate{base.log, base.relevance, std::vector<VectorIndex>(logs.elements(), kNone)};
  if (base.log == kNone) return candidate;
  for (const Recorded& r : logs.log(base.log)) candidate.vectors[r.element] = r.vector;
  return candidate;
}

class ByRelevance : public Candidates {
 public:
  ByRelevance(const LogSet& logs, const NeighbourIndex& index, std::vector<Ranked> ranking)
      : logs_(logs), index_(index), ranking_(std::move(ranking)) {}
  std::optional<Candidate> next() override {
    if (at_ == ranking_.size()) return std::nullopt;
    return complete(logs_, index_, ranking_[at_++]);
  }

 private:
  const LogSet& logs_;
  const NeighbourIndex& index_;
  std::vector<Ranked> ranking_;
  std::size_t at_ = 0;
};

// Counts through one choice for each of some elements, the last one fastest.
class Combinations {
 public:
  // REQUIRES: no list is empty.
  explicit Combinations(std::vector<std::vector<VectorIndex>> lists)
      : lists_(std::move(lists)), picks_(lists_.size(), 0) {}
  bool at_end() const { return at_end_; }
  std::size_t size() const { return lists_.size(); }
  VectorIndex pick(std::size_t i) const { return lists_[i][picks_[i]]; }
  void advance() {
    std::size_t i = lists_.size();
    while (i > 0 && ++picks_[i - 1] == lists_[i - 1].size()) picks_[--i] = 0;
    at_end_ = i == 0;
  }

 private:
  std::vector<std::vector<VectorIndex>> lists_;
  std::vector<std::size_t> picks_;
  bool at_end_ = false;
};

std::vector<VectorIndex> failing_vectors(const LogSet& logs, ElementIndex element) {
  std::vector<VectorIndex> failing;
  for (const VectorIndex v : logs.vectors_of(element)) {
    if (logs.vector(v).failing != 0) failing.push_back(v);
  }
  return failing;
}

class AllCombinations : public Candidates {
 public:
  AllCombinations(const LogSet& logs, std::vector<Ranked> ranking)
      : logs_(logs), ranking_(std::move(ranking)) {}
  std::optional<Candidate> next() override {
    while (!combinations_ || combinations_->at_end()) {
      if (at_ == ranking_.size()) return std::nullopt;
      begin(ranking_[at_++]);
    }
    Candidate candidate = base_;
    for (std::size_t i = 0; i < combinations_->size(); ++i) {
      const VectorIndex vector = combinations_->pick(i);
      candidate.vectors[logs_.vector(vector).element] = vector;
    }
    combinations_->advance();
    return candidate;
  }

 private:
  void begin(const Ranked& ranked) {
    base_ = alone(logs_, ranked);
    std::vector<std::vector<VectorIndex>> lists;
    for (ElementIndex e = 0; e < logs_.elements(); ++e) {
      if (base_.vectors[e] != kNone) continue;
      std::vector<VectorIndex> list = failing_vectors(logs_, e);
      if (list.empty()) continue;
      std::stable_sort(list.begin(), list.end(), [&](VectorIndex a, VectorIndex b) {
        return logs_.vector(a).failing > logs_.vector(b).failing;
      });
      lists.push_back(std::move(list));
    }
    combinations_.emplace(std::move(lists));
  }

  const LogSet& logs_;
  std::vector<Ranked> ranking_;
  std::size_t at_ = 0;
  Candidate base_;
  std::optional<Combinations> combinations_;
};

class ByCorrelation : public Candidates {
 public:
  explicit ByCorrelation(const LogSet& logs) : logs_(logs), combinations_(best_of(logs)) {}
  std::optional<Candidate> next() override {
    if (combinations_.at_end()) return std::nullopt;
    Candidate candidate{kNone, 0, std::vector<VectorIndex>(logs_.elements(), kNone)};
    for (std::size_t i = 0; i < combinations_.size(); ++i) {
      const VectorIndex vector = combinations_.pick(i);
      candidate.vectors[logs_.vector(vector).element] = vector;
    }
    combinations_.advance();
    return candidate;
  }

 private:
  static std::vector<std::vector<VectorIndex>> best_of(const LogSet& logs) {
    std::vector<std::vector<VectorIndex>> lists;
    for (ElementIndex e = 0; e < logs.elements(); ++e) {
      std::vector<VectorIndex> best;
      double most = 0;
      for (const VectorIndex v : failing_vectors(logs, e)) {
        const double correlation = bug_correlation(logs, v);
        if (correlation < most) continue;
        if (correlation > most) best.clear();
        most = correlation;
        best.push_back(v);
      }
      if (!best.empty()) lists.push_back(std::move(best));
    }
    return lists;
  }

  const LogSet& logs_;
  Combinations combinations_;
};

}  // namespace

bool is_borrowed(const LogSet& logs, const Candidate& candidate, ElementIndex element) {
  return candidate.vectors[element] != kNone &&
         (candidate.base == kNone || logs.recorded(candidate.base, element) == kNone);
}

std::vector<Ranked> sgm_relevance(const LogSet& logs, const NeighbourIndex& index, std::uint64_t seed,
                                  unsigned jobs) {
  std::vector<Ranked> ranking(logs.logs());
  std::atomic<LogIndex> next_log{0};
  const auto work = [&] {
    constexpr LogIndex kAtOnce = 64;
    for (LogIndex begin = next_log.fetch_add(kAtOnce); begin < ranking.size();
         begin = next_log.fetch_add(kAtOnce)) {
      const auto end = static_cast<LogIndex>(std::min<std::size_t>(begin + kAtOnce, ranking.size()));
      for (LogIndex log = begin; log < end; ++log) {
        const auto neighbours = index.neighbours(log);
        double sum = 0;
        for (const Neighbour& n : neighbours) sum += n.similarity;
        ranking[log] = {log, neighbours.empty() ? 1 : sum / static_cast<double>(neighbours.size())};
      }
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < jobs; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  sort_by_relevance(ranking, seed);
  return ranking;
}

std::vector<Ranked> dgm_relevance(const LogSet& logs, std::uint64_t seed) {
  const Weights weights = weights_of(logs, Metric::kDsim);
  std::vector<Ranked> ranking;
  for (LogIndex log = 0; log < logs.logs(); ++log) {
    std::uint64_t sum = 0;
    for (const Recorded& r : logs.log(log)) sum += weights.of_element[r.element];
    ranking.push_back({log, static_cast<double>(sum) / static_cast<double>(weights.total)});
  }
  sort_by_relevance(ranking, seed);
  return ranking;
}

std::vector<Ranked> entries_relevance(const LogSet& logs, std::uint64_t seed) {
  std::vector<Ranked> ranking;
  for (LogIndex log = 0; log < logs.logs(); ++log) {
    double runs = 0;
    VectorReader reader(logs.entry_order(log));
    for (Run run; reader.next(run);) ++runs;
    ranking.push_back({log, runs});
  }
  if (std::ranges::all_of(ranking, [](const Ranked& r) { return r.relevance == 0; })) return {};
  sort_by_relevance(ranking, seed);
  return ranking;
}

Candidate complete(const LogSet& logs, const NeighbourIndex& index, const Ranked& base) {
  Candidate candidate = alone(logs, base);
  for (const Neighbour& neighbour : index.neighbours(base.log)) {
    for (const Recorded& r : neighbour.fills) candidate.vectors[r.element] = r.vector;
  }
  return candidate;
}

std::unique_ptr<Candidates> by_relevance(const LogSet& logs, const NeighbourIndex& index,
                                         std::vector<Ranked> ranking) {
  return std::make_unique<ByRelevance>(logs, index, std::move(ranking));
}

double bug_correlation(const LogSet& logs, VectorIndex vector) {
  const KnownVector& v = logs.vector(vector);
  std::uint64_t total = 0;  // failing logs that have the element
  for (const VectorIndex other : logs.vectors_of(v.element)) total += logs.vector(other).failing;
  if (v.failing == 0) return 0;
  const double failing = v.failing;
  const double sensitivity = failing / static_cast<double>(total);
  const double specificity = failing / (failing + v.passing);
  return 2 / (1 / sensitivity + 1 / specificity);
}

bool has_single_elements_only(const LogSet& logs) {
  for (LogIndex log = 0; log < logs.logs(); ++log) {
    if (logs.log(log).size() > 1) return false;
  }
  return true;
}

std::unique_ptr<Candidates> by_correlation(const LogSet& logs) {
  return std::make_unique<ByCorrelation>(logs);
}

std::unique_ptr<Candidates> all_combinations(const LogSet& logs, std::vector<Ranked> ranking) {
  if (ranking.empty()) ranking.push_back({});
  return std::make_unique<AllCombinations>(logs, std::move(ranking));
}

}  // namespace heddle::merge
