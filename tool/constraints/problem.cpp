#include "tool/constraints/problem.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle::constraints {
namespace {

constexpr std::size_t kMostValues = 128;  // of a read, to be written down
constexpr std::size_t kMostEagerClauses = 500'000;
constexpr std::size_t kMostLemmas = 32;  // of one kind in one round

std::vector<ActionId> writes_by_modification(const Structure& s) {
  std::vector<ActionId> writes;
  for (ActionId i : s.observed()) {
    if (s.action(i).writes()) writes.push_back(i);
  }
  // Places are of one location; among locations the order means nothing.
  std::sort(writes.begin(), writes.end(), [&](ActionId a, ActionId b) {
    return std::pair(s.action(a).mo_position, a) < std::pair(s.action(b).mo_position, b);
  });
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
  clauses_.memory_order = s_.count();  // program order
  auto count = [this, before = sat_.added()](std::uint64_t& kind) mutable {
    kind += sat_.added() - before;
    before = sat_.added();
  };
  encode_bug();
  count(clauses_.path);
  decide_reads();
  for (const Choice& choice : choices_) clauses_.read_write += choice.writes.size();
  count(clauses_.read_write);
  encode_waits();
  encode_semaphores();
  encode_failed_attempts();
  encode_eagerly();
  count(clauses_.synchronisation);
  encode_values();
  count(clauses_.path);
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
  if (is_new) entry->second = add_variable({meaning, 0, 0, low, high});
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
      if (s_.thread_index(a->lock) == s_.thread_index(b.lock) || (!a->exclusive && !b.exclusive)) continue;
      Clause clause;
      if (a->unlock != kNoAction) clause.push_back(order(a->unlock, b.lock));
      if (b.unlock != kNoAction) clause.push_back(order(b.unlock, a->lock));
      sat_.add_clause(std::move(clause));
    }
    by_object[b.object].push_back(&b);
  }
}

std::size_t Problem::longest_chain(const std::vector<const Choice*>& choices) {
  std::vector<CellId> group(s_.cells().size());
  for (CellId c = 0; c < group.size(); ++c) group[c] = c;
  const auto root = [&](CellId c) {
    while (group[c] != c) c = group[c] = group[group[c]];
    return c;
  };
  for (const Choice* choice : choices) {
    for (ActionId w : choice->writes) {
      if (w == kNoAction) continue;
      for (ActionId from : reads_in(s_.action(w).written, 1)) {
        if (!s_.parts_of(from).empty())
          group[root(s_.parts_of(from)[0].cell)] = root(s_.parts()[choice->part].cell);
      }
    }
  }
  std::vector<std::size_t> writes(group.size());
  for (CellId c = 0; c < group.size(); ++c) writes[root(c)] += s_.cells()[c].writes.size();
  return writes.empty() ? 0 : *std::max_element(writes.begin(), writes.end());
}

