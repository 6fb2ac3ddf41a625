#include "tool/merge/neighbours.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "core/base/random.h"

namespace heddle::merge {
namespace {

constexpr std::size_t kSamples = 96;       // positions of a vector that stand for it
constexpr std::size_t kBand = 6;           // samples that have to agree for two vectors to meet in a bucket
constexpr std::size_t kExactOf = 8;        // logs for each missing element that are compared in full
constexpr std::size_t kAllSampled = 4096;  // up to so many logs all are candidates
constexpr std::size_t kMostCandidates = 2048;

}  // namespace

struct NeighbourIndex::Best {
  double similarity = -1;
  std::uint64_t turn = 0;
  LogIndex log = kNone;
};

struct NeighbourIndex::Scratch {
  std::vector<VectorIndex> row;  // the base's vector of each element
  std::vector<Best> best;        // for each missing element
  std::vector<ElementIndex> missing;
  std::vector<std::uint32_t> seen;  // by log: stamp of the base that looked at it last
  std::uint32_t stamp = 0;
  std::vector<LogIndex> candidates;
  std::vector<std::vector<std::pair<double, LogIndex>>> estimates;  // by missing element
};

struct NeighbourIndex::Pool {
  std::mutex lock;
  std::vector<std::unique_ptr<Scratch>> free;
  std::atomic<std::uint64_t> compared{0};
};

// Sampled positions of each element, and what each vector has there.
struct NeighbourIndex::Sketches {
  explicit Sketches(const LogSet& logs, std::uint64_t seed);
  double alike(VectorIndex a, VectorIndex b, std::size_t samples) const;

  std::vector<std::vector<std::uint64_t>> positions;  // by element
  std::vector<std::uint32_t> threads;                 // kSamples for each vector
  std::vector<std::uint64_t> lengths;                 // of vectors
  std::vector<std::uint32_t> element;                 // of vectors
  // Buckets of vectors that agree on a band of samples: (vector → its buckets), (bucket → vectors).
  std::vector<std::vector<std::uint32_t>> buckets_of;
  std::vector<std::vector<VectorIndex>> buckets;
};

NeighbourIndex::Sketches::Sketches(const LogSet& logs, std::uint64_t seed) {
  lengths.resize(logs.vectors());
  element.resize(logs.vectors());
  threads.assign(logs.vectors() * kSamples, kNoThread);
  Random random(seed);
  for (ElementIndex e = 0; e < logs.elements(); ++e) {
    std::uint64_t longest = 0;
    for (const VectorIndex v : logs.vectors_of(e)) {
      lengths[v] = length_of(logs.bytes(v));
      element[v] = e;
      longest = std::max(longest, lengths[v]);
    }
    std::vector<std::uint64_t>& at = positions.emplace_back();
    // Stratified, so that no stretch of a vector is without a sample.
    const std::uint64_t count = std::min<std::uint64_t>(longest, kSamples);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t from = longest * i / count, to = longest * (i + 1) / count;
      at.push_back(from + random.next() % (to - from));
    }
    for (const VectorIndex v : logs.vectors_of(e)) sample(logs.bytes(v), at, &threads[v * kSamples]);
  }
  if (logs.logs() <= kAllSampled) return;
  buckets_of.resize(logs.vectors());
  std::unordered_map<std::uint64_t, std::uint32_t> by_hash;
  std::vector<std::size_t> order(kSamples);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = kSamples; i > 1; --i)
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  for (VectorIndex v = 0; v < logs.vectors(); ++v) {
    for (std::size_t band = 0; band + kBand <= kSamples; band += kBand) {
      std::uint64_t hash = mix(element[v], band);
      for (std::size_t i = band; i < band + kBand; ++i) hash = mix(hash, threads[v * kSamples + order[i]]);
      const auto [at, is_new] = by_hash.try_emplace(hash, static_cast<std::uint32_t>(buckets.size()));
      if (is_new) buckets.emplace_back();
      buckets[at->second].push_back(v);
      buckets_of[v].push_back(at->second);
    }
  }
}

double NeighbourIndex::Sketches::alike(VectorIndex a, VectorIndex b, std::size_t samples) const {
  if (a == b) return 1;
  const std::uint64_t longer = std::max(lengths[a], lengths[b]);
  const auto& at = positions[element[a]];
  const std::uint32_t* x = &threads[a * kSamples];
  const std::uint32_t* y = &threads[b * kSamples];
  const std::size_t count = std::min(samples, at.size());
  std::size_t equal = 0, within = 0;
  for (std::size_t i = 0; i < count; ++i) {
    equal += x[i] == y[i] && x[i] != kNoThread ? 1 : 0;
    within += at[i] < longer ? 1 : 0;
  }
  return within == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(within);
}

