// The values of reads: written down as clauses where they are few, else computed for a candidate, whose
// sources are then to blame for what breaks a condition.
#include <algorithm>

#include "tool/constraints/problem.h"

namespace heddle::constraints {
namespace {

constexpr std::size_t kMostValues = 128;  // of a read, to be written down

}  // namespace

std::size_t Problem::longest_chain(const std::vector<const Choice*>& choices) {
  std::vector<CellId> group(s_.cells().size());
  for (CellId c = 0; c < group.size(); ++c) group[c] = c;
  const auto root = [&](CellId c) {
    while (group[c] != c) c = group[c] = group[group[c]];
    return c;
  };
  for (const Choice* choice : choices) {
    for (ActionId w : choice->writes) {
      if (gives_up()) return 0;
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
      if (gives_up()) return {};
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
        if (gives_up()) return {};
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
        if (gives_up()) return {};
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
    if (gives_up()) return;
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
          if (gives_up()) return;
          gives(computed(w, from, value), {otherwise, negation(value_literal(from, value))});
        }
      }
    }
  }
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

}  // namespace heddle::constraints
