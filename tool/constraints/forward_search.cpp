#include "tool/constraints/forward_search.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/random.h"

namespace heddle::constraints {
namespace {

class ForwardSearch {
 public:
  // In the first round a thread goes on while it can; in others the order in which threads are tried is
  // drawn.
  ForwardSearch(const Structure& structure, bool with_soft, std::uint32_t round, std::uint64_t most_steps)
      : s_(structure),
        simulation_(structure),
        decided_at_(structure.count()),
        round_(round),
        steps_left_(most_steps) {
    for (const Condition& c : s_.trace().conditions) {
      if (!c.soft || with_soft) decide_at_last_read(c);
    }
    Condition bug = s_.trace().bug.condition;
    if (s_.goal() == Structure::Goal::kPass) bug.holds = !bug.holds;
    if (bug.expression != kConcrete) decide_at_last_read(bug);
  }

  std::optional<Schedule> find() {
    simulation_.start();
    const std::size_t all = s_.observed().size();
    for (;;) {
      const bool goes_on = at_choice() ? choose() : step(current_);
      if (goes_on && order_.size() == all) return order_;
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
    std::vector<std::uint32_t> untried;  // the next one last
  };

  // A condition is decided where its last symbol is read.
  void decide_at_last_read(const Condition& condition) {
    ActionId last = kNoAction;
    std::vector<ExpressionId> stack{condition.expression};
    std::unordered_set<std::uint32_t> seen;
    while (!stack.empty()) {
      const ExpressionId id = stack.back();
      stack.pop_back();
      if (!seen.insert(index_of(id)).second) continue;
      const Expression& e = s_.trace().expressions[index_of(id)];
      if (e.op == Operator::kSymbol) {
        const ActionId read = index_of(e.operands[0]);
        if (last == kNoAction || s_.ordinal(read) > s_.ordinal(last)) last = read;
        continue;
      }
      for (unsigned k = 0; k < operand_count(e.op); ++k) stack.push_back(e.operands[k]);
    }
    if (last != kNoAction) decided_at_[last].push_back(condition);
  }

  // Others may go on where it makes a difference that locks do not exclude.
  bool at_choice() const {
    const ActionId id = simulation_.next_of(current_);
    if (id == kNoAction) return true;
    if (fresh_turn_) return false;
    const Action& a = s_.action(id);
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

  // Opens a fork, unless the same state was seen before.
  bool choose() {
    if (!seen_.insert(fingerprint()).second) return false;
    Fork fork{simulation_.state(), order_.size(), current_, read_, {}};
    for (std::uint32_t t = static_cast<std::uint32_t>(s_.thread_count()); t-- > 0;) {
      if (t != current_ && simulation_.next_of(t) != kNoAction) fork.untried.push_back(t);
    }
    if (simulation_.next_of(current_) != kNoAction) fork.untried.push_back(current_);
    if (round_ != 0) {
      for (std::size_t i = fork.untried.size(); i > 1; --i)
        std::swap(fork.untried[i - 1], fork.untried[mix(mix(round_, order_.size()), i) % i]);
    }
    forks_.push_back(std::move(fork));
    return go_on();
  }

  // The next one of the last fork.
  bool go_on() {
    Fork& fork = forks_.back();
    if (fork.untried.empty()) {
      forks_.pop_back();
      return false;
    }
    current_ = fork.untried.back();
    fork.untried.pop_back();
    fresh_turn_ = true;
    return true;
  }

  bool go_back() {
    while (!forks_.empty() && steps_left_ != 0) {
      const Fork& fork = forks_.back();
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
    if (simulation_.advance(id, static_cast<std::uint32_t>(order_.size())) != nullptr) return false;
    std::uint64_t value = 0;
    if (s_.action(id).symbol != kConcrete && simulation_.value_read(id, value))
      read_ += mix(id, value);  // of a set: who read first makes no difference
    return std::ranges::all_of(decided_at_[id], [&](const Condition& c) { return simulation_.holds(c); });
  }

  const Structure& s_;
  Simulation simulation_;
  std::vector<std::vector<Condition>> decided_at_;  // by action
  std::uint32_t round_;
  std::uint64_t steps_left_;
  Schedule order_;
  std::vector<Fork> forks_;
  std::unordered_set<std::uint64_t> seen_;
  std::uint32_t current_ = 0;
  std::uint64_t read_ = 0;
  bool fresh_turn_ = false;  // the thread was just chosen: it makes at least one step
};

}  // namespace

std::optional<Schedule> search_forward(const Structure& structure, bool with_soft, std::uint64_t most_steps) {
  if (structure.trace().bug.kind != BugKind::kCondition || structure.thread_count() == 0) return std::nullopt;
  constexpr std::uint32_t kRounds = 8;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    if (auto order = ForwardSearch(structure, with_soft, round, most_steps / kRounds).find()) return order;
  }
  return std::nullopt;
}

}  // namespace heddle::constraints
