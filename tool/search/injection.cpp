#include "tool/search/injection.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "core/trace/event_kinds.h"
#include "tool/constraints/expressions.h"

namespace heddle::search {
namespace {

using symbolic::Expression;
using symbolic::ExpressionId;
using symbolic::Record;
using symbolic::RecordKind;

// What the reads of the thread are to return, by their number.
using Values = std::map<std::uint32_t, std::uint64_t>;

// One thread of a traced run: its reads and its conditions.
class ThreadReads {
 public:
  ThreadReads(const TracedRun& run, const std::string& name) : run_(run), own_(run.threads.at(name)) {
    std::map<std::uint32_t, std::uint32_t> ordinal;  // of events
    for (std::uint32_t i = 0, n = 0; i < run.trace.events.size(); ++i) {
      const TraceEvent& e = run.trace.events[i];
      if (e.thread == own_.thread && reads_memory(e.kind)) ordinal[i] = n++;
    }
    for (std::uint32_t i = 0; i < run.tables.records.size(); ++i) {
      const Record& r = run.tables.records[i];
      const bool reads =
          r.kind == RecordKind::kRead || r.kind == RecordKind::kUpdate || r.kind == RecordKind::kCasFailed;
      if (r.thread != own_.thread || !reads || r.event == kNoEvent) continue;
      const auto found = ordinal.find(index_of(r.event));
      if (found != ordinal.end()) reads_[i] = found->second;
    }
  }

  const Path& path() const { return own_.path; }

  // Everything that was read before the step, as it was.
  Values until(std::size_t step) const {
    Values values;
    const std::uint32_t end = step < own_.records.size() ? own_.records[step] : ~0u;
    for (const auto& [record, ordinal] : reads_) {
      if (record >= end) break;
      const Record& r = run_.tables.records[record];
      const ExpressionId symbol = r.kind == RecordKind::kRead ? r.expression : r.symbol;
      if (symbol != symbolic::kConcrete) values[ordinal] = run_.tables[symbol].value;
    }
    return values;
  }

  // Values with which the step goes the other way and everything before it the same way.
  std::optional<Values> flipped(std::size_t step, const SeenValues& seen) const {
    const std::uint32_t record = own_.records[step];
    std::set<std::uint32_t> symbols;
    std::set<std::uint64_t> constants;
    collect(run_.tables.records[record].expression, symbols, constants);
    // Symbols of the condition whose reads we can reach.
    struct Free {
      ExpressionId symbol;
      std::uint32_t ordinal;
      std::vector<std::uint64_t> values;
    };
    std::vector<Free> free;
    for (const std::uint32_t symbol : symbols) {
      const auto read = reads_.find(index_of(run_.tables.expressions[symbol].operands[0]));
      if (read == reads_.end()) continue;
      const Record& r = run_.tables.records[read->first];
      const auto& known = seen.at(r.address, r.size);
      std::vector<std::uint64_t> values(known.begin(), known.end());
      // What it is compared with, and its neighbours, come after what was seen.
      for (const std::uint64_t constant : constants) {
        for (const std::uint64_t near : {constant, constant + 1, constant - 1}) {
          const std::uint64_t value = near & constraints::mask_of(run_.tables.expressions[symbol].bits);
          if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
        }
      }
      free.push_back({ExpressionId{symbol}, read->second, std::move(values)});
    }
    constexpr std::size_t kMostFree = 3;
    if (free.size() > kMostFree) free.erase(free.begin(), free.end() - kMostFree);
    constraints::Evaluation evaluation(run_.tables.expressions);
    std::vector<std::size_t> pick(free.size(), 0);
    for (;;) {
      Values values = until(step);
      for (std::size_t i = 0; i < free.size(); ++i) {
        if (!free[i].values.empty()) values[free[i].ordinal] = free[i].values[pick[i]];
      }
      if (leads_to(step, values, evaluation)) return values;
      std::size_t at = 0;
      while (at < free.size() && ++pick[at] >= free[at].values.size()) pick[at++] = 0;
      if (at == free.size()) return std::nullopt;
    }
  }

