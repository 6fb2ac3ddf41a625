#include "runtime/symbolic/tracer.h"

#include <algorithm>

#include "core/base/pages.h"
#include "core/record/path_ids.h"
#include "core/trace/symbolic_value.h"

namespace heddle::symbolic {

void Tracer::start(Header* header, std::uint32_t* handing_over) {
  header_ = header;
  handing_over_ = handing_over;
  auto* expressions = reinterpret_cast<Expression*>(header + 1);
  records_ = reinterpret_cast<Record*>(expressions + header->expression_capacity);
  table_.start(header, expressions);
  shadow_.start();
  threads_ = static_cast<Thread*>(map_pages(kMaxThreads * sizeof(Thread)));
  for (std::uint32_t i = 0; i < kMaxThreads; ++i) threads_[i] = Thread{};
}

Record* Tracer::add(RecordKind kind, const Moment& at) {
  if (!header_->has_room(header_->record_count + 1ull, header_->step_count)) {
    header_->overflow = 1;
    return nullptr;
  }
  Record* record = &records_[header_->record_count++];
  *record = Record{};
  record->kind = kind;
  record->pc = at.pc;
  record->thread = at.thread;
  record->event = at.event;
  return record;
}

ExpressionId Tracer::take_pointer(ThreadId thread) {
  Thread& t = threads_[index_of(thread)];
  const ExpressionId pointer = t.pointer;
  t.pointer = kConcrete;
  return pointer;
}

ExpressionId Tracer::believed(ExpressionId id, std::uint64_t value) {
  if (id == kConcrete || table_.value(id) == value) return id;
  ++header_->mismatches;
  return kConcrete;
}

ExpressionId Tracer::load(const Moment& at, Address address, std::uint64_t value, unsigned bytes) {
  const ExpressionId pointer = take_pointer(at.thread);
  if (!at.is_recorded) {
    concretise(at, pointer, address);
    return shadow_.load(table_, address, value, bytes);
  }
  const ExpressionId symbol = table_.symbol(next_record(), value, 8 * bytes);
  Record* record = add(RecordKind::kRead, at);
  if (record == nullptr) return kConcrete;
  record->address = address;
  record->value = value;
  record->size = static_cast<std::uint8_t>(bytes);
  record->expression = symbol;
  record->pointer = pointer;
  return symbol;
}

void Tracer::store(const Moment& at, Address address, std::uint64_t value, unsigned bytes,
                   ExpressionId stored) {
  const ExpressionId pointer = take_pointer(at.thread);
  stored = believed(stored, value);
  if (!at.is_recorded) {
    concretise(at, pointer, address);
    note_room(shadow_.store(address, bytes, stored));
    return;
  }
  shadow_.clear(address, bytes);
  Record* record = add(RecordKind::kWrite, at);
  if (record == nullptr) return;
  record->address = address;
  record->value = value;
  record->size = static_cast<std::uint8_t>(bytes);
  record->expression = stored;
  record->pointer = pointer;
}

ExpressionId Tracer::updated(const Update& update, unsigned bits, ExpressionId read) {
  const auto combine = [&](Operator op) {
    return table_.binary(op, bits, read, update.read, update.operand, update.operand_value);
  };
  switch (update.kind) {
    case UpdateKind::kExchange:
      return update.operand;
    case UpdateKind::kAdd:
      return combine(Operator::kAdd);
    case UpdateKind::kSubtract:
      return combine(Operator::kSubtract);
    case UpdateKind::kAnd:
      return combine(Operator::kAnd);
    case UpdateKind::kOr:
      return combine(Operator::kOr);
    case UpdateKind::kXor:
      return combine(Operator::kXor);
    case UpdateKind::kNand: {
      const ExpressionId both = combine(Operator::kAnd);
      if (both == kConcrete) return kConcrete;
      return table_.binary(Operator::kXor, bits, both, 0, kConcrete, low_bits(~0ull, bits));
    }
    case UpdateKind::kOther:
      break;
  }
  return kConcrete;
}

ExpressionId Tracer::update(const Moment& at, Address address, unsigned bytes, const Update& u) {
  const ExpressionId pointer = take_pointer(at.thread);
  Update update = u;
  update.operand = believed(u.operand, u.operand_value);
  if (!at.is_recorded) {
    concretise(at, pointer, address);
    const ExpressionId old = shadow_.load(table_, address, update.read, bytes);
    note_room(shadow_.store(address, bytes, updated(update, 8 * bytes, old)));
    return old;
  }
  const ExpressionId symbol = table_.symbol(next_record(), update.read, 8 * bytes);
  const ExpressionId written = believed(updated(update, 8 * bytes, symbol), update.written);
  Record* record = add(RecordKind::kUpdate, at);
  if (record == nullptr) return kConcrete;
  record->address = address;
  record->value = update.written;
  record->size = static_cast<std::uint8_t>(bytes);
  record->expression = written;
  record->symbol = symbol;
  record->pointer = pointer;
  return symbol;
}

ExpressionId Tracer::compare_exchange(const Moment& at, Address address, unsigned bytes, const Exchange& x) {
  const ExpressionId pointer = take_pointer(at.thread);
  const unsigned bits = 8 * bytes;
  const ExpressionId wanted = believed(x.wanted, x.wanted_value);
  const ExpressionId expected = believed(x.expected, x.expected_value);
  ExpressionId read = kConcrete;
  if (!at.is_recorded) {
    concretise(at, pointer, address);
    read = shadow_.load(table_, address, x.read, bytes);
    if (x.succeeded) note_room(shadow_.store(address, bytes, wanted));
  } else {
    read = table_.symbol(next_record(), x.read, bits);
    Record* record = add(x.succeeded ? RecordKind::kUpdate : RecordKind::kCasFailed, at);
    if (record == nullptr) return kConcrete;
    record->address = address;
    record->value = x.succeeded ? x.wanted_value : x.read;
    record->size = static_cast<std::uint8_t>(bytes);
    record->expression = x.succeeded ? wanted : kConcrete;
    record->symbol = read;
    record->pointer = pointer;
  }
  // A weak exchange that failed for no reason says nothing of what was read.
  const bool equal = x.read == x.expected_value;
  if (equal == x.succeeded) {
    const ExpressionId condition =
        table_.binary(Operator::kEqual, bits, read, x.read, expected, x.expected_value);
    branch(at, condition, equal);
  }
  return read;
}

void Tracer::branch(const Moment& at, ExpressionId condition, bool holds) {
  condition = believed(condition, holds ? 1 : 0);
  if (table_.is_constant(condition)) return;
  threads_[index_of(at.thread)].latest_branch = header_->record_count;
  Record* record = add(RecordKind::kBranch, at);
  if (record == nullptr) return;
  record->expression = condition;
  record->holds = holds ? 1 : 0;
  record->value = at.place;
}

void Tracer::step(const Moment& at, std::uint8_t kind, std::uint64_t outcome) {
  if (!header_->has_room(header_->record_count, header_->step_count + 1ull)) {
    header_->overflow = 1;
    return;
  }
  auto* end = reinterpret_cast<Step*>(records_ + header_->record_capacity);
  *(end - ++header_->step_count) = {at.place, outcome, at.event, at.thread, kind, at.handler_depth};
}

void Tracer::step_entered(Moment at, std::uint64_t function) {
  std::uint64_t& call = threads_[index_of(at.thread)].indirect_call;
  if (call == 0) return;
  at.place = call;
  call = 0;
  step(at, static_cast<std::uint8_t>(record::StepKind::kIndirectCall), function);
}

void Tracer::spared(const Moment& at, ExpressionId condition, bool holds) {
  const std::uint32_t before = header_->record_count;
  branch(at, condition, holds);
  if (header_->record_count != before) records_[before].guards = 1;
}

void Tracer::doomed(const Moment& at, ExpressionId condition, bool holds) {
  Thread& t = threads_[index_of(at.thread)];
  t.has_concrete_guard = table_.is_constant(condition);
  t.guard = t.has_concrete_guard ? kNoRecord : header_->record_count;
  t.guard_pc = at.pc;
  branch(at, condition, holds);
}

void Tracer::equals(const Moment& at, ExpressionId value, std::uint64_t taken) {
  value = believed(value, taken);
  if (table_.is_constant(value)) return;
  branch(at, table_.binary(Operator::kEqual, table_[value].bits, value, 0, kConcrete, taken), true);
}

void Tracer::called(const Moment& at, ExpressionId callee, std::uint64_t address) {
  const std::uint32_t before = header_->record_count;
  equals(at, callee, address);
  if (header_->record_count != before) records_[before].calls = 1;
}

std::uint32_t Tracer::Switch::way_of(std::uint64_t value) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (cases[i] == value) return ways[i];
  }
  return otherwise;
}

