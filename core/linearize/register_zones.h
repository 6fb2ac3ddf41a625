// Registers whose values are written once each, in O(n log n).
//
// A value's operations are its write and the reads that saw it. A compare-and-set that succeeded ends one
// value and begins the next, so values that are linked by them form one block, which nothing can come
// between. Of a block, f is the first return and s the last call. If f < s its value is there all the time
// from f to s (a forward zone); otherwise all of its operations have the time from s to f in common (a
// backward zone). The history is linearizable if and only if no value is seen before its write begins, the
// operations of a block can be in their order, no two forward zones overlap and no backward zone lies within
// a forward one (Gibbons and Korach, "Testing shared memories", 1997, Theorem 4.5).
//
// Left to search: compare-and-sets that failed, since they do not say what they saw.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/linearize/answer.h"
#include "core/linearize/call.h"
#include "core/linearize/items.h"

namespace heddle::linearize {

class RegisterZones {
 public:
  // Nullopt when it does not apply: a value is written twice, or a compare-and-set failed.
  static std::optional<Answer> check(const CallHistory& history, Value initial) {
    RegisterZones zones(history, initial);
    if (!zones.collect_writes() || !zones.collect_reads()) return std::nullopt;
    Answer answer;
    answer.method = Method::kRegisterZones;
    std::optional<Violation> violation = zones.violation_;
    if (!violation) violation = zones.build_blocks();
    if (!violation) violation = zones.find_overlap();
    answer.verdict = violation ? Verdict::kNotLinearizable : Verdict::kLinearizable;
    if (violation) {
      answer.violation = std::move(*violation);
    } else {
      answer.order = zones.order();
    }
    return answer;
  }

 private:
  // Times are gaps, shifted by one so that the write that made the initial value comes before all.
  using Time = std::int64_t;
  static constexpr Time kEnd = std::int64_t{1} << 40;

  struct Cell {                    // one value
    OperationIndex write = kNone;  // kNone: the initial value
    std::vector<OperationIndex> reads = {};
    std::uint32_t successor = kNone;  // the value that a compare-and-set put in its place
    bool has_predecessor = false;
  };
  struct Block {
    std::uint32_t first_cell = 0;
    Time first_return = kEnd;
    Time last_call = -2;
    OperationIndex earliest = kNone;  // whose return that is
    OperationIndex latest = kNone;    // whose call
    bool is_forward() const { return first_return < last_call; }
  };

  RegisterZones(const CallHistory& history, Value initial) : history_(history) {
    by_value_.emplace(initial, 0);
    cells_.emplace_back();
  }

  static bool is_update(const Call& call) { return call.name != Name::kRead; }
  static Value written(const Call& call) { return call.name == Name::kCas ? call.second : call.first; }

  bool collect_writes() {
    const auto& operations = history_.operations();
    for (OperationIndex i = 0; i < operations.size(); ++i) {
      const auto& operation = operations[i];
      if (!is_update(operation.input)) continue;
      const bool is_cas = operation.input.name == Name::kCas;
      if (is_cas && operation.output && operation.output->value == 0) return false;
      // One that changes nothing is a read under another name.
      if (is_cas && operation.input.first == operation.input.second) return false;
      if (!by_value_.try_emplace(written(operation.input), cells_.size()).second) return false;
      cells_.push_back({i});
    }
    return true;
  }

  // False: it does not apply.
  bool collect_reads() {
    const auto& operations = history_.operations();
    for (OperationIndex i = 0; i < operations.size(); ++i) {
      const auto& operation = operations[i];
      if (operation.input.name != Name::kRead || !operation.output) continue;
      const auto found = by_value_.find(operation.output->value);
      if (found == by_value_.end() || called(cells_[found->second].write) > returned(i)) {
        complain(violation_of(Pattern::kFromNowhere, history_, {i}, i));
      } else {
        cells_[found->second].reads.push_back(i);
      }
    }
    return link_compare_and_sets();
  }

