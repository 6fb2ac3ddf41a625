#include "tool/constraints/forward_search.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/base/random.h"
#include "tool/constraints/candidates.h"
#include "tool/run/time_limit.h"

namespace heddle::constraints {
namespace {

constexpr std::uint32_t kNoThreadIndex = ~0u;
constexpr std::uint32_t kNoWait = ~0u;

struct Way {
  bool with_soft = true;
  // In the first round a thread goes on while it can; in others the order in which threads are tried is
  // drawn.
  std::uint32_t round = 0;
  std::uint64_t most_steps = 0;
  std::uint32_t most_preemptions = ~0u;      // threads that are left although they could go on
  std::uint32_t ends_with = kNoThreadIndex;  // the order ends with this thread's last action
  std::span<const ActionId> before;          // actions that come before that last one
  // Threads that are to come so far; empty: all to their end, or `ends_with` says otherwise.
  struct Wanted {
    std::uint32_t thread = 0;
    std::uint32_t actions = 0;
    std::uint32_t unanswered = kNoWait;  // a wait that it ends with, and has to be signalled in
  };
  std::vector<Wanted> wanted;
  bool wanted_go_first = false;         // the wanted threads go whenever they can, before who was going on
  std::uint32_t last = kNoThreadIndex;  // of these: its last action comes after the others have arrived
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
    // Each one looks at all writes of its cells. Reads that were not looked at count as not settled, which
    // only makes a search longer.
    if (run::time_is_up()) break;
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

// What is the same in all rounds of one question.
struct Facts {
  std::vector<std::vector<Condition>> decided_at;  // by action: conditions whose last symbol is read there
  // By action: what was read before and is of no more use from here on, since its thread's later writes and
  // conditions do not have it. What is used no more does not tell states apart.
  std::vector<std::vector<ActionId>> used_last_at;
  std::vector<bool> is_used_later;  // by action: what it reads
  std::vector<bool> matters;        // by cell: several threads come by, and somebody writes
  std::vector<bool> is_settled;     // by action: it reads the same in every order
};

class FactFinder {
 public:
  FactFinder(const Structure& structure, bool with_soft) : s_(structure), settled_(settled_reads(structure)) {
    facts_.decided_at.resize(s_.count());
    facts_.used_last_at.resize(s_.count());
    facts_.is_used_later.assign(s_.count(), false);
    last_use_.assign(s_.count(), kNoAction);
    visited_.assign(s_.trace().expressions.size(), 0);
    for (const Condition& c : s_.trace().conditions) {
      if (!c.soft || with_soft) decide_at_last_read(c);
    }
    Condition bug = s_.trace().bug.condition;
    if (s_.goal() == Structure::Goal::kPass) bug.holds = !bug.holds;
    if (bug.expression != kConcrete) decide_at_last_read(bug);
    for (const ActionId id : s_.observed()) {
      if (s_.action(id).writes() && s_.action(id).written != kConcrete)
        for_each_read(s_.action(id).written, [&](ActionId read) { use(read, id); });
    }
    for (const ActionId id : s_.observed()) {
      if (last_use_[id] == kNoAction || last_use_[id] == id) continue;
      facts_.is_used_later[id] = true;
      facts_.used_last_at[last_use_[id]].push_back(id);
    }
    find_what_matters();
    facts_.is_settled = std::move(settled_);
  }

  Facts take() { return std::move(facts_); }

 private:
  template <class F>
  void for_each_read(ExpressionId root, F&& visit) {
    ++visit_;
    stack_.assign(1, root);
    while (!stack_.empty()) {
      const ExpressionId id = stack_.back();
      stack_.pop_back();
      if (visited_[index_of(id)] == visit_) continue;
      visited_[index_of(id)] = visit_;
      const Expression& e = s_.trace().expressions[index_of(id)];
      if (e.op == Operator::kSymbol) {
        visit(ActionId{index_of(e.operands[0])});
        continue;
      }
      for (unsigned k = 0; k < operand_count(e.op); ++k) stack_.push_back(e.operands[k]);
    }
  }

  void use(ActionId read, ActionId at) {
    ActionId& last = last_use_[read];
    if (last == kNoAction || s_.ordinal(at) > s_.ordinal(last)) last = at;
  }

  void decide_at_last_read(const Condition& condition) {
    ActionId last = kNoAction;
    bool is_settled = true;
    for_each_read(condition.expression, [&](ActionId read) {
      is_settled = is_settled && settled_[read];
      if (last == kNoAction || s_.ordinal(read) > s_.ordinal(last)) last = read;
    });
    // What depends on nothing that could be otherwise holds as it did, if it did.
    const bool held = (s_.trace().expressions[index_of(condition.expression)].value != 0) == condition.holds;
    if (last == kNoAction || (is_settled && held)) return;
    facts_.decided_at[last].push_back(condition);
    for_each_read(condition.expression, [&](ActionId read) { use(read, last); });
  }

