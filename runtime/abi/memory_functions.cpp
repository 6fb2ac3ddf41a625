// __tsan_mem*: clang 16 and later call these where g++ and older clangs call libc.
#include "runtime/abi/engine_access.h"

HEDDLE_EXPORT void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  using Real = void*(void*, const void*, std::size_t);
  static Real* real = heddle::abi::next_function<Real>("memcpy");
  return real(to, from, bytes);
}

HEDDLE_EXPORT void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  using Real = void*(void*, const void*, std::size_t);
  static Real* real = heddle::abi::next_function<Real>("memmove");
  return real(to, from, bytes);
}

HEDDLE_EXPORT void* __tsan_memset(void* to, int byte, std::size_t bytes) {
  using Real = void*(void*, int, std::size_t);
  static Real* real = heddle::abi::next_function<Real>("memset");
  return real(to, byte, bytes);
}
