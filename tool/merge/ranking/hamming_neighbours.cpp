#include "tool/merge/ranking/hamming_neighbours.h"

#include <algorithm>
#include <limits>

namespace heddle::merge {
namespace {

constexpr std::size_t kSmallPart = 16;  // logs of so small a part are looked at one by one
// After so many logs, or words for each log, a search ends.
constexpr std::uint64_t kMostLogs = 4096;
constexpr std::uint64_t kMostHammingEffort = 4;
constexpr std::size_t kAnywhere = 32;  // logs that have a missing element and are looked at then
constexpr std::size_t kExactOf = 8;    // logs for each missing element that are compared in full

}  // namespace

HammingNeighbours::HammingNeighbours(const LogSet& logs, const Weights& weights,
                                     const std::vector<LogIndex>& order,
                                     const std::vector<std::uint32_t>& place, std::uint64_t seed)
    : logs_(logs),
      weights_(weights),
      order_(order),
      place_(place),
      samples_(logs, seed),
      groups_(logs, samples_),
      words_((logs.logs() + 63) / 64),
      having_(words_ * logs.elements()),
      bits_of_group_(groups_.groups(), kNone),
      with_few_(groups_.groups()) {
  std::vector<std::uint32_t> count(groups_.groups());
  for (LogIndex log = 0; log < logs.logs(); ++log) {
    for (const Recorded& r : logs.log(log)) {
      if (const std::uint32_t group = groups_.group(r.vector); group != kNone) ++count[group];
      having_[r.element * words_ + place[log] / 64] |= bit_of(place[log]);
    }
  }
  const std::size_t few = too_few_for_bits(logs.logs());
  std::uint32_t popular = 0;
  for (std::uint32_t g = 0; g < groups_.groups(); ++g) {
    if (count[g] > few) bits_of_group_[g] = popular++;
  }
  bits_.resize(popular * words_);
  for (LogIndex log = 0; log < logs.logs(); ++log) {
    for (const Recorded& r : logs.log(log)) {
      const std::uint32_t group = groups_.group(r.vector);
      if (group == kNone) continue;
      if (bits_of_group_[group] != kNone)
        bits_[bits_of_group_[group] * words_ + place[log] / 64] |= bit_of(place[log]);
      else
        with_few_[group].push_back(log);
    }
  }
}

bool HammingNeighbours::is_too_much(const Scratch& scratch) const {
  return scratch.looked_at >= kMostLogs || scratch.effort > kMostHammingEffort * logs_.logs() + kSmallPart;
}

bool HammingNeighbours::any_has(const LogPart& part, ElementIndex element, Scratch& scratch) const {
  const std::uint64_t* has = having(element);
  std::size_t i = 0;
  while (i < part.size && (part.words[i] & has[part.at[i]]) == 0) ++i;
  scratch.effort += i / 2;
  return i < part.size;
}

// Similarities are sums of weights here, not yet divided by the weight of all elements.
void HammingNeighbours::look_at(NeighbourQuery& query, Scratch& s, LogIndex log) const {
  if (query.seen[log] == query.stamp) return;
  query.seen[log] = query.stamp;
  ++s.looked_at;
  s.most.clear();
  double needed = std::numeric_limits<double>::infinity(), bound = s.slack;
  for (const Recorded& r : logs_.log(log)) {
    const VectorIndex own = query.row[r.element];
    if (own == kNone) {
      needed = std::min(needed, s.needed[r.element]);
    } else {
      s.most.push_back(weight(r.element) * groups_.most_alike(own, r.vector));
      bound += s.most.back();
    }
  }
  if (bound < needed) return;
  double sum = 0, doubt = 0;
  std::size_t common = 0;
  for (const Recorded& r : logs_.log(log)) {
    const VectorIndex own = query.row[r.element];
    if (own == kNone) continue;
    const auto known = groups_.alike(own, r.vector);
    const double alike = known ? *known : samples_.alike(own, r.vector);
    if (!known) doubt += weight(r.element) * VectorSamples::margin();
    sum += alike * weight(r.element);
    bound -= s.most[common++] - alike * weight(r.element);
    if (bound + doubt < needed) return;
  }
  ++query.compared;
  if (doubt == 0) query.offer(logs_, log, place_[log], sum / static_cast<double>(weights_.total));
  for (const Recorded& r : logs_.log(log)) {
    if (query.row[r.element] != kNone) continue;
    s.needed[r.element] = std::max(s.needed[r.element], sum - doubt);
    if (doubt != 0) s.estimates[r.element].emplace_back(sum, log);
  }
}

// `bound`: no log of the part is more similar. Equally similar ones have to be seen, too, since chance
// decides among them.
void HammingNeighbours::split(NeighbourQuery& query, Scratch& s, std::size_t depth, double bound) const {
  const LogPart& part = s.parts[depth];
  if (part.size == 0 || is_too_much(s)) return;
  std::vector<ElementIndex>& missing = s.missing[depth];
  missing.clear();
  for (const ElementIndex e : depth == 0 ? query.missing : s.missing[depth - 1]) {
    if (s.needed[e] <= bound + s.slack && any_has(part, e, s)) missing.push_back(e);
  }
  if (missing.empty()) return;
  s.effort += part.size;
  if (part.size <= kSmallPart || depth == s.elements.size())
    return part.for_each([&](std::size_t place) {
      if (!is_too_much(s)) look_at(query, s, order_[place]);
    });
  const Recorded& own = s.elements[depth];
  const std::uint64_t* has = having(own.element);
  const std::uint64_t* same = bits_of(groups_.group(own.vector));
  LogPart& next = s.parts[depth + 1];
  if (same != nullptr) {
    narrow(part, next, [&](std::uint32_t at) { return same[at]; });
    split(query, s, depth + 1, bound);
  }
  narrow(part, next, [&](std::uint32_t at) { return same != nullptr ? has[at] & ~same[at] : has[at]; });
  split(query, s, depth + 1, bound - weight(own.element) * (1 - groups_.most_alike_elsewhere(own.vector)));
  narrow(part, next, [&](std::uint32_t at) { return ~has[at]; });
  split(query, s, depth + 1, bound - weight(own.element));
}

// The search ended early: for what is missing still, some logs that have it.
void HammingNeighbours::look_anywhere(NeighbourQuery& query, Scratch& s) const {
  for (const ElementIndex e : query.missing) {
    std::size_t left = query.best[e].log == kNone && s.estimates[e].empty() ? kAnywhere : 0;
    const std::uint64_t* has = having(e);
    for (std::size_t i = 0; i < order_.size() && left > 0; ++i) {
      const std::size_t place = (query.order_begins + i) % order_.size();
      if ((has[place / 64] & bit_of(place)) == 0 || order_[place] == query.base) continue;
      look_at(query, s, order_[place]);
      --left;
    }
  }
}

// Compares logs in full: the best by estimate, as far as they may reach what is known of others.
void HammingNeighbours::compare_best(NeighbourQuery& query, Scratch& s) const {
  std::vector<LogIndex> worth;
  double doubt = s.slack;
  for (const Recorded& r : s.elements) doubt += weight(r.element) * VectorSamples::margin();
  for (const ElementIndex e : query.missing) {
    auto& estimates = s.estimates[e];
    const auto end = estimates.begin() + static_cast<std::ptrdiff_t>(std::min(kExactOf, estimates.size()));
    std::partial_sort(estimates.begin(), end, estimates.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first
                                : query.turn_of(place_[a.second]) < query.turn_of(place_[b.second]);
    });
    for (auto at = estimates.begin(); at != end && at->first + doubt >= s.needed[e]; ++at)
      worth.push_back(at->second);
  }
  std::sort(worth.begin(), worth.end());
  worth.erase(std::unique(worth.begin(), worth.end()), worth.end());
  for (const LogIndex log : worth)
    query.offer(logs_, log, place_[log],
                similarity(logs_, weights_, Metric::kDhs, query.base, log, &samples_.lengths()));
}

