// The environment. Its strings are the program's; its list is what `environ` points to, and this pointer
// stands for the list: who changes a variable must be ordered with who asks for one (POSIX getenv, setenv).
#include <stdlib.h>
#include <unistd.h>

#include "runtime/abi/interposed_call.h"
#include "runtime/session/session.h"

namespace heddle::abi {
namespace {

// An artifact keeps the variables that the program, or a library for it, asks for by name, and no others.
// libc's own questions (setlocale, the time zone) do not come by here; tool/program/environment.h knows
// them.
void note_question(const char* variable) {
  if (in_session() && !engine::RuntimeScope::active()) session::asks_for_variable(variable, strlen(variable));
}

}  // namespace
}  // namespace heddle::abi

#define HEDDLE_ASKS_ENVIRONMENT(name)                   \
  HEDDLE_INTERPOSE(char*, name, const char* variable) { \
    ::heddle::abi::note_question(variable);             \
    const auto libc = HEDDLE_LIBC(name);                \
    const auto call = HEDDLE_PROGRAM_CALL(name);        \
    if (!call) return libc(variable);                   \
    call.reads_text(variable);                          \
    call.reads_object(&environ);                        \
    return libc(variable);                              \
  }
HEDDLE_ASKS_ENVIRONMENT(getenv)
HEDDLE_ASKS_ENVIRONMENT(secure_getenv)
HEDDLE_SEEN(int, setenv, (const char* variable, const char* value, int overwrite),
            (variable, value, overwrite), call.reads_text(variable);
            call.reads_text(value), call.writes_object(&environ))
HEDDLE_SEEN(int, unsetenv, (const char* variable), (variable), call.reads_text(variable),
            call.writes_object(&environ))
HEDDLE_SEEN(int, putenv, (char* definition), (definition), call.reads_text(definition),
            call.writes_object(&environ))
HEDDLE_SEEN(int, clearenv, (), (), HEDDLE_NOTHING, call.writes_object(&environ))
