// flags: -D_GNU_SOURCE -lm
// case: rounding_is_inherited
// case: flags_are_inherited
// case: rounding_of_each_thread
// case: flags_of_each_thread
// case: traps_of_one_thread
// case: handler_starts_afresh
// case: x87_over_a_system_call
// case: avx_over_a_system_call
// case: avx512_over_a_system_call
// The floating-point environment has thread storage duration, and a new thread begins with its creator's
// (C11 7.6p2). Registers that a call need not preserve survive what is no call: a system call of code that
// nobody has compiled for heddle, in which other threads run.
#include <fenv.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "cases.h"

static atomic_int turns;

static void let_others_run(void) {
  for (int i = 0; i < 4; ++i) atomic_fetch_add(&turns, 1);
}

// By SSE and by x87, as arithmetic sees it and not only the library.
static int rounds_up(void) {
  volatile double one = 1, tiny = 1e-30;
  volatile long double long_one = 1, long_tiny = 1e-30L;
  const int sse = one + tiny > 1, x87 = long_one + long_tiny > 1;
  assert(sse == x87);
  assert((fegetround() == FE_UPWARD) == sse);
  return sse;
}

static void* expect_upward(void* unused) {
  let_others_run();
  assert(rounds_up());
  fesetround(FE_DOWNWARD);
  let_others_run();
  return unused;
}

static void rounding_is_inherited(void) {
  fesetround(FE_UPWARD);
  pthread_t other = start(expect_upward, NULL);
  fesetround(FE_TONEAREST);
  let_others_run();
  assert(!rounds_up());
  join(other);
  assert(fegetround() == FE_TONEAREST);
}

static void* expect_overflow(void* unused) {
  assert(fetestexcept(FE_ALL_EXCEPT) == FE_OVERFLOW);
  return unused;
}

// The flag lies in the x87 status word: that of MXCSR is copied in any case where one fiber differs from the
// next.
static void flags_are_inherited(void) {
  feclearexcept(FE_ALL_EXCEPT);
  fexcept_t overflow = FE_OVERFLOW;
  fesetexceptflag(&overflow, FE_OVERFLOW);
  pthread_t other = start(expect_overflow, NULL);
  feclearexcept(FE_ALL_EXCEPT);
  join(other);
  assert(fetestexcept(FE_ALL_EXCEPT) == 0);
}

static void* round_upward(void* unused) {
  fesetround(FE_UPWARD);
  let_others_run();
  assert(rounds_up());
  return unused;
}

static void* round_to_nearest(void* unused) {
  let_others_run();
  assert(!rounds_up());
  return unused;
}

static void rounding_of_each_thread(void) {
  pthread_t a = start(round_upward, NULL), b = start(round_to_nearest, NULL);
  let_others_run();
  assert(!rounds_up());
  join(a);
  join(b);
}

static void* raise_by_x87(void* unused) {
  volatile long double zero = 0, infinite = 1 / zero;
  let_others_run();
  assert(fetestexcept(FE_ALL_EXCEPT) == FE_DIVBYZERO);
  (void)infinite;
  return unused;
}

static void* raise_by_sse(void* unused) {
  volatile double zero = 0, nothing = zero / zero;
  let_others_run();
  assert(fetestexcept(FE_ALL_EXCEPT) == FE_INVALID);
  (void)nothing;
  return unused;
}

static void flags_of_each_thread(void) {
  feclearexcept(FE_ALL_EXCEPT);
  pthread_t a = start(raise_by_x87, NULL), b = start(raise_by_sse, NULL);
  let_others_run();
  assert(fetestexcept(FE_ALL_EXCEPT) == 0);
  join(a);
  join(b);
  assert(fetestexcept(FE_ALL_EXCEPT) == 0);
}

// Its exceptions trap; those that the other thread has raised are no business of its.
static void* trap_division(void* unused) {
  feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_DIVBYZERO);
  let_others_run();
  volatile long double one = 1, sum = one + one;
  assert(sum == 2);
  let_others_run();
  assert(fegetexcept() == FE_DIVBYZERO);
  return unused;
}

static void traps_of_one_thread(void) {
  pthread_t a = start(raise_by_x87, NULL), b = start(trap_division, NULL);
  join(a);
  join(b);
  assert(fegetexcept() == 0);
}

