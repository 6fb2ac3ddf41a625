#include "tool/merge/store/log_set.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/random.h"

namespace heddle::merge {

ElementIndex LogSet::element(std::uint64_t id) {
  const auto [at, is_new] = by_id_.try_emplace(id, static_cast<ElementIndex>(ids_.size()));
  if (is_new) {
    ids_.push_back(id);
    of_element_.emplace_back();
  }
  return at->second;
}

VectorIndex LogSet::vector(ElementIndex element, std::string_view bytes, bool kept) {
  const std::uint64_t hash = mix(hash_of(bytes), element);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    const KnownVector& known = vectors_[at->second];
    if (known.element == element && known.bytes == bytes) return at->second;
  }
  if (!kept) bytes = owned_.emplace_back(bytes);
  const auto index = static_cast<VectorIndex>(vectors_.size());
  vectors_.push_back({bytes, element, 0, 0});
  of_element_[element].push_back(index);
  by_hash_.emplace(hash, index);
  return index;
}

LogIndex LogSet::add(std::vector<Recorded> recorded, bool failed, std::string_view entry_order) {
  for (const Recorded& r : recorded) ++(failed ? vectors_[r.vector].failing : vectors_[r.vector].passing);
  ++(failed ? failing_ : passing_);
  if (!failed) return kNone;
  std::sort(recorded.begin(), recorded.end(),
            [](const Recorded& a, const Recorded& b) { return a.element < b.element; });
  std::uint64_t hash = recorded.size();
  for (const Recorded& r : recorded) hash = mix(hash, r.vector);
  const auto [first, last] = logs_by_hash_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (!std::ranges::equal(log(at->second), recorded)) continue;
    ++counts_[at->second];
    return at->second;
  }
  const auto index = static_cast<LogIndex>(counts_.size());
  pool_.insert(pool_.end(), recorded.begin(), recorded.end());
  begins_.push_back(pool_.size());
  counts_.push_back(1);
  entry_orders_.push_back(entry_order);
  logs_by_hash_.emplace(hash, index);
  return index;
}

VectorIndex LogSet::recorded(LogIndex log_index, ElementIndex element) const {
  const auto all = log(log_index);
  const auto at = std::lower_bound(all.begin(), all.end(), element,
                                   [](const Recorded& r, ElementIndex e) { return r.element < e; });
  return at != all.end() && at->element == element ? at->vector : kNone;
}

}  // namespace heddle::merge