// Which values a read may have at all, where each is one of few: those of the writes that it may read, which
// are known or computed from one other read. A chain of reads has no write twice, so that values spread in at
// most as many rounds as there are writes to the cells that depend on each other.
std::map<ActionId, std::set<std::uint64_t>> Problem::domains() {
  std::map<ActionId, std::set<std::uint64_t>> result;
  std::set<ActionId> unknown;
  const auto write_read = [&](ActionId w) {
    const std::vector<ActionId> from = reads_in(s_.action(w).written, 1);
    return from.size() == 1 ? from[0] : kNoAction;
  };
  std::vector<const Choice*> open;
  for (const Choice& choice : choices_) {
    const ActionId read = s_.parts()[choice.part].action;
    if (s_.action(read).symbol == kConcrete) continue;
    bool simple = s_.parts_of(read).size() == 1;
    for (ActionId w : choice.writes) {
      if (w == kNoAction) continue;
      simple &=
          s_.parts_of(w).size() == 1 && (s_.action(w).written == kConcrete || write_read(w) != kNoAction);
    }
    if (simple) {
      open.push_back(&choice);
      result[read];
    } else {
      unknown.insert(read);
    }
  }
  const std::size_t rounds = longest_chain(open);
  // Values that came in the round before; what is new goes on from there.
  std::map<ActionId, std::vector<std::uint64_t>> fresh;
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::map<ActionId, std::vector<std::uint64_t>> next;
    for (const Choice* choice : open) {
      const Part& part = s_.parts()[choice->part];
      if (unknown.contains(part.action)) continue;
      std::set<std::uint64_t>& own = result[part.action];
      const auto add = [&](std::uint64_t value) {
        if (own.contains(value) || !may_have_value(part.action, value)) return;
        own.insert(value);
        next[part.action].push_back(value);
      };
      for (ActionId w : choice->writes) {
        const bool known = w == kNoAction || s_.action(w).written == kConcrete;
        if (known && round == 0) add(w == kNoAction ? s_.cells()[part.cell].initial : s_.action(w).value);
        if (known) continue;
        const ActionId from = write_read(w);
        if (!result.contains(from) || unknown.contains(from)) unknown.insert(part.action);
        const auto values = fresh.find(from);
        if (values == fresh.end()) continue;
        for (std::uint64_t value : values->second) add(computed(w, from, value));
      }
      if (own.size() > kMostValues) unknown.insert(part.action);
    }
    if (next.empty()) break;
    fresh = std::move(next);
  }
  // Who reads what depends on an unknown one is unknown, too.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Choice* choice : open) {
      const ActionId read = s_.parts()[choice->part].action;
      for (ActionId w : choice->writes) {
        if (w != kNoAction && s_.action(w).written != kConcrete && unknown.contains(write_read(w)))
          changed |= unknown.insert(read).second;
      }
    }
  }
  for (ActionId read : unknown) result.erase(read);
  return result;
}

// What a write writes when the one read that it depends on has this value.
std::uint64_t Problem::computed(ActionId write, ActionId from, std::uint64_t value) {
  values_.clear();
  values_.set_symbol(s_.action(from).symbol, value);
  std::uint64_t result = 0;
  values_.evaluate(s_.action(write).written, result);
  return result;
}

