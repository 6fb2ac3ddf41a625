#include "tool/constraints/problem.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle::constraints {
namespace {

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

bool Problem::needs_happens_before() const {
  return options_.model == Model::kCxx20 || s_.trace().bug.kind == BugKind::kRace;
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

void Problem::start_from(const Execution& execution) {
  if (gave_up_) return;
  sat_.backtrack_to_start();
  orders_.prefer(execution.order);
  for (Info& info : info_) info.last = 0;
  for (Choice& choice : choices_) {
    choice.has_preferred = true;
    choice.preferred = execution.sources[choice.part];
  }
}

Answer Problem::solve(std::span<const Literal> assumptions, std::uint64_t most_conflicts) {
  return gave_up_ ? Answer::kUnknown : sat_.solve(assumptions, most_conflicts);
}

Problem::Size Problem::size() const {
  Size size{sat_.variables(), 0, choices_.size(), 0, sat_.conflicts(), sat_.decisions(), rounds_, clauses_};
  for (PartId p = 0; p < s_.parts().size(); ++p)
    size.reads += s_.action(s_.parts()[p].action).reads() ? 1 : 0;
  for (const Choice& choice : choices_) size.candidates += choice.writes.size();
  return size;
}

}  // namespace heddle::constraints
