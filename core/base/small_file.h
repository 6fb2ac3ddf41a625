// Small files of /proc, without libc.
#pragma once

#include <fcntl.h>

#include <cstddef>

#include "core/base/raw_syscall.h"

namespace heddle {

// Reads the part of the file that fits, and ends it with a zero; answers its length, 0 where it cannot be
// read.
inline long read_small_file(const char* path, char* buffer, std::size_t size) {
  const long file = raw_syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  const long got = file < 0 ? 0 : raw_syscall(SYS_read, file, buffer, size - 1);
  if (file >= 0) raw_syscall(SYS_close, file);
  buffer[got > 0 ? got : 0] = '\0';
  return got > 0 ? got : 0;
}

}  // namespace heddle
