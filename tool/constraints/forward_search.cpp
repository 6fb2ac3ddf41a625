#include "tool/constraints/forward_search.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/base/random.h"
#include "tool/constraints/candidates.h"

namespace heddle::constraints {
namespace {

constexpr std::uint32_t kNoThreadIndex = ~0u;

struct Way {
  bool with_soft = true;
  // In the first round a thread goes on while it can; in others the order in which threads are tried is
  // drawn.
  std::uint32_t round = 0;
  std::uint64_t most_steps = 0;
  std::uint32_t most_preemptions = ~0u;      // threads that are left although they could go on
  std::uint32_t ends_with = kNoThreadIndex;  // the order ends with this thread's last action
  std::span<const ActionId> before;          // … and these come before it
};

// What a part reads in every order; nullopt: it depends, or is not known.
std::optional<std::uint64_t> settled_value(const Structure& s, const Candidates& candidates, PartId part) {
  const auto sources = candidates.of(part);
  if (sources.size() != 1) return std::nullopt;
  const Cell& cell = s.cells()[s.parts()[part].cell];
  if (sources[0] == kNoAction) return cell.has_initial ? std::optional(cell.initial) : std::nullopt;
  const Action& write = s.action(sources[0]);
  if (write.written != kConcrete) return std::nullopt;
  for (const Part& written : s.parts_of(sources[0])) {
    if (written.cell == s.parts()[part].cell) return write.value >> written.shift & mask_of(written.bits);
  }
  return std::nullopt;
}

// Reads that read the same value in every order, as of what a thread is given by who creates it: conditions
// on nothing else hold as they did. (Not where code that is not traced wrote something else there.)
std::vector<bool> settled_reads(const Structure& s) {
  const Candidates candidates(s);
  std::vector<bool> settled(s.count());
  for (const ActionId id : s.observed()) {
    const Action& a = s.action(id);
    if (!a.reads() || a.symbol == kConcrete) continue;
    std::uint64_t value = 0;
    bool is_known = true;
    for (PartId p = s.first_part(id); is_known && p < s.first_part(id + 1); ++p) {
      const auto part = settled_value(s, candidates, p);
      is_known = part.has_value();
      value |= part.value_or(0) << s.parts()[p].shift;
    }
    settled[id] = is_known && value == a.read_value;
  }
  return settled;
}

class ForwardSearch {
 public:
  ForwardSearch(const Structure& structure, const Way& way)
      : s_(structure),
        simulation_(structure),
        decided_at_(structure.count()),
        way_(way),
        settled_(settled_reads(structure)),
        steps_left_(way.most_steps) {
    for (const Condition& c : s_.trace().conditions) {
      if (!c.soft || way.with_soft) decide_at_last_read(c);
    }
    Condition bug = s_.trace().bug.condition;
    if (s_.goal() == Structure::Goal::kPass) bug.holds = !bug.holds;
    if (bug.expression != kConcrete) decide_at_last_read(bug);
    if (way.most_preemptions != ~0u) find_private_cells();
  }

  std::optional<Schedule> find() {
    simulation_.start();
    for (;;) {
      const bool goes_on = at_choice() ? choose() : step(current_);
      if (goes_on && is_complete()) return order_;
      if (!goes_on && !go_back()) return std::nullopt;
    }
  }

 private:
  // A place where another thread can go on: the state there, and who has not been tried yet.
  struct Fork {
    Simulation::State state;
    std::size_t executed = 0;
    std::uint32_t current = 0;
    std::uint64_t read = 0;
    std::uint32_t preemptions = 0;
    bool is_free = false;                // `current` cannot go on: to leave it is no preemption
    std::vector<std::uint32_t> untried;  // the next one last
  };

  bool is_complete() const {
    if (way_.ends_with != kNoThreadIndex) return is_at_end();
    return order_.size() == s_.observed().size();
  }

  bool is_at_end() const {
    return way_.ends_with != kNoThreadIndex && simulation_.next_of(way_.ends_with) == kNoAction;
  }
  bool is_done(ActionId id) const { return simulation_.state().next[s_.thread_index(id)] > s_.ordinal(id); }