// As a chain of branches, one for each way: those that it did not go, and then the one that it went. If one
// of the former came out otherwise it would go there; if the last did, where all other values lead.
void Tracer::switch_on(const Moment& at, ExpressionId value, std::uint64_t taken, const Switch& on) {
  constexpr std::uint32_t kMostConditions = 64;
  value = believed(value, taken);
  if (table_.is_constant(value)) return;
  if (on.count > kMostConditions) return concretise(at, value, taken);
  const auto leads_to = [&](std::uint32_t way) {
    ExpressionId any = kConcrete;
    for (std::uint32_t i = 0; i < on.count; ++i) {
      if (on.ways[i] != way) continue;
      const ExpressionId equal =
          table_.binary(Operator::kEqual, table_[value].bits, value, 0, kConcrete, on.cases[i]);
      any = any == kConcrete ? equal : table_.binary(Operator::kOr, 1, any, 0, equal, 0);
    }
    return any;
  };
  std::uint8_t before = 0;
  const auto add_way = [&](std::uint32_t way, bool holds, std::uint32_t other) {
    const std::uint32_t record = header_->record_count;
    branch(at, leads_to(way), holds);
    if (header_->record_count == record) return;
    records_[record].address = 1 + Address{other};
    records_[record].size = before++;
  };
  const std::uint32_t went = on.way_of(taken);
  for (std::uint32_t i = 0; i < on.count; ++i) {
    const bool is_first = std::find(on.ways, on.ways + i, on.ways[i]) == on.ways + i;
    if (is_first && on.ways[i] != went && on.ways[i] != on.otherwise) add_way(on.ways[i], false, on.ways[i]);
  }
  if (went != on.otherwise) add_way(went, true, on.otherwise);
}

