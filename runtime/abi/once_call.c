/* Calls an initialiser that may leave by an exception or a forced unwind, and says so. In C with
   -fexceptions, because C++ would need libstdc++'s personality routine, which a C program does not have. */
#include "runtime/abi/once_call.h"

struct Guard {
  void (*on_unwind)(void*);
  void* argument;
  int returned;
};

static void leave(struct Guard* guard) {
  if (!guard->returned) guard->on_unwind(guard->argument);
}

__attribute__((visibility("hidden"))) void heddle_call_once(void (*initialise)(void),
                                                            void (*on_unwind)(void*), void* argument) {
  struct Guard guard __attribute__((cleanup(leave))) = {on_unwind, argument, 0};
  initialise();
  guard.returned = 1;
}
