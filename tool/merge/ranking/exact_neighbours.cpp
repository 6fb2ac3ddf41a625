#include "tool/merge/ranking/exact_neighbours.h"

#include <algorithm>
#include <bit>

namespace heddle::merge {
namespace {

constexpr std::size_t kFewWords = 4;  // logs of so small a part are compared one by one
// Words for each log after which looking at all logs is as cheap: where similarities hardly differ, no part
// can be left alone.
constexpr std::uint64_t kMostEffort = 4;

}  // namespace

ExactNeighbours::ExactNeighbours(const LogSet& logs, const Weights& weights,
                                 const std::vector<LogIndex>& order, const std::vector<std::uint32_t>& place)
    : logs_(logs),
      weights_(weights),
      order_(order),
      place_(place),
      words_((logs.logs() + 63) / 64),
      having_(words_ * logs.elements()),
      bits_of_vector_(logs.vectors(), kNone),
      with_few_(logs.vectors()) {
  std::vector<std::uint32_t> count(logs.vectors());
  for (LogIndex log = 0; log < logs.logs(); ++log) {
    for (const Recorded& r : logs.log(log)) {
      ++count[r.vector];
      having_[r.element * words_ + place[log] / 64] |= bit_of(place[log]);
    }
  }
  const std::size_t few = too_few_for_bits(logs.logs());
  for (VectorIndex v = 0; v < logs.vectors(); ++v) {
    if (count[v] <= few) continue;
    bits_of_vector_[v] = static_cast<std::uint32_t>(popular_.size());
    popular_.push_back(v);
  }
  bits_.resize(popular_.size() * words_);
  for (LogIndex log = 0; log < logs.logs(); ++log) {
    for (const Recorded& r : logs.log(log)) {
      if (bits_of_vector_[r.vector] != kNone) {
        bits_[bits_of_vector_[r.vector] * words_ + place[log] / 64] |= bit_of(place[log]);
      } else if (count[r.vector] > 1) {
        with_few_[r.vector].push_back(log);
      }
    }
  }
}

bool ExactNeighbours::is_too_much(const Scratch& scratch) const {
  return scratch.effort > kMostEffort * logs_.logs() + kFewWords;
}

void ExactNeighbours::compare(NeighbourQuery& query, LogIndex log) const {
  if (query.seen[log] == query.stamp) return;
  query.seen[log] = query.stamp;
  std::uint64_t equal = 0, different = 0;
  for (const Recorded& r : logs_.log(log)) {
    const VectorIndex own = query.row[r.element];
    if (own == kNone) continue;
    (own == r.vector ? equal : different) += weights_.of_element[r.element];
  }
  ++query.compared;
  if (equal != 0) query.offer(logs_, log, place_[log], similarity_of(equal, different));
}

void ExactNeighbours::compare_all_with(NeighbourQuery& query, VectorIndex vector) const {
  for (const LogIndex log : with_few_[vector]) compare(query, log);
  const std::uint64_t* bits = bits_of(vector);
  for (std::size_t w = 0; bits != nullptr && w < words_; ++w) {
    for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1)
      compare(query, order_[w * 64 + static_cast<unsigned>(std::countr_zero(rest))]);
  }
}

bool ExactNeighbours::any_has(const LogPart& part, ElementIndex element, Scratch& scratch) const {
  const std::uint64_t* has = having(element);
  std::size_t i = 0;
  while (i < part.size && (part.words[i] & has[part.at[i]]) == 0) ++i;
  scratch.effort += i / 2;
  return i < part.size;
}

