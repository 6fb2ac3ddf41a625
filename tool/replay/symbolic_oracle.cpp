#include "tool/replay/symbolic_oracle.h"

#include <fmt/core.h>

#include "core/trace/symbolic_value.h"

namespace heddle::replay {
namespace {

using symbolic::Expression;
using symbolic::Operator;
using symbolic::Record;
using symbolic::RecordKind;

// Values of all expressions, computed from what the reads read.
std::vector<std::uint64_t> evaluate(const SymbolicTables& t) {
  std::vector<std::uint64_t> values(t.expressions.size(), 0);
  for (std::size_t i = 1; i < values.size(); ++i) {
    const Expression& e = t.expressions[i];
    if (e.op == Operator::kConstant) {
      values[i] = e.value;
    } else if (e.op == Operator::kSymbol) {
      const Record& r = t.records[index_of(e.operands[0])];
      // Of an update the record has what was written; what it read only the symbol knows.
      values[i] = r.kind == RecordKind::kRead || r.kind == RecordKind::kCasFailed ? r.value : e.value;
    } else {
      const unsigned count = symbolic::operand_count(e.op);
      symbolic::Operands of;
      of.a = values[index_of(e.operands[0])];
      if (count > 1) of.b = values[index_of(e.operands[1])];
      if (count > 2) of.c = values[index_of(e.operands[2])];
      of.bits = t[e.operands[0]].bits;
      values[i] = symbolic::value_of(e.op, e.bits, e.low, of);
    }
  }
  return values;
}

// What the program had for the record's expression.
std::uint64_t expected(const Record& r) {
  return r.kind == RecordKind::kBranch || r.kind == RecordKind::kFailure ? r.holds : r.value;
}

bool is_access(RecordKind kind) {
  return kind == RecordKind::kRead || kind == RecordKind::kWrite || kind == RecordKind::kUpdate ||
         kind == RecordKind::kCasFailed;
}

// What both know of the whole access is the same. (Of volatile accesses events are written before.)
bool agree(const SymbolicTables& t, const Record& r, const TraceEvent& e) {
  if (e.thread != r.thread || r.address < e.address || r.address + r.size > e.address + e.size) return false;
  if (e.address != r.address || e.size != r.size) return true;
  switch (e.kind) {
    case EventKind::kAtomicUpdate:
      return e.value2 == r.value && e.value == t[r.symbol].value;
    case EventKind::kAtomicLoad:
    case EventKind::kAtomicStore:
    case EventKind::kCasFailed:
    case EventKind::kPlainRead:
      return e.value == r.value;
    default:
      return true;
  }
}

}  // namespace

std::string first_wrong_access(const Trace& trace, const SymbolicTables& tables) {
  for (std::size_t i = 0; i < tables.records.size(); ++i) {
    const Record& r = tables.records[i];
    if (!is_access(r.kind)) continue;
    const TraceEvent* event = trace.find_event(r.event);
    if (event == nullptr || !agree(tables, r, *event))
      return fmt::format("record {} is not what event {} was", i, index_of(r.event));
  }
  return {};
}

std::string first_wrong_value(const SymbolicTables& tables) {
  const std::vector<std::uint64_t> values = evaluate(tables);
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] != tables.expressions[i].value)
      return fmt::format("expression {} is {:#x}, not {:#x}", i, values[i], tables.expressions[i].value);
  }
  for (std::size_t i = 0; i < tables.records.size(); ++i) {
    const Record& r = tables.records[i];
    if (r.expression != symbolic::kConcrete && values[index_of(r.expression)] != expected(r))
      return fmt::format("record {} had {:#x}, and its expression is {:#x}", i, expected(r),
                         values[index_of(r.expression)]);
    if (r.pointer != symbolic::kConcrete && values[index_of(r.pointer)] != r.address)
      return fmt::format("record {} is at {:#x}, and its pointer is {:#x}", i, r.address,
                         values[index_of(r.pointer)]);
  }
  if (tables.mismatches != 0)
    return fmt::format("{} expressions had another value than the program", tables.mismatches);
  return {};
}

}  // namespace heddle::replay
