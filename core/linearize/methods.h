// The ready-made specifications as users name them, and their methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/linearize/call.h"
#include "core/linearize/specs.h"

namespace heddle::linearize {

enum class Object : std::uint8_t {
  kQueue,
  kStack,
  kSet,
  kMap,
  kRegister,
  kCounter,
  kDeque,
  kPriorityQueue,
  kSnapshot
};

enum class ReplyShape : std::uint8_t { kNothing, kValue, kValueOrEmpty, kValueOrNull, kTruth, kMany };

struct MethodInfo {
  Object object;
  Name name;
  std::string_view text;
  std::size_t arguments;
  ReplyShape reply;
};

inline constexpr std::pair<std::string_view, Object> kObjects[] = {
    {"queue", Object::kQueue},       {"stack", Object::kStack},
    {"set", Object::kSet},           {"map", Object::kMap},
    {"register", Object::kRegister}, {"counter", Object::kCounter},
    {"deque", Object::kDeque},       {"priority-queue", Object::kPriorityQueue},
    {"snapshot", Object::kSnapshot},
};

inline constexpr MethodInfo kMethods[] = {
    {Object::kQueue, Name::kEnq, "enq", 1, ReplyShape::kNothing},
    {Object::kQueue, Name::kDeq, "deq", 0, ReplyShape::kValueOrEmpty},
    {Object::kStack, Name::kPush, "push", 1, ReplyShape::kNothing},
    {Object::kStack, Name::kPop, "pop", 0, ReplyShape::kValueOrEmpty},
    {Object::kSet, Name::kAdd, "add", 1, ReplyShape::kTruth},
    {Object::kSet, Name::kRemove, "remove", 1, ReplyShape::kTruth},
    {Object::kSet, Name::kContains, "contains", 1, ReplyShape::kTruth},
    {Object::kMap, Name::kPut, "put", 2, ReplyShape::kNothing},
    {Object::kMap, Name::kGet, "get", 1, ReplyShape::kValueOrNull},
    {Object::kMap, Name::kRemove, "remove", 1, ReplyShape::kValueOrNull},
    {Object::kRegister, Name::kWrite, "write", 1, ReplyShape::kNothing},
    {Object::kRegister, Name::kRead, "read", 0, ReplyShape::kValue},
    {Object::kRegister, Name::kCas, "cas", 2, ReplyShape::kTruth},
    {Object::kCounter, Name::kInc, "inc", 0, ReplyShape::kValue},
    {Object::kCounter, Name::kRead, "read", 0, ReplyShape::kValue},
    {Object::kDeque, Name::kPushFront, "push_front", 1, ReplyShape::kNothing},
    {Object::kDeque, Name::kPushBack, "push_back", 1, ReplyShape::kNothing},
    {Object::kDeque, Name::kPopFront, "pop_front", 0, ReplyShape::kValueOrEmpty},
    {Object::kDeque, Name::kPopBack, "pop_back", 0, ReplyShape::kValueOrEmpty},
    {Object::kPriorityQueue, Name::kInsert, "insert", 1, ReplyShape::kNothing},
    {Object::kPriorityQueue, Name::kRemoveMin, "remove_min", 0, ReplyShape::kValueOrEmpty},
    {Object::kSnapshot, Name::kUpdate, "update", 2, ReplyShape::kNothing},
    {Object::kSnapshot, Name::kScan, "scan", 0, ReplyShape::kMany},
};

// Null when there is none.
inline const Object* find_object(std::string_view name) {
  for (const auto& entry : kObjects) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

inline const MethodInfo* find_method(Object object, std::string_view method) {
  for (const MethodInfo& info : kMethods) {
    if (info.object == object && info.text == method) return &info;
  }
  return nullptr;
}

inline std::string_view name_of(Object object) { return kObjects[static_cast<std::size_t>(object)].first; }

template <typename Spec>
struct ObjectOf;
template <>
struct ObjectOf<QueueSpec> {
  static constexpr Object kObject = Object::kQueue;
};
template <>
struct ObjectOf<StackSpec> {
  static constexpr Object kObject = Object::kStack;
};
template <>
struct ObjectOf<SetSpec> {
  static constexpr Object kObject = Object::kSet;
};
template <>
struct ObjectOf<MapSpec> {
  static constexpr Object kObject = Object::kMap;
};
template <>
struct ObjectOf<RegisterSpec> {
  static constexpr Object kObject = Object::kRegister;
};
template <>
struct ObjectOf<CounterSpec> {
  static constexpr Object kObject = Object::kCounter;
};
template <>
struct ObjectOf<DequeSpec> {
  static constexpr Object kObject = Object::kDeque;
};
template <>
struct ObjectOf<PriorityQueueSpec> {
  static constexpr Object kObject = Object::kPriorityQueue;
};
template <>
struct ObjectOf<SnapshotSpec> {
  static constexpr Object kObject = Object::kSnapshot;
};

}  // namespace heddle::linearize
