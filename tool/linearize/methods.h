// The ready-made specifications as users name them, and their methods.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/linearize/call.h"

namespace heddle::linearize {

enum class Object { kQueue, kStack, kSet, kMap, kRegister, kCounter, kDeque, kPriorityQueue, kSnapshot };

enum class ReplyShape { kNothing, kValue, kValueOrEmpty, kValueOrNull, kTruth, kMany };

struct MethodInfo {
  Object object;
  Name name;
  std::string_view text;
  std::size_t arguments;
  ReplyShape reply;
};

// Null when there is none.
const Object* find_object(std::string_view name);
const MethodInfo* find_method(Object object, std::string_view method);
const MethodInfo& method_of(Object object, Name name);

std::string_view name_of(Object object);
// "enq, deq"
std::string methods_of(Object object);
std::string all_objects();

}  // namespace heddle::linearize