  // Where only one thread comes by, or nobody writes, nothing is gained by going elsewhere.
  void find_private_cells() {
    matters_.assign(s_.cells().size(), false);
    for (CellId c = 0; c < matters_.size(); ++c) {
      const Cell& cell = s_.cells()[c];
      if (cell.writes.empty()) continue;
      const std::uint32_t first = s_.thread_index(cell.writes.front());
      const auto is_other = [&](ActionId id) { return s_.thread_index(id) != first; };
      matters_[c] = std::ranges::any_of(cell.writes, is_other) || std::ranges::any_of(cell.reads, is_other);
    }
  }

  // A condition is decided where its last symbol is read.
  void decide_at_last_read(const Condition& condition) {
    ActionId last = kNoAction;
    bool is_settled = true;
    std::vector<ExpressionId> stack{condition.expression};
    std::unordered_set<std::uint32_t> seen;
    while (!stack.empty()) {
      const ExpressionId id = stack.back();
      stack.pop_back();
      if (!seen.insert(index_of(id)).second) continue;
      const Expression& e = s_.trace().expressions[index_of(id)];
      if (e.op == Operator::kSymbol) {
        const ActionId read = index_of(e.operands[0]);
        is_settled = is_settled && settled_[read];
        if (last == kNoAction || s_.ordinal(read) > s_.ordinal(last)) last = read;
        continue;
      }
      for (unsigned k = 0; k < operand_count(e.op); ++k) stack.push_back(e.operands[k]);
    }
    if (last != kNoAction && !is_settled) decided_at_[last].push_back(condition);
  }

  // Others may go on where it makes a difference that locks do not exclude.
  bool at_choice() const {
    const ActionId id = simulation_.next_of(current_);
    if (id == kNoAction) return true;
    if (fresh_turn_) return false;
    const Action& a = s_.action(id);
    if (a.is_access() && !matters_.empty()) {
      const auto parts = s_.parts_of(id);
      if (std::ranges::none_of(parts, [&](const Part& p) { return matters_[p.cell]; })) return false;
    }
    if (a.is_access()) return a.is_atomic() || s_.sections_of(id).empty();
    return a.kind != EventKind::kMutexUnlock && a.kind != EventKind::kRwlockUnlock &&
           a.kind != EventKind::kThreadCreate;
  }

  std::uint64_t fingerprint() const {
    const Simulation::State& state = simulation_.state();
    std::uint64_t hash = read_;
    for (const std::uint32_t n : state.next) hash = mix(hash, n);
    for (std::size_t c = 0; c < state.memory.size(); ++c) {
      hash = mix(hash, state.memory_known[c] ? state.memory[c] + 1 : 0);
    }
    return mix(hash, current_);
  }

  // Opens a fork, unless the same state was seen before, with no more preemptions.
  bool choose() {
    const auto [seen, is_new] = seen_.emplace(fingerprint(), preemptions_);
    if (!is_new && seen->second <= preemptions_) return false;
    seen->second = preemptions_;
    Fork fork{simulation_.state(), order_.size(), current_, read_, preemptions_, false, {}};
    fork.is_free = simulation_.next_of(current_) == kNoAction;
    for (std::uint32_t t = static_cast<std::uint32_t>(s_.thread_count()); t-- > 0;) {
      if (t != current_ && simulation_.next_of(t) != kNoAction) fork.untried.push_back(t);
    }
    if (simulation_.next_of(current_) != kNoAction) fork.untried.push_back(current_);
    if (way_.round != 0) {
      for (std::size_t i = fork.untried.size(); i > 1; --i)
        std::swap(fork.untried[i - 1], fork.untried[mix(mix(way_.round, order_.size()), i) % i]);
    }
    forks_.push_back(std::move(fork));
    return go_on();
  }