// All of them are equally similar: for each element the first one in the base's order that has it.
void ExactNeighbours::offer_all(NeighbourQuery& query, const LogPart& part,
                                const std::vector<ElementIndex>& missing, double similarity) const {
  const std::uint64_t begins = query.order_begins;
  const auto from = static_cast<std::size_t>(
      std::lower_bound(part.at.begin(), part.at.begin() + static_cast<std::ptrdiff_t>(part.size),
                       static_cast<std::uint32_t>(begins / 64)) -
      part.at.begin());
  for (const ElementIndex e : missing) {
    const std::uint64_t* has = having(e);
    // The word in which the order begins comes twice: its upper bits first, its lower ones last.
    for (std::size_t i = 0; i <= part.size; ++i) {
      const std::size_t slot = (from + i) % part.size;
      std::uint64_t word = part.words[slot] & has[part.at[slot]];
      if (part.at[slot] == begins / 64) {
        const std::uint64_t upper = ~std::uint64_t{0} << begins % 64;
        word &= i == 0 ? upper : ~upper;
      } else if (i == part.size) {
        break;
      }
      if (word == 0) continue;
      const std::uint64_t place =
          std::uint64_t{part.at[slot]} * 64 + static_cast<unsigned>(std::countr_zero(word));
      query.offer(e, order_[place], place, similarity);
      break;
    }
  }
}

void ExactNeighbours::split(NeighbourQuery& query, Scratch& scratch, std::size_t depth,
                            const Bounds& bounds) const {
  const LogPart& part = scratch.parts[depth];
  if (part.size == 0 || bounds.equal + bounds.possible == 0 || is_too_much(scratch)) return;
  // Equally similar ones have to be seen, too, since chance decides among them.
  const double most = similarity_of(bounds.equal + bounds.possible, bounds.different);
  std::vector<ElementIndex>& missing = scratch.missing[depth];
  missing.clear();
  for (const ElementIndex e : depth == 0 ? query.missing : scratch.missing[depth - 1]) {
    if (query.best[e].similarity <= most && any_has(part, e, scratch)) missing.push_back(e);
  }
  if (missing.empty()) return;
  if (depth == scratch.elements.size()) return offer_all(query, part, missing, most);
  scratch.effort += part.size;
  if (part.size <= kFewWords) {
    part.for_each([&](std::size_t place) { compare(query, order_[place]); });
    return;
  }
  const Recorded& own = scratch.elements[depth];
  const std::uint64_t weight = weights_.of_element[own.element];
  const std::uint64_t* has = having(own.element);
  const std::uint64_t* same = bits_of(own.vector);
  LogPart& next = scratch.parts[depth + 1];
  Bounds below = bounds;
  if (same != nullptr) {
    below.possible -= weight;
    below.equal += weight;
    narrow(part, next, [&](std::uint32_t at) { return same[at]; });
    split(query, scratch, depth + 1, below);
    below.equal -= weight;
  }
  narrow(part, next, [&](std::uint32_t at) { return ~has[at]; });
  split(query, scratch, depth + 1, below);
  // Those with a vector that few have were compared before, and were more similar then than they seem here.
  below.different += weight;
  narrow(part, next, [&](std::uint32_t at) { return same != nullptr ? has[at] & ~same[at] : has[at]; });
  split(query, scratch, depth + 1, below);
}

void ExactNeighbours::find(NeighbourQuery& query, Scratch& scratch) const {
  scratch.elements.assign(query.recorded.begin(), query.recorded.end());
  Bounds bounds;
  for (const Recorded& r : scratch.elements) {
    if (bits_of(r.vector) != nullptr)
      bounds.possible += weights_.of_element[r.element];
    else
      compare_all_with(query, r.vector);
  }
  if (bounds.possible == 0 || query.missing.empty()) return;
  std::ranges::sort(scratch.elements, [&](const Recorded& a, const Recorded& b) {
    const std::uint64_t x = weights_.of_element[a.element], y = weights_.of_element[b.element];
    return x != y ? x > y : a.element < b.element;
  });
  if (scratch.parts.size() <= scratch.elements.size()) {
    scratch.parts.resize(scratch.elements.size() + 1);
    scratch.missing.resize(scratch.elements.size() + 1);
  }
  for (std::size_t i = 0; i <= scratch.elements.size(); ++i) scratch.parts[i].take_room(words_);
  scratch.parts[0].take_all(logs_.logs());
  scratch.effort = 0;
  split(query, scratch, 0, bounds);
  if (!is_too_much(scratch)) return;
  for (const Recorded& r : scratch.elements) compare_all_with(query, r.vector);
}

}  // namespace heddle::merge
