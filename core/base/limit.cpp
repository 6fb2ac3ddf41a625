#include "core/base/limit.h"

#include <cstddef>
#include <initializer_list>

#include "core/base/check.h"
#include "core/base/raw_syscall.h"

namespace heddle {

void limit_reached(const char* name, const char* advice) noexcept {
  if (limit_hook != nullptr) limit_hook(name, advice);
  for (const char* text : {"heddle: limit reached: ", name, ". ", advice, "\n"}) {
    std::size_t length = 0;
    while (text[length] != '\0') ++length;
    raw_syscall(SYS_write, 2, text, length);
  }
  raw_syscall(SYS_exit_group, kInternalErrorStatus);
  __builtin_unreachable();
}

}  // namespace heddle
