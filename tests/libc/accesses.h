/* Calls of libc whose accesses must be seen. Each READS or WRITES is named after the function that is to
 * stand in the report, has a buffer `b` of its own with the text `initial` in it, and a call that reads or
 * writes b[1]; another thread accesses b[1] so that the two race. With the argument "ordered" the second
 * thread starts when the first has ended, and nothing races. tests/end_to_end/libc_accesses_test.py runs
 * them. */
#ifndef ACCESSES_H_
#define ACCESSES_H_

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ROOM 512
__thread long sink; /* keeps the compiler from leaving out what nobody uses */

struct Entry {
  void (*call)(void);
  void (*access)(void);
};

/* The linker gathers the entries of a program. */
#define ENTRY(name, initial, access, ...)                            \
  static char name##_b[ROOM] __attribute__((aligned(16))) = initial; \
  static void name##_call(void) {                                    \
    char* b = name##_b;                                              \
    __VA_ARGS__;                                                     \
  }                                                                  \
  static void name##_access(void) { access; }                        \
  static const struct Entry name##_entry                             \
      __attribute__((section("entries"), used)) = {name##_call, name##_access};
#define READS(name, initial, ...) ENTRY(name, initial, name##_b[1] = 'z', __VA_ARGS__)
#define WRITES(name, initial, ...) ENTRY(name, initial, sink += name##_b[1], __VA_ARGS__)
extern const struct Entry __start_entries[], __stop_entries[];

static void before(void);

static void* run_calls(void* unused) {
  for (const struct Entry* e = __start_entries; e != __stop_entries; ++e) e->call();
  return unused;
}
static void* run_accesses(void* unused) {
  for (const struct Entry* e = __start_entries; e != __stop_entries; ++e) e->access();
  return unused;
}

static int run_entries(int argc, char** argv) {
  const int ordered = argc > 1 && strcmp(argv[1], "ordered") == 0;
  pthread_t first, second;
  before();
  assert(pthread_create(&first, NULL, run_calls, NULL) == 0);
  if (ordered) pthread_join(first, NULL);
  assert(pthread_create(&second, NULL, run_accesses, NULL) == 0);
  if (!ordered) pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}

#endif /* ACCESSES_H_ */
