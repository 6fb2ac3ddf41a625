#include "tool/constraints/problem.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle::constraints {
namespace {

constexpr std::size_t kMostLemmas = 32;  // of one kind in one round

std::vector<ActionId> writes_by_modification(const Structure& s) {
  std::vector<ActionId> writes;
  for (ActionId i : s.observed()) {
    if (s.action(i).writes()) writes.push_back(i);
  }
  // Places are of one location; among locations the order means nothing.
  std::stable_sort(writes.begin(), writes.end(),
                   [&](ActionId a, ActionId b) { return s.action(a).mo_position < s.action(b).mo_position; });
  return writes;
}

}  // namespace

Problem::Problem(const Structure& structure, const ProblemOptions& options)
    : s_(structure),
      options_(options),
      candidates_(structure),
      orders_(structure.count(), structure.observed()),
      modifications_(structure.count(), writes_by_modification(structure)),
      info_(1),
      sat_(*this),
      choice_of_part_(structure.parts().size(), kNone),
      values_(structure.trace().expressions),
      written_(structure.count()),
      visited_(structure.trace().expressions.size()) {
  std::vector<OrderGraph::Label> unused;
  std::vector<ActionId> by_thread;
  for (std::uint32_t t = 0; t < s_.thread_count(); ++t) {
    const std::span<const ActionId> own = s_.thread(t);
    by_thread.insert(by_thread.end(), own.begin(), own.end());
    for (std::size_t i = 1; i < own.size(); ++i) orders_.add(own[i - 1], own[i], OrderGraph::kForced, unused);
  }
  for (const auto& [a, b] : s_.forced()) orders_.add(a, b, OrderGraph::kForced, unused);
  if (!options_.start_from_observed) orders_.prefer(by_thread);
  for (const Condition& c : s_.trace().conditions) {
    if (c.expression != kConcrete && (options_.with_soft || !c.soft)) conditions_.push_back(c);
  }
  if (options_.model == Model::kCxx20) link_modifications();
  encode_bug();
  decide_reads();
  encode_waits();
  encode_semaphores();
  encode_failed_attempts();
}

Variable Problem::add_variable(Info info) {
  info_.push_back(info);
  return sat_.add_variable();
}

Literal Problem::pair(ActionId a, ActionId b, Meaning meaning) {
  HEDDLE_CHECK(a != b);
  if (s_.precedes(a, b)) return sat_.truth();
  if (s_.precedes(b, a)) return negation(sat_.truth());
  const ActionId low = std::min(a, b), high = std::max(a, b);
  auto& known = pairs_[meaning == Meaning::kOrder ? 0 : 1];
  const auto [entry, is_new] = known.emplace(std::uint64_t{low} << 32 | high, 0);
  if (is_new) entry->second = add_variable({meaning, 0, low, high});
  return 2 * entry->second + (a == low ? 0 : 1);
}

Literal Problem::order(ActionId a, ActionId b) { return pair(a, b, Meaning::kOrder); }
Literal Problem::modification(ActionId a, ActionId b) { return pair(a, b, Meaning::kModification); }

Literal Problem::reads(PartId part, ActionId write) const {
  if (choice_of_part_[part] == kNone) return negation(sat_.truth());
  const Choice& choice = choices_[choice_of_part_[part]];
  const auto at = std::find(choice.writes.begin(), choice.writes.end(), write);
  return at == choice.writes.end() ? negation(sat_.truth())
                                   : choice.literals[static_cast<std::size_t>(at - choice.writes.begin())];
}

void Problem::hint(Literal l) {
  Info& info = info_[variable_of(l)];
  if (info.hint == 0) info.hint = is_negated(l) ? -1 : 1;
}

// Encoding

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

bool Problem::needs_happens_before() const {
  return options_.model == Model::kCxx20 || s_.trace().bug.kind == BugKind::kRace;
}

void Problem::decide_reads() {
  std::vector<bool> relevant = relevant_reads(s_, candidates_, options_.with_soft);
  for (ActionId i : s_.observed()) {
    if (!s_.action(i).reads()) continue;
    const bool synchronises = needs_happens_before() && s_.action(i).is_atomic();
    for (PartId p = s_.first_part(i); p < s_.first_part(i + 1); ++p) {
      if (!relevant[i] && !synchronises && !is_weak(s_.parts()[p].cell)) continue;
      Choice choice{p, candidates_.of(p), {}, s_.observed_sources()[p], options_.start_from_observed};
      choices_.push_back(std::move(choice));
    }
  }
  prune_by_values(choices_);
  for (std::uint32_t c = 0; c < choices_.size(); ++c) {
    Choice& choice = choices_[c];
    choice_of_part_[choice.part] = c;
    for (ActionId w : choice.writes)
      choice.literals.push_back(2 * add_variable({Meaning::kReads, 0, choice.part, w}));
    sat_.add_clause(choice.literals);
    sat_.add_choice(choice.literals);
  }
}

