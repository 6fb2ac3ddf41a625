// Tables that a broken program wrote: an error, or a trace that keeps its promises; never a crash.
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tool/constraints/expressions.h"
#include "tool/constraints/schedules.h"

namespace heddle::constraints {
namespace {

using symbolic::Record;
using symbolic::RecordId;
using symbolic::RecordKind;

struct Tables {
  std::vector<Event> events;
  std::vector<Expression> expressions;
  std::vector<Record> records;

  Tables() : expressions(1) {
    // T1 stores 1; T2 loads it, branches on it and fails.
    Event store;
    store.kind = EventKind::kPlainWrite;
    store.thread = ThreadId{1};
    store.address = 0x1000;
    store.size = 4;
    store.value = 1;
    Event load = store;
    load.kind = EventKind::kPlainRead;
    load.thread = ThreadId{2};
    events = {store, load};
    expressions.push_back(expression(Operator::kSymbol, 32, 1, 1));
    expressions.push_back(expression(Operator::kConstant, 32, 1));
    expressions.push_back(expression(Operator::kEqual, 1, 1, 1, 2));
    records = {record(RecordKind::kWrite, 0, 0), record(RecordKind::kRead, 1, 1),
               record(RecordKind::kFailure, 1, 3)};
    records[2].holds = 1;
  }

  static Expression expression(Operator op, std::uint8_t bits, std::uint64_t value, std::uint32_t a = 0,
                               std::uint32_t b = 0) {
    Expression e;
    e.op = op;
    e.bits = bits;
    e.value = value;
    e.operands[0] = ExpressionId{a};
    e.operands[1] = ExpressionId{b};
    return e;
  }
  Record record(RecordKind kind, std::uint32_t event, std::uint32_t id) const {
    Record r;
    r.kind = kind;
    r.event = EventId{event};
    r.thread = events[event].thread;
    r.address = 0x1000;
    r.size = 4;
    r.value = 1;
    r.expression = ExpressionId{id};
    return r;
  }
  Result<SymbolicTrace> read() const { return symbolic_trace(events, expressions, records, {}); }
};

TEST(Hostile, AGoodTraceIsRead) {
  const Result<SymbolicTrace> trace = Tables().read();
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->actions.size(), 2u);
  EXPECT_EQ(solve_failing(*trace).answer, Answer::kSatisfiable);
}

TEST(Hostile, DamageIsNamed) {
  const auto error_of = [](const Tables& tables) {
    const Result<SymbolicTrace> trace = tables.read();
    return trace ? std::string() : trace.error().message;
  };
  Tables later_operand;
  later_operand.expressions[3].operands[1] = ExpressionId{3};
  EXPECT_NE(error_of(later_operand).find("does not come before"), std::string::npos);
  Tables wrong_width;
  wrong_width.expressions[2].bits = 16;
  EXPECT_NE(error_of(wrong_width).find("wrong width"), std::string::npos);
  Tables no_event;
  no_event.records[1].event = EventId{77};
  EXPECT_NE(error_of(no_event).find("event that does not exist"), std::string::npos);
  Tables symbol_of_branch;
  symbol_of_branch.expressions[1].operands[0] = ExpressionId{2};
  EXPECT_NE(error_of(symbol_of_branch).find("symbol"), std::string::npos);
  Tables wide_failure;
  wide_failure.records[2].expression = ExpressionId{1};
  EXPECT_NE(error_of(wide_failure).find("one bit"), std::string::npos);
}

// Every byte of every table turned into something else, one at a time and many at once.
TEST(Hostile, AnyBytesAreReadOrRefused) {
  Random random(3);
  for (int round = 0; round < 5'000; ++round) {
    Tables tables;
    for (std::uint32_t changes = 1 + random.below(3); changes-- > 0;) {
      const std::uint32_t table = random.below(3);
      const auto bytes = table == 0   ? std::as_writable_bytes(std::span(tables.events))
                         : table == 1 ? std::as_writable_bytes(std::span(tables.expressions))
                                      : std::as_writable_bytes(std::span(tables.records));
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] =
          static_cast<std::byte>(random.below(256));
    }
    const Result<SymbolicTrace> trace = tables.read();
    if (!trace) continue;
    ASSERT_EQ(validate(*trace), "");
    const SolvedSchedule failing = solve_failing(*trace, {Model::kCxx20, true, 1000});
    if (failing.answer != Answer::kSatisfiable) continue;
    const RootCause cause = root_cause(*trace, failing.execution, {Model::kCxx20, true, 1000});
    alternates(*trace, failing.execution, cause, 1, {Model::kCxx20, true, 1000});
  }
}

// One operator each, against plain arithmetic.
TEST(Expressions, OperatorsAreThoseOfBitVectors) {
  const std::vector<Expression> table{Tables::expression(Operator::kConstant, 1, 0),
                                      Tables::expression(Operator::kConstant, 8, 0)};
  const auto value = [&](Operator op, std::uint64_t a, std::uint64_t b, std::uint8_t bits = 8) {
    const std::uint64_t operands[3] = {a, b, 0};
    return apply(Tables::expression(op, bits, 0, 1, 1), table, operands);
  };
  EXPECT_EQ(value(Operator::kAdd, 200, 100), 44u);
  EXPECT_EQ(value(Operator::kSubtract, 1, 2), 255u);
  EXPECT_EQ(value(Operator::kDivideUnsigned, 7, 0), 255u);
  EXPECT_EQ(value(Operator::kDivideSigned, 0x80, 0xff), 0x80u);
  EXPECT_EQ(value(Operator::kDivideSigned, 0xf9, 2), 0xfdu);  // -7 / 2
  EXPECT_EQ(value(Operator::kRemainderSigned, 0xf9, 2), 0xffu);
  EXPECT_EQ(value(Operator::kShiftLeft, 1, 8), 0u);
  EXPECT_EQ(value(Operator::kShiftRightArithmetic, 0x80, 9), 0xffu);
  EXPECT_EQ(value(Operator::kLessSigned, 0xff, 0, 1), 1u);
  EXPECT_EQ(value(Operator::kLessUnsigned, 0xff, 0, 1), 0u);
  EXPECT_EQ(value(Operator::kSignExtend, 0x80, 0, 16), 0xff80u);
  EXPECT_EQ(value(Operator::kConcatenate, 0x12, 0x34, 16), 0x1234u);
}

}  // namespace
}  // namespace heddle::constraints
