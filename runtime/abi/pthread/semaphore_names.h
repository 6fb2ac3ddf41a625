// What names and rights of named semaphores mean, as libc has it, whose semaphores are files.
#pragma once

#include <limits.h>
#include <sys/types.h>

#include <cstddef>

namespace heddle::abi {

// Without leading slashes, as libc does it; nullptr where the name is not one.
inline const char* bare_semaphore_name(const char* name) {
  while (*name == '/') ++name;
  std::size_t length = 0;
  for (; name[length] != '\0'; ++length) {
    if (name[length] == '/') return nullptr;
  }
  if (length == 0 || length + sizeof "sem." > NAME_MAX) return nullptr;
  return name;
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
