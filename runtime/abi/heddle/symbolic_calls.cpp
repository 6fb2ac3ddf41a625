// The second ABI, __heddle_*: what the symbolic bodies of a program built with `heddle c++ --full` call
// (compiler/plugin/abi.h). They run only while __heddle_symbolic_mode is set, which is in executions that are
// asked for a symbolic trace.
#include "runtime/abi/heddle/symbolic_calls.h"

#include "core/base/pages.h"
#include "core/record/path_ids.h"
#include "core/trace/event.h"
#include "core/trace/event_kinds.h"
#include "core/trace/symbolic_value.h"
#include "runtime/abi/engine_access.h"
#include "runtime/strategy/plan.h"
#include "runtime/symbolic/path_follower.h"
#include "runtime/symbolic/tracer.h"

using heddle::Address;
using heddle::symbolic::ExpressionId;
using Id = std::uint32_t;

// NOLINTBEGIN(readability-identifier-naming): names of the ABI
HEDDLE_EXPORT std::uint32_t __heddle_symbolic_mode;
HEDDLE_EXPORT std::uint32_t __heddle_handing_over;
HEDDLE_EXPORT std::uint32_t __heddle_path_trace;
std::uint32_t __heddle_symbolic_mode = 0;
std::uint32_t __heddle_handing_over = 0;
std::uint32_t __heddle_path_trace = 0;
// NOLINTEND(readability-identifier-naming)

