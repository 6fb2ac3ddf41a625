#include "tool/constraints/sat.h"

#include <algorithm>

#include "core/base/check.h"
#include "tool/run/time_limit.h"

namespace heddle::constraints {
namespace {

constexpr double kActivityLimit = 1e100;
constexpr double kDecay = 1 / 0.95;
constexpr std::uint64_t kRestartUnit = 128;

// Luby, Sinclair and Zuckerman: 1 1 2 1 1 2 4 …
std::uint64_t luby(std::uint64_t i) {
  std::uint64_t size = 1, sequence = 0;
  while (size < i + 1) {
    ++sequence;
    size = 2 * size + 1;
  }
  while (size - 1 != i) {
    size = (size - 1) / 2;
    --sequence;
    i %= size;
  }
  return 1ull << sequence;
}

}  // namespace

Sat::Sat(Theory& theory) : theory_(theory) {
  add_variable();
  enqueue(truth(), {});
  propagated_ = 1;  // the theory has nothing to do with it
}

Variable Sat::add_variable() {
  const auto v = static_cast<Variable>(values_.size());
  values_.push_back(0);
  levels_.push_back(0);
  reasons_.emplace_back();
  seen_.push_back(0);
  activity_.push_back(0);
  heap_place_.push_back(~0u);
  watches_.resize(watches_.size() + 2);
  choice_of_.resize(choice_of_.size() + 2, ~0u);
  heap_insert(v);
  return v;
}

void Sat::add_clause(std::vector<Literal> clause) {
  ++added_;
  if (!add_lemma(std::move(clause))) unsatisfiable_ = true;
}

std::uint32_t Sat::add_choice(std::span<const Literal> literals) {
  const auto choice = static_cast<std::uint32_t>(choices_.size());
  choices_.emplace_back();
  for (Literal l : literals) extend_choice(choice, l);
  return choice;
}

void Sat::extend_choice(std::uint32_t choice, Literal l) {
  choice_of_[l] = choice;
  choices_[choice].push_back(l);
}

void Sat::enqueue(Literal l, Reason reason) {
  const Variable v = variable_of(l);
  values_[v] = is_negated(l) ? -1 : 1;
  levels_[v] = level();
  reasons_[v] = reason;
  trail_.push_back(l);
}

bool Sat::propagate() {
  while (propagated_ < trail_.size()) {
    const Literal l = trail_[propagated_];
    conflict_.clear();
    if (!theory_.assign(l, conflict_)) {
      for (Literal& c : conflict_) c = negation(c);
      return false;
    }
    ++propagated_;
    if (!propagate_choice(l) || !propagate_clauses(l)) return false;
  }
  return true;
}

bool Sat::propagate_choice(Literal l) {
  if (choice_of_[l] == ~0u) return true;
  for (Literal other : choices_[choice_of_[l]]) {
    if (other == l) continue;
    const int v = value(other);
    if (v > 0) {
      conflict_ = {negation(l), negation(other)};
      return false;
    }
    if (v == 0) enqueue(negation(other), {kNoClause, l});
  }
  return true;
}

bool Sat::propagate_clauses(Literal l) {
  const Literal now_false = negation(l);
  std::vector<Watch>& watches = watches_[now_false];
  std::size_t kept = 0;
  for (std::size_t i = 0; i < watches.size(); ++i) {
    const Watch watch = watches[i];
    if (value(watch.blocker) > 0) {
      watches[kept++] = watch;
      continue;
    }
    Clause& clause = clauses_[watch.clause];
    if (clause.dead) continue;
    std::vector<Literal>& c = clause.literals;
    if (c[0] == now_false) std::swap(c[0], c[1]);
    if (value(c[0]) > 0) {
      watches[kept++] = {watch.clause, c[0]};
      continue;
    }
    bool moved = false;
    for (std::size_t k = 2; k < c.size(); ++k) {
      if (value(c[k]) < 0) continue;
      std::swap(c[1], c[k]);
      watches_[c[1]].push_back({watch.clause, c[0]});
      moved = true;
      break;
    }
    if (moved) continue;
    watches[kept++] = {watch.clause, c[0]};
    if (value(c[0]) == 0) {
      enqueue(c[0], {watch.clause, kNoLiteral});
      continue;
    }
    for (++i; i < watches.size(); ++i) watches[kept++] = watches[i];
    watches.resize(kept);
    conflict_ = c;
    return false;
  }
  watches.resize(kept);
  return true;
}

void Sat::backtrack(std::uint32_t to) {
  if (level() <= to) return;
  const std::size_t start = level_starts_[to];
  for (std::size_t i = trail_.size(); i-- > start;) {
    if (i < propagated_) theory_.unassign(trail_[i]);
    const Variable v = variable_of(trail_[i]);
    values_[v] = 0;
    heap_insert(v);
  }
  trail_.resize(start);
  level_starts_.resize(to);
  propagated_ = std::min(propagated_, start);
}

template <typename F>
void Sat::for_each_reason(Literal l, F f) const {
  const Reason& reason = reasons_[variable_of(l)];
  if (reason.implied_by != kNoLiteral) f(negation(reason.implied_by));
  if (reason.clause == kNoClause) return;
  for (Literal other : clauses_[reason.clause].literals) {
    if (variable_of(other) != variable_of(l)) f(other);
  }
}

void Sat::bump(Variable v) {
  activity_[v] += bump_;
  if (activity_[v] > kActivityLimit) {
    for (double& a : activity_) a /= kActivityLimit;
    bump_ /= kActivityLimit;
  }
  if (heap_place_[v] != ~0u) heap_up(heap_place_[v]);
}

// The first unique implication point of the highest level (Marques-Silva and Sakallah).
void Sat::analyze(std::vector<Literal>& learned, std::uint32_t& back_to) {
  learned.assign(1, kNoLiteral);
  std::vector<Variable> marked;
  std::size_t open = 0;
  const auto mark = [&](Literal l) {
    const Variable v = variable_of(l);
    if (seen_[v] != 0 || levels_[v] == 0) return;
    seen_[v] = 1;
    marked.push_back(v);
    bump(v);
    if (levels_[v] == level()) {
      ++open;
    } else {
      learned.push_back(l);
    }
  };
  for (Literal l : conflict_) mark(l);
  std::size_t i = trail_.size();
  for (;;) {
    do --i;
    while (seen_[variable_of(trail_[i])] == 0 || level_of(trail_[i]) != level());
    if (--open == 0) break;
    const Reason& reason = reasons_[variable_of(trail_[i])];
    if (reason.clause != kNoClause) clauses_[reason.clause].activity += bump_;
    for_each_reason(trail_[i], mark);
  }
  learned[0] = negation(trail_[i]);

  // A literal that follows from the others says nothing.
  const auto redundant = [&](Literal l) {
    const Reason& reason = reasons_[variable_of(l)];
    if (reason.clause == kNoClause && reason.implied_by == kNoLiteral) return false;
    bool follows = true;
    for_each_reason(l, [&](Literal r) { follows &= seen_[variable_of(r)] != 0 || level_of(r) == 0; });
    return follows;
  };
  learned.erase(std::remove_if(learned.begin() + 1, learned.end(), redundant), learned.end());
  for (Variable v : marked) seen_[v] = 0;

  back_to = 0;
  for (std::size_t k = 1; k < learned.size(); ++k) {
    if (level_of(learned[k]) <= back_to) continue;
    back_to = level_of(learned[k]);
    std::swap(learned[1], learned[k]);
  }
}

void Sat::analyze_final(Literal failed) {
  core_.assign(1, failed);
  if (level() == 0 || level_of(failed) == 0) return;
  std::vector<Variable> marked{variable_of(failed)};
  seen_[variable_of(failed)] = 1;
  for (std::size_t i = trail_.size(); i-- > level_starts_[0];) {
    if (seen_[variable_of(trail_[i])] == 0) continue;
    const Reason& reason = reasons_[variable_of(trail_[i])];
    if (reason.clause == kNoClause && reason.implied_by == kNoLiteral) {
      if (trail_[i] != failed) core_.push_back(trail_[i]);
      continue;
    }
    for_each_reason(trail_[i], [&](Literal r) {
      if (seen_[variable_of(r)] != 0 || level_of(r) == 0) return;
      seen_[variable_of(r)] = 1;
      marked.push_back(variable_of(r));
    });
  }
  for (Variable v : marked) seen_[v] = 0;
}

bool Sat::resolve_conflict() {
  ++conflicts_;
  std::uint32_t highest = 0;
  for (Literal l : conflict_) highest = std::max(highest, level_of(l));
  if (highest == 0) return false;
  backtrack(highest);
  std::vector<Literal> learned;
  std::uint32_t back_to = 0;
  analyze(learned, back_to);
  backtrack(back_to);
  bump_ *= kDecay;
  return learn(std::move(learned));
}

bool Sat::learn(std::vector<Literal> clause) {
  const Literal first = clause[0];
  const ClauseId id = clause.size() == 1 ? kNoClause : store(std::move(clause), true);
  enqueue(first, {id, kNoLiteral});
  return true;
}

Sat::ClauseId Sat::store(std::vector<Literal> literals, bool learned) {
  const auto id = static_cast<ClauseId>(clauses_.size());
  watches_[literals[0]].push_back({id, literals[1]});
  watches_[literals[1]].push_back({id, literals[0]});
  clauses_.push_back({std::move(literals), bump_, learned, false});
  if (learned) ++learned_;
  return id;
}

// Keeps the half of what was learned that was of use lately.
void Sat::reduce() {
  if (learned_ < most_learned_) return;
  std::vector<ClauseId> candidates;
  for (ClauseId id = 0; id < clauses_.size(); ++id) {
    const Clause& c = clauses_[id];
    if (!c.learned || c.dead || c.literals.size() <= 2) continue;
    const Literal first = c.literals[0];
    if (value(first) > 0 && reasons_[variable_of(first)].clause == id) continue;
    candidates.push_back(id);
  }
  std::sort(candidates.begin(), candidates.end(),
            [&](ClauseId a, ClauseId b) { return clauses_[a].activity < clauses_[b].activity; });
  candidates.resize(candidates.size() / 2);
  for (ClauseId id : candidates) {
    clauses_[id].dead = true;
    std::vector<Literal>().swap(clauses_[id].literals);
  }
  learned_ -= candidates.size();
  most_learned_ += most_learned_ / 10;
}

bool Sat::add_lemma(std::vector<Literal> clause) {
  std::sort(clause.begin(), clause.end());
  clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < clause.size(); ++i) {
    const int v = value(clause[i]);
    if (v > 0 && level_of(clause[i]) == 0) return true;
    if (i > 0 && clause[i] == negation(clause[i - 1])) return true;
    if (v < 0 && level_of(clause[i]) == 0) continue;
    clause[kept++] = clause[i];
  }
  clause.resize(kept);
  if (clause.empty()) return false;
  // What may still be true goes first, then what was assigned last.
  const auto rank = [&](Literal l) {
    const int v = value(l);
    return v > 0 ? ~0ull : v == 0 ? ~0ull - 1 : std::uint64_t{level_of(l)};
  };
  std::sort(clause.begin(), clause.end(), [&](Literal a, Literal b) { return rank(a) > rank(b); });
  if (clause.size() == 1) {
    backtrack(0);
    if (value(clause[0]) < 0) return false;
    if (value(clause[0]) == 0) enqueue(clause[0], {});
    return true;
  }
  const Literal first = clause[0];
  const bool forces = value(clause[1]) < 0;
  const ClauseId id = store(clause, false);
  if (!forces || value(first) > 0) return true;
  if (value(first) == 0) {
    enqueue(first, {id, kNoLiteral});
    return true;
  }
  conflict_ = std::move(clause);
  return resolve_conflict();
}