// A branch on one read alone, and a write of a known value: one look tells whether they go together.
void Problem::prune_by_values(std::vector<Choice>& choices) {
  std::unordered_map<ActionId, std::vector<const Condition*>> alone;
  for (const Condition& c : conditions_) {
    std::vector<ActionId> symbols;
    std::vector<std::uint32_t> stack{index_of(c.expression)};
    ++visit_;
    while (!stack.empty() && symbols.size() < 2) {
      const std::uint32_t i = stack.back();
      stack.pop_back();
      if (i == 0 || visited_[i] == visit_) continue;
      visited_[i] = visit_;
      const Expression& e = s_.trace().expressions[i];
      if (e.op == Operator::kSymbol) {
        symbols.push_back(index_of(e.operands[0]));
      } else {
        for (ExpressionId operand : e.operands) stack.push_back(index_of(operand));
      }
    }
    if (symbols.size() == 1 && s_.parts_of(symbols[0]).size() == 1) alone[symbols[0]].push_back(&c);
  }
  for (Choice& choice : choices) {
    const Part& part = s_.parts()[choice.part];
    const auto found = alone.find(part.action);
    if (found == alone.end()) continue;
    std::erase_if(choice.writes, [&](ActionId w) {
      std::uint64_t value = s_.cells()[part.cell].initial;
      if (w != kNoAction) {
        if (s_.action(w).written != kConcrete || s_.parts_of(w).size() != 1) return false;
        value = s_.action(w).value;
      }
      return std::any_of(found->second.begin(), found->second.end(), [&](const Condition* c) {
        values_.clear();
        values_.set_symbol(s_.action(part.action).symbol, value);
        std::uint64_t result = 0;
        return values_.evaluate(c->expression, result) && (result != 0) != c->holds;
      });
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

// Theory

bool Problem::edge_of(Literal l, ActionId& from, ActionId& to) const {
  const Info& info = info_[variable_of(l)];
  switch (info.meaning) {
    case Meaning::kOrder:
    case Meaning::kModification:
      from = is_negated(l) ? info.b : info.a;
      to = is_negated(l) ? info.a : info.b;
      return true;
    case Meaning::kReads:
      from = info.b;
      to = s_.parts()[info.a].action;
      return !is_negated(l) && from != kNoAction && !s_.precedes(from, to);
    case Meaning::kNothing:
      break;
  }
  return false;
}

bool Problem::assign(Literal l, std::vector<Literal>& conflict) {
  ActionId from = 0, to = 0;
  if (!edge_of(l, from, to)) return true;
  OrderGraph& graph = info_[variable_of(l)].meaning == Meaning::kModification ? modifications_ : orders_;
  if (graph.add(from, to, l, conflict)) return true;
  conflict.push_back(l);
  std::sort(conflict.begin(), conflict.end());
  conflict.erase(std::unique(conflict.begin(), conflict.end()), conflict.end());
  return false;
}

void Problem::unassign(Literal l) {
  ActionId from = 0, to = 0;
  if (!edge_of(l, from, to)) return;
  (info_[variable_of(l)].meaning == Meaning::kModification ? modifications_ : orders_).remove(from, to);
}

Literal Problem::choose(Variable v) {
  Info& info = info_[v];
  if (info.hint != 0) {
    const bool positive = info.hint > 0;
    info.hint = 0;
    return 2 * v + (positive ? 0 : 1);
  }
  switch (info.meaning) {
    case Meaning::kOrder:
      return 2 * v + (orders_.position(info.a) < orders_.position(info.b) ? 0 : 1);
    case Meaning::kModification:
      return 2 * v + (modifications_.position(info.a) < modifications_.position(info.b) ? 0 : 1);
    case Meaning::kReads:
      break;
    case Meaning::kNothing:
      return 2 * v + 1;
  }
  // What the candidate as it is would read; under C++20, what was read when it was traced.
  const Choice& choice = choices_[choice_of_part_[info.a]];
  const bool weak = is_weak(s_.parts()[choice.part].cell);
  const std::uint32_t here = orders_.position(s_.parts()[choice.part].action);
  Literal best = 2 * v;
  std::uint32_t best_place = 0;
  for (std::size_t k = 0; k < choice.writes.size(); ++k) {
    const ActionId w = choice.writes[k];
    if (sat_.value(choice.literals[k]) != 0) continue;
    if (weak && choice.has_preferred && w == choice.preferred) return choice.literals[k];
    const std::uint32_t place = w == kNoAction ? 1 : orders_.position(w) + 2;
    if (place < here + 2 && place > best_place) {
      best = choice.literals[k];
      best_place = place;
    }
  }
  return best;
}

// Checks of a candidate

ActionId Problem::decided_source(const Choice& choice) const {
  for (std::size_t k = 0; k < choice.writes.size(); ++k) {
    if (sat_.value(choice.literals[k]) > 0) return choice.writes[k];
  }
  return kNoAction;
}

void Problem::read_off() {
  const std::span<const ActionId> order = orders_.order();
  execution_.order.assign(order.begin(), order.end());
  execution_.sources.assign(s_.parts().size(), kNoAction);
  std::vector<ActionId> latest(s_.cells().size(), kNoAction);
  for (ActionId i : order) {
    for (PartId p = s_.first_part(i); p < s_.first_part(i + 1); ++p) {
      execution_.sources[p] = latest[s_.parts()[p].cell];
    }
    if (!s_.action(i).writes()) continue;
    for (const Part& part : s_.parts_of(i)) latest[part.cell] = i;
  }
  for (const Choice& choice : choices_) execution_.sources[choice.part] = decided_source(choice);
  execution_.modification.assign(s_.count(), 0);
  for (ActionId w : modifications_.order()) execution_.modification[w] = modification_place(w);
}

void Problem::complete(std::vector<Clause>& lemmas) {
  ++rounds_;
  read_off();
  if (!check_values(lemmas)) return;
  check_latest(lemmas);
  check_locks(lemmas);
  if (!lemmas.empty() || !needs_happens_before()) return;
  const HappensBefore hb(s_, execution_.order, execution_.sources);
  if (options_.model == Model::kCxx20) check_axioms(hb, lemmas);
  if (lemmas.empty() && s_.trace().bug.kind == BugKind::kRace) check_race(hb, lemmas);
}

void Problem::compute_values() {
  values_.clear();
  for (ActionId i : execution_.order) {
    const Action& a = s_.action(i);
    if (!a.is_access()) continue;
    if (a.reads() && a.symbol != kConcrete && is_decided(s_.first_part(i))) {
      std::uint64_t value = 0;
      for (PartId p = s_.first_part(i); p < s_.first_part(i + 1); ++p) {
        const Part& part = s_.parts()[p];
        const ActionId w = execution_.sources[p];
        std::uint64_t piece = s_.cells()[part.cell].initial;
        if (w != kNoAction) {
          for (const Part& other : s_.parts_of(w)) {
            if (other.cell == part.cell) piece = written_[w] >> other.shift;
          }
        }
        value |= (piece & mask_of(part.bits)) << part.shift;
      }
      values_.set_symbol(a.symbol, value);
    }
    if (!a.writes()) continue;
    written_[i] = a.value;
    if (a.written != kConcrete) values_.evaluate(a.written, written_[i]);
  }
}

bool Problem::check_values(std::vector<Clause>& lemmas) {
  compute_values();
  for (const Condition& c : conditions_) {
    std::uint64_t value = 0;
    if (values_.evaluate(c.expression, value) && (value != 0) == c.holds) continue;
    Clause lemma;
    explain_value(c.expression, lemma);
    lemmas.push_back(std::move(lemma));
    if (lemmas.size() >= kMostLemmas) break;
  }
  return lemmas.empty();
}

// The sources that the value of an expression comes from: while they are these, it is this value.
void Problem::explain_value(ExpressionId id, Clause& lemma) {
  ++visit_;
  std::vector<std::uint32_t> stack{index_of(id)};
  const auto value_of = [&](ExpressionId e) {
    std::uint64_t value = 0;
    values_.evaluate(e, value);
    return value;
  };
  while (!stack.empty()) {
    const std::uint32_t i = stack.back();
    stack.pop_back();
    if (i == 0 || visited_[i] == visit_) continue;
    visited_[i] = visit_;
    const Expression& e = s_.trace().expressions[i];
    if (e.op == Operator::kSymbol) {
      const ActionId read = index_of(e.operands[0]);
      for (PartId p = s_.first_part(read); p < s_.first_part(read + 1); ++p) {
        const ActionId w = execution_.sources[p];
        lemma.push_back(negation(reads(p, w)));
        if (w != kNoAction) stack.push_back(index_of(s_.action(w).written));
      }
      continue;
    }
    const unsigned count = operand_count(e.op);
    // One operand may be enough to know the value.
    if (e.op == Operator::kSelect) {
      stack.push_back(index_of(e.operands[0]));
      stack.push_back(index_of(e.operands[value_of(e.operands[0]) != 0 ? 1 : 2]));
      continue;
    }
    std::uint32_t enough = kNone;
    const std::uint64_t ones = mask_of(e.bits);
    for (unsigned k = 0; k < count && count == 2; ++k) {
      const bool zero_decides = e.op == Operator::kAnd || e.op == Operator::kMultiply;
      const std::uint64_t v = zero_decides || e.op == Operator::kOr ? value_of(e.operands[k]) : 1;
      if ((zero_decides && v == 0) || (e.op == Operator::kOr && v == ones)) enough = index_of(e.operands[k]);
    }
    if (enough != kNone) {
      stack.push_back(enough);
      continue;
    }
    for (unsigned k = 0; k < count; ++k) stack.push_back(index_of(e.operands[k]));
  }
}

// φ_rw: nobody writes between the write that is read and the read.
void Problem::check_latest(std::vector<Clause>& lemmas) {
  std::vector<std::vector<ActionId>> written(s_.cells().size());  // so far
  std::size_t found = 0;
  for (ActionId i : execution_.order) {
    for (PartId p = s_.first_part(i); p < s_.first_part(i + 1) && found < kMostLemmas; ++p) {
      const CellId cell = s_.parts()[p].cell;
      if (!s_.action(i).reads() || !is_decided(p) || is_weak(cell)) continue;
      const ActionId w = execution_.sources[p];
      const std::vector<ActionId>& before = written[cell];
      if (before.empty() || before.back() == w) continue;
      const ActionId between = before.back();
      Clause lemma{negation(reads(p, w)), order(i, between)};
      if (w != kNoAction) {
        lemma.push_back(order(between, w));
        const bool nearer_to_read =
            orders_.position(i) - orders_.position(between) < orders_.position(between) - orders_.position(w);
        hint(nearer_to_read ? order(i, between) : order(between, w));
      }
      lemmas.push_back(std::move(lemma));
      ++found;
    }
    if (!s_.action(i).writes()) continue;
    for (const Part& part : s_.parts_of(i)) written[part.cell].push_back(i);
  }
}

// φ_sync: sections of one lock do not overlap, unless all who are in it only read.
void Problem::check_locks(std::vector<Clause>& lemmas) {
  std::vector<std::vector<std::uint32_t>> inside(s_.object_count());
  std::size_t found = 0;
  for (ActionId i : execution_.order) {
    if (const std::uint32_t ended = s_.section_ended(i); ended != kNoSection) {
      std::erase(inside[s_.sections()[ended].object], ended);
    }
    const std::uint32_t begun = s_.section_begun(i);
    if (begun == kNoSection) continue;
    const Section& b = s_.sections()[begun];
    for (std::uint32_t other : inside[b.object]) {
      const Section& a = s_.sections()[other];
      if ((!a.exclusive && !b.exclusive) || found >= kMostLemmas) continue;
      Clause lemma;
      if (a.unlock != kNoAction) {
        lemma.push_back(order(a.unlock, b.lock));
        hint(order(a.unlock, b.lock));
      }
      if (b.unlock != kNoAction) lemma.push_back(order(b.unlock, a.lock));
      lemmas.push_back(std::move(lemma));
      ++found;
    }
    inside[b.object].push_back(begun);
  }
}

void Problem::start_from(const Execution& execution) {
  sat_.backtrack_to_start();
  orders_.prefer(execution.order);
  for (Choice& choice : choices_) {
    choice.has_preferred = true;
    choice.preferred = execution.sources[choice.part];
  }
}

Answer Problem::solve(std::span<const Literal> assumptions, std::uint64_t most_conflicts) {
  return sat_.solve(assumptions, most_conflicts);
}

Problem::Size Problem::size() const {
  Size size{sat_.variables(), 0, choices_.size(), 0, sat_.conflicts(), sat_.decisions(), rounds_};
  for (PartId p = 0; p < s_.parts().size(); ++p)
    size.reads += s_.action(s_.parts()[p].action).reads() ? 1 : 0;
  for (const Choice& choice : choices_) size.candidates += choice.writes.size();
  return size;
}

}  // namespace heddle::constraints
