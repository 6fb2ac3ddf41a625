#include "tool/merge/ranking/neighbours.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>

#include "core/base/random.h"

namespace heddle::merge {

struct NeighbourIndex::Scratch {
  explicit Scratch(const LogSet& logs) : query(logs) {}
  NeighbourQuery query;
  ExactNeighbours::Scratch exact;
  HammingNeighbours::Scratch hamming;
};

struct NeighbourIndex::Pool {
  std::mutex lock;
  std::vector<std::unique_ptr<Scratch>> free;
  std::atomic<std::uint64_t> compared{0};
};

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
    hamming_ = std::make_unique<HammingNeighbours>(logs, weights_, order_, place_, seed);
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
    hamming_->find(query, scratch->hamming);
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
