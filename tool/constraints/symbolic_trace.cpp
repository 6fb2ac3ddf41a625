#include "tool/constraints/symbolic_trace.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/trace/event_kinds.h"
#include "tool/constraints/expressions.h"

namespace heddle::constraints {
namespace {

using symbolic::Record;
using symbolic::RecordKind;

constexpr unsigned kMostBits = 64;

bool is_kept(EventKind kind) {
  switch (kind) {
    case EventKind::kFence:
    case EventKind::kThreadStart:
    case EventKind::kThreadEnd:
    case EventKind::kThreadCreate:
    case EventKind::kThreadJoin:
    case EventKind::kOnce:
    case EventKind::kAllocate:
    case EventKind::kFree:
      return true;
    default:
      return synchronises(kind);
  }
}

bool is_access_record(RecordKind kind) {
  return kind == RecordKind::kRead || kind == RecordKind::kWrite || kind == RecordKind::kUpdate ||
         kind == RecordKind::kCasFailed;
}

std::string check_expression(std::span<const Expression> table, std::size_t i) {
  const Expression& e = table[i];
  const std::string name = "expression " + std::to_string(i);
  if (e.op >= Operator::kCount) return name + " has an operator that does not exist";
  if (e.bits == 0 || e.bits > kMostBits) return name + " has no width from 1 to 64";
  const unsigned count = operand_count(e.op);
  unsigned bits[3] = {};
  for (unsigned k = 0; k < count; ++k) {
    const std::uint32_t operand = index_of(e.operands[k]);
    if (operand == 0 || operand >= i) return name + " has an operand that does not come before it";
    bits[k] = table[operand].bits;
  }
  std::string wrong = name + " has operands of the wrong width";
  switch (e.op) {
    case Operator::kConstant:
    case Operator::kSymbol:
      return {};
    case Operator::kZeroExtend:
    case Operator::kSignExtend:
      return bits[0] > e.bits ? wrong : "";
    case Operator::kExtract:
      return e.low + e.bits > bits[0] ? wrong : "";
    case Operator::kConcatenate:
      return bits[0] + bits[1] != e.bits ? wrong : "";
    case Operator::kSelect:
      return bits[0] != 1 || bits[1] != e.bits || bits[2] != e.bits ? wrong : "";
    default:
      break;
  }
  const bool compares = e.op >= Operator::kEqual && e.op <= Operator::kLessEqualSigned;
  if (bits[0] != bits[1] || e.bits != (compares ? 1 : bits[0])) return wrong;
  return {};
}

// Reads the tables of the channel, which a broken program may have written anything into.
class Reader {
 public:
  Reader(std::span<const Event> events, std::span<const Expression> expressions,
         std::span<const Record> records)
      : events_(events), records_(records), action_of_record_(records.size(), kNoAction) {
    trace_.expressions.assign(expressions.begin(), expressions.end());
    if (trace_.expressions.empty()) trace_.expressions.emplace_back();
    trace_.expressions[0] = Expression{};
    trace_.expressions[0].bits = 1;
  }

  Result<SymbolicTrace> read(const Failure& failure) {
    if (!check_records()) return Error{"The symbolic trace is damaged: " + wrong_ + "."};
    add_actions();
    if (!name_symbols()) return Error{"The symbolic trace is damaged: " + wrong_ + "."};
    add_conditions();
    set_bug(failure);
    add_synthetic_unlocks(trace_);
    if (std::string wrong = validate(trace_); !wrong.empty())
      return Error{"The symbolic trace is damaged: " + wrong + "."};
    return std::move(trace_);
  }

 private:
  bool fail(std::string wrong) {
    wrong_ = std::move(wrong);
    return false;
  }

  bool check_records() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Record& r = records_[i];
      const std::string name = "record " + std::to_string(i);
      for (ExpressionId id : {r.expression, r.symbol, r.pointer}) {
        if (index_of(id) >= trace_.expressions.size())
          return fail(name + " names an expression that does not exist");
      }
      if (r.event != kNoEvent && index_of(r.event) >= events_.size())
        return fail(name + " belongs to an event that does not exist");
      if (!is_access_record(r.kind)) continue;
      if (r.event == kNoEvent) return fail(name + " is an access without an event");
      if (events_[index_of(r.event)].thread != r.thread || !accesses_memory(events_[index_of(r.event)].kind))
        return fail(name + " belongs to an event that is no access of its thread");
      if (r.size == 0 || r.size > 8 || r.address + r.size < r.address)
        return fail(name + " has no size from 1 to 8");
    }
    return true;
  }

