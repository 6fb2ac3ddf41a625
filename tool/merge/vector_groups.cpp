#include "tool/merge/vector_groups.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace heddle::merge {
namespace {

constexpr double kAlike = 0.75;          // so alike, by samples, vectors are taken for one way to run
constexpr std::size_t kMostGroups = 32;  // of an element; what is like none of them goes to the nearest
constexpr std::size_t kVoters = 9;       // vectors that make the middle of a group
// Differences are listed where they take no more room than the vector, and of any vector so much.
constexpr std::size_t kListedAnyway = 256;

}  // namespace

VectorGroups::VectorGroups(const LogSet& logs, const VectorSamples& samples)
    : samples_(samples), known_(logs.vectors()) {
  std::vector<VectorIndex> failing;
  for (ElementIndex e = 0; e < logs.elements(); ++e) {
    failing.clear();
    for (const VectorIndex v : logs.vectors_of(e)) {
      if (logs.vector(v).failing != 0) failing.push_back(v);
    }
    if (!failing.empty()) add_groups(logs, failing);
  }
}

// Sets their groups, from 0; answers the vectors that are to make each group's middle.
std::vector<std::vector<VectorIndex>> VectorGroups::divide(const std::vector<VectorIndex>& vectors) {
  std::vector<std::vector<VectorIndex>> voters;
  for (const VectorIndex v : vectors) {
    std::size_t nearest = 0;
    double most = -1;
    for (std::size_t g = 0; g < voters.size(); ++g) {
      const double alike = samples_.alike(v, voters[g].front());
      if (alike > most) {
        most = alike;
        nearest = g;
      }
    }
    if (most < kAlike && voters.size() < kMostGroups) {
      nearest = voters.size();
      voters.emplace_back();
      most = 1;
    }
    if (most >= kAlike && voters[nearest].size() < kVoters) voters[nearest].push_back(v);
    known_[v].group = static_cast<std::uint32_t>(nearest);
  }
  return voters;
}

void VectorGroups::add_groups(const LogSet& logs, const std::vector<VectorIndex>& vectors) {
  const auto voters = divide(vectors);
  std::deque<std::string> made;
  std::vector<std::string_view> middles;
  for (const auto& those : voters) {
    std::vector<std::string_view> bytes;
    for (const VectorIndex v : those) bytes.push_back(logs.bytes(v));
    middles.push_back(bytes.size() < 3 ? bytes.front() : made.emplace_back(majority_of(bytes)));
  }
  const auto first = static_cast<std::uint32_t>(groups_.size());
  std::vector<std::uint64_t> radius(middles.size());
  std::uint64_t longest = 0;
  for (const VectorIndex v : vectors) {
    const std::uint32_t group = known_[v].group;
    radius[group] = std::max(radius[group], list_differences(logs, v, middles[group]));
    known_[v].group += first;
    longest = std::max(longest, samples_.length(v));
  }
  const std::size_t begin = between_.size(), count = middles.size();
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
  if (x.group != y.group || x.count == kNone || y.count == kNone) return std::nullopt;
  const std::uint64_t longer = std::max(samples_.length(a), samples_.length(b));
  return static_cast<double>(longer - distance(x, y)) / static_cast<double>(longer);
}

double VectorGroups::most_alike(VectorIndex a, VectorIndex b) const {
  if (a == b) return 1;
  const Known &x = known_[a], &y = known_[b];
  const std::uint64_t near = std::min(x.from_middle, y.from_middle);
  const std::uint64_t far = std::max(x.from_middle, y.from_middle);
  std::uint64_t apart = far - near;
  if (x.group != y.group) {
    const Group& group = groups_[x.group];
    const std::uint64_t middles = between_[group.distances + y.group - group.first];
    apart = middles - std::min(middles, near + far);
  }
  const std::uint64_t longer = std::max(samples_.length(a), samples_.length(b));
  return 1 - static_cast<double>(apart) / static_cast<double>(longer);
}

double VectorGroups::most_alike_elsewhere(VectorIndex vector) const {
  const Known& known = known_[vector];
  const Group& group = groups_[known.group];
  const std::uint64_t apart = group.gap - std::min(group.gap, known.from_middle);
  return 1 - static_cast<double>(apart) / static_cast<double>(std::max<std::uint64_t>(group.longest, 1));
}

}  // namespace heddle::merge
