#include "tests/oracle/enumerate.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "tests/oracle/axioms.h"

namespace oracle {
namespace {

class Enumerator {
 public:
  Enumerator(const Program& program, const Strength& strength)
      : program_(program), strength_(strength), layout_(program) {
    for (std::size_t x = 0; x < program.initial.size(); ++x) {
      execution_.events.push_back({EventKind::kInitial, Order::kRelaxed, -1, static_cast<int>(x), -1, 0});
      values_.push_back(program.initial[x]);
      ops_.push_back(nullptr);
    }
    for (std::size_t t = 0; t < program.threads.size(); ++t) {
      for (const Op& op : program.threads[t]) {
        Event e;
        e.thread = static_cast<int>(t);
        e.order = op.order;
        e.location = op.kind == OpKind::kFence ? -1 : op.location;
        e.kind = kind_of(op);
        execution_.events.push_back(e);
        values_.push_back(0);
        ops_.push_back(&op);
      }
    }
    spurious_.resize(ops_.size());
  }

  Outcomes run() {
    choose_reads_from(0);
    return std::move(outcomes_);
  }

 private:
  static EventKind kind_of(const Op& op) {
    switch (op.kind) {
      case OpKind::kLoad:
        return EventKind::kLoad;
      case OpKind::kStore:
        return EventKind::kStore;
      case OpKind::kFence:
        return EventKind::kFence;
      default:
        return EventKind::kUpdate;  // a CAS until it is known to fail
    }
  }
  Event& event(int i) { return execution_.events[static_cast<std::size_t>(i)]; }
  const Op* op(int i) const { return ops_[static_cast<std::size_t>(i)]; }
  int count() const { return static_cast<int>(ops_.size()); }

  void choose_reads_from(int i) {
    while (i < count() && (op(i) == nullptr || !op(i)->reads())) ++i;
    if (i == count()) {
      resolve();
      return;
    }
    for (int w = 0; w < count(); ++w) {
      const bool may_write =
          op(w) == nullptr || op(w)->kind == OpKind::kStore || op(w)->is_update() || op(w)->is_cas();
      if (w == i || !may_write || event(w).location != event(i).location) continue;
      event(i).reads_from = w;
      choose_reads_from(i + 1);
      if (op(i)->kind == OpKind::kWeakCas) {
        spurious_[static_cast<std::size_t>(i)] = true;
        choose_reads_from(i + 1);
        spurious_[static_cast<std::size_t>(i)] = false;
      }
    }
  }

  // Values, and which CAS succeed. Without load buffering, values can be found in an order of sb ∪ rf; with
  // it, rf alone must not be circular, for nothing here depends on a value but through updates.
  void resolve() {
    const Execution saved = execution_;
    if (evaluate()) check_orders();
    execution_ = saved;
  }

  bool evaluate() {
    std::vector<char> done(ops_.size());
    std::vector<int> read(ops_.size());
    std::fill_n(done.begin(), program_.initial.size(), 1);
    for (std::size_t round = 0; round < ops_.size(); ++round) {
      bool previous_done = true;
      int thread = -1;
      for (int i = static_cast<int>(program_.initial.size()); i < count(); ++i) {
        const auto n = static_cast<std::size_t>(i);
        if (event(i).thread != thread) previous_done = true;
        thread = event(i).thread;
        if (!done[n] && (previous_done || strength_.load_buffering)) done[n] = evaluate(i, done, read);
        previous_done = previous_done && done[n];
      }
    }
    if (std::find(done.begin(), done.end(), 0) != done.end()) return false;
    outcome_.assign(static_cast<std::size_t>(layout_.size), 0);
    int i = static_cast<int>(program_.initial.size());
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      for (std::size_t k = 0; k < program_.threads[t].size(); ++k, ++i) {
        const int position = layout_.position[t][k];
        if (position < 0) continue;
        // Nobody may read from a CAS that failed.
        if (event(event(i).reads_from).kind == EventKind::kLoad) return false;
        outcome_[static_cast<std::size_t>(position)] = read[static_cast<std::size_t>(i)];
        if (op(i)->is_cas())
          outcome_[static_cast<std::size_t>(position) + 1] = event(i).kind == EventKind::kUpdate;
      }
    }
    return true;
  }

  bool evaluate(int i, const std::vector<char>& done, std::vector<int>& read) {
    const auto n = static_cast<std::size_t>(i);
    const Op& o = *op(i);
    if (o.kind == OpKind::kFence) return true;
    if (o.kind == OpKind::kStore) {
      values_[n] = o.value;
      return true;
    }
    const auto source = static_cast<std::size_t>(event(i).reads_from);
    if (!done[source]) return false;
    read[n] = values_[source];
    if (o.kind == OpKind::kLoad) return true;
    if (o.is_cas() && (read[n] != o.expected || spurious_[n])) {
      // A spurious failure differs from a real one only where the values are equal.
      if (spurious_[n] && read[n] != o.expected) return false;
      event(i).kind = EventKind::kLoad;
      event(i).order = o.failure;
      return true;
    }
    values_[n] = written_value(o.kind, o.value, read[n]);
    return true;
  }

