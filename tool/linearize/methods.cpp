#include "tool/linearize/methods.h"

#include "core/base/check.h"

namespace heddle::linearize {

const MethodInfo& method_of(Object object, Name name) {
  const MethodInfo* found = nullptr;
  for (const MethodInfo& info : kMethods) {
    if (info.object == object && info.name == name) found = &info;
  }
  HEDDLE_CHECK(found != nullptr);
  return *found;
}

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
