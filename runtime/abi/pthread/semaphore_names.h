// What names and rights of named semaphores mean, as libc has it, whose semaphores are files.
#pragma once

#include <errno.h>
#include <limits.h>
#include <sys/types.h>

#include <cstddef>

namespace heddle::abi {

// Longer names of files there are none; libc puts "sem." before a semaphore's.
inline constexpr std::size_t kLongestSemaphoreName = NAME_MAX - 4;

// Takes leading slashes off, as libc does. 0, or the error where the name is none.
inline int read_semaphore_name(const char*& name) {
  while (*name == '/') ++name;
  std::size_t length = 0;
  for (; name[length] != '\0'; ++length) {
    if (name[length] == '/') return EINVAL;
  }
  if (length == 0) return EINVAL;
  return length > kLongestSemaphoreName ? ENAMETOOLONG : 0;
}

struct SemaphoreRights {
  mode_t mode;
  uid_t owner;
  gid_t group;
};

// As for a file: opening takes the right to read and to write.
inline bool may_open_as(const SemaphoreRights& rights, uid_t user, gid_t group) {
  if (user == 0) return true;
  const mode_t bits = user == rights.owner    ? rights.mode >> 6
                      : group == rights.group ? rights.mode >> 3
                                              : rights.mode;
  return (bits & 6) == 6;
}

}  // namespace heddle::abi