NeighbourIndex::NeighbourIndex(const LogSet& logs, Metric metric, std::uint64_t seed)
    : logs_(logs), metric_(metric), seed_(seed), weights_(weights_of(logs, metric)), pool_(new Pool) {
  std::vector<LogIndex> shuffled(logs.logs());
  std::iota(shuffled.begin(), shuffled.end(), 0);
  Random random(seed);
  for (std::size_t i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[random.below(static_cast<std::uint32_t>(i))]);
  place_.resize(shuffled.size());
  with_vector_.resize(logs.vectors());
  with_element_.resize(logs.elements());
  for (std::size_t i = 0; i < shuffled.size(); ++i) {
    place_[shuffled[i]] = static_cast<std::uint32_t>(i);
    for (const Recorded& r : logs.log(shuffled[i])) {
      with_vector_[r.vector].push_back(shuffled[i]);
      with_element_[r.element].push_back(shuffled[i]);
    }
  }
  if (metric == Metric::kDhs) sketches_ = std::make_unique<Sketches>(logs, seed);
}

NeighbourIndex::~NeighbourIndex() = default;

std::uint64_t NeighbourIndex::compared() const { return pool_->compared.load(); }

std::unique_ptr<NeighbourIndex::Scratch> NeighbourIndex::take_scratch() const {
  {
    const std::lock_guard<std::mutex> guard(pool_->lock);
    if (!pool_->free.empty()) {
      auto scratch = std::move(pool_->free.back());
      pool_->free.pop_back();
      return scratch;
    }
  }
  auto scratch = std::make_unique<Scratch>();
  scratch->row.assign(logs_.elements(), kNone);
  scratch->best.resize(logs_.elements());
  scratch->seen.assign(logs_.logs(), 0);
  scratch->estimates.resize(logs_.elements());
  return scratch;
}

void NeighbourIndex::give_scratch(std::unique_ptr<Scratch> scratch) const {
  const std::lock_guard<std::mutex> guard(pool_->lock);
  pool_->free.push_back(std::move(scratch));
}

// How far a log is from where the shuffled order begins for this base.
std::uint64_t NeighbourIndex::turn(LogIndex base, LogIndex log) const {
  const std::uint64_t n = place_.size();
  return (place_[log] + n - mix(seed_, base) % n) % n;
}

void NeighbourIndex::offer(LogIndex base, LogIndex log, double similarity, Scratch& s) const {
  for (const Recorded& r : logs_.log(log)) {
    if (s.row[r.element] != kNone) continue;
    Best& best = s.best[r.element];
    if (similarity < best.similarity) continue;
    const std::uint64_t own_turn = turn(base, log);
    if (similarity > best.similarity || own_turn < best.turn) best = {similarity, own_turn, log};
  }
}

void NeighbourIndex::find_by_equal_vectors(LogIndex base, Scratch& s) const {
  const auto own = logs_.log(base);
  std::vector<Recorded> lists(own.begin(), own.end());
  std::sort(lists.begin(), lists.end(), [&](const Recorded& a, const Recorded& b) {
    return with_vector_[a.vector].size() < with_vector_[b.vector].size();
  });
  std::uint64_t unseen = 0;  // weight that a log may have in the lists that were not looked at
  for (const Recorded& r : lists) unseen += weights_.of_element[r.element];
  const auto total = static_cast<double>(weights_.total);
  std::uint64_t compared = 0;
  for (const Recorded& list : lists) {
    // Equally similar ones have to be seen, too, since chance decides among them.
    const double most = static_cast<double>(unseen * weights_.total) / (total * total);
    const bool done = std::ranges::all_of(
        s.missing, [&](ElementIndex e) { return with_element_[e].empty() || s.best[e].similarity > most; });
    if (done) break;
    unseen -= weights_.of_element[list.element];
    for (const LogIndex log : with_vector_[list.vector]) {
      if (s.seen[log] == s.stamp) continue;
      s.seen[log] = s.stamp;
      std::uint64_t equal = 0, different = 0;
      for (const Recorded& r : logs_.log(log)) {
        const VectorIndex mine = s.row[r.element];
        if (mine == kNone) continue;
        (mine == r.vector ? equal : different) += weights_.of_element[r.element];
      }
      ++compared;
      const double similarity = static_cast<double>(equal * (weights_.total - different)) / (total * total);
      offer(base, log, similarity, s);
    }
  }
  pool_->compared.fetch_add(compared, std::memory_order_relaxed);
}

