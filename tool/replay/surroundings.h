// What lay around an execution and is not as it was: variables that the program asks for, its directory,
// files that its arguments name. Said where a replay does not go as its artifact says; nobody else can tell
// why.
#pragma once

#include <string>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle::replay {

// `now` has every variable that `then` has, as it is now, and those that the program asks for besides. In
// whole sentences. Text of the artifact is in them as it is: whoever shows them makes it safe.
std::vector<std::string> changed_surroundings(const ProgramIdentity& then, const ProgramIdentity& now);

}  // namespace heddle::replay
