#include "core/base/check.h"

#include <sys/syscall.h>

#include <cstddef>

namespace heddle {
namespace {

// The runtime must not enter libc's interposed functions while it is failing.
long raw_syscall3(long number, long a, long b, long c) {
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

void print(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0') ++length;
  raw_syscall3(SYS_write, 2, reinterpret_cast<long>(text), static_cast<long>(length));
}

}  // namespace

void check_failed(const char* file, int line, const char* condition) noexcept {
  char digits[12];
  int at = 11;
  digits[at] = '\0';
  do {
    digits[--at] = static_cast<char>('0' + line % 10);
    line /= 10;
  } while (line > 0 && at > 0);
  print("heddle: internal error: ");
  print(file);
  print(":");
  print(digits + at);
  print(": check failed: ");
  print(condition);
  print("\n");
  raw_syscall3(SYS_exit_group, kInternalErrorStatus, 0, 0);
  __builtin_unreachable();
}

}  // namespace heddle