namespace heddle::abi {
namespace {

using symbolic::Moment;
using symbolic::Tracer;

constexpr std::uint64_t kGranuleBytes = 8;

// All that this file keeps.
struct Tracing {
  Tracer tracer;
  EventId latest[kMaxThreads];  // of each thread
  std::uint32_t seen = 0;       // events that `latest` covers
  std::uint32_t unclaimed = 0;  // events before it are of accesses that were told already
  Address claimed_address = 0;  // where the access was that the last claimed event is of
};
Tracing* tracing = nullptr;
// Instead of a trace: paths are compared with those of a log. At most one of the two is there.
symbolic::PathFollower* follower = nullptr;

ThreadId current_thread() { return current->scheduler().current(); }

Moment moment(std::uint64_t pc) {
  const ChannelHeader& h = *current->channel().header();
  const Event* events = current->channel().events();
  const std::uint32_t count = h.event_count.load(std::memory_order_relaxed);
  for (; tracing->seen < count; ++tracing->seen)
    tracing->latest[index_of(events[tracing->seen].thread)] = EventId{tracing->seen};
  return {current_thread(), pc, tracing->latest[index_of(current_thread())], false};
}

// Among the events of one access.
bool may_follow(EventKind kind) {
  return kind == EventKind::kPlainRead || kind == EventKind::kPlainWrite || kind == EventKind::kFinding;
}

enum class Access : std::uint8_t { kRead, kWrite };

// Claims the event of an access that the running thread has just made. Nobody else has run since, so that it
// is among the latest: only those of the other parts of the same access, and of what was found wrong with it,
// follow. Moment::is_recorded is false where there is none: then memory is private.
Moment access_moment(Access access, Address address, std::uint64_t bytes, std::uint64_t pc) {
  Moment at = moment(pc);
  const Event* events = current->channel().events();
  // One event may be several accesses: to the parts of a structure that is loaded at once.
  const auto is_free = [&](std::uint32_t i) {
    return i >= tracing->unclaimed || (i + 1 == tracing->unclaimed && tracing->claimed_address != address);
  };
  for (std::uint32_t left = tracing->seen; left != 0 && is_free(left - 1); --left) {
    const std::uint32_t i = left - 1;
    const Event& e = events[i];
    if (e.thread != at.thread) break;
    const bool is_access = access == Access::kRead ? reads_memory(e.kind) : writes_memory(e.kind);
    if (is_access && address >= e.address && address + bytes <= e.address + e.size) {
      at.event = EventId{i};
      at.is_recorded = true;
      tracing->unclaimed = i + 1;
      tracing->claimed_address = address;
      break;
    }
    if (!may_follow(e.kind)) break;
  }
  return at;
}

struct Part {
  Address address;
  unsigned bytes;
};

// Up to the end of the granule: whether memory is shared is decided by granules.
Part first_part(Address address, std::uint64_t bytes) {
  const std::uint64_t in_granule = kGranuleBytes - address % kGranuleBytes;
  return {address, static_cast<unsigned>(bytes < in_granule ? bytes : in_granule)};
}

std::uint64_t part_of_value(std::uint64_t value, Address from, const Part& part) {
  return symbolic::low_bits(value >> (8 * (part.address - from)), 8 * part.bytes);
}

// Memory is there: the program has just accessed it.
std::uint64_t in_memory(const Part& part) {
  std::uint64_t value = 0;
  __builtin_memcpy(&value, reinterpret_cast<const void*>(part.address), part.bytes);
  return value;
}

ExpressionId load_part(const Part& part, std::uint64_t value, std::uint64_t pc) {
  const Moment at = access_moment(Access::kRead, part.address, part.bytes, pc);
  return tracing->tracer.load(at, part.address, value, part.bytes);
}

void store_part(const Part& part, std::uint64_t value, ExpressionId stored, std::uint64_t pc) {
  const Moment at = access_moment(Access::kWrite, part.address, part.bytes, pc);
  tracing->tracer.store(at, part.address, value, part.bytes, stored);
}

// One access that may cross granules: symbols of some parts, and what is known of the others.
ExpressionId load(Address address, std::uint64_t value, unsigned bytes, std::uint64_t pc) {
  auto& table = tracing->tracer.expressions();
  const Part first = first_part(address, bytes);
  const ExpressionId low = load_part(first, part_of_value(value, address, first), pc);
  ExpressionId whole = low;
  if (first.bytes != bytes) {
    const Part second{address + first.bytes, bytes - first.bytes};
    const std::uint64_t high_value = part_of_value(value, address, second);
    const ExpressionId high = load_part(second, high_value, pc);
    if (low != symbolic::kConcrete || high != symbolic::kConcrete) {
      const auto known = [&](ExpressionId id, std::uint64_t of, unsigned size) {
        return id != symbolic::kConcrete ? id : table.constant(of, 8 * size);
      };
      whole = table.concatenate(known(high, high_value, second.bytes),
                                known(low, part_of_value(value, address, first), first.bytes));
    }
  }
  return whole;
}

void store(Address address, std::uint64_t value, unsigned bytes, ExpressionId stored, std::uint64_t pc) {
  auto& table = tracing->tracer.expressions();
  for (Address at = address; at < address + bytes;) {
    const Part part = first_part(at, address + bytes - at);
    const ExpressionId of_part =
        table.extract(stored, static_cast<unsigned>(8 * (part.address - address)), 8 * part.bytes);
    store_part(part, part_of_value(value, address, part), of_part, pc);
    at += part.bytes;
  }
}

// A range that was read. What its bytes are is recorded where they are shared, and then left in the shadow, where
// it is looked up next. (A shared granule's shadow is of no use to anybody else.)
void read_range(Address from, std::uint64_t bytes, std::uint64_t pc) {
  for (Address at = from; at < from + bytes;) {
    const Part part = first_part(at, from + bytes - at);
    const Moment moment_of = access_moment(Access::kRead, part.address, part.bytes, pc);
    if (moment_of.is_recorded) {
      const std::uint64_t value = in_memory(part);
      const ExpressionId symbol = tracing->tracer.load(moment_of, part.address, value, part.bytes);
      tracing->tracer.keep(part.address, part.bytes, symbol);
    }
    at += part.bytes;
  }
}

// A range that was written: what its shadow says is told where it is shared.
void write_range(Address to, std::uint64_t bytes, std::uint64_t pc) {
  for (Address at = to; at < to + bytes;) {
    const Part part = first_part(at, to + bytes - at);
    const Moment moment_of = access_moment(Access::kWrite, part.address, part.bytes, pc);
    if (moment_of.is_recorded) {
      const std::uint64_t value = in_memory(part);
      const ExpressionId written = tracing->tracer.peek(part.address, value, part.bytes);
      tracing->tracer.store(moment_of, part.address, value, part.bytes, written);
    }
    at += part.bytes;
  }
}

void concretise_range(Address from, std::uint64_t bytes, std::uint64_t pc) {
  for (Address at = from; at < from + bytes;) {
    const Part part = first_part(at, from + bytes - at);
    const std::uint64_t value = in_memory(part);
    tracing->tracer.concretise(moment(pc), tracing->tracer.peek(part.address, value, part.bytes), value);
    at += part.bytes;
  }
}

// A byte that a function of libc has looked at.
ExpressionId byte_at(Address address) { return tracing->tracer.peek(address, in_memory({address, 1}), 1); }
std::uint64_t byte_in_memory(Address address) { return in_memory({address, 1}); }

void byte_condition(Address a, ExpressionId b, std::uint64_t b_value, symbolic::Operator op,
                    std::uint64_t pc) {
  auto& table = tracing->tracer.expressions();
  const ExpressionId first = byte_at(a);
  const std::uint64_t first_value = byte_in_memory(a);
  const ExpressionId condition = table.binary(op, 8, first, first_value, b, b_value);
  if (condition != symbolic::kConcrete)
    tracing->tracer.branch(moment(pc), condition, table.value(condition) != 0);
}

// Up to the first difference: equal, and then which is less.
void compare(Address a, Address b, std::uint64_t looked_at, std::uint64_t pc) {
  for (std::uint64_t i = 0; i < looked_at; ++i) {
    const ExpressionId other = byte_at(b + i);
    const std::uint64_t value = byte_in_memory(b + i);
    byte_condition(a + i, other, value, symbolic::Operator::kEqual, pc);
    if (byte_in_memory(a + i) == value) continue;
    byte_condition(a + i, other, value, symbolic::Operator::kLessUnsigned, pc);
    return;
  }
}

}  // namespace

void start_symbolic_trace() {
  const RunSpec& spec = current->spec();
  if (PlanExchange* const plan = strategy::PlanStrategy::exchange();
      spec.follows_paths != 0 && plan != nullptr) {
    follower = new (map_pages(sizeof(symbolic::PathFollower))) symbolic::PathFollower;
    follower->start(&plan->paths);
    __heddle_symbolic_mode = __heddle_path_trace = 1;
    return;
  }
  // (The run before, which looks for shared memory, needs no trace.)
  if (spec.symbolic == 0 || spec.record_events == 0 || spec.plain_events == PlainEvents::kFindShared) return;
  void* section = current->channel().symbolic();
  if (current->channel().header()->symbolic.bytes == 0) return;
  tracing = new (map_pages(sizeof(Tracing))) Tracing;
  for (EventId& event : tracing->latest) event = kNoEvent;
  tracing->tracer.start(static_cast<symbolic::Header*>(section), &__heddle_handing_over);
  __heddle_symbolic_mode = 1;
  __heddle_path_trace = spec.path_trace;
}

void end_symbolic_trace() {
  tracing = nullptr;
  follower = nullptr;
  __heddle_symbolic_mode = 0;
  __heddle_path_trace = 0;
}

void note_exit(int status) {
  if (tracing != nullptr && status != 0)
    tracing->tracer.exited(moment(0), static_cast<std::uint32_t>(status));
}

void note_failure(bool faulted, Address address) {
  if (tracing != nullptr) tracing->tracer.failed(moment(0), faulted, address);
}

}  // namespace heddle::abi

