// A conflict-driven clause-learning solver for the orders of a schedule: two watched literals, first unique
// implication points, assumptions with cores, choices of which exactly one holds, and a theory that is told
// of every assignment and asked about every complete one.
//
// Variables and clauses may be added at any time, also by the theory while it is asked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::constraints {

// 2 * variable + (negated ? 1 : 0)
using Literal = std::uint32_t;
using Variable = std::uint32_t;
inline constexpr Literal kNoLiteral = ~0u;
constexpr Literal negation(Literal l) { return l ^ 1u; }
constexpr Variable variable_of(Literal l) { return l >> 1; }
constexpr bool is_negated(Literal l) { return (l & 1u) != 0; }

class Theory {
 public:
  virtual ~Theory() = default;
  // `l` has become true. False: it cannot, and `conflict` are true literals that exclude each other, `l`
  // among them.
  virtual bool assign(Literal l, std::vector<Literal>& conflict) = 0;
  // `l` is no longer true; in the reverse order of assign(), and only of those that returned true.
  virtual void unassign(Literal l) = 0;
  // What to try next where `v` has no value.
  virtual Literal choose(Variable v) = 0;
  // Everything has a value: adds to `lemmas` clauses that hold in every solution and that this one breaks, or
  // that speak about new variables. None: it is a solution.
  virtual void complete(std::vector<std::vector<Literal>>& lemmas) = 0;
};

enum class Answer : std::uint8_t { kSatisfiable, kUnsatisfiable, kUnknown };

class Sat {
 public:
  explicit Sat(Theory& theory);

  Variable add_variable();
  Literal truth() const { return 0; }  // variable 0 is true
  void add_clause(std::vector<Literal> clause);
  // At most one of these is true, and of those that are added later. A literal is in one choice at most.
  std::uint32_t add_choice(std::span<const Literal> literals);
  void extend_choice(std::uint32_t choice, Literal l);

  // -1 false, 0 none, 1 true.
  int value(Literal l) const { return is_negated(l) ? -values_[l >> 1] : values_[l >> 1]; }

  // kUnknown: after `most_conflicts`, or when the command's time is up.
  Answer solve(std::span<const Literal> assumptions, std::uint64_t most_conflicts = ~0ull);
  // After kUnsatisfiable: assumptions that cannot hold together.
  const std::vector<Literal>& core() const { return core_; }
  // Undoes everything but what holds in every solution.
  void backtrack_to_start() { backtrack(0); }
  std::uint64_t conflicts() const { return conflicts_; }
  std::uint64_t decisions() const { return decisions_; }
  std::size_t variables() const { return values_.size(); }
  std::uint64_t added() const { return added_; }  // by add_clause

 private:
  using ClauseId = std::uint32_t;
  static constexpr ClauseId kNoClause = ~0u;
  struct Clause {
    std::vector<Literal> literals;
    double activity = 0;
    bool learned = false;
    bool dead = false;
  };
  struct Watch {
    ClauseId clause;
    Literal blocker;
  };
  struct Reason {
    ClauseId clause = kNoClause;
    Literal implied_by = kNoLiteral;  // by a choice
  };

  std::uint32_t level() const { return static_cast<std::uint32_t>(level_starts_.size()); }
  std::uint32_t level_of(Literal l) const { return levels_[variable_of(l)]; }
  void enqueue(Literal l, Reason reason);
  bool propagate();  // false: conflict_
  bool propagate_clauses(Literal l);
  bool propagate_choice(Literal l);
  void backtrack(std::uint32_t to);
  void analyze(std::vector<Literal>& learned, std::uint32_t& back_to);
  void analyze_final(Literal failed);
  bool resolve_conflict();
  bool learn(std::vector<Literal> clause);
  ClauseId store(std::vector<Literal> literals, bool learned);
  bool add_lemma(std::vector<Literal> clause);
  void bump(Variable v);
  void reduce();
  Variable pick();
  bool next_decision(std::span<const Literal> assumptions, bool& done);
  void heap_insert(Variable v);
  void heap_up(std::size_t i);
  void heap_down(std::size_t i);
  template <typename F>
  void for_each_reason(Literal l, F f) const;

  Theory& theory_;
  std::vector<Clause> clauses_;
  std::vector<std::vector<Watch>> watches_;  // by literal that became false
  std::vector<std::int8_t> values_;
  std::vector<std::uint32_t> levels_;
  std::vector<Reason> reasons_;
  std::vector<std::uint8_t> seen_;
  std::vector<double> activity_;
  std::vector<std::uint32_t> choice_of_;  // by literal, or ~0u
  std::vector<std::vector<Literal>> choices_;
  std::vector<Variable> heap_;
  std::vector<std::uint32_t> heap_place_;
  std::vector<Literal> trail_;
  std::vector<std::size_t> level_starts_;
  std::size_t propagated_ = 0;     // literals of trail_ that the theory, choices and clauses know of
  std::vector<Literal> conflict_;  // false literals
  std::vector<Literal> core_;
  double bump_ = 1;
  bool unsatisfiable_ = false;
  std::uint64_t conflicts_ = 0, decisions_ = 0, added_ = 0;
  std::size_t learned_ = 0, most_learned_ = 20000;
};

}  // namespace heddle::constraints
