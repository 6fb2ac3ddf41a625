// The C++20 model against the axiom checker's enumeration (tests/oracle): for every small program, exactly
// the outcomes that the axioms allow are found.
#include <gtest/gtest.h>

#include "tests/oracle/enumerate.h"
#include "tests/oracle/generate.h"
#include "tests/unit/constraints/how_many.h"
#include "tests/unit/constraints/trace_builder.h"
#include "tool/constraints/schedules.h"

namespace heddle::constraints {
namespace {

using oracle::Op;
using oracle::OpKind;
using oracle::Outcome;
using oracle::OutcomeLayout;
using oracle::Program;

Action access_of(const Program& program, std::size_t thread, const Op& op) {
  Action a;
  a.thread = ThreadId(static_cast<std::uint16_t>(thread));
  a.order = static_cast<MemoryOrder>(op.order);
  if (op.kind == OpKind::kFence) {
    a.kind = EventKind::kFence;
    return a;
  }
  a.address = 0x1000 + static_cast<Address>(op.location) * 8;
  a.size = 4;
  a.read_value = static_cast<std::uint32_t>(program.initial[static_cast<std::size_t>(op.location)]);
  a.flags = event_flags::kInitial;
  return a;
}

// The trace of an execution with these successes of CAS, which fails if the reads are those of `outcome`.
class LitmusTrace {
 public:
  explicit LitmusTrace(const Program& program) : program_(program), layout_(program) {}

  SymbolicTrace build(const Outcome& outcome) {
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      for (std::size_t i = 0; i < program_.threads[t].size(); ++i) {
        const int at = layout_.position[t][i];
        const int* read = at < 0 ? nullptr : &outcome[static_cast<std::size_t>(at)];
        add(t, program_.threads[t][i], read);
      }
    }
    b_.trace().bug.condition = {all_.id, true, false, kMainThread};
    // The order of the text: nobody has executed this.
    return b_.finish();
  }

 private:
  using Value = TraceBuilder::Value;

  void add(std::size_t t, const Op& op, const int* read) {
    Action a = access_of(program_, t, op);
    if (op.kind == OpKind::kFence) {
      b_.push(a);
      return;
    }
    const bool fails = op.is_cas() && read[1] == 0;
    Value old;
    if (op.reads()) {
      Expression symbol;
      symbol.op = Operator::kSymbol;
      symbol.bits = 32;
      symbol.operands[0] = ExpressionId{static_cast<std::uint32_t>(b_.trace().actions.size())};
      b_.trace().expressions.push_back(symbol);
      a.symbol = ExpressionId{static_cast<std::uint32_t>(b_.trace().expressions.size() - 1)};
      old = {a.symbol, 0, 32};
    }
    a.kind = op.kind == OpKind::kLoad    ? EventKind::kAtomicLoad
             : op.kind == OpKind::kStore ? EventKind::kAtomicStore
             : fails                     ? EventKind::kCasFailed
                                         : EventKind::kAtomicUpdate;
    if (fails) a.order = static_cast<MemoryOrder>(op.failure);
    a.value = static_cast<std::uint32_t>(op.value);
    if (op.kind == OpKind::kAdd)
      a.written =
          b_.binary(Operator::kAdd, old, TraceBuilder::number(static_cast<std::uint32_t>(op.value))).id;
    b_.push(a);
    if (!op.reads()) return;
    // Whether a CAS succeeds is a condition of the path; a weak one may fail for no reason.
    if (op.is_cas() && !(fails && op.kind == OpKind::kWeakCas)) {
      const Value same = b_.equal(old, static_cast<std::uint32_t>(op.expected));
      b_.trace().conditions.push_back({same.id, !fails, false, a.thread});
    }
    const Value expected = b_.equal(old, static_cast<std::uint32_t>(read[0]));
    all_ = all_.id == kConcrete ? expected : b_.both(all_, expected);
  }

