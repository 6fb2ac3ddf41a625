// The environment. Its strings are the program's; its list is what `environ` points to, and this pointer
// stands for the list: who changes a variable must be ordered with who asks for one (POSIX getenv, setenv).
#include <stdlib.h>
#include <unistd.h>

#include "runtime/abi/interposed_call.h"

#define HEDDLE_ASKS_ENVIRONMENT(name)                                                     \
  HEDDLE_SEEN(char*, name, (const char* variable), (variable), call.reads_text(variable); \
              call.reads_object(&environ), HEDDLE_NOTHING)
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
