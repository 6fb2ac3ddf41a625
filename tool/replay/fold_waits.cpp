#include "tool/replay/fold_waits.h"

#include <algorithm>
#include <map>

#include "core/trace/symbolic_value.h"

namespace heddle::replay {
namespace {

using symbolic::Expression;
using symbolic::ExpressionId;
using symbolic::Operator;
using symbolic::Record;
using symbolic::RecordKind;

constexpr std::size_t kLongestRound = 16;  // records

bool only_looks(const Record& r) {
  return r.kind == RecordKind::kRead || r.kind == RecordKind::kCasFailed || r.kind == RecordKind::kBranch;
}

bool only_looks(const Event& e) {
  switch (e.kind) {
    case EventKind::kAtomicLoad:
    case EventKind::kCasFailed:
    case EventKind::kPlainRead:
    case EventKind::kVolatileRead:
    case EventKind::kFence:
    case EventKind::kYield:
    case EventKind::kSleep:
      return true;
    default:
      return false;
  }
}

// `ends`: the last record of a round, by whose outcome the next one may leave the loop.
bool are_alike(const Record& a, const Record& b, bool ends) {
  return only_looks(a) && only_looks(b) && a.kind == b.kind && a.pc == b.pc && a.address == b.address &&
         a.size == b.size && (a.holds == b.holds || ends);
}

// For each expression the last record that was computed from it.
std::vector<std::uint32_t> last_users(const SymbolicTables& t) {
  std::vector<std::uint32_t> last(t.expressions.size(), 0);
  for (std::uint32_t i = 0; i < t.records.size(); ++i) {
    for (const ExpressionId id : {t.records[i].expression, t.records[i].symbol, t.records[i].pointer})
      last[index_of(id)] = std::max(last[index_of(id)], i);
  }
  for (std::size_t i = t.expressions.size(); i-- > 1;) {
    const Expression& e = t.expressions[i];
    for (unsigned k = 0; k < symbolic::operand_count(e.op); ++k) {
      std::uint32_t& of = last[index_of(e.operands[k])];
      of = std::max(of, last[i]);
    }
  }
  return last;
}

class Folder {
 public:
  Folder(const Trace& trace, SymbolicTables tables)
      : trace_(trace), t_(std::move(tables)), users_(last_users(t_)), folded_(t_.records.size(), 0) {}

  SymbolicTables run() {
    std::map<ThreadId, std::vector<std::uint32_t>> by_thread;
    for (std::uint32_t i = 0; i < t_.records.size(); ++i) by_thread[t_.records[i].thread].push_back(i);
    for (const auto& [thread, records] : by_thread) fold_thread(records);
    return any_ ? without_folded() : std::move(t_);
  }

 private:
  void fold_thread(const std::vector<std::uint32_t>& records) {
    for (std::size_t at = 0; at < records.size();) {
      const std::size_t folded = fold_at(records, at);
      at += folded != 0 ? folded : 1;
    }
  }

  // Folds the rounds that begin here; how many records they were.
  std::size_t fold_at(const std::vector<std::uint32_t>& records, std::size_t at) {
    for (std::size_t length = 1; length <= kLongestRound && at + 2 * length <= records.size(); ++length) {
      std::size_t end = at;
      std::uint64_t rounds = 0;
      while (end + 2 * length <= records.size() && repeats(records, end, length)) {
        end += length;
        ++rounds;
      }
      if (rounds == 0) continue;
      for (std::size_t i = at; i < end; ++i) folded_[records[i]] = i == at ? rounds : kDropped;
      any_ = true;
      return end - at;
    }
    return 0;
  }

  // Does the round after this one do the same, with nothing of this one left?
  bool repeats(const std::vector<std::uint32_t>& records, std::size_t at, std::size_t length) const {
    bool reads = false;
    for (std::size_t i = at; i < at + length; ++i) {
      const Record& r = t_.records[records[i]];
      if (!are_alike(r, t_.records[records[i + length]], i + 1 == at + length)) return false;
      if (r.kind == RecordKind::kBranch) continue;
      reads = true;
      const ExpressionId symbol = r.kind == RecordKind::kRead ? r.expression : r.symbol;
      if (users_[index_of(symbol)] > records[at + length - 1]) return false;
    }
    return reads && has_no_effect(t_.records[records[at]], t_.records[records[at + 2 * length - 1]]);
  }

  bool has_no_effect(const Record& first, const Record& last) const {
    if (first.event == kNoEvent || last.event == kNoEvent) return false;
    auto event = std::lower_bound(trace_.events.begin(), trace_.events.end(), first.event,
                                  [](const TraceEvent& e, EventId id) { return e.id < id; });
    for (; event != trace_.events.end() && event->id <= last.event; ++event) {
      if (event->thread == first.thread && !only_looks(*event)) return false;
    }
    return true;
  }

  SymbolicTables without_folded() {
    std::vector<std::uint32_t> place(t_.records.size(), 0);
    std::vector<Record> kept;
    for (std::uint32_t i = 0; i < t_.records.size(); ++i) {
      place[i] = static_cast<std::uint32_t>(kept.size());
      if (folded_[i] == kDropped) continue;
      Record record = t_.records[i];
      if (folded_[i] != 0) {
        Record wait;
        wait.kind = RecordKind::kFolded;
        wait.pc = record.pc;
        wait.thread = record.thread;
        wait.event = record.event;
        wait.address = record.address;
        wait.value = folded_[i];
        record = wait;
      }
      kept.push_back(record);
    }
    for (Expression& e : t_.expressions) {
      if (e.op != Operator::kSymbol) continue;
      const std::uint32_t reader = index_of(e.operands[0]);
      if (folded_[reader] == 0) {
        e.operands[0] = ExpressionId{place[reader]};
      } else {
        e.op = Operator::kConstant;  // nothing is computed from it any more
        e.operands[0] = symbolic::kConcrete;
      }
    }
    t_.records = std::move(kept);
    return std::move(t_);
  }

  static constexpr std::uint64_t kDropped = ~0ull;

  const Trace& trace_;
  SymbolicTables t_;
  std::vector<std::uint32_t> users_;
  std::vector<std::uint64_t> folded_;  // by record: rounds that begin here and are folded, or kDropped
  bool any_ = false;
};

}  // namespace

SymbolicTables fold_waits(const Trace& trace, SymbolicTables tables) {
  return Folder(trace, std::move(tables)).run();
}

}  // namespace heddle::replay