static atomic_int handled;

static void on_signal(int signal) {
  (void)signal;
  assert(fegetround() == FE_TONEAREST);
  fesetround(FE_TOWARDZERO);
  let_others_run();
  atomic_store(&handled, 1);
}

static void handler_starts_afresh(void) {
  signal(SIGUSR1, on_signal);
  pthread_t other = start(round_to_nearest, NULL);
  fesetround(FE_UPWARD);
  raise(SIGUSR1);
  assert(atomic_load(&handled));
  assert(rounds_up());
  join(other);
}

// Each thread gives the processor up with a value of its own in the register.
static void* x87_value(void* number) {
  const double mine = (double)(long)number;
  for (int i = 0; i < 8; ++i) {
    double first = 0, second = 0;
    long result = SYS_sched_yield;
    __asm__ volatile("fldl %3\n\tfldpi\n\tsyscall\n\tfstpl %0\n\tfstpl %1"
                     : "=m"(first), "=m"(second), "+a"(result)
                     : "m"(mine)
                     : "rcx", "r11", "memory", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",
                       "st(7)");
    assert(result == 0 && first == M_PI && second == mine);
  }
  return NULL;
}

__attribute__((target("avx"))) static void* avx_value(void* number) {
  const long mine[4] = {(long)number, (long)number + 1, (long)number + 2, (long)number + 3};
  for (int i = 0; i < 8; ++i) {
    long low[4], high[4];
    long result = SYS_sched_yield;
    __asm__ volatile(
        "vmovdqu %3, %%ymm0\n\tvmovdqu %3, %%ymm15\n\tsyscall\n\tvmovdqu %%ymm0, %0\n\tvmovdqu %%ymm15, %1"
        : "=m"(low), "=m"(high), "+a"(result)
        : "m"(mine)
        : "rcx", "r11", "memory", "xmm0", "xmm15");
    assert(result == 0 && memcmp(low, mine, sizeof mine) == 0 && memcmp(high, mine, sizeof mine) == 0);
  }
  return NULL;
}

__attribute__((target("avx512f"))) static void* avx512_value(void* number) {
  long mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = (long)number + i;
  const long mask = 0x5a00 + (long)number;
  for (int i = 0; i < 8; ++i) {
    long low[8], high[8], kept = 0;
    long result = SYS_sched_yield;
    __asm__ volatile(
        "vmovdqu64 %4, %%zmm0\n\tvmovdqu64 %4, %%zmm31\n\tkmovw %k5, %%k1\n\tsyscall\n\t"
        "vmovdqu64 %%zmm0, %0\n\tvmovdqu64 %%zmm31, %1\n\tkmovw %%k1, %k2"
        : "=m"(low), "=m"(high), "=&r"(kept), "+a"(result)
        : "m"(mine), "r"(mask)
        : "rcx", "r11", "memory", "xmm0", "xmm31", "k1");
    assert(result == 0 && kept == mask);
    assert(memcmp(low, mine, sizeof mine) == 0 && memcmp(high, mine, sizeof mine) == 0);
  }
  return NULL;
}

static void in_two_threads(void* (*keep)(void*)) {
  pthread_t a = start(keep, (void*)1000), b = start(keep, (void*)2000);
  keep((void*)3000);
  join(a);
  join(b);
}

static void x87_over_a_system_call(void) { in_two_threads(x87_value); }

static void avx_over_a_system_call(void) {
  if (__builtin_cpu_supports("avx"))
    in_two_threads(avx_value);
  else
    puts("this processor has no AVX: not tested");
}

static void avx512_over_a_system_call(void) {
  if (__builtin_cpu_supports("avx512f"))
    in_two_threads(avx512_value);
  else
    puts("this processor has no AVX-512: not tested");
}

#define CASE(name) {#name, name}
RUN_CASES(CASE(rounding_is_inherited), CASE(flags_are_inherited), CASE(rounding_of_each_thread),
          CASE(flags_of_each_thread), CASE(traps_of_one_thread), CASE(handler_starts_afresh),
          CASE(x87_over_a_system_call), CASE(avx_over_a_system_call), CASE(avx512_over_a_system_call))
