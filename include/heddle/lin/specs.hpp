// Specifications for tests: the ready-made ones, and relaxed ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/linearize/specs.h"
#include "heddle/lin/reply.hpp"

namespace heddle::lin {

using linearize::CounterSpec;
using linearize::DequeSpec;
using linearize::MapSpec;
using linearize::PriorityQueueSpec;
using linearize::QueueSpec;
using linearize::RegisterSpec;
using linearize::SetSpec;
using linearize::SnapshotSpec;
using linearize::StackSpec;

// k-out-of-order (Henzinger et al., 2013; quasi-linearizability of Afek et al., 2010, for removals): what a
// removal gives is among the k + 1 values that a strict object could give next. With k = 0 it is strict.
struct RelaxedRow {
  using Input = Invocation;
  using Output = Reply;
  std::size_t k = 1;
  std::vector<Value> values = {};  // the next to be removed comes first

  std::size_t hash() const { return linearize::hash_values(values); }
  std::size_t footprint() const { return values.capacity() * sizeof(Value); }

 protected:
  // All states that follow: a removal that was seen tells which value it was.
  template <typename Self>
  std::vector<Self> removals(const Self& self, const Reply* seen) const {
    if (values.empty())
      return seen == nullptr || *seen == Reply::empty() ? std::vector<Self>{self} : std::vector<Self>{};
    std::vector<Self> next;
    for (std::size_t i = 0; i < std::min(values.size(), k + 1); ++i) {
      if (seen != nullptr && *seen != Reply::of(values[i])) continue;
      next.push_back(self);
      next.back().values.erase(next.back().values.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return next;
  }
};

struct RelaxedQueueSpec : RelaxedRow {
  explicit RelaxedQueueSpec(std::size_t out_of_order = 1) { k = out_of_order; }
  std::vector<RelaxedQueueSpec> steps(const Invocation& call, const Reply* seen) const {
    if (!call.is("enq")) return removals(*this, seen);
    std::vector<RelaxedQueueSpec> next = {*this};
    next[0].values.push_back(call[0]);
    return next;
  }
  friend bool operator==(const RelaxedQueueSpec& a, const RelaxedQueueSpec& b) {
    return a.values == b.values;
  }
};

struct RelaxedStackSpec : RelaxedRow {
  explicit RelaxedStackSpec(std::size_t out_of_order = 1) { k = out_of_order; }
  std::vector<RelaxedStackSpec> steps(const Invocation& call, const Reply* seen) const {
    if (!call.is("push")) return removals(*this, seen);
    std::vector<RelaxedStackSpec> next = {*this};
    next[0].values.insert(next[0].values.begin(), call[0]);
    return next;
  }
  friend bool operator==(const RelaxedStackSpec& a, const RelaxedStackSpec& b) {
    return a.values == b.values;
  }
};

}  // namespace heddle::lin