  void check_orders() {
    const Relation hb = happens_before(execution_);
    if (!hb.irreflexive()) return;
    orders_.clear();
    for (int x = 0; x < static_cast<int>(program_.initial.size()); ++x) {
      orders_.push_back(coherent_orders(x, hb));
      if (orders_.back().empty()) return;
    }
    combine(0, hb);
  }

  using Positions = std::vector<std::pair<int, int>>;  // (event, mo position)

  // The modification orders of x alone that are atomic and coherent. Both axioms speak of one location at a
  // time.
  std::vector<Positions> coherent_orders(int x, const Relation& hb) {
    std::vector<int> writes;
    for (int i = static_cast<int>(program_.initial.size()); i < count(); ++i) {
      if (event(i).writes() && event(i).location == x) writes.push_back(i);
    }
    Execution only = execution_;
    for (Event& e : only.events) {
      if (e.location != x) e = {EventKind::kOther, Order::kRelaxed, -1, -1, -1, -1};
    }
    std::vector<Positions> result;
    do {
      Positions positions;
      for (std::size_t k = 0; k < writes.size(); ++k) {
        positions.emplace_back(writes[k], static_cast<int>(k) + 1);
        only.events[static_cast<std::size_t>(writes[k])].mo_position = static_cast<int>(k) + 1;
      }
      if (!is_atomic(only)) continue;
      if (is_coherent(hb, extended_coherence(reads_from(only), modification_order(only))))
        result.push_back(positions);
    } while (std::next_permutation(writes.begin(), writes.end()));
    return result;
  }

  void combine(std::size_t x, const Relation& hb) {
    if (x == orders_.size()) {
      if (outcomes_.count(outcome_) != 0) return;
      const Relation eco = extended_coherence(reads_from(execution_), modification_order(execution_));
      if (is_seq_cst(execution_, hb, eco, strength_.seq_cst)) outcomes_.insert(outcome_);
      return;
    }
    for (const Positions& positions : orders_[x]) {
      int last = static_cast<int>(x);
      for (auto [i, position] : positions) {
        event(i).mo_position = position;
        last = i;
      }
      outcome_[static_cast<std::size_t>(layout_.finals) + x] = values_[static_cast<std::size_t>(last)];
      combine(x + 1, hb);
    }
  }

  const Program& program_;
  const Strength strength_;
  OutcomeLayout layout_;
  Execution execution_;
  std::vector<int> values_;
  std::vector<const Op*> ops_;
  std::vector<char> spurious_;
  std::vector<std::vector<Positions>> orders_;
  Outcome outcome_;
  Outcomes outcomes_;
};

class Interleaver {
 public:
  explicit Interleaver(const Program& program)
      : program_(program),
        layout_(program),
        memory_(program.initial),
        next_(program.threads.size()),
        outcome_(static_cast<std::size_t>(layout_.size)) {}

  Outcomes run() {
    step();
    return std::move(outcomes_);
  }

 private:
  void step() {
    bool finished = true;
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      if (next_[t] == program_.threads[t].size()) continue;
      finished = false;
      const Op& op = program_.threads[t][next_[t]];
      execute(t, op, false);
      if (op.kind == OpKind::kWeakCas) execute(t, op, true);
    }
    if (!finished) return;
    std::copy(memory_.begin(), memory_.end(), outcome_.begin() + layout_.finals);
    outcomes_.insert(outcome_);
  }

  void execute(std::size_t t, const Op& op, bool spurious) {
    const int position = layout_.position[t][next_[t]];
    int& memory = memory_[static_cast<std::size_t>(op.location)];
    const int before = memory;
    if (position >= 0) outcome_[static_cast<std::size_t>(position)] = before;
    bool writes = op.kind == OpKind::kStore || op.is_update();
    if (op.is_cas()) {
      writes = before == op.expected && !spurious;
      outcome_[static_cast<std::size_t>(position) + 1] = writes;
    }
    if (writes) memory = written_value(op.kind, op.value, before);
    ++next_[t];
    step();
    --next_[t];
    memory = before;
  }

  const Program& program_;
  OutcomeLayout layout_;
  std::vector<int> memory_;
  std::vector<std::size_t> next_;
  Outcome outcome_;
  Outcomes outcomes_;
};

}  // namespace

Outcomes consistent_outcomes(const Program& program, const Strength& strength) {
  return Enumerator(program, strength).run();
}
Outcomes interleaved_outcomes(const Program& program) { return Interleaver(program).run(); }

}  // namespace oracle
