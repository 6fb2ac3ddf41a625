// Symbolic traces by hand: the calls are one execution, in its order, under sequential consistency; the
// builder keeps the values. Variables are small numbers, 4 bytes each.
#pragma once

#include <cstdint>
#include <map>

#include "tool/constraints/symbolic_trace.h"

namespace heddle::constraints {

class TraceBuilder {
 public:
  struct Value {
    ExpressionId id = kConcrete;
    std::uint32_t concrete = 0;
    std::uint8_t bits = 32;
  };

  TraceBuilder() {
    trace_.expressions.emplace_back();
    trace_.expressions[0].bits = 1;
  }

  void initial(int variable, std::uint32_t value) { memory_[address_of(variable)] = {value, kNoAction}; }
  static Value number(std::uint32_t value) { return {kConcrete, value, 32}; }

  Value read(int thread, int variable) {
    return load(thread, variable, EventKind::kPlainRead, MemoryOrder::kRelaxed);
  }
  ActionId write(int thread, int variable, const Value& value) {
    return store(thread, variable, value, EventKind::kPlainWrite, MemoryOrder::kRelaxed);
  }
  ActionId write(int thread, int variable, std::uint32_t value) {
    return write(thread, variable, number(value));
  }
  Value load(int thread, int variable, MemoryOrder order) {
    return load(thread, variable, EventKind::kAtomicLoad, order);
  }
  ActionId store(int thread, int variable, const Value& value, MemoryOrder order) {
    return store(thread, variable, value, EventKind::kAtomicStore, order);
  }
  // A read-modify-write that adds.
  Value add(int thread, int variable, std::uint32_t amount, MemoryOrder order = MemoryOrder::kSeqCst) {
    Action a = access(thread, variable, EventKind::kAtomicUpdate, order);
    const Value old = observe(a);
    const Value sum = binary(Operator::kAdd, old, number(amount));
    a.written = sum.id;
    a.value = sum.concrete;
    memory_[a.address] = {sum.concrete, push(a)};
    return old;
  }

  ActionId lock(int thread, int mutex) { return sync(thread, EventKind::kMutexLock, mutex); }
  ActionId unlock(int thread, int mutex) { return sync(thread, EventKind::kMutexUnlock, mutex); }
  ActionId sync(int thread, EventKind kind, int object, std::uint64_t value = 0, std::uint8_t flags = 0) {
    Action a;
    a.kind = kind;
    a.thread = id_of(thread);
    a.address = object == 0 ? 0 : object_address(object);
    a.value = value;
    a.flags = flags;
    return push(a);
  }
  ActionId wait(int thread, int condition, int mutex) {
    return sync(thread, EventKind::kCondWait, condition, object_address(mutex));
  }
  // As the engine records it: the mutex is taken again, then the wait returns.
  ActionId wake(int thread, int condition, int mutex, std::uint8_t flags = 0) {
    lock(thread, mutex);
    return sync(thread, EventKind::kCondWake, condition, 0, flags);
  }
  ActionId create(int thread, int child) { return about(thread, EventKind::kThreadCreate, child); }
  ActionId join(int thread, int child) { return about(thread, EventKind::kThreadJoin, child); }
  ActionId fence(int thread, MemoryOrder order) {
    Action a;
    a.kind = EventKind::kFence;
    a.thread = id_of(thread);
    a.order = order;
    return push(a);
  }
  ActionId push(const Action& action) {
    trace_.actions.push_back(action);
    return static_cast<ActionId>(trace_.actions.size() - 1);
  }

  Value binary(Operator op, const Value& a, const Value& b) {
    Expression e;
    e.op = op;
    e.operands[0] = expression_of(a);
    e.operands[1] = expression_of(b);
    e.bits = op >= Operator::kEqual && op <= Operator::kLessEqualSigned ? 1 : a.bits;
    e.value = concrete(op, a, b);
    if (a.id == kConcrete && b.id == kConcrete)
      return {kConcrete, static_cast<std::uint32_t>(e.value), e.bits};
    trace_.expressions.push_back(e);
    return {last_expression(), static_cast<std::uint32_t>(e.value), e.bits};
  }
  Value greater(const Value& a, std::uint32_t b) { return binary(Operator::kLessSigned, number(b), a); }
  Value equal(const Value& a, std::uint32_t b) { return binary(Operator::kEqual, a, number(b)); }
  Value both(const Value& a, const Value& b) { return binary(Operator::kAnd, a, b); }

