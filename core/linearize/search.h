// The general checker: Wing and Gong's search with Lowe's cache of configurations and just-in-time
// linearization
// ("Testing for linearizability", 2017). It works for every specification; its time is exponential in the
// number of operations that overlap, and for objects that remember orders (queues, stacks) in much more than
// that.
//
// A configuration is a place between two events, the operations that are open there and have already taken
// effect, and the state. Operations take effect only when one of them has to return: what can be done later
// can be done later in the same order. So everything before the place has taken effect, and only the open
// operations need a bit each: a configuration is stored exactly, in a few words, with no hash in its stead.
// The search is depth first; a configuration that was seen before cannot do better the second time. An open
// operation that only looks (Spec::only_looks) takes effect as soon as the state gives it its result:
// whatever follows could follow it, too. So reads do not multiply configurations.
//
// When there is none, the violation names the farthest return that no configuration passes. The events before
// it have a linearization. With it they need not be without one: the search knows results that come later
// (see shortest.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/linearize/answer.h"
#include "core/linearize/history.h"
#include "core/linearize/specification.h"

namespace heddle::linearize {

struct Options {
  std::size_t memory_limit = std::size_t{1}
                             << 30;  // bytes of configurations; beyond it the verdict is unknown
};

template <typename Spec>
class Search {
  static_assert(kIsSpecification<Spec>, "see core/linearize/specification.h");

 public:
  using HistoryOf = History<typename Spec::Input, typename Spec::Output>;

  Search(const Spec& initial, const HistoryOf& history, const Options& options)
      : history_(history), events_(history.events()), options_(options) {
    give_slots();
    give_twins();
    mask_.assign(words_, 0);
    open_.assign(words_, 0);
    start(initial);
  }

