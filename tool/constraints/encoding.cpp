// What is written down before the search begins: which writes a read may have read, and what waits,
// semaphores, failed attempts and sections of locks demand of the order.
#include <algorithm>

#include "tool/constraints/problem.h"

namespace heddle::constraints {

void Problem::link_modifications() {
  // Writes that are ordered in every schedule: the latest of each thread before each write is enough.
  std::vector<OrderGraph::Label> unused;
  for (const Cell& cell : s_.cells()) {
    std::vector<std::vector<ActionId>> by_thread(s_.thread_count());
    for (ActionId w : cell.writes) {
      for (const std::vector<ActionId>& own : by_thread) {
        const auto after =
            std::partition_point(own.begin(), own.end(), [&](ActionId x) { return s_.precedes(x, w); });
        if (after != own.begin()) modifications_.add(*std::prev(after), w, OrderGraph::kForced, unused);
      }
      by_thread[s_.thread_index(w)].push_back(w);
    }
  }
}

void Problem::encode_bug() {
  const Bug& bug = s_.trace().bug;
  const bool fails = s_.goal() == Structure::Goal::kFail;
  if (bug.kind == BugKind::kCondition) {
    Condition condition = bug.condition;
    if (!fails) condition.holds = !condition.holds;
    if (condition.expression != kConcrete) {
      conditions_.push_back(condition);
    } else if (!fails) {
      sat_.add_clause({});  // it fails whatever was read
    }
  }
  if (bug.kind == BugKind::kUseAfterFree) {
    sat_.add_clause({fails ? order(bug.first, bug.second) : order(bug.second, bug.first)});
  }
}

void Problem::decide_reads() {
  std::vector<bool> relevant = relevant_reads(s_, candidates_, options_.with_soft);
  for (ActionId i : s_.observed()) {
    if (!s_.action(i).reads()) continue;
    const bool synchronises = needs_happens_before() && s_.action(i).is_atomic();
    for (PartId p = s_.first_part(i); p < s_.first_part(i + 1); ++p) {
      if (gives_up()) return;
      if (!relevant[i] && !synchronises && !is_weak(s_.parts()[p].cell)) continue;
      Choice choice{p, candidates_.of(p), {}, s_.observed_sources()[p], options_.start_from_observed};
      choices_.push_back(std::move(choice));
    }
  }
  prune_by_values(choices_);
  for (std::uint32_t c = 0; c < choices_.size(); ++c) {
    if (gives_up()) return;
    Choice& choice = choices_[c];
    choice_of_part_[choice.part] = c;
    for (ActionId w : choice.writes)
      choice.literals.push_back(2 * add_variable({Meaning::kReads, 0, 0, choice.part, w}));
    sat_.add_clause(choice.literals);
    sat_.add_choice(choice.literals);
  }
}

// All reads in an expression, whatever it is worth; gives up at more than `most`.
std::vector<ActionId> Problem::reads_in(ExpressionId id, std::size_t most) {
  std::vector<ActionId> found;
  std::vector<std::uint32_t> stack{index_of(id)};
  ++visit_;
  while (!stack.empty() && found.size() <= most) {
    const std::uint32_t i = stack.back();
    stack.pop_back();
    if (i == 0 || visited_[i] == visit_) continue;
    visited_[i] = visit_;
    const Expression& e = s_.trace().expressions[i];
    if (e.op == Operator::kSymbol) {
      found.push_back(index_of(e.operands[0]));
    } else {
      for (unsigned k = 0; k < operand_count(e.op); ++k) stack.push_back(index_of(e.operands[k]));
    }
  }
  return found;
}

// Does every branch on this read alone come out as it did?
bool Problem::may_have_value(ActionId read, std::uint64_t value) {
  const auto found = alone_.find(read);
  if (found == alone_.end()) return true;
  values_.clear();
  values_.set_symbol(s_.action(read).symbol, value);
  return std::all_of(found->second.begin(), found->second.end(), [&](std::size_t c) {
    std::uint64_t result = 0;
    return !values_.evaluate(conditions_[c].expression, result) || (result != 0) == conditions_[c].holds;
  });
}

// A branch on one read alone, and a write of a known value: one look tells whether they go together.
void Problem::prune_by_values(std::vector<Choice>& choices) {
  for (std::size_t c = 0; c < conditions_.size(); ++c) {
    const std::vector<ActionId> symbols = reads_in(conditions_[c].expression, 1);
    if (symbols.size() == 1 && s_.parts_of(symbols[0]).size() == 1) alone_[symbols[0]].push_back(c);
  }
  for (Choice& choice : choices) {
    const Part& part = s_.parts()[choice.part];
    if (!alone_.contains(part.action)) continue;
    std::erase_if(choice.writes, [&](ActionId w) {
      if (gives_up()) return false;
      std::uint64_t value = s_.cells()[part.cell].initial;
      if (w != kNoAction) {
        if (s_.action(w).written != kConcrete || s_.parts_of(w).size() != 1) return false;
        value = s_.action(w).value;
      }
      return !may_have_value(part.action, value);
    });
  }
}

// Wait is: release, be signalled, go on. A signal wakes at most one, a broadcast everybody (4.1.3).
void Problem::encode_waits() {
  std::unordered_map<ActionId, std::vector<Literal>> woken_by;
  for (const Wait& wait : s_.waits()) {
    if (wait.wake == kNoAction || !wait.needs_signal) continue;
    Clause somebody;
    for (ActionId i : s_.observed()) {
      if (gives_up()) return;
      const EventKind kind = s_.action(i).kind;
      const bool signals = kind == EventKind::kCondSignal || kind == EventKind::kCondBroadcast;
      if (!signals || s_.object_of(i) != wait.object || s_.thread_index(i) == s_.thread_index(wait.wait))
        continue;
      const Literal wakes = 2 * add_variable({});
      somebody.push_back(wakes);
      sat_.add_clause({negation(wakes), order(wait.wait, i)});
      sat_.add_clause({negation(wakes), order(i, wait.wake)});
      if (kind == EventKind::kCondSignal) woken_by[i].push_back(wakes);
      if (wait.wait < i && i < wait.wake) hint(wakes);
    }
    sat_.add_clause(somebody);
  }
  for (const auto& [signal, wakes] : woken_by) sat_.add_choice(wakes);
}

// Every wait takes the token of a post before it, or one that was there at the start.
void Problem::encode_semaphores() {
  std::vector<std::vector<ActionId>> waits(s_.object_count()), posts(s_.object_count());
  for (ActionId i : s_.observed()) {
    if (s_.action(i).kind == EventKind::kSemaphoreWait) waits[s_.object_of(i)].push_back(i);
    if (s_.action(i).kind == EventKind::kSemaphorePost) posts[s_.object_of(i)].push_back(i);
  }
  for (std::uint32_t object = 0; object < s_.object_count(); ++object) {
    if (waits[object].size() <= s_.tokens(object)) continue;
    const auto tokens = static_cast<std::size_t>(s_.tokens(object));
    std::vector<std::vector<Literal>> takers(tokens + posts[object].size());
    for (std::size_t w = 0; w < waits[object].size(); ++w) {
      Clause some;
      for (std::size_t k = 0; k < takers.size(); ++k) {
        if (gives_up()) return;
        const Literal takes = 2 * add_variable({});
        some.push_back(takes);
        takers[k].push_back(takes);
        if (k >= tokens)
          sat_.add_clause({negation(takes), order(posts[object][k - tokens], waits[object][w])});
        if (k == w) hint(takes);
      }
      sat_.add_clause(some);
    }
    for (const std::vector<Literal>& each : takers) sat_.add_choice(each);
  }
}

// An attempt to lock that failed fell into somebody's section.
void Problem::encode_failed_attempts() {
  for (ActionId i : s_.observed()) {
    if (s_.action(i).kind != EventKind::kMutexTryLockFailed) continue;
    Clause somewhere;
    bool own = false;
    for (std::uint32_t k : s_.sections_of(i)) own |= s_.sections()[k].object == s_.object_of(i);
    if (own) continue;
    for (const Section& section : s_.sections()) {
      if (gives_up()) return;
      if (section.object != s_.object_of(i) || s_.thread_index(section.lock) == s_.thread_index(i)) continue;
      const Literal within = 2 * add_variable({});
      somewhere.push_back(within);
      sat_.add_clause({negation(within), order(section.lock, i)});
      if (section.unlock != kNoAction) sat_.add_clause({negation(within), order(i, section.unlock)});
      if (section.lock < i && i < section.unlock) hint(within);
    }
    sat_.add_clause(somewhere);
  }
}

// Small systems are written down at once: then the order follows from sources while these are being decided.
void Problem::encode_eagerly() {
  std::size_t clauses = 0;
  for (const Choice& choice : choices_) {
    const CellId cell = s_.parts()[choice.part].cell;
    if (!is_weak(cell)) clauses += choice.writes.size() * s_.cells()[cell].writes.size();
  }
  if (clauses > kMostEagerClauses) return;
  for (const Choice& choice : choices_) {
    const CellId cell = s_.parts()[choice.part].cell;
    const ActionId read = s_.parts()[choice.part].action;
    if (is_weak(cell)) continue;
    for (std::size_t k = 0; k < choice.writes.size(); ++k) {
      const ActionId w = choice.writes[k];
      for (ActionId other : s_.cells()[cell].writes) {
        if (gives_up()) return;
        if (other == w || other == read) continue;
        Clause clause{negation(choice.literals[k]), order(read, other)};
        if (w != kNoAction) clause.push_back(order(other, w));
        sat_.add_clause(std::move(clause));
      }
    }
  }
  std::vector<std::vector<const Section*>> by_object(s_.object_count());
  for (const Section& b : s_.sections()) {
    for (const Section* a : by_object[b.object]) {
      if (gives_up()) return;
      if (s_.thread_index(a->lock) == s_.thread_index(b.lock) || (!a->exclusive && !b.exclusive)) continue;
      Clause clause;
      if (a->unlock != kNoAction) clause.push_back(order(a->unlock, b.lock));
      if (b.unlock != kNoAction) clause.push_back(order(b.unlock, a->lock));
      sat_.add_clause(std::move(clause));
    }
    by_object[b.object].push_back(&b);
  }
}

}  // namespace heddle::constraints