void Sat::heap_insert(Variable v) {
  if (heap_place_[v] != ~0u) return;
  heap_place_[v] = static_cast<std::uint32_t>(heap_.size());
  heap_.push_back(v);
  heap_up(heap_.size() - 1);
}

void Sat::heap_up(std::size_t i) {
  const Variable v = heap_[i];
  const auto above = [&](Variable a, Variable b) {
    return activity_[a] != activity_[b] ? activity_[a] > activity_[b] : a < b;
  };
  while (i > 0) {
    const std::size_t parent = (i - 1) / 2;
    if (!above(v, heap_[parent])) break;
    heap_[i] = heap_[parent];
    heap_place_[heap_[i]] = static_cast<std::uint32_t>(i);
    i = parent;
  }
  heap_[i] = v;
  heap_place_[v] = static_cast<std::uint32_t>(i);
}

void Sat::heap_down(std::size_t i) {
  const Variable v = heap_[i];
  const auto above = [&](Variable a, Variable b) {
    return activity_[a] != activity_[b] ? activity_[a] > activity_[b] : a < b;
  };
  for (;;) {
    std::size_t child = 2 * i + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && above(heap_[child + 1], heap_[child])) ++child;
    if (!above(heap_[child], v)) break;
    heap_[i] = heap_[child];
    heap_place_[heap_[i]] = static_cast<std::uint32_t>(i);
    i = child;
  }
  heap_[i] = v;
  heap_place_[v] = static_cast<std::uint32_t>(i);
}