  Answer run() {
    Answer answer;
    answer.method = Method::kSearch;
    while (!path_.empty() && states_[path_.back().node].place < events_.size()) {
      if (bytes_ > options_.memory_limit) {
        answer.configurations = states_.size();
        return answer;
      }
      if (!advance(path_.back())) path_.pop_back();
    }
    answer.configurations = states_.size();
    if (path_.empty()) {
      answer.verdict = Verdict::kNotLinearizable;
      answer.violation.operation = events_[farthest_].operation;
      answer.violation.prefix = farthest_ + std::size_t{1};
      answer.violation.operations = {answer.violation.operation};
      return answer;
    }
    answer.verdict = Verdict::kLinearizable;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const std::uint32_t node = path_[i].node;
      if (i != 0) answer.order.push_back(states_[node].last);
      const std::size_t end =
          node + std::size_t{1} < states_.size() ? states_[node + 1].along : along_.size();
      answer.order.insert(answer.order.end(), along_.begin() + states_[node].along,
                          along_.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return answer;
  }

 private:
  using Slot = std::uint32_t;
  static constexpr Slot kNoSlot = 0xffffffffu;
  static constexpr std::uint32_t kNoNode = 0xffffffffu;

  struct Node {
    Spec state;
    std::uint32_t place;  // index into events_ of the first return that is not satisfied
    OperationIndex last;  // what took effect to get here
    std::uint32_t along;  // from this index into along_ to the next node's: operations that changed nothing
  };
  struct Frame {
    std::uint32_t node;
    Slot next;  // the candidate to try; 0 is the operation that has to return, s + 1 is slot s
    std::uint32_t alternative;  // of those that the specification gives for the candidate
  };

  bool has(const std::uint64_t* mask, Slot slot) const { return (mask[slot / 64] >> (slot % 64) & 1) != 0; }
  static void flip(std::uint64_t* mask, Slot slot) { mask[slot / 64] ^= std::uint64_t{1} << (slot % 64); }

  // A slot is an operation's bit while it is open; the next one takes it over.
  void give_slots() {
    slots_.assign(history_.operations().size(), kNoSlot);
    std::vector<Slot> free;
    Slot used = 0;
    for (const Event& event : events_) {
      if (event.returns) {
        free.push_back(slots_[event.operation]);
      } else if (free.empty()) {
        slots_[event.operation] = used++;
      } else {
        slots_[event.operation] = free.back();
        free.pop_back();
      }
    }
    in_slot_.assign(used, 0);
    words_ = used == 0 ? 1 : (used + 63) / 64;
  }

  // Pending operations with one input are alike but for their beginnings: only the earliest that is left is
  // tried.
  void give_twins() {
    if constexpr (kIsEqualityComparable<typename Spec::Input>) {
      std::vector<OperationIndex> pending;
      twins_.assign(history_.operations().size(), kNoSlot);
      for (const Event& event : events_) {
        if (event.returns || history_[event.operation].output) continue;
        for (std::size_t i = pending.size(); i-- > 0;) {
          if (history_[pending[i]].input == history_[event.operation].input) {
            twins_[event.operation] = slots_[pending[i]];
            break;
          }
        }
        pending.push_back(event.operation);
      }
    }
  }

  void start(const Spec& initial) {
    table_.assign(1024, kNoNode);
    std::uint32_t place = 0;
    pass(place);
    take_along(initial, place);
    enter(initial, place, 0, 0);
  }

  // Open operations that only look, and see in `state` what they have seen; `place` moves on with them.
  void take_along([[maybe_unused]] const Spec& state, [[maybe_unused]] std::uint32_t& place) {
    if constexpr (kHasLooks<Spec> && !kStepsToMany<Spec>) {
      for (bool more = true; more && place < events_.size();) {
        more = false;
        go_to(place);
        for (Slot slot = 0; slot < in_slot_.size(); ++slot) {
          if (!has(open_.data(), slot) || has(mask_.data(), slot)) continue;
          const auto& call = history_[in_slot_[slot]];
          if (!call.output || !Spec::only_looks(call.input, *call.output)) continue;
          Spec next = state;
          if (!step_once(next, call.input, &*call.output)) continue;
          flip(mask_.data(), slot);
          along_.push_back(in_slot_[slot]);
          more = true;
        }
        if (more) pass(place);
      }
    }
  }

  // Moves `place` over calls and over returns of operations in mask_, whose bits go.
  void pass(std::uint32_t& place) {
    for (; place < events_.size(); ++place) {
      const Event& event = events_[place];
      if (!event.returns) continue;
      if (!has(mask_.data(), slots_[event.operation])) return;
      flip(mask_.data(), slots_[event.operation]);
    }
  }

  // Sets open_ and in_slot_ to what is open at `place`.
  void go_to(std::uint32_t place) {
    for (; here_ < place; ++here_) {
      flip(open_.data(), slots_[events_[here_].operation]);
      if (!events_[here_].returns) in_slot_[slots_[events_[here_].operation]] = events_[here_].operation;
    }
    while (here_ > place) {
      --here_;
      flip(open_.data(), slots_[events_[here_].operation]);
      if (events_[here_].returns) in_slot_[slots_[events_[here_].operation]] = events_[here_].operation;
    }
  }

  // Tries the frame's next candidates until one leads to a new configuration, which is put on the path.
  bool advance(Frame& frame) {
    const std::uint32_t place = states_[frame.node].place;
    go_to(place);
    const Slot due = slots_[events_[place].operation];
    const auto slots = static_cast<Slot>(in_slot_.size());
    for (; frame.next <= slots; ++frame.next, frame.alternative = 0) {
      const Slot slot = frame.next == 0 ? due : frame.next - 1;
      if (frame.next != 0 && slot == due) continue;
      const std::uint64_t* taken = &masks_[std::size_t{frame.node} * words_];
      if (!has(open_.data(), slot) || has(taken, slot)) continue;
      const OperationIndex operation = in_slot_[slot];
      if (!twins_.empty() && twins_[operation] != kNoSlot && !has(taken, twins_[operation])) continue;
      if (take(frame, operation, slot, place)) return true;
      go_to(place);  // what is taken along is looked for elsewhere
    }
    return false;
  }

  bool take(Frame& frame, OperationIndex operation, Slot slot, std::uint32_t place) {
    const auto& call = history_[operation];
    const bool pending = !call.output;
    const auto* seen = pending ? nullptr : &*call.output;
    if constexpr (kStepsToMany<Spec>) {
      auto next = states_[frame.node].state.steps(call.input, seen);
      while (frame.alternative < next.size()) {
        if (reach(frame.node, std::move(next[frame.alternative++]), operation, slot, pending, place))
          return true;
      }
      return false;
    } else {
      if (frame.alternative++ > 0) return false;
      Spec next = states_[frame.node].state;
      return step_once(next, call.input, seen) &&
             reach(frame.node, std::move(next), operation, slot, pending, place);
    }
  }

  bool reach(std::uint32_t node, Spec state, OperationIndex operation, Slot slot, bool pending,
             std::uint32_t place) {
    // A pending operation that changes nothing need not take effect.
    if (pending && state == states_[node].state) return false;
    const auto taken = masks_.begin() + static_cast<std::ptrdiff_t>(std::size_t{node} * words_);
    mask_.assign(taken, taken + static_cast<std::ptrdiff_t>(words_));
    flip(mask_.data(), slot);
    pass(place);
    const std::size_t along = along_.size();
    take_along(state, place);
    return enter(std::move(state), place, operation, along);
  }

  std::uint64_t hash_of(std::uint32_t place, const std::uint64_t* mask, const Spec& state) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ull;
    std::uint64_t hash = state.hash() * kOdd + place;
    for (std::size_t i = 0; i < words_; ++i) hash = (hash ^ (hash >> 29)) * kOdd + mask[i];
    return splitmix64(hash);
  }

