// Partial logs of one bug, ready to be compared: elements, threads and access vectors are numbers, equal
// vectors of an element are one, equal logs are one with a count. Failing logs are merged; passing ones only
// serve the correlation of one-element logs (thesis §3.4).
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tool/merge/store/access_vector.h"

namespace heddle::merge {

using ElementIndex = std::uint32_t;
using VectorIndex = std::uint32_t;
using LogIndex = std::uint32_t;
inline constexpr std::uint32_t kNone = ~0u;

// l.s of the thesis' Table 3.1: what a log recorded for an element.
struct Recorded {
  ElementIndex element = kNone;
  VectorIndex vector = kNone;
  friend bool operator==(const Recorded&, const Recorded&) = default;
};

struct KnownVector {
  std::string_view bytes;
  ElementIndex element = kNone;
  std::uint32_t failing = 0;  // logs that have it
  std::uint32_t passing = 0;
};

class LogSet {
 public:
  // `id`: stable across programs' instances.
  ElementIndex element(std::uint64_t id);
  // The bytes are copied unless they are `kept` by the caller for as long as this lives.
  VectorIndex vector(ElementIndex element, std::string_view bytes, bool kept = false);
  // Each element at most once, in any order. Answers the failing log's index, also of one that was there
  // before; kNone for a passing log. `entry_order`: a vector of all its blocks together, kept by the caller;
  // empty: it is not known.
  LogIndex add(std::vector<Recorded> recorded, bool failed, std::string_view entry_order = {});

  // #S: elements that the program has, where that is more than any log recorded.
  void set_universe(std::uint64_t elements) { universe_ = elements; }
  std::uint64_t universe() const { return universe_ < ids_.size() ? ids_.size() : universe_; }

  std::size_t elements() const { return ids_.size(); }
  std::size_t vectors() const { return vectors_.size(); }
  std::uint64_t id(ElementIndex element) const { return ids_[element]; }
  const KnownVector& vector(VectorIndex vector) const { return vectors_[vector]; }
  std::string_view bytes(VectorIndex vector) const { return vectors_[vector].bytes; }
  std::span<const VectorIndex> vectors_of(ElementIndex element) const { return of_element_[element]; }

  // Failing and different from each other.
  std::size_t logs() const { return counts_.size(); }
  // By element.
  std::span<const Recorded> log(LogIndex log) const {
    return {pool_.data() + begins_[log], pool_.data() + begins_[log + 1]};
  }
  std::uint32_t count(LogIndex log) const { return counts_[log]; }
  // Of the first of those that are equal otherwise.
  std::string_view entry_order(LogIndex log) const { return entry_orders_[log]; }
  std::uint64_t failing_logs() const { return failing_; }
  std::uint64_t passing_logs() const { return passing_; }
  // The element's vector in the log, or kNone.
  VectorIndex recorded(LogIndex log, ElementIndex element) const;

 private:
  std::unordered_map<std::uint64_t, ElementIndex> by_id_;
  std::vector<std::uint64_t> ids_;
  std::vector<KnownVector> vectors_;
  std::vector<std::vector<VectorIndex>> of_element_;
  std::unordered_multimap<std::uint64_t, VectorIndex> by_hash_;
  std::deque<std::string> owned_;
  std::vector<Recorded> pool_;
  std::vector<std::size_t> begins_{0};
  std::vector<std::uint32_t> counts_;
  std::vector<std::string_view> entry_orders_;  // by log
  std::unordered_multimap<std::uint64_t, LogIndex> logs_by_hash_;
  std::uint64_t universe_ = 0;
  std::uint64_t failing_ = 0;
  std::uint64_t passing_ = 0;
};

}  // namespace heddle::merge
