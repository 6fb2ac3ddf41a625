#include "tool/constraints/possible.h"

#include <algorithm>
#include <optional>
#include <set>

#include "tool/constraints/candidates.h"
#include "tool/constraints/expressions.h"

namespace heddle::constraints {
namespace {

constexpr std::size_t kMostCombinations = 4096;

struct PossibleRead {
  ExpressionId symbol;
  std::vector<std::uint64_t> values;
};

std::set<ExpressionId> symbols_in(const SymbolicTrace& trace, ExpressionId root) {
  std::set<ExpressionId> symbols;
  std::set<ExpressionId> seen;
  std::vector<ExpressionId> open{root};
  while (!open.empty()) {
    const ExpressionId id = open.back();
    open.pop_back();
    if (id == kConcrete || !seen.insert(id).second) continue;
    const Expression& e = trace.expressions[index_of(id)];
    if (e.op == Operator::kSymbol) {
      symbols.insert(id);
      continue;
    }
    for (unsigned k = 0; k < operand_count(e.op); ++k) open.push_back(e.operands[k]);
  }
  return symbols;
}

// nullopt: they are not known.
std::optional<std::vector<std::uint64_t>> values_of(const Structure& s, const Candidates& candidates,
                                                    ActionId read) {
  const std::span<const Part> parts = s.parts_of(read);
  if (parts.size() != 1) return std::nullopt;
  std::vector<std::uint64_t> values;
  for (const ActionId write : candidates.of(s.first_part(read))) {
    std::uint64_t value = 0;
    if (write == kNoAction) {
      const Cell& cell = s.cells()[parts.front().cell];
      if (!cell.has_initial) return std::nullopt;
      value = cell.initial;
    } else {
      if (s.action(write).written != kConcrete || s.parts_of(write).size() != 1) return std::nullopt;
      value = s.action(write).value & mask_of(parts.front().bits);
    }
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

}  // namespace

bool may_fail(const SymbolicTrace& trace) {
  const Condition& failure = trace.bug.condition;
  if (trace.bug.kind != BugKind::kCondition || failure.expression == kConcrete) return true;
  const Structure structure(trace, Structure::Goal::kFail);
  const Candidates candidates(structure);
  std::vector<PossibleRead> reads;
  std::size_t combinations = 1;
  for (const ExpressionId symbol : symbols_in(trace, failure.expression)) {
    auto values = values_of(structure, candidates, index_of(trace.expressions[index_of(symbol)].operands[0]));
    if (!values) return true;
    if (values->empty()) return false;  // nothing that it could read
    combinations *= values->size();
    if (combinations > kMostCombinations) return true;
    reads.push_back({symbol, std::move(*values)});
  }
  Evaluation evaluation(trace.expressions);
  for (std::size_t i = 0; i < combinations; ++i) {
    evaluation.clear();
    std::size_t rest = i;
    for (const PossibleRead& read : reads) {
      evaluation.set_symbol(read.symbol, read.values[rest % read.values.size()]);
      rest /= read.values.size();
    }
    std::uint64_t value = 0;
    if (!evaluation.evaluate(failure.expression, value) || (value != 0) == failure.holds) return true;
  }
  return false;
}

}  // namespace heddle::constraints
