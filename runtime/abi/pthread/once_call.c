/* Calls an initialiser that may leave by an exception or a forced unwind, and says so. In C with
   -fexceptions, because C++ would need libstdc++'s personality routine, which a C program does not have. A
   cancelled thread may have frames without unwind tables above this one; then it comes here by the jump
   buffer that it would use for a cleanup handler in C (cancellation.cpp). */
#include <pthread.h>

#include "runtime/abi/pthread/once_call.h"

void __pthread_register_cancel(__pthread_unwind_buf_t*);
void __pthread_unregister_cancel(__pthread_unwind_buf_t*);
void __pthread_unwind_next(__pthread_unwind_buf_t*) __attribute__((noreturn));

struct Guard {
  void (*on_unwind)(void*);
  void* argument;
  __pthread_unwind_buf_t buffer;
  int left;
};

static void leave(struct Guard* guard) {
  if (guard->left) return;
  guard->left = 1;
  __pthread_unregister_cancel(&guard->buffer);
  guard->on_unwind(guard->argument);
}

__attribute__((visibility("hidden"))) void heddle_call_once(void (*initialise)(void),
                                                            void (*on_unwind)(void*), void* argument) {
  struct Guard guard __attribute__((cleanup(leave))) = {on_unwind, argument, {{{{0}, 0}}, {0}}, 0};
  if (__sigsetjmp_cancel(guard.buffer.__cancel_jmp_buf, 0) != 0) {
    guard.left = 1;
    on_unwind(argument);
    __pthread_unwind_next(&guard.buffer);
  }
  __pthread_register_cancel(&guard.buffer);
  initialise();
  __pthread_unregister_cancel(&guard.buffer);
  guard.left = 1;
}
