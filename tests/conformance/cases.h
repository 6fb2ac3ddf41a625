/* Each file here is one program with several cases; the first argument names the one to run. */
#ifndef CASES_H_
#define CASES_H_

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct Case {
  const char* name;
  void (*run)(void);
};

static inline int run_case(const struct Case* cases, unsigned count, int argc, char** argv) {
  for (unsigned i = 0; i < count; ++i) {
    if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      return 0;
    }
  }
  fprintf(stderr, "no such case\n");
  return 2;
}

#define RUN_CASES(...)                                                              \
  int main(int argc, char** argv) {                                                 \
    static const struct Case cases[] = {__VA_ARGS__};                               \
    return run_case(cases, (unsigned)(sizeof cases / sizeof cases[0]), argc, argv); \
  }

static inline pthread_t start(void* (*function)(void*), void* argument) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, function, argument);
  assert(error == 0);
  (void)error;
  return thread;
}

static inline void* join(pthread_t thread) {
  void* result = NULL;
  int error = pthread_join(thread, &result);
  assert(error == 0);
  (void)error;
  return result;
}

/* `milliseconds` from now. */
static inline struct timespec in_time(clockid_t clock, long milliseconds) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_sec += milliseconds / 1000;
  t.tv_nsec += milliseconds % 1000 * 1000000;
  if (t.tv_nsec >= 1000000000) {
    t.tv_nsec -= 1000000000;
    ++t.tv_sec;
  }
  return t;
}

#endif /* CASES_H_ */
