// The ready-made specifications. An operation that is none of the object's gives a reply that nobody saw; the
// tool refuses such histories when it reads them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/linearize/call.h"

namespace heddle::linearize {

// State that is a row of values: equality, hash and footprint for the specifications below.
struct Row {
  using Input = Call;
  using Output = Reply;
  std::vector<Value> values = {};

  std::size_t hash() const { return hash_values(values); }
  std::size_t footprint() const { return values.capacity() * sizeof(Value); }

 protected:
  Reply take(std::size_t index) {
    if (index >= values.size()) return Reply::empty();
    const Value value = values[index];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(index));
    return Reply::of(value);
  }
  Reply put(std::size_t index, Value value) {
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(index), value);
    return Reply::nothing();
  }
};

struct QueueSpec : Row {
  Reply step(const Call& call) { return call.name == Name::kEnq ? put(values.size(), call.first) : take(0); }
  friend bool operator==(const QueueSpec& a, const QueueSpec& b) { return a.values == b.values; }
};

struct StackSpec : Row {
  Reply step(const Call& call) {
    return call.name == Name::kPush ? put(values.size(), call.first) : take(values.size() - 1);
  }
  friend bool operator==(const StackSpec& a, const StackSpec& b) { return a.values == b.values; }
};

struct DequeSpec : Row {
  Reply step(const Call& call) {
    switch (call.name) {
      case Name::kPushFront:
        return put(0, call.first);
      case Name::kPushBack:
        return put(values.size(), call.first);
      case Name::kPopFront:
        return take(0);
      default:
        return take(values.size() - 1);
    }
  }
  friend bool operator==(const DequeSpec& a, const DequeSpec& b) { return a.values == b.values; }
};

// The smallest value comes out first; equal values may be in it several times.
struct PriorityQueueSpec : Row {
  Reply step(const Call& call) {
    if (call.name != Name::kInsert) return take(0);
    const auto place = std::upper_bound(values.begin(), values.end(), call.first);
    return put(static_cast<std::size_t>(place - values.begin()), call.first);
  }
  friend bool operator==(const PriorityQueueSpec& a, const PriorityQueueSpec& b) {
    return a.values == b.values;
  }
};

// One part for each element.
struct SetSpec {
  using Input = Call;
  using Output = Reply;
  static std::optional<Value> part(const Call& call) { return call.first; }

  Reply step(const Call& call) {
    const bool was = present;
    if (call.name == Name::kContains) return Reply::truth(was);
    present = call.name == Name::kAdd;
    return Reply::truth(was != present);
  }
  friend bool operator==(const SetSpec& a, const SetSpec& b) { return a.present == b.present; }
  std::size_t hash() const { return present ? 1 : 0; }

  bool present = false;
};

// One part for each key. put gives nothing back; remove gives the value that was there.
struct MapSpec {
  using Input = Call;
  using Output = Reply;
  static std::optional<Value> part(const Call& call) { return call.first; }

  Reply step(const Call& call) {
    Reply was = value ? Reply::of(*value) : Reply::empty();
    if (call.name == Name::kGet) return was;
    if (call.name == Name::kRemove) {
      value.reset();
      return was;
    }
    value = call.second;
    return Reply::nothing();
  }
  friend bool operator==(const MapSpec& a, const MapSpec& b) { return a.value == b.value; }
  std::size_t hash() const { return value ? static_cast<std::size_t>(*value) * 2 + 1 : 0; }

  std::optional<Value> value = {};
};

struct RegisterSpec {
  using Input = Call;
  using Output = Reply;

  Reply step(const Call& call) {
    switch (call.name) {
      case Name::kRead:
        return Reply::of(value);
      case Name::kWrite:
        value = call.first;
        return Reply::nothing();
      default:
        break;
    }
    if (value != call.first) return Reply::truth(false);
    value = call.second;
    return Reply::truth(true);
  }
  static bool only_looks(const Call& call, const Reply& reply) {
    return call.name == Name::kRead || (call.name == Name::kCas && reply == Reply::truth(false));
  }
  friend bool operator==(const RegisterSpec& a, const RegisterSpec& b) { return a.value == b.value; }
  std::size_t hash() const { return static_cast<std::size_t>(value); }

  Value value = 0;
};

// inc gives the value before it.
struct CounterSpec {
  using Input = Call;
  using Output = Reply;

  Reply step(const Call& call) { return Reply::of(call.name == Name::kInc ? count++ : count); }
  friend bool operator==(const CounterSpec& a, const CounterSpec& b) { return a.count == b.count; }
  std::size_t hash() const { return static_cast<std::size_t>(count); }

  Value count = 0;
};

// Components are 0 at first. scan gives all of them; how many there are is known from what the scans saw.
struct SnapshotSpec {
  using Input = Call;
  using Output = Reply;

  bool step(const Call& call, const Reply* seen) {
    if (call.name == Name::kUpdate) {
      const auto index = static_cast<std::size_t>(call.first);
      if (index >= values.size()) values.resize(index + 1);
      values[index] = call.second;
      return seen == nullptr || *seen == Reply::nothing();
    }
    if (seen == nullptr) return true;
    if (seen->kind != Reply::Kind::kMany || seen->many.size() < values.size()) return false;
    for (std::size_t i = 0; i < seen->many.size(); ++i) {
      if (seen->many[i] != (i < values.size() ? values[i] : 0)) return false;
    }
    return true;
  }
  // Components after the last one that was written are not stored; equal states with a 0 more only cost
  // search.
  friend bool operator==(const SnapshotSpec& a, const SnapshotSpec& b) { return a.values == b.values; }
  std::size_t hash() const { return hash_values(values); }
  std::size_t footprint() const { return values.capacity() * sizeof(Value); }

  std::vector<Value> values = {};
};

}  // namespace heddle::linearize