void Tracer::concretise(const Moment& at, ExpressionId expression, std::uint64_t value) {
  expression = believed(expression, value);
  if (table_.is_constant(expression)) return;
  ExpressionId& known = threads_[index_of(at.thread)].concretised[index_of(expression) % Thread::kRemembered];
  if (known == expression) return;
  known = expression;
  Record* record = add(RecordKind::kConcretised, at);
  if (record == nullptr) return;
  record->expression = expression;
  record->value = value;
  record->size = static_cast<std::uint8_t>((table_[expression].bits + 7) / 8);
}

void Tracer::failed(const Moment& at, bool faulted, Address address) {
  if (has_failed_) return;
  Thread& t = threads_[index_of(at.thread)];
  ExpressionId condition = kConcrete;
  bool holds = true;
  Moment place = at;
  const ExpressionId pointer = take_pointer(at.thread);
  const std::uint32_t guard = t.guard != kNoRecord || t.has_concrete_guard ? t.guard : t.latest_branch;
  if (faulted) {
    // The address was what it was; a different one would not have faulted there.
    if (!table_.is_constant(pointer))
      condition = table_.binary(Operator::kEqual, 64, pointer, 0, kConcrete, table_.value(pointer));
  } else if (guard != kNoRecord) {
    // The branch was the failure, and is no condition of the path to it.
    Record& branch = records_[guard];
    condition = branch.expression;
    holds = branch.holds != 0;
    place.pc = branch.pc;
    branch.kind = RecordKind::kFolded;
    branch.expression = kConcrete;
  } else if (t.has_concrete_guard) {
    place.pc = t.guard_pc;
  }
  add_failure(place, condition, holds, address);
}