 private:
  void collect(ExpressionId id, std::set<std::uint32_t>& symbols, std::set<std::uint64_t>& constants) const {
    std::vector<std::uint32_t> open{index_of(id)};
    std::set<std::uint32_t> visited;
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      if (i == 0 || !visited.insert(i).second) continue;
      const Expression& e = run_.tables.expressions[i];
      if (e.op == symbolic::Operator::kSymbol) {
        symbols.insert(i);
        continue;
      }
      if (e.op == symbolic::Operator::kConstant) constants.insert(e.value);
      for (unsigned k = 0; k < constraints::operand_count(e.op); ++k) open.push_back(index_of(e.operands[k]));
    }
  }

  bool leads_to(std::size_t step, const Values& values, constraints::Evaluation& evaluation) const {
    evaluation.clear();
    for (std::uint32_t i = 1; i < run_.tables.expressions.size(); ++i) {
      const Expression& e = run_.tables.expressions[i];
      if (e.op != symbolic::Operator::kSymbol) continue;
      const auto read = reads_.find(index_of(e.operands[0]));
      const auto value = read == reads_.end() ? values.end() : values.find(read->second);
      evaluation.set_symbol(ExpressionId{i}, value == values.end() ? e.value : value->second);
    }
    const std::uint32_t wanted = own_.records[step];
    for (std::uint32_t i = 0; i <= wanted; ++i) {
      const Record& r = run_.tables.records[i];
      if (r.thread != own_.thread || r.kind != RecordKind::kBranch || r.expression == symbolic::kConcrete)
        continue;
      std::uint64_t value = 0;
      if (!evaluation.evaluate(r.expression, value)) return false;
      if ((value != 0) != ((r.holds != 0) != (i == wanted))) return false;
    }
    return true;
  }

  const TracedRun& run_;
  const ThreadPath& own_;
  std::map<std::uint32_t, std::uint32_t> reads_;  // record → number of the read in the thread
};

std::vector<InjectedValue> list_of(const Values& values) {
  std::vector<InjectedValue> list;
  for (const auto& [ordinal, value] : values) list.push_back({ordinal, 0, value});
  return list;
}

// The first step at which the path leaves the prefix, at the same branch; npos: never, or it cannot be
// helped.
constexpr std::size_t kNever = ~std::size_t{0};
std::size_t departure_of(const Path& path, const Path& prefix) {
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if (i >= path.size()) return kNever;
    if (path[i] != prefix[i]) return path[i].flipped() == prefix[i] ? i : kNever;
  }
  return kNever;
}

bool begins_with(const Path& path, const Path& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

}  // namespace

void SeenValues::learn(const TracedRun& run) {
  for (const TraceEvent& e : run.trace.events) {
    if (!accesses_memory(e.kind)) continue;
    auto& values = values_[{e.address, e.size}];
    values.insert(e.value);
    if (e.kind == EventKind::kAtomicUpdate) values.insert(e.value2);
  }
}

const std::set<std::uint64_t>& SeenValues::at(Address address, std::uint8_t size) const {
  static const std::set<std::uint64_t> kNone;
  const auto found = values_.find({address, size});
  return found == values_.end() ? kNone : found->second;
}

Result<std::vector<std::shared_ptr<TracedRun>>> inject_path(Executions& executions, const TracedRun& from,
                                                            const std::string& thread, const Path& prefix,
                                                            const SeenValues& values,
                                                            const InjectionLimits& limits) {
  const ThreadId id = from.threads.at(thread).thread;
  std::vector<std::shared_ptr<TracedRun>> found;
  std::set<Path> seen;
  std::deque<Values> open;
  std::set<Values> tried;
  const auto propose = [&](const TracedRun& run, std::size_t step) {
    const auto next = ThreadReads(run, thread).flipped(step, values);
    if (next && tried.insert(*next).second) open.push_back(*next);
  };
  const std::size_t first = departure_of(from.threads.at(thread).path, prefix);
  if (first != kNever) propose(from, first);
  for (std::size_t runs = 0; !open.empty() && runs < limits.runs && found.size() < limits.traces; ++runs) {
    const Values now = std::move(open.front());
    open.pop_front();
    auto run = executions.trace_injected(id, list_of(now));
    if (!run) return run.error();
    if (!(*run)->threads.contains(thread)) continue;
    const Path& path = (*run)->threads.at(thread).path;
    if (!begins_with(path, prefix)) {
      const std::size_t at = departure_of(path, prefix);
      if (at != kNever) propose(**run, at);
      continue;
    }
    if (!seen.insert(path).second) continue;
    found.push_back(*run);
    for (std::size_t step = prefix.size(); step < path.size(); ++step) propose(**run, step);
  }
  return found;
}

}  // namespace heddle::search