  // Where only one thread comes by, or nobody writes, nothing is gained by going elsewhere.
  void find_what_matters() {
    facts_.matters.assign(s_.cells().size(), false);
    for (CellId c = 0; c < facts_.matters.size(); ++c) {
      const Cell& cell = s_.cells()[c];
      if (cell.writes.empty()) continue;
      const std::uint32_t first = s_.thread_index(cell.writes.front());
      const auto is_other = [&](ActionId id) { return s_.thread_index(id) != first; };
      facts_.matters[c] =
          std::ranges::any_of(cell.writes, is_other) || std::ranges::any_of(cell.reads, is_other);
    }
  }

  const Structure& s_;
  std::vector<bool> settled_;  // by action
  std::vector<ActionId> last_use_;
  std::vector<std::uint32_t> visited_;  // by expression: the latest visit
  std::uint32_t visit_ = 0;
  std::vector<ExpressionId> stack_;
  Facts facts_;
};

class ForwardSearch {
 public:
  ForwardSearch(const Structure& structure, const Facts& facts, const Way& way)
      : s_(structure), facts_(facts), simulation_(structure), way_(way), steps_left_(way.most_steps) {}

  std::optional<Schedule> find() {
    simulation_.start();
    for (;;) {
      const bool goes_on = at_choice() ? choose() : step(current_);
      if (goes_on) note_progress();
      if (goes_on && is_complete()) return order_;
      if (!goes_on && !go_back()) return std::nullopt;
    }
  }

  // Where find() has none: the order in which most of the wanted threads arrive.
  const Schedule& furthest() const { return furthest_; }
  const std::vector<ThreadId>& arrived_in_furthest() const { return arrived_; }

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
    if (!way_.wanted.empty()) return most_arrived_ == way_.wanted.size();
    return order_.size() == s_.observed().size();
  }

  bool is_at_end() const {
    return way_.ends_with != kNoThreadIndex && simulation_.next_of(way_.ends_with) == kNoAction;
  }
  bool is_done(ActionId id) const { return simulation_.state().next[s_.thread_index(id)] > s_.ordinal(id); }

  bool has_arrived(const Way::Wanted& w) const {
    return simulation_.state().next[w.thread] >= w.actions &&
           (w.unanswered == kNoWait || simulation_.may_be_signalled(w.unanswered));
  }
  std::size_t arrived() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(way_.wanted, [&](const Way::Wanted& w) { return has_arrived(w); }));
  }

  void note_progress() {
    if (way_.wanted.empty() || order_.empty()) return;
    const std::size_t now = arrived();
    if (now <= most_arrived_) return;
    most_arrived_ = now;
    furthest_ = order_;
    arrived_.clear();
    for (const Way::Wanted& w : way_.wanted) {
      if (has_arrived(w)) arrived_.push_back(s_.action(s_.thread(w.thread).front()).thread);
    }
  }

  // The last step of the thread that is to come last has to wait for the others.
  bool comes_too_early(std::uint32_t thread) const {
    if (thread != way_.last || simulation_.state().next[thread] + 1 != s_.thread(thread).size()) return false;
    return arrived() + 1 != way_.wanted.size();
  }

  // Others may go on where it makes a difference that locks do not exclude.
  bool at_choice() const {
    const ActionId id = simulation_.next_of(current_);
    if (id == kNoAction) return true;
    if (fresh_turn_) return false;
    if (comes_too_early(current_)) return true;
    const Action& a = s_.action(id);
    if (a.is_access() && way_.most_preemptions != ~0u) {
      const auto parts = s_.parts_of(id);
      if (std::ranges::none_of(parts, [&](const Part& p) { return facts_.matters[p.cell]; })) return false;
      if (!a.writes() && facts_.is_settled[id]) return false;
    }
    if (a.is_access()) return a.is_atomic() || s_.sections_of(id).empty();
    return a.kind != EventKind::kMutexUnlock && a.kind != EventKind::kRwlockUnlock &&
           a.kind != EventKind::kThreadCreate && a.kind != EventKind::kThreadStart;
  }

