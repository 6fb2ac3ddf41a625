// The table of methods in words.
#pragma once

#include <string>

#include "core/linearize/methods.h"

namespace heddle::linearize {

// REQUIRES: the object has it.
const MethodInfo& method_of(Object object, Name name);

// "enq, deq"
std::string methods_of(Object object);
std::string all_objects();

}  // namespace heddle::linearize
