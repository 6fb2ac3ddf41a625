#include "tool/merge/neighbours.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <span>

#include "core/base/random.h"

namespace heddle::merge {
namespace {

constexpr std::size_t kSamples = 96;  // positions of a vector that stand for it
constexpr std::size_t kBand = 6;      // samples that have to agree for two vectors to meet in a bucket
constexpr std::size_t kBands = kSamples / kBand;
constexpr std::size_t kExactOf = 8;        // logs for each missing element that are compared in full
constexpr std::size_t kAllSampled = 4096;  // up to so many logs all are candidates
constexpr std::size_t kMostCandidates = 2048;

}  // namespace

struct NeighbourIndex::Scratch {
  explicit Scratch(const LogSet& logs) : query(logs), estimates(logs.elements()) {}
  NeighbourQuery query;
  ExactNeighbours::Scratch exact;
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
  using Samples = std::array<std::uint8_t, kSamples>;
  static constexpr std::uint8_t kPastEnd = 0xff;

  explicit Sketches(const LogSet& logs, const std::vector<LogIndex>& order, std::uint64_t seed);
  // Share of positions at which both have the same thread, as far as the samples say.
  double alike(VectorIndex a, VectorIndex b) const;
  std::span<const VectorIndex> bucket(std::uint32_t number) const {
    return {in_buckets.data() + begins[number], in_buckets.data() + begins[number + 1]};
  }

  std::vector<Samples> threads;        // by vector
  std::vector<std::uint8_t> within;    // by vector: sampled positions before its end
  std::vector<std::uint64_t> lengths;  // of vectors
  // Many logs: vectors that agree on a band of samples meet in a bucket.
  std::vector<std::array<std::uint32_t, kBands>> buckets_of;  // by vector; kNone: nobody else is in it
  std::vector<std::size_t> begins;                            // of buckets, in …
  std::vector<VectorIndex> in_buckets;
  std::vector<std::vector<LogIndex>> with_vector;  // in the shuffled order

 private:
  void take_samples(const LogSet& logs, Random& random);
  void fill_buckets(const LogSet& logs, Random& random);
};

NeighbourIndex::Sketches::Sketches(const LogSet& logs, const std::vector<LogIndex>& order,
                                   std::uint64_t seed) {
  Random random(seed);
  take_samples(logs, random);
  if (logs.logs() <= kAllSampled) return;
  fill_buckets(logs, random);
  with_vector.resize(logs.vectors());
  for (const LogIndex log : order) {
    for (const Recorded& r : logs.log(log)) with_vector[r.vector].push_back(log);
  }
}

void NeighbourIndex::Sketches::take_samples(const LogSet& logs, Random& random) {
  lengths.resize(logs.vectors());
  threads.resize(logs.vectors());
  within.resize(logs.vectors());
  std::vector<std::uint64_t> positions;
  std::array<std::uint32_t, kSamples> sampled;
  for (ElementIndex e = 0; e < logs.elements(); ++e) {
    std::uint64_t longest = 0;
    for (const VectorIndex v : logs.vectors_of(e)) {
      lengths[v] = length_of(logs.bytes(v));
      longest = std::max(longest, lengths[v]);
    }
    // Stratified, so that no stretch of a vector is without a sample.
    positions.clear();
    const std::uint64_t count = std::min<std::uint64_t>(longest, kSamples);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t from = longest * i / count, to = longest * (i + 1) / count;
      positions.push_back(from + random.next() % (to - from));
    }
    for (const VectorIndex v : logs.vectors_of(e)) {
      sample(logs.bytes(v), positions, sampled.data());
      threads[v].fill(kPastEnd);
      for (std::size_t i = 0; i < count; ++i) {
        // Threads beyond the 254th share a number: it is an estimate.
        if (sampled[i] == kNoThread) continue;
        threads[v][i] = static_cast<std::uint8_t>(std::min<std::uint32_t>(sampled[i], kPastEnd - 1));
        ++within[v];
      }
    }
  }
}

