#include "tool/merge/ranking/vector_groups.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "core/base/random.h"

namespace heddle::merge {
namespace {

constexpr double kAlike = 0.75;          // so alike, by samples, vectors are taken for one way to run
constexpr std::size_t kMostGroups = 32;  // of an element
constexpr std::size_t kVoters = 9;       // vectors that make the middle of a group
// Differences are listed where they take no more room than the vector, and of any vector so much.
constexpr std::size_t kListedAnyway = 256;
constexpr std::size_t kPairs = 128;  // that say how alike vectors in no group are

}  // namespace

VectorGroups::VectorGroups(const LogSet& logs, const VectorSamples& samples)
    : samples_(samples),
      known_(logs.vectors()),
      packed_(logs.vectors()),
      most_without_group_(logs.elements(), 0) {
  std::vector<VectorIndex> failing;
  for (ElementIndex e = 0; e < logs.elements(); ++e) {
    failing.clear();
    for (const VectorIndex v : logs.vectors_of(e)) {
      known_[v].element = e;
      if (logs.vector(v).failing != 0) failing.push_back(v);
    }
    if (!failing.empty()) add_groups(logs, failing);
  }
}

std::pair<std::size_t, double> VectorGroups::nearest(VectorIndex vector, const Voters& groups) const {
  std::pair<std::size_t, double> found{0, -1};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double alike = samples_.alike(vector, groups[g].front());
    if (alike > found.second) found = {g, alike};
  }
  return found;
}

// Each vector that is like no leader so far becomes one; of too many, those make room that found nobody.
VectorGroups::Voters VectorGroups::find_groups(const std::vector<VectorIndex>& vectors) const {
  Voters groups;
  std::size_t next_to_go = 0;
  for (const VectorIndex v : vectors) {
    const auto [group, alike] = nearest(v, groups);
    if (alike >= kAlike) {
      if (groups[group].size() < kVoters) groups[group].push_back(v);
    } else if (groups.size() < kMostGroups) {
      groups.push_back({v});
    } else {
      std::size_t tried = 0;
      while (tried < kMostGroups && groups[next_to_go].size() > 1) {
        next_to_go = (next_to_go + 1) % kMostGroups;
        ++tried;
      }
      if (tried == kMostGroups) continue;
      groups[next_to_go] = {v};
      next_to_go = (next_to_go + 1) % kMostGroups;
    }
  }
  std::erase_if(groups, [](const auto& voters) { return voters.size() == 1; });
  return groups;
}

void VectorGroups::add_groups(const LogSet& logs, const std::vector<VectorIndex>& vectors) {
  const Voters groups = find_groups(vectors);
  std::deque<std::string> made;
  std::vector<std::string_view> middles;
  for (const auto& voters : groups) {
    std::vector<std::string_view> bytes;
    for (const VectorIndex v : voters) bytes.push_back(logs.bytes(v));
    middles.push_back(bytes.size() < 3 ? bytes.front() : made.emplace_back(majority_of(bytes)));
  }
  std::vector<std::uint64_t> radius(groups.size());
  std::uint64_t longest = 1;
  std::vector<VectorIndex> alone;
  for (const VectorIndex v : vectors) {
    longest = std::max(longest, samples_.length(v));
    const auto [group, alike] = nearest(v, groups);
    if (alike < kAlike) {
      alone.push_back(v);
      continue;
    }
    known_[v].group = static_cast<std::uint32_t>(groups_.size() + group);
    radius[group] = std::max(radius[group], list_differences(logs, v, middles[group]));
  }
  measure_between(middles, radius, longest);
  most_without_group_[known_[vectors.front()].element] = most_without_group(logs, alone, vectors);
  if (std::ranges::all_of(vectors, [&](VectorIndex v) { return known_[v].count != kNone; })) return;
  for (const VectorIndex v : vectors) packed_.add(v, logs.bytes(v), samples_.length(v));
}

void VectorGroups::measure_between(const std::vector<std::string_view>& middles,
                                   const std::vector<std::uint64_t>& radius, std::uint64_t longest) {
  const std::size_t begin = between_.size(), count = middles.size();
  const auto first = static_cast<std::uint32_t>(groups_.size());
  between_.resize(begin + count * count);
  for (std::size_t g = 0; g < count; ++g) {
    for (std::size_t h = 0; h < g; ++h) {
      const std::uint64_t apart =
          std::max(length_of(middles[g]), length_of(middles[h])) - equal_positions(middles[g], middles[h]);
      between_[begin + g * count + h] = between_[begin + h * count + g] = apart;
    }
  }
  for (std::size_t g = 0; g < count; ++g) {
    std::uint64_t gap = longest;
    for (std::size_t h = 0; h < count; ++h) {
      const std::uint64_t apart = between_[begin + g * count + h];
      if (h != g) gap = std::min(gap, apart - std::min(apart, radius[h]));
    }
    groups_.push_back({first, begin + g * count, gap, longest});
  }
}