  const Program& program_;
  OutcomeLayout layout_;
  TraceBuilder b_;
  Value all_;
};

// Of an outcome, what is read; the final values are not asked about.
Outcome reads_of(const Program& program, Outcome outcome) {
  outcome.resize(static_cast<std::size_t>(OutcomeLayout(program).finals));
  return outcome;
}

bool reads_anything(const Program& program) {
  for (const auto& thread : program.threads) {
    for (const Op& op : thread) {
      if (op.reads()) return true;
    }
  }
  return false;
}

// Every combination of values that some outcome has in a place.
std::set<Outcome> combinations(const std::set<Outcome>& some, std::size_t most) {
  std::set<Outcome> result{{}};
  const std::size_t length = some.begin()->size();
  for (std::size_t i = 0; i < length; ++i) {
    std::set<int> values;
    for (const Outcome& outcome : some) values.insert(outcome[i]);
    std::set<Outcome> longer;
    for (const Outcome& prefix : result) {
      for (int v : values) {
        Outcome next = prefix;
        next.push_back(v);
        longer.insert(next);
      }
    }
    result = std::move(longer);
    if (result.size() > most) return some;
  }
  return result;
}

// The encoding takes S for an order of execution, which is a part of what the axioms allow.
void compare(const Program& program, Model model) {
  std::set<Outcome> allowed;
  const oracle::Outcomes consistent =
      oracle::consistent_outcomes(program, {oracle::SeqCst::kExecutionOrder, false});
  const oracle::Outcomes all = model == Model::kCxx20 ? consistent : oracle::interleaved_outcomes(program);
  for (const Outcome& outcome : all) allowed.insert(reads_of(program, outcome));
  std::set<Outcome> universe;
  for (const Outcome& outcome : consistent) universe.insert(reads_of(program, outcome));
  for (const Outcome& outcome : combinations(universe, 48)) {
    const SymbolicTrace trace = LitmusTrace(program).build(outcome);
    ASSERT_EQ(validate(trace), "");
    const SolvedSchedule found = solve_failing(trace, {model, true});
    ASSERT_EQ(found.answer, allowed.contains(outcome) ? Answer::kSatisfiable : Answer::kUnsatisfiable)
        << to_string(program);
  }
}

TEST(Weak, FindsExactlyWhatTheAxiomsAllow) {
  int compared = 0;
  for (std::uint64_t i = 0; compared < programs(300); ++i) {
    const Program program = oracle::generated_program(7, i, oracle::kSmallPrograms);
    if (!reads_anything(program)) continue;
    ++compared;
    compare(program, Model::kCxx20);
    if (HasFatalFailure()) return;
  }
}

TEST(Weak, FindsExactlyTheInterleavingsUnderSequentialConsistency) {
  int compared = 0;
  for (std::uint64_t i = 0; compared < programs(100); ++i) {
    const Program program = oracle::generated_program(11, i, oracle::kSmallPrograms);
    if (!reads_anything(program)) continue;
    ++compared;
    compare(program, Model::kSequential);
    if (HasFatalFailure()) return;
  }
}

// Message passing: the flag is seen, the data is not.
struct MessagePassing {
  SymbolicTrace trace;
  ActionId data = 0, flag = 0, stale = 0;

  explicit MessagePassing(MemoryOrder store_order) {
    TraceBuilder b;
    constexpr int kData = 0, kFlag = 1;
    data = b.store(1, kData, TraceBuilder::number(1), MemoryOrder::kRelaxed);
    flag = b.store(1, kFlag, TraceBuilder::number(1), store_order);
    b.branch(2, b.equal(b.load(2, kFlag, MemoryOrder::kAcquire), 1));
    const auto value = b.load(2, kData, MemoryOrder::kRelaxed);
    stale = static_cast<ActionId>(b.trace().actions.size() - 1);
    // In the execution that was traced it read the initial value.
    Action& read = b.trace().actions[stale];
    read.reads_from = kNoAction;
    read.flags = event_flags::kInitial | event_flags::kStale;
    read.read_value = 0;
    b.fails_unless(2, b.equal(value, 1));
    trace = b.finish();
  }
};

TEST(Weak, AStaleReadIsItsOwnCause) {
  const MessagePassing example(MemoryOrder::kRelaxed);
  const SolveOptions options{Model::kCxx20, true};
  ASSERT_EQ(solve_failing(example.trace, options).answer, Answer::kSatisfiable);
  EXPECT_EQ(solve_failing(example.trace, {Model::kSequential, true}).answer, Answer::kUnsatisfiable);
  const Execution failing = observed_execution(example.trace);
  const RootCause cause = root_cause(example.trace, failing, options);
  ASSERT_EQ(cause.answer, Answer::kUnsatisfiable);
  ASSERT_EQ(cause.core.size(), 1u);
  EXPECT_EQ(cause.core[0], (Ordering{Ordering::Kind::kReads, kNoAction, example.stale}));
  const Alternates found = alternates(example.trace, failing, cause, 1, options);
  ASSERT_EQ(found.found.size(), 1u);
  EXPECT_EQ(found.found[0].inverted, cause.core);
  EXPECT_EQ(found.found[0].execution.order, failing.order);  // only what is read differs
}

TEST(Weak, SynchronisationForbidsTheStaleRead) {
  const MessagePassing example(MemoryOrder::kRelease);
  EXPECT_EQ(solve_failing(example.trace, {Model::kCxx20, true}).answer, Answer::kUnsatisfiable);
}

}  // namespace
}  // namespace heddle::constraints
