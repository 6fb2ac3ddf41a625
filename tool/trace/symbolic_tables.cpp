#include "tool/trace/symbolic_tables.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/trace/symbolic_value.h"

namespace heddle {

using symbolic::Expression;
using symbolic::ExpressionId;
using symbolic::Operator;
using symbolic::Record;
using symbolic::RecordKind;

namespace {

bool has_right_widths(const SymbolicTables& t, const Expression& e) {
  const auto bits = [&](int i) { return unsigned{t[e.operands[i]].bits}; };
  if (e.bits == 0 || e.bits > 64 || e.value != symbolic::low_bits(e.value, e.bits)) return false;
  switch (e.op) {
    case Operator::kConstant:
    case Operator::kSymbol:
      return true;
    case Operator::kZeroExtend:
    case Operator::kSignExtend:
      return bits(0) < e.bits;
    case Operator::kExtract:
      return e.low + unsigned{e.bits} <= bits(0);
    case Operator::kConcatenate:
      return bits(0) + bits(1) == e.bits;
    case Operator::kSelect:
      return bits(0) == 1 && bits(1) == e.bits && bits(2) == e.bits;
    default:
      return bits(0) == bits(1) && (symbolic::is_comparison(e.op) ? e.bits == 1 : bits(0) == e.bits);
  }
}

bool is_sound(const SymbolicTables& t, std::uint32_t index) {
  const Expression& e = t.expressions[index];
  if (e.op >= Operator::kCount) return false;
  for (unsigned i = 0; i < symbolic::operand_count(e.op); ++i) {
    if (index_of(e.operands[i]) == 0 || index_of(e.operands[i]) >= index) return false;
  }
  if (e.op == Operator::kSymbol) {
    const std::uint32_t reader = index_of(e.operands[0]);
    if (reader >= t.records.size()) return false;
    const Record& r = t.records[reader];
    const ExpressionId symbol = r.kind == RecordKind::kRead ? r.expression : r.symbol;
    if (index_of(symbol) != index || r.size * 8u != e.bits) return false;
  }
  return has_right_widths(t, e);
}

bool is_sound(const SymbolicTables& t, const Record& r) {
  for (const ExpressionId id : {r.expression, r.symbol, r.pointer}) {
    if (index_of(id) >= t.expressions.size()) return false;
  }
  const auto is_symbol = [&](ExpressionId id) { return t[id].op == Operator::kSymbol; };
  switch (r.kind) {
    case RecordKind::kRead:
      return is_symbol(r.expression);
    case RecordKind::kUpdate:
    case RecordKind::kCasFailed:
      return is_symbol(r.symbol) && r.size <= 8;
    case RecordKind::kBranch:
      return t[r.expression].bits == 1;
    case RecordKind::kFailure:
      return r.expression == symbolic::kConcrete || t[r.expression].bits == 1;
    case RecordKind::kWrite:
    case RecordKind::kConcretised:
      return r.size <= 8;
    case RecordKind::kFolded:
      return true;
  }
  return false;
}

}  // namespace

std::string defect_of(const SymbolicTables& tables) {
  for (std::uint32_t i = 1; i < tables.expressions.size(); ++i) {
    if (!is_sound(tables, i)) return fmt::format("expression {} makes no sense", i);
  }
  for (std::size_t i = 0; i < tables.records.size(); ++i) {
    if (!is_sound(tables, tables.records[i])) return fmt::format("record {} makes no sense", i);
  }
  return {};
}

Result<SymbolicTables> capture_symbolic(const Channel& channel, std::uint64_t mapped_bytes) {
  SymbolicTables tables;
  if (!Channel::valid(channel.header(), mapped_bytes) ||
      channel.header()->symbolic.bytes < sizeof(symbolic::Header))
    return tables;
  const auto& header = *static_cast<const symbolic::Header*>(channel.symbolic());
  const std::uint64_t room = channel.header()->symbolic.bytes - sizeof(symbolic::Header);
  const std::uint64_t expression_bytes = std::uint64_t{header.expression_capacity} * sizeof(Expression);
  const std::uint64_t record_bytes = std::uint64_t{header.record_capacity} * sizeof(Record);
  const Error overwritten{"The program has overwritten its symbolic trace.", ExitCode::kInconclusive};
  if (expression_bytes > room || record_bytes > room - expression_bytes ||
      header.expression_count > header.expression_capacity ||
      !header.has_room(header.record_count, header.step_count) || header.expression_count == 0)
    return overwritten;
  if (header.overflow != 0) {
    tables.cut = true;  // what is there refers to what is not
    return tables;
  }
  const auto* expressions = reinterpret_cast<const Expression*>(&header + 1);
  const auto* records = reinterpret_cast<const Record*>(expressions + header.expression_capacity);
  tables.expressions.assign(expressions, expressions + header.expression_count);
  tables.expressions[0] = {};
  tables.records.assign(records, records + header.record_count);
  const auto* steps_end = reinterpret_cast<const symbolic::Step*>(records + header.record_capacity);
  tables.steps.assign(steps_end - header.step_count, steps_end);
  std::reverse(tables.steps.begin(), tables.steps.end());
  tables.mismatches = header.mismatches;
  if (!defect_of(tables).empty()) return overwritten;
  return tables;
}

}  // namespace heddle