void NeighbourIndex::Sketches::fill_buckets(const LogSet& logs, Random& random) {
  std::array<std::uint8_t, kSamples> shuffled;
  std::iota(shuffled.begin(), shuffled.end(), std::uint8_t{0});
  for (std::size_t i = kSamples; i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[random.below(static_cast<std::uint32_t>(i))]);
  buckets_of.resize(logs.vectors());
  std::vector<std::pair<std::uint64_t, VectorIndex>> hashes(logs.vectors());
  for (std::size_t band = 0; band < kBands; ++band) {
    for (VectorIndex v = 0; v < logs.vectors(); ++v) {
      std::uint64_t hash = mix(logs.vector(v).element, band);
      for (std::size_t i = 0; i < kBand; ++i) hash = mix(hash, threads[v][shuffled[band * kBand + i]]);
      hashes[v] = {hash, v};
    }
    std::sort(hashes.begin(), hashes.end());
    for (std::size_t from = 0, to = 0; from < hashes.size(); from = to) {
      while (to < hashes.size() && hashes[to].first == hashes[from].first) ++to;
      const bool is_alone = to == from + 1;
      for (std::size_t i = from; i < to; ++i) {
        buckets_of[hashes[i].second][band] = is_alone ? kNone : static_cast<std::uint32_t>(begins.size());
        if (!is_alone) in_buckets.push_back(hashes[i].second);
      }
      if (!is_alone) begins.push_back(in_buckets.size() - (to - from));
    }
  }
  begins.push_back(in_buckets.size());
}

double NeighbourIndex::Sketches::alike(VectorIndex a, VectorIndex b) const {
  if (a == b) return 1;
  const Samples &x = threads[a], &y = threads[b];
  std::uint32_t equal = 0;
  for (std::size_t i = 0; i < kSamples; ++i) equal += x[i] == y[i] && x[i] != kPastEnd ? 1 : 0;
  const std::uint32_t of = std::max(within[a], within[b]);
  return of == 0 ? 0 : static_cast<double>(equal) / of;
}

NeighbourIndex::NeighbourIndex(const LogSet& logs, Metric metric, std::uint64_t seed)
    : logs_(logs),
      metric_(metric),
      seed_(seed),
      weights_(weights_of(logs, metric)),
      order_(logs.logs()),
      place_(logs.logs()),
      with_element_(logs.elements()),
      pool_(new Pool) {
  std::iota(order_.begin(), order_.end(), 0);
  Random random(seed);
  for (std::size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[random.below(static_cast<std::uint32_t>(i))]);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    place_[order_[i]] = static_cast<std::uint32_t>(i);
    for (const Recorded& r : logs.log(order_[i])) with_element_[r.element].push_back(order_[i]);
  }
  if (metric == Metric::kDhs)
    sketches_ = std::make_unique<Sketches>(logs, order_, seed);
  else
    exact_ = std::make_unique<ExactNeighbours>(logs, weights_, order_, place_);
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
  return std::make_unique<Scratch>(logs_);
}

void NeighbourIndex::give_scratch(std::unique_ptr<Scratch> scratch) const {
  const std::lock_guard<std::mutex> guard(pool_->lock);
  pool_->free.push_back(std::move(scratch));
}