  // The next one of the last fork.
  bool go_on() {
    Fork& fork = forks_.back();
    // Who goes on is tried before all others in the rounds that count preemptions.
    const bool is_dear = !fork.is_free && fork.preemptions >= way_.most_preemptions;
    if (fork.untried.empty() || (is_dear && fork.untried.back() != fork.current)) {
      forks_.pop_back();
      return false;
    }
    current_ = fork.untried.back();
    fork.untried.pop_back();
    const bool is_preemption = current_ != fork.current && !fork.is_free && way_.most_preemptions != ~0u;
    preemptions_ = fork.preemptions + (is_preemption ? 1 : 0);
    fresh_turn_ = true;
    return true;
  }

  bool go_back() {
    while (!forks_.empty() && steps_left_ != 0) {
      Fork& fork = forks_.back();
      if (is_stuck_ && order_.size() == fork.executed + 1 && s_.thread_index(order_.back()) == fork.current)
        fork.is_free = true;
      is_stuck_ = false;
      const std::span<const ActionId> executed(order_);
      simulation_.put_back(fork.state, executed.first(fork.executed), executed.subspan(fork.executed));
      order_.resize(fork.executed);
      read_ = fork.read;
      current_ = fork.current;
      if (go_on()) return true;
    }
    return false;
  }

  bool step(std::uint32_t thread) {
    if (steps_left_ == 0) return false;
    --steps_left_;
    fresh_turn_ = false;
    const ActionId id = simulation_.next_of(thread);
    order_.push_back(id);
    is_stuck_ = simulation_.advance(id, static_cast<std::uint32_t>(order_.size())) != nullptr;
    if (is_stuck_) return false;
    std::uint64_t value = 0;
    if (s_.action(id).symbol != kConcrete && simulation_.value_read(id, value))
      read_ += mix(id, value);  // of a set: who read first makes no difference
    if (is_at_end() && !std::ranges::all_of(way_.before, [&](ActionId b) { return is_done(b); }))
      return false;
    return std::ranges::all_of(decided_at_[id], [&](const Condition& c) { return simulation_.holds(c); });
  }

  const Structure& s_;
  Simulation simulation_;
  std::vector<std::vector<Condition>> decided_at_;  // by action
  Way way_;
  std::vector<bool> settled_;  // by action
  std::vector<bool> matters_;  // by cell; empty: all do
  std::uint64_t steps_left_;
  Schedule order_;
  std::vector<Fork> forks_;
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;  // with so many preemptions
  std::uint32_t current_ = 0;
  std::uint64_t read_ = 0;
  std::uint32_t preemptions_ = 0;
  bool fresh_turn_ = false;  // the thread was just chosen: it makes at least one step
  bool is_stuck_ = false;    // the last step was none: the thread has to wait
};

}  // namespace

std::optional<Schedule> search_forward(const Structure& structure, bool with_soft, std::uint64_t most_steps) {
  if (structure.trace().bug.kind != BugKind::kCondition || structure.thread_count() == 0) return std::nullopt;
  constexpr std::uint32_t kRounds = 8;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    Way way;
    way.with_soft = with_soft;
    way.round = round;
    way.most_steps = most_steps / kRounds;
    if (auto order = ForwardSearch(structure, way).find()) return order;
  }
  return std::nullopt;
}

std::optional<Schedule> search_to_failure(const Structure& structure, bool with_soft,
                                          std::uint64_t most_steps, std::span<const ActionId> before) {
  const Bug& bug = structure.trace().bug;
  if (bug.kind != BugKind::kCondition || bug.condition.expression == kConcrete) return std::nullopt;
  Way way;
  way.with_soft = with_soft;
  way.before = before;
  for (std::uint32_t i = 0; i < structure.thread_count(); ++i) {
    const auto own = structure.thread(i);
    if (!own.empty() && structure.action(own.front()).thread == bug.condition.thread) way.ends_with = i;
  }
  if (way.ends_with == kNoThreadIndex) return std::nullopt;
  constexpr std::uint32_t kAny = 1u << 16;
  constexpr std::uint32_t kPreemptions[] = {0, 1, 2, kAny};
  way.most_steps = most_steps / std::size(kPreemptions);
  for (const std::uint32_t most : kPreemptions) {
    way.most_preemptions = most;
    if (auto order = ForwardSearch(structure, way).find()) return order;
  }
  return std::nullopt;
}

}  // namespace heddle::constraints
