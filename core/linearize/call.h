// Calls and replies of the ready-made specifications.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/linearize/history.h"

namespace heddle::linearize {

using Value = std::int64_t;

enum class Name : std::uint8_t {
  kEnq,
  kDeq,  // queue
  kPush,
  kPop,  // stack
  kAdd,
  kRemove,
  kContains,  // set; kRemove of a map, too
  kPut,
  kGet,  // map
  kWrite,
  kRead,
  kCas,  // register; kRead of a counter, too
  kInc,  // counter
  kPushFront,
  kPushBack,
  kPopFront,
  kPopBack,  // deque
  kInsert,
  kRemoveMin,  // priority queue
  kUpdate,
  kScan,  // snapshot
};

struct Call {
  Name name = Name::kRead;
  Value first = 0;   // the value, the key or the index
  Value second = 0;  // the value of put and update, the new value of cas

  friend bool operator==(const Call& a, const Call& b) {
    return a.name == b.name && a.first == b.first && a.second == b.second;
  }
  friend bool operator!=(const Call& a, const Call& b) { return !(a == b); }
};

struct Reply {
  enum class Kind : std::uint8_t { kNothing, kValue, kTruth, kEmpty, kMany };
  Kind kind = Kind::kNothing;  // kEmpty: nothing to remove; for a map, no such key
  Value value = 0;             // 0 or 1 for kTruth
  std::vector<Value> many = {};

  static Reply nothing() { return {}; }
  static Reply of(Value value) { return {Kind::kValue, value}; }
  static Reply truth(bool value) { return {Kind::kTruth, value ? 1 : 0}; }
  static Reply empty() { return {Kind::kEmpty}; }

  friend bool operator==(const Reply& a, const Reply& b) {
    return a.kind == b.kind && a.value == b.value && a.many == b.many;
  }
  friend bool operator!=(const Reply& a, const Reply& b) { return !(a == b); }
};

using CallHistory = History<Call, Reply>;

inline std::size_t hash_values(const std::vector<Value>& values) {
  std::uint64_t hash = values.size();
  for (const Value value : values) hash = mix(hash, static_cast<std::uint64_t>(value));
  return hash;
}

}  // namespace heddle::linearize
