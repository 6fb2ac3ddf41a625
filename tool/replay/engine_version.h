// Artifacts of another version of the engine. Its choices may not fit here: another version may offer others
// at the same place. Every command that runs an artifact's execution goes through in_this_engine(), or says
// the same words.
#pragma once

#include <string>
#include <vector>

#include "tool/run/target.h"

namespace heddle::replay {

bool is_engine(const TraceModule& module);

// The heddle that made `original`, where it is not the one of `now`:
// "heddle 0.1.0 (its libheddle.so has the build id 7c9a…)". Empty: it is the same one.
std::string other_engine(const Trace& original, const Trace& now);

// What is said of one whose choices were followed as far as they fit, and of one that did not show its bug.
std::string followed_text(const std::string& other_engine);
std::string refused_text(const std::string& other_engine);

// The execution as this engine runs it, for commands that go on from its choices; notes are for the user. Costs a
// replay if another engine made it, and nothing else. Errors name both versions.
Result<Trace> in_this_engine(const run::Target& target, Trace original, std::vector<std::string>& notes);

}  // namespace heddle::replay
