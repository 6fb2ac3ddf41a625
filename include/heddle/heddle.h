/* heddle's public header, for C and C++. Without the heddle runtime every function here is a no-op
   (heddle_assert and heddle_fail included), so that a program may keep these calls in all its builds. */
#ifndef HEDDLE_HEDDLE_H_
#define HEDDLE_HEDDLE_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Weak: absent, and so a null address, when the program does not run with libheddle.so. */
void heddle_runtime_outcome(const char* text) __attribute__((weak));
void heddle_runtime_fail(const char* text) __attribute__((weak));
void heddle_runtime_note(const char* text) __attribute__((weak));
void heddle_runtime_name(const void* address, size_t size, const char* name) __attribute__((weak));
unsigned heddle_runtime_choose(unsigned n) __attribute__((weak));
void heddle_runtime_yield(void) __attribute__((weak));
void heddle_runtime_atomic_scope(int begin) __attribute__((weak));
void heddle_runtime_check(int begin, void* frame) __attribute__((weak));
/* Of <heddle/lin.hpp>: a moment in the history of an object, and how many choices had been made by then. */
struct heddle_moment {
  unsigned long long order;
  unsigned long long choices;
};
int heddle_runtime_active(void) __attribute__((weak));
/* The length of the client that heddle wants to see, 0: none; copied where `size` is that length. */
size_t heddle_runtime_client(char* text, size_t size) __attribute__((weak));
/* `calls` calls of operation number `operation` are to come, in all threads that will be started. */
void heddle_runtime_operations_planned(unsigned operation, unsigned calls) __attribute__((weak));
/* Threads have met: those calls are done, and what is planned from here on is scheduled anew. */
void heddle_runtime_piece_begins(void) __attribute__((weak));
void heddle_runtime_operation_called(struct heddle_moment* moment, unsigned operation) __attribute__((weak));
void heddle_runtime_operation_returned(struct heddle_moment* moment) __attribute__((weak));
void heddle_runtime_judging(int begin) __attribute__((weak));
void heddle_runtime_history(const char* history, const char* violation) __attribute__((weak));

/* Counts an outcome of this execution; `heddle run --histogram` shows how often each was seen. */
static inline void heddle_outcome(const char* text) {
  if (heddle_runtime_outcome) heddle_runtime_outcome(text);
}

/* This execution has failed, for this reason. */
static inline void heddle_fail(const char* reason) {
  if (heddle_runtime_fail) heddle_runtime_fail(reason);
}

#define HEDDLE_TEXT_(x) #x
#define HEDDLE_TEXT(x) HEDDLE_TEXT_(x)
/* Like assert, but checked only under heddle and not disabled by NDEBUG. */
#define heddle_assert(condition) \
  ((condition) ? (void)0 : heddle_fail(__FILE__ ":" HEDDLE_TEXT(__LINE__) ": heddle_assert(" #condition ")"))

/* Shown in the trace at this point. */
static inline void heddle_note(const char* text) {
  if (heddle_runtime_note) heddle_runtime_note(text);
}

/* Names memory in traces and reports. */
static inline void heddle_name(const void* address, size_t size, const char* name) {
  if (heddle_runtime_name) heddle_runtime_name(address, size, name);
}

/* A number below n that the strategy chooses; 0 without the runtime. */
static inline unsigned heddle_choose(unsigned n) {
  return heddle_runtime_choose ? heddle_runtime_choose(n) : 0;
}

/* A point at which other threads may run. */
static inline void heddle_yield(void) {
  if (heddle_runtime_yield) heddle_runtime_yield();
}

/* Between the two, no other thread runs unless the calling thread blocks: what is inside is not explored. */
static inline void heddle_atomic_begin(void) {
  if (heddle_runtime_atomic_scope) heddle_runtime_atomic_scope(1);
}
static inline void heddle_atomic_end(void) {
  if (heddle_runtime_atomic_scope) heddle_runtime_atomic_scope(0);
}

/* Runs body(argument) as a test of its own: under `heddle run` each execution begins here, and ends when body
   has returned and the threads that it started have ended. Nothing before it is repeated, and as long as body
   changes nothing that was there before, nothing after it is either, which makes executions several times as
   fast. Without the runtime body runs once. */
static inline __attribute__((noinline)) void heddle_check(void (*body)(void*), void* argument) {
  /* What body has on the stack lies below this frame, even if it was inlined. */
  void* frame = __builtin_frame_address(0);
  if (heddle_runtime_check) heddle_runtime_check(1, frame);
  body(argument);
  if (heddle_runtime_check) heddle_runtime_check(0, frame);
}

#ifdef __cplusplus
}

namespace heddle {

/* heddle_check for anything that can be called: heddle::check([] { … }); */
template <typename Body>
__attribute__((noinline)) void check(Body&& body) {
  void* frame = __builtin_frame_address(0);
  if (heddle_runtime_check != nullptr) heddle_runtime_check(1, frame);
  body();
  if (heddle_runtime_check != nullptr) heddle_runtime_check(0, frame);
}

/* What happens while one lives is not explored: no other thread runs unless this one blocks. */
class AtomicScope {
 public:
  AtomicScope() { heddle_atomic_begin(); }
  ~AtomicScope() { heddle_atomic_end(); }
  AtomicScope(const AtomicScope&) = delete;
  AtomicScope& operator=(const AtomicScope&) = delete;
};

}  // namespace heddle
#endif

#endif /* HEDDLE_HEDDLE_H_ */