  // An access has one record, or several of 8 bytes, or none where its value went nowhere.
  void add_actions() {
    std::vector<std::vector<std::uint32_t>> records_of(events_.size());
    for (std::uint32_t i = 0; i < records_.size(); ++i) {
      if (is_access_record(records_[i].kind)) records_of[index_of(records_[i].event)].push_back(i);
    }
    action_of_event_.assign(events_.size(), kNoAction);
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const Event& e = events_[i];
      if ((e.flags & event_flags::kFailed) != 0) continue;
      if (!is_kept(e.kind) && !accesses_memory(e.kind)) continue;
      action_of_event_[i] = static_cast<ActionId>(trace_.actions.size());
      if (records_of[i].empty()) {
        add_action(i, nullptr);
      } else {
        for (std::uint32_t record : records_of[i]) {
          action_of_record_[record] = static_cast<ActionId>(trace_.actions.size());
          add_action(i, &records_[record]);
        }
      }
    }
  }

  void add_action(std::uint32_t index, const Record* record) {
    const Event& e = events_[index];
    Action action;
    action.kind = e.kind;
    action.order = e.order;
    action.flags = e.flags;
    action.thread = e.thread;
    action.other = e.other;
    action.address = e.address;
    action.event = EventId{index};
    action.mo_position = e.mo_position;
    action.size = std::min<std::uint8_t>(e.size, 8);
    action.read_value = e.value;
    action.value = e.kind == EventKind::kAtomicUpdate ? e.value2 : e.value;
    if (e.reads_from != kNoEvent && index_of(e.reads_from) < index) {
      action.reads_from = action_of_event_[index_of(e.reads_from)];
    }
    if (record != nullptr) {
      action.address = record->address;
      action.size = record->size;
      (action.writes() ? action.value : action.read_value) = record->value;
      if (record->kind == RecordKind::kRead) action.symbol = record->expression;
      if (record->kind == RecordKind::kWrite) action.written = record->expression;
      if (record->kind == RecordKind::kUpdate) action.written = record->expression;
      if (record->kind == RecordKind::kUpdate || record->kind == RecordKind::kCasFailed)
        action.symbol = record->symbol;
    }
    trace_.actions.push_back(action);
  }

  // A symbol names the record that read it; here, the action.
  bool name_symbols() {
    for (std::size_t i = 1; i < trace_.expressions.size(); ++i) {
      Expression& e = trace_.expressions[i];
      if (e.op != Operator::kSymbol) continue;
      const std::uint32_t record = index_of(e.operands[0]);
      if (record >= records_.size() || action_of_record_[record] == kNoAction)
        return fail("expression " + std::to_string(i) + " is a symbol of what is no access");
      e.operands[0] = ExpressionId{action_of_record_[record]};
      Action& action = trace_.actions[action_of_record_[record]];
      if (action.symbol == kConcrete) action.symbol = ExpressionId{static_cast<std::uint32_t>(i)};
      if (action.symbol != ExpressionId{static_cast<std::uint32_t>(i)})
        return fail("expression " + std::to_string(i) + " is the second symbol of one access");
    }
    return true;
  }

  void add_conditions() {
    for (const Record& r : records_) {
      if (r.kind == RecordKind::kBranch && r.expression != kConcrete)
        trace_.conditions.push_back({r.expression, r.holds != 0, false, r.thread});
      if (r.kind == RecordKind::kFailure)
        trace_.bug.condition = {r.expression, r.holds != 0, false, r.thread};
      if (r.kind == RecordKind::kConcretised) add_equality(r.expression, r.value, r.thread);
      if (r.pointer != kConcrete) add_equality(r.pointer, r.address, r.thread);
    }
  }

  void add_equality(ExpressionId id, std::uint64_t value, ThreadId thread) {
    if (id == kConcrete) return;
    Expression constant;
    constant.bits = trace_.expressions[index_of(id)].bits;
    if (constant.bits == 0 || constant.bits > kMostBits) return;  // validate() will say so
    constant.value = value & mask_of(constant.bits);
    trace_.expressions.push_back(constant);
    Expression equal;
    equal.op = Operator::kEqual;
    equal.bits = 1;
    equal.operands[0] = id;
    equal.operands[1] = ExpressionId{static_cast<std::uint32_t>(trace_.expressions.size() - 1)};
    equal.value = 1;
    trace_.expressions.push_back(equal);
    trace_.conditions.push_back(
        {ExpressionId{static_cast<std::uint32_t>(trace_.expressions.size() - 1)}, true, true, thread});
    ++trace_.concretised;
  }

  void set_bug(const Failure& failure) {
    const auto action_of = [&](EventId event) {
      return event == kNoEvent || index_of(event) >= events_.size() ? kNoAction
                                                                    : action_of_event_[index_of(event)];
    };
    trace_.bug.kind = failure.kind;
    trace_.bug.first = action_of(failure.first);
    trace_.bug.second = action_of(failure.second);
    for (const Failure::Waiter& waiter : failure.waiters) {
      Action attempt;
      attempt.kind = EventKind::kMutexLock;
      attempt.thread = waiter.thread;
      attempt.address = waiter.lock;
      attempt.synthetic = true;
      trace_.actions.push_back(attempt);
    }
  }

  std::span<const Event> events_;
  std::span<const Record> records_;
  std::vector<ActionId> action_of_record_, action_of_event_;
  SymbolicTrace trace_;
  std::string wrong_;
};