  // The thread branched on this, the way that it is now.
  void branch(int thread, const Value& condition) {
    trace_.conditions.push_back({condition.id, condition.concrete != 0, false, id_of(thread)});
  }
  // The assertion of this failed.
  void fails_unless(int thread, const Value& condition) {
    trace_.bug.condition = {condition.id, false, false, id_of(thread)};
  }

  SymbolicTrace& trace() { return trace_; }
  SymbolicTrace finish() {
    add_synthetic_unlocks(trace_);
    return trace_;
  }
  static Address object_address(int object) { return 0x1000 + static_cast<Address>(object) * 64; }

 private:
  struct Word {
    std::uint32_t value = 0;
    ActionId writer = kNoAction;
  };
  static ThreadId id_of(int thread) { return ThreadId(static_cast<std::uint16_t>(thread)); }
  static Address address_of(int variable) { return 0x100000 + static_cast<Address>(variable) * 8; }
  ExpressionId last_expression() const {
    return ExpressionId{static_cast<std::uint32_t>(trace_.expressions.size() - 1)};
  }

  Action access(int thread, int variable, EventKind kind, MemoryOrder order) const {
    Action a;
    a.kind = kind;
    a.order = order;
    a.thread = id_of(thread);
    a.address = address_of(variable);
    a.size = 4;
    return a;
  }
  // Makes the symbol of what an action that comes next reads.
  Value observe(Action& a) {
    const Word& word = memory_[a.address];
    a.read_value = word.value;
    a.reads_from = word.writer;
    if (word.writer == kNoAction) a.flags = event_flags::kInitial;
    Expression symbol;
    symbol.op = Operator::kSymbol;
    symbol.bits = 32;
    symbol.value = word.value;
    symbol.operands[0] = ExpressionId{static_cast<std::uint32_t>(trace_.actions.size())};
    trace_.expressions.push_back(symbol);
    a.symbol = last_expression();
    return {a.symbol, word.value, 32};
  }
  Value load(int thread, int variable, EventKind kind, MemoryOrder order) {
    Action a = access(thread, variable, kind, order);
    const Value value = observe(a);
    push(a);
    return value;
  }
  ActionId store(int thread, int variable, const Value& value, EventKind kind, MemoryOrder order) {
    Action a = access(thread, variable, kind, order);
    a.written = value.id;
    a.value = value.concrete;
    const ActionId id = push(a);
    memory_[a.address] = {value.concrete, id};
    return id;
  }
  ActionId about(int thread, EventKind kind, int other) {
    Action a;
    a.kind = kind;
    a.thread = id_of(thread);
    a.other = id_of(other);
    return push(a);
  }
  ExpressionId expression_of(const Value& value) {
    if (value.id != kConcrete) return value.id;
    Expression constant;
    constant.bits = value.bits;
    constant.value = value.concrete;
    trace_.expressions.push_back(constant);
    return last_expression();
  }
  static std::uint64_t concrete(Operator op, const Value& va, const Value& vb) {
    const std::uint32_t a = va.concrete, b = vb.concrete;
    const auto sa = static_cast<std::int32_t>(a), sb = static_cast<std::int32_t>(b);
    switch (op) {
      case Operator::kAdd:
        return static_cast<std::uint32_t>(a + b);
      case Operator::kSubtract:
        return static_cast<std::uint32_t>(a - b);
      case Operator::kMultiply:
        return static_cast<std::uint32_t>(a * b);
      case Operator::kAnd:
        return a & b;
      case Operator::kOr:
        return a | b;
      case Operator::kEqual:
        return a == b ? 1 : 0;
      case Operator::kNotEqual:
        return a != b ? 1 : 0;
      case Operator::kLessSigned:
        return sa < sb ? 1 : 0;
      case Operator::kLessEqualSigned:
        return sa <= sb ? 1 : 0;
      default:
        return 0;
    }
  }

  SymbolicTrace trace_;
  std::map<Address, Word> memory_;
};

}  // namespace heddle::constraints