void Tracer::add_failure(const Moment& at, ExpressionId condition, bool holds, Address address) {
  has_failed_ = true;
  Record* record = add(RecordKind::kFailure, at);
  if (record == nullptr) return;
  record->expression = condition;
  record->holds = holds ? 1 : 0;
  record->address = address;
}

void Tracer::exited(const Moment& at, std::uint32_t status) {
  if (has_failed_) return;
  const ExpressionId returned = threads_[index_of(at.thread)].result.ids[0];
  if (table_.is_constant(returned) || table_.value(returned) != status) return failed(at, false, 0);
  add_failure(at, table_.binary(Operator::kNotEqual, table_[returned].bits, returned, 0, kConcrete, 0), true,
              0);
}

void Tracer::call(ThreadId thread, Address callee) {
  threads_[index_of(thread)].arguments.begin(callee);
  *handing_over_ = 1;
}

void Tracer::argument(ThreadId thread, std::uint32_t index, ExpressionId id) {
  if (index < Slot::kMost) threads_[index_of(thread)].arguments.ids[index] = id;
}

void Tracer::by_value(ThreadId thread, std::uint32_t index, Address from) {
  if (index < Slot::kMost) threads_[index_of(thread)].arguments.sources[index] = from;
}

void Tracer::take_by_value(ThreadId thread, std::uint32_t index, Address to, std::uint64_t bytes) {
  const Slot& slot = threads_[index_of(thread)].arguments;
  if (slot.is_taken && index < Slot::kMost && slot.sources[index] != 0) copy(to, slot.sources[index], bytes);
}

void Tracer::entered(ThreadId thread, Address function) {
  Slot& slot = threads_[index_of(thread)].arguments;
  slot.is_taken = slot.function == function;
  *handing_over_ = 0;
}

ExpressionId Tracer::take(Slot& slot, std::uint32_t index, std::uint64_t value) const {
  if (!slot.is_taken || index >= Slot::kMost) return kConcrete;
  const ExpressionId id = slot.ids[index];
  slot.ids[index] = kConcrete;
  // (A copy of the argument, say: the function is the same, and what it was handed is not.)
  return id != kConcrete && table_.value(id) == value ? id : kConcrete;
}

ExpressionId Tracer::parameter(ThreadId thread, std::uint32_t index, std::uint64_t value) {
  return take(threads_[index_of(thread)].arguments, index, value);
}

void Tracer::returns(ThreadId thread, Address function) {
  threads_[index_of(thread)].result.begin(function);
  *handing_over_ = 1;
}

void Tracer::result(ThreadId thread, std::uint32_t index, ExpressionId id) {
  if (index < Slot::kMost) threads_[index_of(thread)].result.ids[index] = id;
}

void Tracer::returned(ThreadId thread, Address function) {
  Slot& slot = threads_[index_of(thread)].result;
  slot.is_taken = slot.function == function;
  *handing_over_ = 0;
}

ExpressionId Tracer::result_of(ThreadId thread, std::uint32_t index, std::uint64_t value) {
  return take(threads_[index_of(thread)].result, index, value);
}

void Tracer::call_ended(const Moment& at, Address callee) {
  Thread& t = threads_[index_of(at.thread)];
  Slot& slot = t.arguments;
  if (callee == 0) {
    t.result = Slot{};
    t.guard = kNoRecord;
    t.has_concrete_guard = false;
  } else if (slot.function == callee && !slot.is_taken) {
    for (const ExpressionId id : slot.ids) {
      if (id != kConcrete) concretise(at, id, table_.value(id));
    }
  }
  slot = Slot{};
}

}  // namespace heddle::symbolic
