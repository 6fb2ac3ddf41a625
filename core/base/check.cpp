#include "core/base/check.h"

#include <cstddef>

#include "core/base/raw_syscall.h"

namespace heddle {
namespace {

void print(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0') ++length;
  raw_syscall(SYS_write, 2, text, length);
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
  raw_syscall(SYS_exit_group, kInternalErrorStatus);
  __builtin_unreachable();
}

}  // namespace heddle