Variable Sat::pick() {
  while (!heap_.empty()) {
    const Variable v = heap_[0];
    heap_place_[v] = ~0u;
    const Variable last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      heap_[0] = last;
      heap_down(0);
    }
    if (values_[v] == 0) return v;
  }
  return ~0u;
}

// False: an assumption cannot hold. `done`: everything has a value.
bool Sat::next_decision(std::span<const Literal> assumptions, bool& done) {
  done = false;
  while (level() < assumptions.size()) {
    const Literal a = assumptions[level()];
    const int v = value(a);
    if (v < 0) {
      analyze_final(a);
      return false;
    }
    level_starts_.push_back(trail_.size());
    if (v == 0) {
      enqueue(a, {});
      return true;
    }
  }
  const Variable v = pick();
  if (v == ~0u) {
    done = true;
    return true;
  }
  ++decisions_;
  const Literal l = theory_.choose(v);
  if (variable_of(l) != v) heap_insert(v);
  level_starts_.push_back(trail_.size());
  enqueue(l, {});
  return true;
}

Answer Sat::solve(std::span<const Literal> assumptions, std::uint64_t most_conflicts) {
  core_.clear();
  if (unsatisfiable_) return Answer::kUnsatisfiable;
  backtrack(0);
  const std::uint64_t stop = most_conflicts == ~0ull ? ~0ull : conflicts_ + most_conflicts;
  std::uint64_t restarts = 0;
  std::uint64_t next_restart = conflicts_ + kRestartUnit;
  std::vector<std::vector<Literal>> lemmas;
  const auto give_up = [&] {
    unsatisfiable_ = true;
    return Answer::kUnsatisfiable;
  };
  run::TimeSampler time;
  for (;;) {
    if (time.is_up()) return Answer::kUnknown;
    if (!propagate()) {
      if (!resolve_conflict()) return give_up();
      if (conflicts_ >= stop) return Answer::kUnknown;
      if (conflicts_ >= next_restart) {
        next_restart = conflicts_ + kRestartUnit * luby(++restarts);
        backtrack(static_cast<std::uint32_t>(std::min<std::size_t>(level(), assumptions.size())));
        reduce();
      }
      continue;
    }
    bool done = false;
    if (!next_decision(assumptions, done)) return Answer::kUnsatisfiable;
    if (!done) continue;
    lemmas.clear();
    const std::size_t known = variables();
    theory_.complete(lemmas);
    if (lemmas.empty()) return Answer::kSatisfiable;
    // A lemma that excludes nothing would have the theory asked the same for ever.
    HEDDLE_CHECK(variables() != known || std::any_of(lemmas.begin(), lemmas.end(), [&](const auto& lemma) {
                   return std::none_of(lemma.begin(), lemma.end(), [&](Literal l) { return value(l) > 0; });
                 }));
    for (std::vector<Literal>& lemma : lemmas) {
      if (!add_lemma(std::move(lemma))) return give_up();
    }
    if (conflicts_ >= stop) return Answer::kUnknown;
  }
}

}  // namespace heddle::constraints