// Few logs: all. Many: those with a vector that meets one of the base's in a bucket, rare ones first.
void NeighbourIndex::collect_candidates(LogIndex base, Scratch& s) const {
  s.candidates.clear();
  if (logs_.logs() <= kAllSampled) {
    for (LogIndex log = 0; log < logs_.logs(); ++log) {
      if (log != base) s.candidates.push_back(log);
    }
    return;
  }
  std::vector<std::uint32_t> meeting;
  for (const Recorded& r : logs_.log(base)) {
    const auto& of = sketches_->buckets_of[r.vector];
    meeting.insert(meeting.end(), of.begin(), of.end());
  }
  std::sort(meeting.begin(), meeting.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sketches_->buckets[a].size() < sketches_->buckets[b].size();
  });
  for (const std::uint32_t bucket : meeting) {
    for (const VectorIndex vector : sketches_->buckets[bucket]) {
      for (const LogIndex log : with_vector_[vector]) {
        if (log == base || s.seen[log] == s.stamp) continue;
        s.seen[log] = s.stamp;
        s.candidates.push_back(log);
        if (s.candidates.size() == kMostCandidates) return;
      }
    }
  }
}

void NeighbourIndex::find_by_samples(LogIndex base, Scratch& s) const {
  for (const ElementIndex e : s.missing) s.estimates[e].clear();
  collect_candidates(base, s);
  for (const LogIndex log : s.candidates) {
    double estimate = 0;
    for (const Recorded& r : logs_.log(log)) {
      if (s.row[r.element] == kNone) continue;
      estimate += sketches_->alike(s.row[r.element], r.vector, kSamples) *
                  static_cast<double>(weights_.of_element[r.element]);
    }
    for (const Recorded& r : logs_.log(log)) {
      if (s.row[r.element] == kNone) s.estimates[r.element].emplace_back(estimate, log);
    }
  }
  // Of a share of equal positions, three standard deviations of its estimate at most: what is further behind
  // the best has no chance.
  double margin = 0;
  for (const Recorded& r : logs_.log(base)) margin += static_cast<double>(weights_.of_element[r.element]);
  margin *= 3 * 0.5 / std::sqrt(static_cast<double>(kSamples));
  std::vector<LogIndex> worth;
  for (const ElementIndex e : s.missing) {
    auto& estimates = s.estimates[e];
    const auto end = estimates.begin() + static_cast<std::ptrdiff_t>(std::min(kExactOf, estimates.size()));
    std::partial_sort(estimates.begin(), end, estimates.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : turn(base, a.second) < turn(base, b.second);
    });
    for (auto at = estimates.begin(); at != end; ++at) {
      if (at->first + margin < estimates.front().first) break;
      worth.push_back(at->second);
    }
  }
  std::sort(worth.begin(), worth.end());
  worth.erase(std::unique(worth.begin(), worth.end()), worth.end());
  pool_->compared.fetch_add(worth.size(), std::memory_order_relaxed);
  for (const LogIndex log : worth)
    offer(base, log, similarity(logs_, weights_, metric_, base, log, &sketches_->lengths), s);
}

// What no log with anything in common has: similarity is zero for all that have it.
void NeighbourIndex::fill_from_anywhere(LogIndex base, Scratch& s) const {
  const std::uint64_t n = place_.size();
  for (const ElementIndex e : s.missing) {
    const auto& having = with_element_[e];
    if (s.best[e].similarity > 0 || having.empty()) continue;
    const std::uint64_t begin = mix(seed_, base) % n;
    auto first = std::lower_bound(having.begin(), having.end(), begin,
                                  [&](LogIndex log, std::uint64_t place) { return place_[log] < place; });
    if (first == having.end()) first = having.begin();
    s.best[e] = {0, turn(base, *first), *first};
  }
}

std::vector<Neighbour> NeighbourIndex::neighbours(LogIndex base) const {
  auto scratch = take_scratch();
  Scratch& s = *scratch;
  ++s.stamp;
  for (const Recorded& r : logs_.log(base)) s.row[r.element] = r.vector;
  s.missing.clear();
  for (ElementIndex e = 0; e < logs_.elements(); ++e) {
    s.best[e] = {};
    if (s.row[e] == kNone) s.missing.push_back(e);
  }
  s.seen[base] = s.stamp;
  if (metric_ == Metric::kDhs) {
    find_by_samples(base, s);
  } else {
    find_by_equal_vectors(base, s);
  }
  fill_from_anywhere(base, s);
  std::map<std::pair<double, std::uint64_t>, Neighbour> by_similarity;
  for (const ElementIndex e : s.missing) {
    const Best& best = s.best[e];
    if (best.log == kNone) continue;
    Neighbour& neighbour = by_similarity[{-best.similarity, best.turn}];
    neighbour.log = best.log;
    neighbour.similarity = best.similarity;
    neighbour.fills.push_back({e, logs_.recorded(best.log, e)});
  }
  for (const Recorded& r : logs_.log(base)) s.row[r.element] = kNone;
  give_scratch(std::move(scratch));
  std::vector<Neighbour> found;
  for (auto& [key, neighbour] : by_similarity) found.push_back(std::move(neighbour));
  return found;
}

}  // namespace heddle::merge
