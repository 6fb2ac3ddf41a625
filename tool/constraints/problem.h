// The constraints of a symbolic trace, as a problem for the solver (Machado, PhD thesis, 4.1.3):
//
//   Φ = ±φ_bug ∧ φ_path ∧ φ_sync ∧ φ_rw ∧ φ_mo
//
// Decided are, as booleans, which write each read reads (`reads`) and the order of some pairs of actions
// (`order`); under C++20, also of some pairs of writes in the modification order (`modification`). The graph
// of what was decided stays free of cycles (OrderGraph), and its topological order is at all times a
// candidate: a schedule, near the observed one where that is the start. When every read has its source, the
// candidate is executed in thought, and every rule that it breaks becomes a clause:
//
//   φ_rw    no write between the one that is read and the read
//   φ_sync  two sections of one lock do not overlap
//   φ_path  the reads that a branch went wrong by cannot all have these sources
//   φ_mo    program order, in the graph from the start; under C++20, the axioms of docs/design/memory-model.md
//
// So the cubic constraints of the thesis are never written down, only the few that candidates break. Values
// are computed, not solved for: once sources are decided they are known.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "tool/constraints/axioms.h"
#include "tool/constraints/candidates.h"
#include "tool/constraints/execution.h"
#include "tool/constraints/expressions.h"
#include "tool/constraints/happens_before.h"
#include "tool/constraints/order_graph.h"
#include "tool/constraints/sat.h"
#include "tool/constraints/structure.h"
#include "tool/run/time_limit.h"

namespace heddle::constraints {

struct ProblemOptions {
  Model model = Model::kSequential;
  bool with_soft = true;
  bool start_from_observed = true;  // false: thread after thread, as if nobody had seen the order
};

class Problem final : private Theory {
 public:
  // What is asked for is the structure's goal: schedules that fail, or that pass.
  Problem(const Structure& structure, const ProblemOptions& options);
  ~Problem() override = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  // `a` comes before `b`.
  Literal order(ActionId a, ActionId b);
  // Both write one cell: `a` comes before `b` in its modification order.
  Literal modification(ActionId a, ActionId b);
  // The false literal where that cannot be or need not be known.
  Literal reads(PartId part, ActionId write) const;
  bool is_decided(PartId part) const { return choice_of_part_[part] != kNone; }

  // Try candidates near this one first.
  void start_from(const Execution& execution);
  void require(Literal l) { sat_.add_clause({l}); }
  Answer solve(std::span<const Literal> assumptions = {}, std::uint64_t most_conflicts = ~0ull);
  const std::vector<Literal>& core() const { return sat_.core(); }
  const Execution& execution() const { return execution_; }

  // Clauses by what they are of: written down at first, and learned from candidates that broke a rule.
  struct Clauses {
    std::uint64_t path = 0, synchronisation = 0, read_write = 0, memory_order = 0;
  };
  struct Size {
    std::size_t variables = 0, reads = 0, decided_reads = 0, candidates = 0;
    std::uint64_t conflicts = 0, decisions = 0, rounds = 0;
    Clauses clauses;
  };
  Size size() const;

 private:
  static constexpr std::uint32_t kNone = ~0u;
  static constexpr std::size_t kMostEagerClauses = 500'000;
  static constexpr std::size_t kMostLemmas = 32;  // of one kind in one round
  enum class Meaning : std::uint8_t { kNothing, kOrder, kModification, kReads };
  struct Info {
    Meaning meaning = Meaning::kNothing;
    std::int8_t hint = 0;  // what to try first, once
    std::int8_t last = 0;  // what it was
    std::uint32_t a = 0;   // kReads: the part
    std::uint32_t b = 0;   // kReads: the write
  };
  struct Choice {  // of what a part reads
    PartId part = 0;
    std::vector<ActionId> writes;
    std::vector<Literal> literals;
    ActionId preferred = kNoAction;
    bool has_preferred = false;
  };
  using Clause = std::vector<Literal>;

  // Theory
  bool assign(Literal l, std::vector<Literal>& conflict) override;
  void unassign(Literal l) override;
  Literal choose(Variable v) override;
  void complete(std::vector<Clause>& lemmas) override;

  Variable add_variable(Info info);
  Literal pair(ActionId a, ActionId b, Meaning meaning);
  bool edge_of(Literal l, ActionId& from, ActionId& to) const;
  void hint(Literal l);

  // The command's time was over while the constraints were written down. What there is of them is not to be solved.
  bool gives_up() { return gave_up_ = gave_up_ || time_.is_up(); }

  // encoding.cpp
  void decide_reads();
  void prune_by_values(std::vector<Choice>& choices);
  void encode_waits();
  void encode_semaphores();
  void encode_failed_attempts();
  void encode_eagerly();
  std::vector<ActionId> reads_in(ExpressionId id, std::size_t most);
  bool may_have_value(ActionId read, std::uint64_t value);
  void encode_bug();
  void link_modifications();

  // values.cpp
  void encode_values();
  std::map<ActionId, std::set<std::uint64_t>> domains();
  std::size_t longest_chain(const std::vector<const Choice*>& choices);
  std::uint64_t computed(ActionId write, ActionId from, std::uint64_t value);
  bool check_values(std::vector<Clause>& lemmas);
  void compute_values();
  Literal value_literal(ActionId read);
  Literal value_literal(ActionId read, std::uint64_t value);
  void derive_values(std::vector<ActionId> open, std::vector<Clause>& lemmas);
  void find_reads(ExpressionId id, std::vector<ActionId>& found);

  // lemmas.cpp: checks of a candidate
  void read_off();
  ActionId decided_source(const Choice& choice) const;
  void check_latest(std::vector<Clause>& lemmas);
  void check_locks(std::vector<Clause>& lemmas);
  void check_axioms(const HappensBefore& hb, std::vector<Clause>& lemmas);
  Clause lemma_of(const Violation& violation, const HappensBefore& hb);
  void check_race(const HappensBefore& hb, std::vector<Clause>& lemmas);
  void explain_order(const HappensBefore& hb, ActionId a, ActionId b, Clause& lemma);
  void explain_source(ActionId read, Clause& lemma) const;
  bool needs_happens_before() const;
  bool is_weak(CellId cell) const { return options_.model == Model::kCxx20 && s_.cells()[cell].weak; }
  ActionId source(ActionId read) const { return execution_.sources[s_.first_part(read)]; }
  std::uint32_t modification_place(ActionId w) const {
    return w == kNoAction ? 0 : modifications_.position(w) + 1;
  }

  const Structure& s_;
  ProblemOptions options_;
  Candidates candidates_;
  OrderGraph orders_;
  OrderGraph modifications_;
  std::vector<Info> info_;
  Sat sat_;
  std::unordered_map<std::uint64_t, Variable> pairs_[2];
  std::vector<Choice> choices_;
  std::vector<std::uint32_t> choice_of_part_;
  Evaluation values_;
  std::vector<std::uint64_t> written_;  // by action
  std::vector<Condition> conditions_;   // that have to hold
  Execution execution_;
  std::unordered_map<ActionId, std::vector<std::size_t>> alone_;  // conditions_ on one read only
  std::map<std::pair<ActionId, std::uint64_t>, Literal> value_literals_;
  std::vector<std::uint32_t> value_choices_;  // by read: a read has one value
  std::vector<std::uint32_t> visited_;        // expressions, by find_reads
  std::uint32_t visit_ = 0;
  std::uint64_t rounds_ = 0;
  Clauses clauses_;
  run::TimeSampler time_;
  bool gave_up_ = false;
};

}  // namespace heddle::constraints