void HammingNeighbours::find(NeighbourQuery& query, Scratch& s) const {
  s.estimates.resize(logs_.elements());
  s.needed.assign(logs_.elements(), -1);
  for (const ElementIndex e : query.missing) s.estimates[e].clear();
  if (query.missing.empty()) return;
  s.elements.assign(query.recorded.begin(), query.recorded.end());
  std::ranges::sort(s.elements, [&](const Recorded& a, const Recorded& b) {
    const std::uint64_t x = weights_.of_element[a.element], y = weights_.of_element[b.element];
    return x != y ? x > y : a.element < b.element;
  });
  s.slack = 1e-9 * static_cast<double>(weights_.total);
  s.effort = s.looked_at = 0;
  double bound = 0;
  for (const Recorded& r : s.elements) {
    bound += weight(r.element);
    const std::uint32_t group = groups_.group(r.vector);
    if (group == kNone) continue;
    for (const LogIndex log : with_few_[group]) look_at(query, s, log);
  }
  if (s.parts.size() <= s.elements.size()) {
    s.parts.resize(s.elements.size() + 1);
    s.missing.resize(s.elements.size() + 1);
  }
  for (std::size_t i = 0; i <= s.elements.size(); ++i) s.parts[i].take_room(words_);
  s.parts[0].take_all(logs_.logs());
  split(query, s, 0, bound);
  if (is_too_much(s)) look_anywhere(query, s);
  compare_best(query, s);
}

}  // namespace heddle::merge