// Where the values of reads are few, which source gives which value is written down at once.
void Problem::encode_values() {
  const std::map<ActionId, std::set<std::uint64_t>> all = domains();
  std::size_t clauses = 0;
  for (const Choice& choice : choices_) {
    const ActionId read = s_.parts()[choice.part].action;
    const auto domain = all.find(read);
    if (domain == all.end() || clauses > kMostEagerClauses) continue;
    Clause some;
    for (std::uint64_t value : domain->second) some.push_back(value_literal(read, value));
    sat_.add_clause(std::move(some));
    for (std::size_t k = 0; k < choice.writes.size(); ++k) {
      const ActionId w = choice.writes[k];
      const auto gives = [&](std::uint64_t value, Clause clause) {
        ++clauses;
        if (domain->second.contains(value)) clause.push_back(value_literal(read, value));
        sat_.add_clause(std::move(clause));
      };
      const Literal otherwise = negation(choice.literals[k]);
      if (w == kNoAction) {
        gives(s_.cells()[s_.parts()[choice.part].cell].initial, {otherwise});
      } else if (s_.action(w).written == kConcrete) {
        gives(s_.action(w).value, {otherwise});
      } else {
        const ActionId from = reads_in(s_.action(w).written, 1)[0];
        for (std::uint64_t value : all.at(from)) {
          gives(computed(w, from, value), {otherwise, negation(value_literal(from, value))});
        }
      }
    }
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
  Info& info = info_[variable_of(l)];
  info.last = is_negated(l) ? -1 : 1;
  ActionId from = 0, to = 0;
  if (!edge_of(l, from, to)) return;
  (info.meaning == Meaning::kModification ? modifications_ : orders_).remove(from, to);
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
      if (info.last == 0) break;
      [[fallthrough]];
    case Meaning::kNothing:
      return 2 * v + (info.last > 0 ? 0 : 1);
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
  std::size_t before = 0;
  const auto count = [&](std::uint64_t& kind) {
    kind += lemmas.size() - before;
    before = lemmas.size();
  };
  const bool values_fit = check_values(lemmas);
  count(clauses_.path);
  if (!values_fit) return;
  check_latest(lemmas);
  count(clauses_.read_write);
  check_locks(lemmas);
  count(clauses_.synchronisation);
  if (!lemmas.empty() || !needs_happens_before()) return;
  const HappensBefore hb(s_, execution_.order, execution_.sources);
  if (options_.model == Model::kCxx20) check_axioms(hb, lemmas);
  count(clauses_.memory_order);
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

// φ_path. A branch went wrong by the values of the reads in it, and these are what they are by their sources
// and the values that those were computed from. Both are said in terms of "this read has this value", so that
// one clause serves however the values come about.
bool Problem::check_values(std::vector<Clause>& lemmas) {
  compute_values();
  std::vector<ActionId> wrong;
  for (const Condition& c : conditions_) {
    std::uint64_t value = 0;
    if (values_.evaluate(c.expression, value) && (value != 0) == c.holds) continue;
    Clause lemma;
    wrong.clear();
    find_reads(c.expression, wrong);
    for (ActionId read : wrong) lemma.push_back(negation(value_literal(read)));
    lemmas.push_back(std::move(lemma));
    derive_values(wrong, lemmas);
    if (lemmas.size() >= kMostLemmas) break;
  }
  return lemmas.empty();
}

Literal Problem::value_literal(ActionId read, std::uint64_t value) {
  const auto [entry, is_new] = value_literals_.emplace(std::pair(read, value), 0);
  if (is_new) {
    entry->second = 2 * add_variable({});
    if (value_choices_.size() <= read) value_choices_.resize(s_.count(), kNone);
    if (value_choices_[read] == kNone) value_choices_[read] = sat_.add_choice({});
    sat_.extend_choice(value_choices_[read], entry->second);
  }
  return entry->second;
}

// "The read has the value that it has in the candidate."
Literal Problem::value_literal(ActionId read) {
  std::uint64_t value = 0;
  values_.evaluate(s_.action(read).symbol, value);
  return value_literal(read, value);
}

// Adds the clauses by which these reads have their values, and the reads that those come from theirs, as far
// as the solver does not know it.
void Problem::derive_values(std::vector<ActionId> open, std::vector<Clause>& lemmas) {
  std::vector<ActionId> from;
  std::vector<bool> seen(s_.count());
  while (!open.empty()) {
    const ActionId read = open.back();
    open.pop_back();
    const Literal has_value = value_literal(read);
    if (seen[read] || sat_.value(has_value) > 0) continue;
    seen[read] = true;
    Clause lemma{has_value};
    for (PartId p = s_.first_part(read); p < s_.first_part(read + 1); ++p) {
      const ActionId w = execution_.sources[p];
      lemma.push_back(negation(reads(p, w)));
      if (w == kNoAction) continue;
      from.clear();
      find_reads(s_.action(w).written, from);
      for (ActionId other : from) lemma.push_back(negation(value_literal(other)));
      open.insert(open.end(), from.begin(), from.end());
    }
    lemmas.push_back(std::move(lemma));
  }
}

// The reads that an expression has its value by.
void Problem::find_reads(ExpressionId id, std::vector<ActionId>& found) {
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
      found.push_back(index_of(e.operands[0]));
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
    const bool zero_decides = e.op == Operator::kAnd || e.op == Operator::kMultiply;
    for (unsigned k = 0; k < 2 && (zero_decides || e.op == Operator::kOr); ++k) {
      if (value_of(e.operands[k]) == (zero_decides ? 0 : mask_of(e.bits))) enough = index_of(e.operands[k]);
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
  for (Info& info : info_) info.last = 0;
  for (Choice& choice : choices_) {
    choice.has_preferred = true;
    choice.preferred = execution.sources[choice.part];
  }
}

Answer Problem::solve(std::span<const Literal> assumptions, std::uint64_t most_conflicts) {
  return sat_.solve(assumptions, most_conflicts);
}

Problem::Size Problem::size() const {
  Size size{sat_.variables(), 0, choices_.size(), 0, sat_.conflicts(), sat_.decisions(), rounds_, clauses_};
  for (PartId p = 0; p < s_.parts().size(); ++p)
    size.reads += s_.action(s_.parts()[p].action).reads() ? 1 : 0;
  for (const Choice& choice : choices_) size.candidates += choice.writes.size();
  return size;
}

}  // namespace heddle::constraints
