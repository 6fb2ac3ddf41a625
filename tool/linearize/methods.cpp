#include "tool/linearize/methods.h"

#include <iterator>
#include <utility>

#include "core/base/check.h"

namespace heddle::linearize {
namespace {

constexpr std::pair<std::string_view, Object> kObjects[] = {
    {"queue", Object::kQueue},       {"stack", Object::kStack},
    {"set", Object::kSet},           {"map", Object::kMap},
    {"register", Object::kRegister}, {"counter", Object::kCounter},
    {"deque", Object::kDeque},       {"priority-queue", Object::kPriorityQueue},
    {"snapshot", Object::kSnapshot},
};

constexpr MethodInfo kMethods[] = {
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

}  // namespace

const Object* find_object(std::string_view name) {
  for (const auto& [text, object] : kObjects) {
    if (text == name) return &object;
  }
  return nullptr;
}

const MethodInfo* find_method(Object object, std::string_view method) {
  for (const MethodInfo& info : kMethods) {
    if (info.object == object && info.text == method) return &info;
  }
  return nullptr;
}

const MethodInfo& method_of(Object object, Name name) {
  const MethodInfo* found = nullptr;
  for (const MethodInfo& info : kMethods) {
    if (info.object == object && info.name == name) found = &info;
  }
  HEDDLE_CHECK(found != nullptr);
  return *found;
}

std::string_view name_of(Object object) { return kObjects[static_cast<std::size_t>(object)].first; }

std::string methods_of(Object object) {
  std::string result;
  for (const MethodInfo& info : kMethods) {
    if (info.object != object) continue;
    if (!result.empty()) result += ", ";
    result += info.text;
  }
  return result;
}

std::string all_objects() {
  std::string result;
  for (const auto& entry : kObjects) {
    if (!result.empty()) result += ", ";
    result += entry.first;
  }
  return result;
}

}  // namespace heddle::linearize