  // Puts a configuration, with mask_ for its bits, on the path if it is new; `along` is where its part of
  // along_ begins.
  bool enter(Spec state, std::uint32_t place, OperationIndex last, std::size_t along) {
    std::size_t at = hash_of(place, mask_.data(), state) & (table_.size() - 1);
    for (; table_[at] != kNoNode; at = (at + 1) & (table_.size() - 1)) {
      const Node& seen = states_[table_[at]];
      if (seen.place == place && std::equal(mask_.begin(), mask_.end(), &masks_[table_[at] * words_]) &&
          seen.state == state) {
        along_.resize(along);
        return false;
      }
    }
    const auto node = static_cast<std::uint32_t>(states_.size());
    table_[at] = node;
    bytes_ += sizeof(Node) + footprint_of(state) + 8 * words_ + 2 * sizeof(table_[0]);
    bytes_ += (along_.size() - along) * sizeof(along_[0]);
    states_.push_back({std::move(state), place, last, static_cast<std::uint32_t>(along)});
    masks_.insert(masks_.end(), mask_.begin(), mask_.end());
    if (place < events_.size() && place > farthest_) farthest_ = place;
    if (node == 0) farthest_ = place;
    if (states_.size() * 2 > table_.size()) grow();
    path_.push_back({node, 0, 0});
    return true;
  }

  void grow() {
    std::vector<std::uint32_t> table(table_.size() * 2, kNoNode);
    for (std::uint32_t node = 0; node < states_.size(); ++node) {
      const Node& seen = states_[node];
      std::size_t at =
          hash_of(seen.place, &masks_[std::size_t{node} * words_], seen.state) & (table.size() - 1);
      while (table[at] != kNoNode) at = (at + 1) & (table.size() - 1);
      table[at] = node;
    }
    table_ = std::move(table);
  }

  const HistoryOf& history_;
  const std::vector<Event>& events_;
  Options options_;

  std::vector<Slot> slots_;  // by operation
  std::vector<Slot> twins_;  // by operation: the slot of the pending one before it with the same input
  std::vector<OperationIndex> in_slot_;
  std::size_t words_ = 1;

  std::vector<Node> states_;
  std::vector<std::uint64_t> masks_;  // words_ for each node
  std::vector<OperationIndex> along_;
  std::vector<std::uint32_t> table_;  // open addressing; a power of two
  std::vector<Frame> path_;
  std::size_t bytes_ = 0;
  std::uint32_t farthest_ = 0;

  std::vector<std::uint64_t> mask_;  // of the configuration that is being made
  std::vector<std::uint64_t> open_;  // at here_
  std::uint32_t here_ = 0;
};

}  // namespace heddle::linearize
