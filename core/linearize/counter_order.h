// Counters, in O(n log n): an increment says which one it was, and a read between which two it took place. So
// the order is known but for reads of one value, whose order does not matter; it only has to respect real
// time. Increments that are pending fill the numbers that are missing, the first called first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/linearize/answer.h"
#include "core/linearize/call.h"
#include "core/linearize/items.h"

namespace heddle::linearize {

class CounterOrder {
 public:
  static Answer check(const CallHistory& history, Value initial) {
    CounterOrder order(history, initial);
    Answer answer;
    answer.method = Method::kCounterOrder;
    std::optional<Violation> violation = order.collect();
    if (!violation) violation = order.fill_gaps();
    if (!violation) violation = order.find_inversion();
    answer.verdict = violation ? Verdict::kNotLinearizable : Verdict::kLinearizable;
    if (violation) {
      answer.violation = std::move(*violation);
    } else {
      for (const Entry& entry : order.entries_) answer.order.push_back(entry.operation);
    }
    return answer;
  }

 private:
  struct Entry {
    Value value;   // before it
    bool is_read;  // reads of a value come before the increment that ends it
    Position called;
    OperationIndex operation;

    bool operator<(const Entry& other) const {
      if (value != other.value) return value < other.value;
      if (is_read != other.is_read) return is_read;
      return called < other.called;
    }
  };

  CounterOrder(const CallHistory& history, Value initial) : history_(history), initial_(initial) {}

  std::optional<Violation> collect() {
    std::optional<Violation> violation;
    const auto& operations = history_.operations();
    for (OperationIndex i = 0; i < operations.size(); ++i) {
      const auto& operation = operations[i];
      const bool is_read = operation.input.name == Name::kRead;
      if (!operation.output) {
        if (!is_read) pending_.push_back(i);  // in the order of the calls
        continue;
      }
      entries_.push_back({operation.output->value, is_read, operation.called, i});
    }
    std::sort(entries_.begin(), entries_.end());
    for (std::size_t i = 0; i < entries_.size() && !violation; ++i) {
      const Entry& entry = entries_[i];
      if (entry.value < initial_)
        violation = violation_of(Pattern::kFromNowhere, history_, {entry.operation}, entry.operation);
      if (i == 0 || entry.is_read || entries_[i - 1].is_read || entries_[i - 1].value != entry.value)
        continue;
      const OperationIndex other = entries_[i - 1].operation;
      const bool later = history_[other].returned > history_[entry.operation].returned;
      violation =
          violation_of(Pattern::kTwice, history_, {other, entry.operation}, later ? other : entry.operation);
    }
    return violation;
  }

  // Every value up to the largest that was seen needs its increment.
  std::optional<Violation> fill_gaps() {
    if (entries_.empty()) return std::nullopt;
    Value next = initial_;
    std::size_t used = 0;
    std::vector<Entry> filled;
    for (const Entry& entry : entries_) {
      for (; next < entry.value; ++next) {
        if (used == pending_.size())
          return violation_of(Pattern::kFromNowhere, history_, {entry.operation}, entry.operation);
        filled.push_back({next, false, history_[pending_[used]].called, pending_[used]});
        ++used;
      }
      filled.push_back(entry);
      if (!entry.is_read) ++next;
    }
    entries_ = std::move(filled);
    return std::nullopt;
  }

  std::optional<Violation> find_inversion() const {
    OperationIndex latest = kNone;         // of those so far, called last
    OperationIndex latest_before = kNone;  // of smaller values and, for an increment, reads: called last
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Entry& entry = entries_[i];
      const bool same_reads =
          i > 0 && entry.is_read && entries_[i - 1].is_read && entries_[i - 1].value == entry.value;
      if (!same_reads) latest_before = latest;
      if (latest_before != kNone && history_[entry.operation].returned < history_[latest_before].called) {
        return violation_of(Pattern::kTwoValues, history_, {entry.operation, latest_before}, latest_before);
      }
      if (latest == kNone || entry.called > history_[latest].called) latest = entry.operation;
    }
    return std::nullopt;
  }

  const CallHistory& history_;
  Value initial_;
  std::vector<Entry> entries_;
  std::vector<OperationIndex> pending_;
};

}  // namespace heddle::linearize
