// What would make a bug go away: stronger memory orders, operations that are one step, an operation that
// waits for another one. Each is tried before it is said: executions are held to it, and the bug must not
// show.
#pragma once

#include <functional>

#include "tool/cause/trials.h"
#include "tool/trace/explanation.h"

namespace heddle::cause {

struct RemedyOptions {
  TrialOptions trials;
  std::uint64_t executions = 10'000;  // under what is proposed in the end
  std::function<void(const std::string&)> on_step;
};

// Sets Explanation::remedy where one was found, and how many were tried.
void find_remedy(const run::Target& target, Explanation& explanation, const RemedyOptions& options);

}  // namespace heddle::cause