  bool link_compare_and_sets() {
    // Backwards: whether a pending one took effect shows in what was done with its value, which came later.
    std::vector<bool> settled(cells_.size(), false);
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::uint32_t cell = 1; cell < cells_.size(); ++cell) {
        const OperationIndex write = cells_[cell].write;
        const auto& operation = history_[write];
        if (settled[cell] || operation.input.name != Name::kCas) continue;
        if (!operation.output && cells_[cell].reads.empty() && cells_[cell].successor == kNone) continue;
        settled[cell] = changed = true;
        const auto found = by_value_.find(operation.input.first);
        if (found == by_value_.end() || called(cells_[found->second].write) > returned(write)) {
          complain(violation_of(Pattern::kFromNowhere, history_, {write}, write));
          continue;
        }
        Cell& before = cells_[found->second];
        if (before.successor != kNone) {
          const OperationIndex other = cells_[before.successor].write;
          const bool later = returned(other) > returned(write);
          complain(violation_of(Pattern::kTwice, history_, {other, write}, later ? other : write));
          continue;
        }
        before.successor = cell;
        cells_[cell].has_predecessor = true;
      }
    }
    return true;
  }

  // A value that nobody saw and whose write is pending need not have been written.
  bool is_needed(const Cell& cell) const {
    return cell.write == kNone || history_[cell.write].output || !cell.reads.empty() ||
           cell.successor != kNone;
  }

  std::optional<Violation> build_blocks() {
    for (std::uint32_t cell = 0; cell < cells_.size(); ++cell) {
      if (cells_[cell].has_predecessor || !is_needed(cells_[cell])) continue;
      Block block;
      block.first_cell = cell;
      if (cells_[cell].write == kNone) block.first_return = -1;
      for (std::uint32_t at = cell; at != kNone; at = cells_[at].successor) {
        if (cells_[at].write != kNone) {
          if (auto violation = add(block, cells_[at].write, block.latest, block.last_call)) return violation;
        }
        const Block before = block;
        for (const OperationIndex read : cells_[at].reads) {
          if (auto violation = add(block, read, before.latest, before.last_call)) return violation;
        }
      }
      blocks_.push_back(block);
    }
    // Values that were compared with each other in a circle have no first one.
    for (const Cell& cell : cells_) {
      if (cell.has_predecessor && !is_reached(cell)) return from_nowhere(cell);
    }
    return std::nullopt;
  }

  bool is_reached(const Cell& cell) {
    if (reached_.empty()) {
      reached_.assign(cells_.size(), false);
      for (const Block& block : blocks_) {
        for (std::uint32_t at = block.first_cell; at != kNone; at = cells_[at].successor) reached_[at] = true;
      }
    }
    return reached_[static_cast<std::size_t>(&cell - cells_.data())];
  }
  Violation from_nowhere(const Cell& cell) const {
    return violation_of(Pattern::kFromNowhere, history_, {cell.write}, cell.write);
  }

  // Within a block, nothing may have returned before what precedes it was called.
  std::optional<Violation> add(Block& block, OperationIndex operation, OperationIndex before,
                               Time call_before) {
    if (returned(operation) < call_before) {
      const OperationIndex last = returned(before) > returned(operation) ? before : operation;
      return violation_of(Pattern::kTwoValues, history_, {operation, before}, last);
    }
    if (returned(operation) < block.first_return) {
      block.first_return = returned(operation);
      block.earliest = operation;
    }
    if (called(operation) > block.last_call) {
      block.last_call = called(operation);
      block.latest = operation;
    }
    return std::nullopt;
  }

  std::optional<Violation> find_overlap() {
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].is_forward()) forward_.push_back(i);
    }
    std::sort(forward_.begin(), forward_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return blocks_[a].first_return < blocks_[b].first_return;
    });
    for (std::size_t i = 1; i < forward_.size(); ++i) {
      const Block& a = blocks_[forward_[i - 1]];
      const Block& b = blocks_[forward_[i]];
      if (b.first_return < a.last_call) return two_values(a, b);
    }
    for (const Block& block : blocks_) {
      if (block.is_forward()) continue;
      const Block* around = zone_at(block.last_call);
      if (around != nullptr && block.first_return < around->last_call) return two_values(*around, block);
    }
    return std::nullopt;
  }

  // The forward zone that this time lies in. REQUIRES: forward zones do not overlap.
  const Block* zone_at(Time time) const {
    const auto after = std::partition_point(forward_.begin(), forward_.end(),
                                            [&](std::uint32_t i) { return blocks_[i].first_return < time; });
    if (after == forward_.begin()) return nullptr;
    const Block& zone = blocks_[*(after - 1)];
    return time < zone.last_call ? &zone : nullptr;
  }

  Violation two_values(const Block& a, const Block& b) const {
    std::vector<OperationIndex> operations;
    OperationIndex last = kNone;
    for (const OperationIndex operation : {a.earliest, a.latest, b.earliest, b.latest}) {
      if (operation == kNone) continue;  // the initial value's
      operations.push_back(operation);
      if (last == kNone || returned(operation) > returned(last)) last = operation;
    }
    return violation_of(Pattern::kTwoValues, history_, operations, last);
  }

  // Forward zones by their beginnings; a backward zone where its time begins, or right after the forward zone
  // in which it begins.
  std::vector<OperationIndex> order() const {
    std::vector<std::pair<std::pair<Time, Time>, std::uint32_t>> sorted;
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
      const Block& block = blocks_[i];
      if (block.is_forward()) {
        sorted.push_back({{block.first_return, -1}, i});
        continue;
      }
      const Block* around = zone_at(block.last_call);
      sorted.push_back({{around != nullptr ? around->last_call : block.last_call, block.last_call}, i});
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<OperationIndex> order;
    for (const auto& entry : sorted) {
      for (std::uint32_t at = blocks_[entry.second].first_cell; at != kNone; at = cells_[at].successor) {
        if (cells_[at].write != kNone) order.push_back(cells_[at].write);
        order.insert(order.end(), cells_[at].reads.begin(), cells_[at].reads.end());  // by their calls
      }
    }
    return order;
  }

  Time called(OperationIndex i) const { return i == kNone ? -2 : static_cast<Time>(history_[i].called); }
  Time returned(OperationIndex i) const {
    return i == kNone ? -1 : history_[i].returned == kNever ? kEnd : static_cast<Time>(history_[i].returned);
  }

  void complain(const Violation& violation) {
    if (!violation_ || violation.prefix < violation_->prefix) violation_ = violation;
  }

  const CallHistory& history_;
  std::unordered_map<Value, std::uint32_t> by_value_;
  std::vector<Cell> cells_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> forward_;
  std::vector<bool> reached_;
  std::optional<Violation> violation_;
};

}  // namespace heddle::linearize