using namespace heddle::abi;  // NOLINT(google-build-using-namespace): the definitions below are nothing else

namespace {

heddle::symbolic::Tracer& tracer() { return tracing->tracer; }
ExpressionId expression(Id id) { return ExpressionId{id}; }
std::uint8_t handler_depth() { return static_cast<std::uint8_t>(current->self().handler_depth); }
heddle::symbolic::Moment moment_at(std::uint64_t pc, std::uint64_t place) {
  heddle::symbolic::Moment now = moment(pc);
  now.place = place;
  now.handler_depth = handler_depth();
  return now;
}
Address at(const void* pointer) { return reinterpret_cast<Address>(pointer); }

// The running thread; nullptr: its steps are not compared (those of signal handlers are none of its path).
heddle::symbolic::PathFollower* following(heddle::symbolic::PathFollower::Who& who) {
  if (follower == nullptr) return nullptr;
  const heddle::sched::Thread& self = current->self();
  if (self.handler_depth != 0) return nullptr;
  who = {self.id, self.parent, self.child_number, current->choices().count()};
  return follower;
}

}  // namespace

// --- memory
HEDDLE_EXPORT Id __heddle_load(const void* from, std::uint64_t value, std::uint32_t bytes) {
  if (tracing == nullptr) return 0;
  return index_of(load(at(from), value, bytes, HEDDLE_CALLER_PC));
}
HEDDLE_EXPORT void __heddle_store(void* to, std::uint64_t value, std::uint32_t bytes, Id stored) {
  if (tracing == nullptr) return;
  store(at(to), value, bytes, expression(stored), HEDDLE_CALLER_PC);
}
// Vectors and the like: what they hold has no expression.
HEDDLE_EXPORT void __heddle_wide_load(const void* from, std::uint64_t bytes) {
  if (tracing == nullptr) return;
  read_range(at(from), bytes, HEDDLE_CALLER_PC);
  concretise_range(at(from), bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void __heddle_wide_store(void* to, std::uint64_t bytes) {
  if (tracing == nullptr) return;
  tracer().clear(at(to), bytes);
  write_range(at(to), bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT Id __heddle_update(void* to, std::uint32_t bytes, std::uint32_t kind, std::uint64_t read,
                                 std::uint64_t operand_value, Id operand) {
  if (tracing == nullptr) return 0;
  const auto moment_of = access_moment(Access::kWrite, at(to), bytes, HEDDLE_CALLER_PC);
  // The event tells what was written, whatever the operation was.
  const std::uint64_t written =
      moment_of.is_recorded ? current->channel().events()[index_of(moment_of.event)].value2 : 0;
  return index_of(tracer().update(
      moment_of, at(to), bytes,
      {heddle::symbolic::UpdateKind{kind}, read, operand_value, expression(operand), written}));
}
HEDDLE_EXPORT Id __heddle_compare_exchange(void* to, std::uint32_t bytes, std::uint64_t expected_value,
                                           Id expected, std::uint64_t wanted_value, Id wanted,
                                           std::uint64_t read, std::uint32_t succeeded) {
  if (tracing == nullptr) return 0;
  const auto moment_of = access_moment(Access::kRead, at(to), bytes, HEDDLE_CALLER_PC);
  return index_of(tracer().compare_exchange(
      moment_of, at(to), bytes,
      {expected_value, expression(expected), wanted_value, expression(wanted), read, succeeded != 0}));
}
HEDDLE_EXPORT void __heddle_copy(void* to, const void* from, std::uint64_t bytes) {
  if (tracing == nullptr) return;
  read_range(at(from), bytes, HEDDLE_CALLER_PC);
  tracer().copy(at(to), at(from), bytes);
  write_range(at(to), bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void __heddle_fill(void* to, std::uint64_t, Id byte, std::uint64_t bytes) {
  if (tracing == nullptr) return;
  if (byte == 0) {
    tracer().clear(at(to), bytes);
  } else {
    for (std::uint64_t i = 0; i < bytes; ++i) tracer().keep(at(to) + i, 1, expression(byte));
  }
  write_range(at(to), bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void __heddle_pointer(Id pointer, std::uint64_t) {
  if (tracing == nullptr) return;
  tracer().pointer(current_thread(), expression(pointer));
}

// --- expressions
HEDDLE_EXPORT Id __heddle_binary(std::uint32_t op, std::uint32_t bits, Id a, std::uint64_t a_value, Id b,
                                 std::uint64_t b_value) {
  if (tracing == nullptr) return 0;
  return index_of(tracer().expressions().binary(static_cast<heddle::symbolic::Operator>(op), bits,
                                                expression(a), a_value, expression(b), b_value));
}
HEDDLE_EXPORT Id __heddle_resize(std::uint32_t op, std::uint32_t bits, std::uint32_t low, Id a) {
  if (tracing == nullptr) return 0;
  const auto what = static_cast<heddle::symbolic::Operator>(op);
  auto& table = tracer().expressions();
  return index_of(what == heddle::symbolic::Operator::kExtract ? table.extract(expression(a), low, bits)
                                                               : table.extend(what, bits, expression(a)));
}
HEDDLE_EXPORT Id __heddle_select(std::uint32_t bits, Id condition, std::uint64_t holds, Id a,
                                 std::uint64_t a_value, Id b, std::uint64_t b_value) {
  if (tracing == nullptr) return 0;
  return index_of(tracer().expressions().select(bits, expression(condition), holds, expression(a), a_value,
                                                expression(b), b_value));
}

// --- control
HEDDLE_EXPORT void __heddle_branch(Id condition, std::uint32_t holds, std::uint64_t place) {
  if (tracing == nullptr) return;
  tracer().branch(moment_at(HEDDLE_CALLER_PC, place), expression(condition), holds != 0);
}
HEDDLE_EXPORT void __heddle_spared(Id condition, std::uint32_t holds, std::uint64_t place) {
  if (tracing == nullptr) return;
  tracer().spared(moment_at(HEDDLE_CALLER_PC, place), expression(condition), holds != 0);
}
HEDDLE_EXPORT void __heddle_doomed(Id condition, std::uint32_t holds, std::uint64_t place) {
  if (tracing == nullptr) return;
  tracer().doomed(moment_at(HEDDLE_CALLER_PC, place), expression(condition), holds != 0);
}
HEDDLE_EXPORT void __heddle_switch(Id value, std::uint64_t taken, const std::uint64_t* cases,
                                   const std::uint32_t* ways, std::uint32_t count, std::uint32_t otherwise,
                                   std::uint64_t place) {
  if (tracing == nullptr) return;
  tracer().switch_on(moment_at(HEDDLE_CALLER_PC, place), expression(value), taken,
                     {cases, ways, count, otherwise});
}
HEDDLE_EXPORT void __heddle_target(Id callee, std::uint64_t address, std::uint64_t place) {
  if (tracing == nullptr) return;
  tracer().called(moment_at(HEDDLE_CALLER_PC, place), expression(callee), address);
}
HEDDLE_EXPORT void __heddle_concretised(Id id, std::uint64_t value) {
  if (tracing == nullptr) return;
  tracer().concretise(moment(HEDDLE_CALLER_PC), expression(id), value);
}

// --- paths
HEDDLE_EXPORT void __heddle_step(std::uint64_t place, std::uint32_t kind, std::uint64_t outcome) {
  heddle::symbolic::PathFollower::Who who;
  if (auto* const compared = following(who))
    compared->step(who, place, static_cast<std::uint8_t>(kind), outcome);
  if (tracing == nullptr) return;
  // (An exception has left the call that was being made.)
  tracer().step_call(current_thread(), 0);
  tracer().step(moment_at(HEDDLE_CALLER_PC, place), static_cast<std::uint8_t>(kind), outcome);
}
HEDDLE_EXPORT void __heddle_step_switch(std::uint64_t place, std::uint64_t value, const std::uint64_t* cases,
                                        const std::uint32_t* outcomes, std::uint32_t count,
                                        std::uint32_t otherwise) {
  std::uint32_t outcome = otherwise;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (cases[i] == value) outcome = outcomes[i];
  }
  constexpr auto kSwitch = static_cast<std::uint8_t>(heddle::record::StepKind::kSwitch);
  heddle::symbolic::PathFollower::Who who;
  if (auto* const compared = following(who)) compared->step(who, place, kSwitch, outcome);
  if (tracing == nullptr) return;
  tracer().step(moment_at(HEDDLE_CALLER_PC, place), kSwitch, outcome);
}
HEDDLE_EXPORT void __heddle_step_call(std::uint64_t place) {
  heddle::symbolic::PathFollower::Who who;
  if (auto* const compared = following(who)) compared->call(who.thread, place);
  if (tracing != nullptr) tracer().step_call(current_thread(), place);
}
HEDDLE_EXPORT void __heddle_step_entered(std::uint64_t function) {
  heddle::symbolic::PathFollower::Who who;
  if (auto* const compared = following(who)) compared->entered(who, function);
  if (tracing != nullptr) tracer().step_entered(moment_at(HEDDLE_CALLER_PC, 0), function);
}
HEDDLE_EXPORT void __heddle_step_returned() {
  heddle::symbolic::PathFollower::Who who;
  if (auto* const compared = following(who)) compared->entered(who, 0);
  if (tracing != nullptr) tracer().step_entered(moment_at(HEDDLE_CALLER_PC, 0), 0);
}

// --- calls
HEDDLE_EXPORT void __heddle_call(const void* callee) {
  if (tracing == nullptr) return;
  tracer().call(current_thread(), at(callee));
}
HEDDLE_EXPORT void __heddle_argument(std::uint32_t index, Id id, std::uint64_t) {
  if (tracing == nullptr) return;
  tracer().argument(current_thread(), index, expression(id));
}
HEDDLE_EXPORT void __heddle_by_value(std::uint32_t index, const void* from) {
  if (tracing == nullptr) return;
  tracer().by_value(current_thread(), index, at(from));
}
HEDDLE_EXPORT void __heddle_take_by_value(std::uint32_t index, void* to, std::uint64_t bytes) {
  if (tracing == nullptr) return;
  tracer().take_by_value(current_thread(), index, at(to), bytes);
}
HEDDLE_EXPORT void __heddle_entered(const void* function) {
  if (tracing == nullptr) return;
  tracer().entered(current_thread(), at(function));
}
HEDDLE_EXPORT Id __heddle_parameter(std::uint32_t index, std::uint64_t value) {
  if (tracing == nullptr) return 0;
  return index_of(tracer().parameter(current_thread(), index, value));
}
HEDDLE_EXPORT void __heddle_returns(const void* function) {
  if (tracing == nullptr) return;
  tracer().returns(current_thread(), at(function));
}
HEDDLE_EXPORT void __heddle_result(std::uint32_t index, Id id, std::uint64_t) {
  if (tracing == nullptr) return;
  tracer().result(current_thread(), index, expression(id));
}
HEDDLE_EXPORT void __heddle_returned(const void* function) {
  if (tracing == nullptr) return;
  tracer().returned(current_thread(), at(function));
}
HEDDLE_EXPORT Id __heddle_result_of(std::uint32_t index, std::uint64_t value) {
  if (tracing == nullptr) return 0;
  return index_of(tracer().result_of(current_thread(), index, value));
}
HEDDLE_EXPORT void __heddle_call_ended(const void* callee) {
  if (tracing == nullptr) return;
  tracer().call_ended(moment(HEDDLE_CALLER_PC), at(callee));
}

// --- functions of libc that look at memory
HEDDLE_EXPORT void __heddle_compared(const void* a, const void* b, std::uint64_t bytes) {
  if (tracing == nullptr) return;
  read_range(at(a), bytes, HEDDLE_CALLER_PC);
  read_range(at(b), bytes, HEDDLE_CALLER_PC);
  compare(at(a), at(b), bytes, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void __heddle_strings_compared(const char* a, const char* b, std::uint64_t most) {
  if (tracing == nullptr) return;
  std::uint64_t looked_at = 0;
  while (looked_at < most) {
    const char c = a[looked_at];
    if (c != b[looked_at++] || c == '\0') break;
  }
  read_range(at(a), looked_at, HEDDLE_CALLER_PC);
  read_range(at(b), looked_at, HEDDLE_CALLER_PC);
  for (std::uint64_t i = 0; i < looked_at; ++i) {
    compare(at(a) + i, at(b) + i, 1, HEDDLE_CALLER_PC);
    byte_condition(at(a) + i, heddle::symbolic::kConcrete, 0, heddle::symbolic::Operator::kEqual,
                   HEDDLE_CALLER_PC);
  }
}
HEDDLE_EXPORT void __heddle_scanned(const void* in, std::uint64_t bytes, std::uint32_t what) {
  if (tracing == nullptr) return;
  read_range(at(in), bytes, HEDDLE_CALLER_PC);
  for (std::uint64_t i = 0; i < bytes; ++i)
    byte_condition(at(in) + i, heddle::symbolic::kConcrete, what & 0xff, heddle::symbolic::Operator::kEqual,
                   HEDDLE_CALLER_PC);
}