// The most of some pairs, and four standard deviations above their mean.
double VectorGroups::most_without_group(const LogSet& logs, const std::vector<VectorIndex>& alone,
                                        const std::vector<VectorIndex>& all) const {
  double most = 0, sum = 0, squares = 0;
  std::size_t pairs = 0;
  const std::size_t wanted = std::min(kPairs, alone.size());
  for (std::size_t i = 0; i < wanted; ++i) {
    const VectorIndex a = alone[alone.size() * i / wanted];
    const VectorIndex b = all[mix(i, a) % all.size()];
    if (a == b) continue;
    const double alike = hamming_similarity(logs.bytes(a), logs.bytes(b));
    most = std::max(most, alike);
    sum += alike;
    squares += alike * alike;
    ++pairs;
  }
  // Fewer than half of the pairs say nothing of the rest.
  if (pairs < kPairs / 2) return alone.empty() ? 0 : 1;
  const double mean = sum / static_cast<double>(pairs);
  const double deviation = std::sqrt(std::max(0.0, squares / static_cast<double>(pairs) - mean * mean));
  return std::min(1.0, std::max(most, mean + 4 * deviation));
}

std::uint64_t VectorGroups::list_differences(const LogSet& logs, VectorIndex vector,
                                             std::string_view middle) {
  const std::vector<Stretch> found = differences(logs.bytes(vector), middle);
  Known& known = known_[vector];
  for (const Stretch& stretch : found) known.from_middle += stretch.end - stretch.begin;
  const std::size_t room = std::max(logs.bytes(vector).size(), kListedAnyway);
  const bool fits = found.empty() || found.back().end <= std::numeric_limits<std::uint32_t>::max();
  if (found.size() * sizeof(Difference) > room || !fits) return known.from_middle;
  known.first = static_cast<std::uint32_t>(differences_.size());
  known.count = static_cast<std::uint32_t>(found.size());
  for (const Stretch& s : found)
    differences_.push_back(
        {static_cast<std::uint32_t>(s.begin), static_cast<std::uint32_t>(s.end), s.thread});
  return known.from_middle;
}

// Where one alone differs from the middle, the two differ; where both do, they may have the same thread.
std::uint64_t VectorGroups::distance(const Known& a, const Known& b) const {
  const Difference *x = differences_.data() + a.first, *y = differences_.data() + b.first;
  const Difference *const x_end = x + a.count, *const y_end = y + b.count;
  std::uint64_t apart = a.from_middle + b.from_middle;
  while (x != x_end && y != y_end) {
    const std::uint32_t begin = std::max(x->begin, y->begin), end = std::min(x->end, y->end);
    if (begin < end) apart -= std::uint64_t{end - begin} * (x->thread == y->thread ? 2 : 1);
    const bool x_is_over = x->end <= y->end, y_is_over = y->end <= x->end;
    x += x_is_over ? 1 : 0;
    y += y_is_over ? 1 : 0;
  }
  return apart;
}

std::optional<double> VectorGroups::alike(VectorIndex a, VectorIndex b) const {
  if (a == b) return 1;
  const Known &x = known_[a], &y = known_[b];
  std::optional<std::uint64_t> apart;
  if (x.group == y.group && x.count != kNone && y.count != kNone)
    apart = distance(x, y);
  else
    apart = packed_.distance(a, b);
  if (!apart) return std::nullopt;
  const std::uint64_t longer = std::max(samples_.length(a), samples_.length(b));
  return static_cast<double>(longer - *apart) / static_cast<double>(longer);
}

double VectorGroups::most_alike(VectorIndex a, VectorIndex b) const {
  if (a == b) return 1;
  const Known &x = known_[a], &y = known_[b];
  if (x.group == kNone || y.group == kNone) return most_without_group_[x.element];
  const std::uint64_t near = std::min(x.from_middle, y.from_middle);
  const std::uint64_t far = std::max(x.from_middle, y.from_middle);
  std::uint64_t apart = far - near;
  if (x.group != y.group) {
    const Group& group = groups_[x.group];
    const std::uint64_t middles = between_[group.distances + y.group - group.first];
    apart = middles - std::min(middles, near + far);
  }
  const std::uint64_t longer = std::max(samples_.length(a), samples_.length(b));
  return static_cast<double>(longer - apart) / static_cast<double>(longer);
}

double VectorGroups::most_alike_elsewhere(VectorIndex vector) const {
  const Known& known = known_[vector];
  if (known.group == kNone) return most_without_group_[known.element];
  const Group& group = groups_[known.group];
  const std::uint64_t apart = group.gap - std::min(group.gap, known.from_middle);
  return std::max(most_without_group_[known.element],
                  static_cast<double>(group.longest - apart) / static_cast<double>(group.longest));
}

}  // namespace heddle::merge
