// Limits of heddle's own. A program may reach one without any fault of its: that is no finding and no error
// of ours, but the end of what can be said. The limit is told by name, and the tool ends with exit code 2.
#pragma once

namespace heddle {

// Set by the engine: ends the execution under way. `name` says what there is too much of, `advice` what to
// do.
using LimitHook = void(const char* name, const char* advice);
inline LimitHook* limit_hook = nullptr;

// Ends the execution, or, where there is none, the process with a line on standard error.
[[noreturn]] void limit_reached(const char* name, const char* advice) noexcept;

}  // namespace heddle