// Few logs: all. Many: those with a vector that meets one of the base's in a bucket, rare ones first.
void NeighbourIndex::collect_candidates(Scratch& s) const {
  NeighbourQuery& query = s.query;
  s.candidates.clear();
  if (logs_.logs() <= kAllSampled) {
    for (LogIndex log = 0; log < logs_.logs(); ++log) {
      if (log != query.base) s.candidates.push_back(log);
    }
    return;
  }
  std::vector<std::span<const VectorIndex>> meeting;
  for (const Recorded& r : query.recorded) {
    for (const std::uint32_t bucket : sketches_->buckets_of[r.vector]) {
      if (bucket != kNone) meeting.push_back(sketches_->bucket(bucket));
    }
    // An equal vector is in all of them, and alone there where nobody else is.
    meeting.emplace_back(&r.vector, 1);
  }
  std::ranges::sort(meeting, [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (const auto& bucket : meeting) {
    for (const VectorIndex vector : bucket) {
      for (const LogIndex log : sketches_->with_vector[vector]) {
        if (query.seen[log] == query.stamp) continue;
        query.seen[log] = query.stamp;
        s.candidates.push_back(log);
        if (s.candidates.size() == kMostCandidates) return;
      }
    }
  }
}

void NeighbourIndex::find_by_samples(Scratch& s) const {
  NeighbourQuery& query = s.query;
  for (const ElementIndex e : query.missing) s.estimates[e].clear();
  collect_candidates(s);
  for (const LogIndex log : s.candidates) {
    double estimate = 0;
    for (const Recorded& r : logs_.log(log)) {
      if (query.row[r.element] == kNone) continue;
      estimate += sketches_->alike(query.row[r.element], r.vector) *
                  static_cast<double>(weights_.of_element[r.element]);
    }
    for (const Recorded& r : logs_.log(log)) {
      if (query.row[r.element] == kNone) s.estimates[r.element].emplace_back(estimate, log);
    }
  }
  // Of a share of equal positions, three standard deviations of its estimate at most: what is further behind
  // the best has no chance.
  double margin = 0;
  for (const Recorded& r : query.recorded) margin += static_cast<double>(weights_.of_element[r.element]);
  margin *= 3 * 0.5 / std::sqrt(static_cast<double>(kSamples));
  std::vector<LogIndex> worth;
  for (const ElementIndex e : query.missing) {
    auto& estimates = s.estimates[e];
    const auto end = estimates.begin() + static_cast<std::ptrdiff_t>(std::min(kExactOf, estimates.size()));
    std::partial_sort(estimates.begin(), end, estimates.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first
                                : query.turn_of(place_[a.second]) < query.turn_of(place_[b.second]);
    });
    for (auto at = estimates.begin(); at != end; ++at) {
      if (at->first + margin < estimates.front().first) break;
      worth.push_back(at->second);
    }
  }
  std::sort(worth.begin(), worth.end());
  worth.erase(std::unique(worth.begin(), worth.end()), worth.end());
  query.compared += worth.size();
  for (const LogIndex log : worth)
    query.offer(logs_, log, place_[log],
                similarity(logs_, weights_, metric_, query.base, log, &sketches_->lengths));
}

// What no log with anything in common has: similarity is zero for all that have it.
void NeighbourIndex::fill_from_anywhere(NeighbourQuery& query) const {
  for (const ElementIndex e : query.missing) {
    const auto& having = with_element_[e];
    if (query.best[e].similarity > 0 || having.empty()) continue;
    auto first = std::lower_bound(having.begin(), having.end(), query.order_begins,
                                  [&](LogIndex log, std::uint64_t place) { return place_[log] < place; });
    if (first == having.end()) first = having.begin();
    query.best[e] = {0, query.turn_of(place_[*first]), *first};
  }
}

std::vector<Neighbour> NeighbourIndex::neighbours(LogIndex base) const {
  auto scratch = take_scratch();
  NeighbourQuery& query = scratch->query;
  query.begin(logs_, base, mix(seed_, base) % order_.size());
  // (Elements of passing logs alone are in none of these.)
  std::erase_if(query.missing, [&](ElementIndex e) { return with_element_[e].empty(); });
  if (metric_ == Metric::kDhs) {
    find_by_samples(*scratch);
  } else {
    exact_->find(query, scratch->exact);
  }
  fill_from_anywhere(query);
  std::map<std::pair<double, std::uint64_t>, Neighbour> by_similarity;
  for (const ElementIndex e : query.missing) {
    const BestLog& best = query.best[e];
    if (best.log == kNone) continue;
    Neighbour& neighbour = by_similarity[{-best.similarity, best.turn}];
    neighbour.log = best.log;
    neighbour.similarity = best.similarity;
    neighbour.fills.push_back({e, logs_.recorded(best.log, e)});
  }
  pool_->compared.fetch_add(query.compared, std::memory_order_relaxed);
  query.compared = 0;
  give_scratch(std::move(scratch));
  std::vector<Neighbour> found;
  for (auto& [key, neighbour] : by_similarity) found.push_back(std::move(neighbour));
  return found;
}

}  // namespace heddle::merge