  std::uint64_t fingerprint() const {
    const Simulation::State& state = simulation_.state();
    std::uint64_t hash = read_;
    for (const std::uint32_t n : state.next) hash = mix(hash, n);
    for (std::size_t c = 0; c < state.memory.size(); ++c) {
      hash = mix(hash, state.memory_known[c] ? state.memory[c] + 1 : 0);
    }
    // Who has been signalled depends on who waited by then.
    for (std::size_t w = 0; w < state.signalled.size(); ++w) hash = mix(hash, state.signalled[w] ? w + 1 : 0);
    for (const Simulation::Object& object : state.objects) {
      for (const auto& signal : object.signals) {
        for (const std::uint32_t w : signal.to) hash = mix(hash, w);
      }
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
    if (way_.wanted_go_first) {
      std::stable_partition(fork.untried.begin(), fork.untried.end(), [&](std::uint32_t t) {
        return std::ranges::none_of(way_.wanted, [&](const Way::Wanted& w) { return w.thread == t; });
      });
    }
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
      // A branch that would come out otherwise is waited for as a lock is, from before the critical section
      // that it is in: that others go on first is no preemption.
      const auto is_own = [&](ActionId id) { return s_.thread_index(id) == fork.current; };
      if (is_stuck_ &&
          std::all_of(order_.begin() + static_cast<std::ptrdiff_t>(fork.executed), order_.end(), is_own))
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
    if (time_.is_up()) steps_left_ = 0;
    if (steps_left_ == 0) return false;
    --steps_left_;
    fresh_turn_ = false;
    is_stuck_ = true;
    if (comes_too_early(thread)) return false;
    const ActionId id = simulation_.next_of(thread);
    order_.push_back(id);
    if (simulation_.advance(id, static_cast<std::uint32_t>(order_.size())) != nullptr) return false;
    if (!std::ranges::all_of(facts_.decided_at[id], [&](const Condition& c) { return simulation_.holds(c); }))
      return false;
    is_stuck_ = false;
    // Of a set: who read first makes no difference.
    if (facts_.is_used_later[id]) read_ += hash_of_read(id);
    for (const ActionId earlier : facts_.used_last_at[id]) read_ -= hash_of_read(earlier);
    return !is_at_end() || std::ranges::all_of(way_.before, [&](ActionId b) { return is_done(b); });
  }

  std::uint64_t hash_of_read(ActionId id) {
    std::uint64_t value = 0;
    return simulation_.value_read(id, value) ? mix(id, value) : 0;
  }

  const Structure& s_;
  const Facts& facts_;
  Simulation simulation_;
  Way way_;
  std::uint64_t steps_left_;
  run::TimeSampler time_;
  Schedule order_;
  std::vector<Fork> forks_;
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;  // with so many preemptions
  std::uint32_t current_ = 0;
  std::uint64_t read_ = 0;  // values that were read and are of use later on
  std::uint32_t preemptions_ = 0;
  bool fresh_turn_ = false;  // the thread was just chosen: it makes at least one step
  bool is_stuck_ = false;    // the last step was none: the thread has to wait
  Schedule furthest_;
  std::size_t most_arrived_ = 0;
  std::vector<ThreadId> arrived_;
};

constexpr std::uint32_t kAnyPreemptions = 1u << 16;
constexpr std::uint32_t kPreemptions[] = {0, 1, 2, kAnyPreemptions};

}  // namespace

std::optional<Schedule> search_forward(const Structure& structure, bool with_soft, std::uint64_t most_steps) {
  if (structure.trace().bug.kind != BugKind::kCondition || structure.thread_count() == 0) return std::nullopt;
  constexpr std::uint32_t kRounds = 8;
  const Facts facts = FactFinder(structure, with_soft).take();
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    Way way;
    way.with_soft = with_soft;
    way.round = round;
    way.most_steps = most_steps / kRounds;
    if (auto order = ForwardSearch(structure, facts, way).find()) return order;
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
  const Facts facts = FactFinder(structure, with_soft).take();
  way.most_steps = most_steps / std::size(kPreemptions);
  for (const std::uint32_t most : kPreemptions) {
    way.most_preemptions = most;
    if (auto order = ForwardSearch(structure, facts, way).find()) return order;
  }
  return std::nullopt;
}

Schedule search_along(const Structure& structure, std::span<const WantedThread> wanted, ThreadId last,
                      std::uint64_t most_steps, std::vector<ThreadId>& arrived) {
  Way way;
  for (std::uint32_t i = 0; i < structure.thread_count(); ++i) {
    const auto own = structure.thread(i);
    if (own.empty()) continue;
    const ThreadId thread = structure.action(own.front()).thread;
    const auto found =
        std::ranges::find_if(wanted, [&](const WantedThread& w) { return w.thread == thread; });
    if (found == wanted.end()) continue;
    const bool is_all = found->until == kNoAction;
    Way::Wanted one{i, static_cast<std::uint32_t>(is_all ? own.size() : structure.ordinal(found->until) + 1)};
    for (std::uint32_t w = 0; is_all && w < structure.waits().size(); ++w) {
      if (structure.waits()[w].wait == own.back()) one.unanswered = w;
    }
    way.wanted.push_back(one);
    if (thread == last) way.last = i;
  }
  arrived.clear();
  Schedule best;
  if (way.wanted.empty()) return best;
  const Facts facts = FactFinder(structure, true).take();
  constexpr std::size_t kWays = std::size(kPreemptions) + 1;
  way.most_steps = most_steps / kWays;
  for (std::size_t i = 0; i < kWays; ++i) {
    // Without preemptions; then as early as possible; then with few preemptions, and with any.
    way.wanted_go_first = i == 1;
    way.most_preemptions = i == 1 ? kAnyPreemptions : kPreemptions[i == 0 ? 0 : i - 1];
    ForwardSearch search(structure, facts, way);
    const bool is_complete = search.find().has_value();
    if (search.arrived_in_furthest().size() > arrived.size()) {
      arrived = search.arrived_in_furthest();
      best = search.furthest();
    }
    if (is_complete) break;
  }
  return best;
}

}  // namespace heddle::constraints
