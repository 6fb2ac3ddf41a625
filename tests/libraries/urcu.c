// header: urcu.h
// flags: -Wno-error -D_GNU_SOURCE -D_LGPL_SOURCE -lurcu
// executions: 50
// case: replace => heap use after free | data race: urcu.c
// Userspace RCU: atomics in inline assembly, in headers and in the library; what a grace period orders is not
// seen.
#include <stdlib.h>
#include <urcu.h>

#include "../conformance/cases.h"

struct Config {
  int value;
};
static struct Config* current;

static void* read_config(void* unused) {
  rcu_register_thread();
  rcu_read_lock();
  struct Config* config = rcu_dereference(current);
  assert(config->value == 1 || config->value == 2);
  rcu_read_unlock();
  rcu_unregister_thread();
  return unused;
}

static void replace(void) {
  struct Config *old = malloc(sizeof *old), *fresh = malloc(sizeof *fresh);
  old->value = 1;
  fresh->value = 2;
  current = old;
  rcu_register_thread();
  pthread_t reader = start(read_config, NULL);
  rcu_assign_pointer(current, fresh);
  synchronize_rcu();
  free(old);
  join(reader);
  rcu_unregister_thread();
}

RUN_CASES({"replace", replace})
