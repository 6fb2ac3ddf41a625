#include "tool/report/symbolic_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/trace/symbolic_value.h"
#include "tool/symbols/symboliser.h"
#include "tool/trace/stable_names.h"

namespace heddle::report {
namespace {

using symbolic::Expression;
using symbolic::ExpressionId;
using symbolic::Operator;
using symbolic::Record;
using symbolic::RecordKind;

constexpr int kDeepest = 12;

// As C would write it; signed operations are marked.
constexpr std::array<const char*, static_cast<std::size_t>(Operator::kCount)> kSigns = {
    "",   "",    "+",  "-",  "*", "/",  "/s", "%",   "%s",   "&",    "|", "^", "<<",
    ">>", ">>s", "==", "!=", "<", "<=", "<s", "<=s", "zext", "sext", "",  "",  ""};

std::string text_of(const SymbolicTables& t, ExpressionId id, int depth) {
  const Expression& e = t[id];
  if (id == symbolic::kConcrete) return "concrete";
  if (depth > kDeepest) return "…";
  const auto operand = [&](int i) { return text_of(t, e.operands[i], depth + 1); };
  const char* sign = kSigns[static_cast<std::size_t>(e.op)];
  switch (e.op) {
    case Operator::kConstant:
      return e.value < 10 ? fmt::format("{}", e.value) : fmt::format("{:#x}", e.value);
    case Operator::kSymbol:
      return fmt::format("r{}", index_of(e.operands[0]));
    case Operator::kZeroExtend:
    case Operator::kSignExtend:
      return fmt::format("{}{}({})", sign, e.bits, operand(0));
    case Operator::kExtract:
      return fmt::format("{}[{}:{}]", operand(0), e.low + unsigned{e.bits} - 1, unsigned{e.low});
    case Operator::kConcatenate:
      return fmt::format("({} ++ {})", operand(0), operand(1));
    case Operator::kSelect:
      return fmt::format("({} ? {} : {})", operand(0), operand(1), operand(2));
    default:
      return fmt::format("({} {} {})", operand(0), sign, operand(1));
  }
}

class Writer {
 public:
  Writer(const Trace& trace, const SymbolicTables& tables)
      : t_(tables), names_(trace), symboliser_(trace.modules) {}

  std::string run() {
    std::map<ThreadId, std::string> threads;
    for (std::uint32_t i = 0; i < t_.records.size(); ++i) {
      const Record& r = t_.records[i];
      if (r.kind == RecordKind::kFolded && r.value == 0) continue;
      threads[r.thread] +=
          fmt::format("  {:>5}  {:<60} {}\n", fmt::format("r{}", i), line_of(r), place_of(r.pc));
    }
    std::string text;
    for (const auto& [thread, lines] : threads)
      text += fmt::format("thread {} ({})\n{}", index_of(thread), names_.thread(thread), lines);
    return text;
  }

 private:
  std::string expression(ExpressionId id) const { return expression_text(t_, id); }

  std::string memory(const Record& r) {
    std::string name = names_.address(r.address);
    if (name.empty()) {
      const auto variable = symboliser_.data(r.address, r.size);
      name = variable ? variable->name : fmt::format("{:#x}", r.address);
    }
    if (r.pointer != symbolic::kConcrete) name += fmt::format(" [at {}]", expression(r.pointer));
    return name;
  }

  std::string written(const Record& r) const {
    if (r.expression == symbolic::kConcrete) return fmt::format("{:#x}", r.value);
    return fmt::format("{} (= {:#x})", expression(r.expression), r.value);
  }

  std::string line_of(const Record& r) {
    switch (r.kind) {
      case RecordKind::kRead:
        return fmt::format("read {} = {:#x}", memory(r), r.value);
      case RecordKind::kWrite:
        return fmt::format("write {} := {}", memory(r), written(r));
      case RecordKind::kUpdate:
        return fmt::format("update {} from {:#x} := {}", memory(r), t_[r.symbol].value, written(r));
      case RecordKind::kCasFailed:
        return fmt::format("exchange failed {} = {:#x}", memory(r), r.value);
      case RecordKind::kBranch:
        return fmt::format("branch {} {}", expression(r.expression),
                           r.holds != 0 ? "holds" : "does not hold");
      case RecordKind::kConcretised:
        return fmt::format("taken for {:#x}: {}", r.value, expression(r.expression));
      case RecordKind::kFailure:
        if (r.expression == symbolic::kConcrete) return "failure, decided by no value that was read";
        return fmt::format("failure: {} {}", expression(r.expression),
                           r.holds != 0 ? "holds" : "does not hold");
      case RecordKind::kFolded:
        return fmt::format("waited {} rounds", r.value);
    }
    return {};
  }

  std::string place_of(std::uint64_t pc) {
    if (pc == 0) return {};
    // Where the program's own code is, which calls of the standard library were inlined into.
    const std::vector<Frame>& frames = symboliser_.frames(pc);
    const auto own = std::find_if(frames.begin(), frames.end(),
                                  [](const Frame& f) { return f.line != 0 && !f.file.starts_with("/usr/"); });
    if (own == frames.end()) return {};
    return fmt::format("{}:{}", own->file.substr(own->file.rfind('/') + 1), own->line);
  }

  const SymbolicTables& t_;
  StableNames names_;
  Symboliser symboliser_;
};

}  // namespace

std::string expression_text(const SymbolicTables& tables, ExpressionId id) { return text_of(tables, id, 0); }

std::string symbolic_text(const Trace& trace, const SymbolicTables& tables) {
  return Writer(trace, tables).run();
}

}  // namespace heddle::report
