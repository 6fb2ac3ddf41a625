// Which files of /proc are answered here, since the kernel does not know the program's threads.
#pragma once

#include "runtime/abi/libc/process_ids.h"

namespace heddle::abi {

struct OwnProcFile {
  enum class Kind { kNone, kName, kStatus };
  Kind kind = Kind::kNone;
  bool is_caller = false;  // of the thread that asks
  long tid = kProgramPid;  // else of this one
};

// Each goes past what it takes of the text; false: that is something else, and nothing is taken.
inline bool take_text(const char*& text, const char* prefix) {
  const char* at = text;
  for (; *prefix != '\0'; ++at, ++prefix) {
    if (*at != *prefix) return false;
  }
  text = at;
  return true;
}

inline bool take_number(const char*& text, long& number) {
  const char* at = text;
  constexpr long kMost = 1L << 31;  // and more: nobody's
  for (number = 0; *at >= '0' && *at <= '9'; ++at) {
    if (number < kMost) number = number * 10 + (*at - '0');
  }
  if (at == text) return false;
  text = at;
  return true;
}

// Goes past /proc/self, or the same by its number.
inline bool take_own_process(const char*& path) {
  if (take_text(path, "/proc/self")) return true;
  const char* at = path;
  long pid = 0;
  if (!take_text(at, "/proc/") || !take_number(at, pid) || pid != kProgramPid) return false;
  path = at;
  return true;
}

inline bool is_end(const char* path) { return path[0] == '\0' || (path[0] == '/' && path[1] == '\0'); }

inline OwnProcFile own_proc_file(const char* path) {
  using Kind = OwnProcFile::Kind;
  OwnProcFile file;
  if (take_text(path, "/proc/thread-self")) {
    file.is_caller = true;
    if (take_text(path, "/comm") && is_end(path)) file.kind = Kind::kName;
    return file;
  }
  if (!take_own_process(path)) return file;
  if (take_text(path, "/task/") && !take_number(path, file.tid)) return file;
  const Kind kind = take_text(path, "/comm")     ? Kind::kName
                    : take_text(path, "/status") ? Kind::kStatus
                                                 : Kind::kNone;
  if (*path == '\0') file.kind = kind;
  return file;
}

}  // namespace heddle::abi
