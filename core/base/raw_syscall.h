// System calls without libc: the runtime lives inside a program whose libc calls are interposed by itself.
// Results are the kernel's: a negative value is -errno.
#pragma once

#include <sys/syscall.h>

namespace heddle {

namespace detail {
template <typename T>
long as_long(T value) {
  if constexpr (requires { reinterpret_cast<long>(value); }) {
    return reinterpret_cast<long>(value);
  } else {
    return static_cast<long>(value);
  }
}

inline long syscall6(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}
}  // namespace detail

template <typename A = long, typename B = long, typename C = long, typename D = long, typename E = long,
          typename F = long>
long raw_syscall(long number, A a = {}, B b = {}, C c = {}, D d = {}, E e = {}, F f = {}) {
  using detail::as_long;
  return detail::syscall6(number, as_long(a), as_long(b), as_long(c), as_long(d), as_long(e), as_long(f));
}

}  // namespace heddle
