// A hash of what a run was given, which logs have and the tool compares with what it gives the program
// itself.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>

#include "core/base/random.h"
#include "core/base/raw_syscall.h"
#include "core/record/log_format.h"

namespace heddle::record {

inline std::uint64_t hash_text(std::uint64_t hash, const char* text) {
  for (; *text != '\0'; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3ull;
  return mix(hash, 0x7465);
}

// Of a variable NAME=VALUE: does it name the session or the process, or is it heddle's own?
inline bool is_ignored(const char* variable) {
  constexpr const char* kIgnored[] = {
      "HEDDLE_", "_=", "PWD=", "OLDPWD=", "SHLVL=", "COLUMNS=", "LINES=", "TERM=", "XDG_", "SSH_", "DBUS_",
      "WINDOWID=", "INVOCATION_ID=", "JOURNAL_STREAM=", "HOSTNAME=", "LD_PRELOAD=", "SYSTEMD_",
      // Who runs it, and from where:
      "PATH=", "HOME=", "USER=", "LOGNAME=", "SHELL=", "MAIL=", "LS_COLORS=", "DISPLAY=", "TMUX"};
  for (const char* prefix : kIgnored) {
    const char* at = variable;
    while (*prefix != '\0' && *at == *prefix) ++at, ++prefix;
    if (*prefix == '\0') return true;
  }
  return false;
}

inline std::uint64_t hash_standard_input() {
  struct stat about{};
  if (raw_syscall(SYS_newfstatat, 0, "", &about, AT_EMPTY_PATH) != 0 || !S_ISREG(about.st_mode)) return 0;
  std::uint64_t hash = mix(static_cast<std::uint64_t>(about.st_size), 3);
  unsigned char block[4096];
  constexpr long kMost = 1 << 20;
  for (long at = 0; at < kMost;) {
    const long got = raw_syscall(SYS_pread64, 0, block, sizeof block, at);
    if (got <= 0) break;
    hash = mix(hash, checksum_of(block, static_cast<std::uint64_t>(got)));
    at += got;
  }
  return hash;
}

inline std::uint32_t name_hash(const char* variable) {
  std::uint64_t hash = 4;
  for (; *variable != '\0' && *variable != '='; ++variable)
    hash = (hash ^ static_cast<unsigned char>(*variable)) * 0x100000001b3ull;
  return static_cast<std::uint32_t>(mix(hash, 0x6e61) >> 32);
}

// Arguments (without the program's name), environment (without what is_ignored) and standard input, which
// counts where it is a file, by its size and first megabyte.
inline RunParts run_parts(const char* const* arguments, const char* const* environment) {
  RunParts parts;
  parts.known = 1;
  for (unsigned i = 1; arguments[0] != nullptr && arguments[i] != nullptr; ++i) {
    if (parts.arguments++ < RunParts::kMostArguments)
      parts.argument[i - 1] = static_cast<std::uint32_t>(hash_text(i, arguments[i]) >> 32);
  }
  for (; *environment != nullptr; ++environment) {
    if (is_ignored(*environment)) continue;
    if (parts.variables < RunParts::kMostVariables)
      parts.variable[parts.variables] = {name_hash(*environment),
                                         static_cast<std::uint16_t>(hash_text(5, *environment) >> 48), 0};
    ++parts.variables;
  }
  parts.input = hash_standard_input();
  return parts;
}

// All of it in one number.
inline std::uint64_t run_identity(const char* const* arguments, const char* const* environment) {
  std::uint64_t hash = 1;
  for (unsigned i = 1; arguments[0] != nullptr && arguments[i] != nullptr; ++i)
    hash = hash_text(mix(hash, i), arguments[i]);
  std::uint64_t variables = 0;  // in no order
  for (; *environment != nullptr; ++environment) {
    if (!is_ignored(*environment)) variables += hash_text(2, *environment);
  }
  return mix(mix(hash, variables), hash_standard_input());
}

}  // namespace heddle::record