std::string check_condition(const SymbolicTrace& trace, const Condition& condition, const char* what) {
  const std::uint32_t i = index_of(condition.expression);
  if (i >= trace.expressions.size()) return std::string(what) + " is an expression that does not exist";
  if (i != 0 && trace.expressions[i].bits != 1) return std::string(what) + " is wider than one bit";
  return {};
}

std::string check_action(const SymbolicTrace& trace, ActionId id) {
  const Action& a = trace.actions[id];
  const std::string name = "action " + std::to_string(id);
  if (index_of(a.thread) >= kMaxThreads) return name + " has a thread beyond the last";
  if (!a.is_access()) return {};
  if (a.size == 0 || a.size > 8) return name + " has no size from 1 to 8";
  for (ExpressionId e : {a.written, a.symbol}) {
    if (index_of(e) >= trace.expressions.size()) return name + " names an expression that does not exist";
    if (e != kConcrete && trace.expressions[index_of(e)].bits != a.size * 8)
      return name + " has an expression of another width";
  }
  if (a.reads_from != kNoAction && (a.reads_from >= id || !trace.actions[a.reads_from].writes()))
    return name + " reads from what is no earlier write";
  return {};
}

}  // namespace

bool Action::reads() const { return reads_memory(kind); }
bool Action::writes() const { return writes_memory(kind); }
bool Action::is_atomic() const {
  return is_access() && kind != EventKind::kPlainRead && kind != EventKind::kPlainWrite &&
         (flags & event_flags::kLatestOnly) == 0;
}

Result<SymbolicTrace> symbolic_trace(std::span<const Event> events, std::span<const Expression> expressions,
                                     std::span<const Record> records, const Failure& failure) {
  return Reader(events, expressions, records).read(failure);
}

void add_synthetic_unlocks(SymbolicTrace& trace) {
  struct Hold {
    Address lock;
    EventKind by;
  };
  std::map<ThreadId, std::vector<Hold>> held;
  const auto let_go = [&](ThreadId thread, Address lock) {
    auto& own = held[thread];
    const auto last = std::find_if(own.rbegin(), own.rend(), [&](const Hold& h) { return h.lock == lock; });
    if (last != own.rend()) own.erase(std::next(last).base());
  };
  for (const Action& a : trace.actions) {
    switch (a.kind) {
      case EventKind::kMutexLock:
      case EventKind::kRwlockReadLock:
      case EventKind::kRwlockWriteLock:
        held[a.thread].push_back({a.address, a.kind});
        break;
      case EventKind::kMutexUnlock:
      case EventKind::kRwlockUnlock:
        let_go(a.thread, a.address);
        break;
      case EventKind::kCondWait:
        let_go(a.thread, a.value);
        break;
      default:
        break;
    }
  }
  for (const auto& [thread, locks] : held) {
    for (auto hold = locks.rbegin(); hold != locks.rend(); ++hold) {
      Action unlock;
      unlock.kind = hold->by == EventKind::kMutexLock ? EventKind::kMutexUnlock : EventKind::kRwlockUnlock;
      unlock.thread = thread;
      unlock.address = hold->lock;
      unlock.synthetic = true;
      trace.actions.push_back(unlock);
    }
  }
}

std::string validate(const SymbolicTrace& trace) {
  if (trace.expressions.empty()) return "there is no expression 0";
  for (std::size_t i = 1; i < trace.expressions.size(); ++i) {
    if (std::string wrong = check_expression(trace.expressions, i); !wrong.empty()) return wrong;
    const Expression& e = trace.expressions[i];
    if (e.op != Operator::kSymbol) continue;
    const std::uint32_t action = index_of(e.operands[0]);
    if (action >= trace.actions.size() || index_of(trace.actions[action].symbol) != i ||
        !trace.actions[action].reads())
      return "expression " + std::to_string(i) + " is the symbol of what does not read it";
  }
  for (ActionId i = 0; i < trace.actions.size(); ++i) {
    if (std::string wrong = check_action(trace, i); !wrong.empty()) return wrong;
  }
  for (const Condition& c : trace.conditions) {
    if (std::string wrong = check_condition(trace, c, "a condition"); !wrong.empty()) return wrong;
  }
  if (std::string wrong = check_condition(trace, trace.bug.condition, "the failure"); !wrong.empty())
    return wrong;
  const bool two = trace.bug.kind == BugKind::kRace || trace.bug.kind == BugKind::kUseAfterFree;
  if (two && (trace.bug.first >= trace.actions.size() || trace.bug.second >= trace.actions.size()))
    return "the failure is about actions that are not there";
  return {};
}

}  // namespace heddle::constraints
