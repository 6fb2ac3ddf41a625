// /dev/urandom and /dev/random as the program opens them: a file of bytes that follow from the seed and the
// execution.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/abi/engine_access.h"
#include "runtime/session/syscall_gate.h"

namespace heddle::abi {
namespace {

// More than any program draws to seed itself; who reads on comes to the end of the file.
constexpr std::size_t kBytes = 64 * 1024;

bool is_random_device(const char* path) {
  for (const char* name : {"/dev/urandom", "/dev/random"}) {
    const std::size_t length = strlen(name) + 1;
    if (memcmp(path, name, length) == 0) return true;
  }
  return false;
}

int open_random_bytes(engine::Execution& e) {
  const long arguments[6] = {};
  session::program_makes_syscall(SYS_memfd_create, arguments);
  const long file = raw_syscall(SYS_memfd_create, "random", 0);
  if (file < 0) {
    errno = static_cast<int>(-file);
    return -1;
  }
  std::uint64_t words[512];
  for (std::size_t done = 0; done < kBytes; done += sizeof words) {
    for (std::uint64_t& word : words) word = e.outside().next();
    raw_syscall(SYS_write, file, words, sizeof words);
  }
  raw_syscall(SYS_lseek, file, 0, SEEK_SET);
  return static_cast<int>(file);
}

bool needs_mode(int flags) { return (flags & (O_CREAT | O_TMPFILE)) != 0; }

}  // namespace
}  // namespace heddle::abi

using heddle::abi::engine;
using heddle::abi::is_random_device;

#define HEDDLE_OPEN(name)                                                                  \
  HEDDLE_EXPORT int name(const char* path, int flags, ...) {                               \
    mode_t mode = 0;                                                                       \
    if (heddle::abi::needs_mode(flags)) {                                                  \
      va_list list;                                                                        \
      va_start(list, flags);                                                               \
      mode = va_arg(list, mode_t);                                                         \
      va_end(list);                                                                        \
    }                                                                                      \
    auto* e = engine();                                                                    \
    if (e != nullptr && is_random_device(path)) return heddle::abi::open_random_bytes(*e); \
    return HEDDLE_REAL(name)(path, flags, mode);                                           \
  }

#define HEDDLE_FOPEN(name)                                       \
  HEDDLE_EXPORT FILE* name(const char* path, const char* mode) { \
    auto* e = engine();                                          \
    if (e != nullptr && is_random_device(path)) {                \
      const int file = heddle::abi::open_random_bytes(*e);       \
      return file < 0 ? nullptr : fdopen(file, "r");             \
    }                                                            \
    return HEDDLE_REAL(name)(path, mode);                        \
  }

HEDDLE_OPEN(open)
HEDDLE_OPEN(open64)
HEDDLE_FOPEN(fopen)
HEDDLE_FOPEN(fopen64)

HEDDLE_EXPORT int openat(int directory, const char* path, int flags, ...) {
  mode_t mode = 0;
  if (heddle::abi::needs_mode(flags)) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, mode_t);
    va_end(list);
  }
  auto* e = engine();
  if (e != nullptr && is_random_device(path)) return heddle::abi::open_random_bytes(*e);
  return HEDDLE_REAL(openat)(directory, path, flags, mode);
}
