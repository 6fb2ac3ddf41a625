#include "tool/program/environment.h"

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

constexpr std::string_view kLoads = "which code is loaded";
constexpr std::string_view kFinds = "where files are looked for";
constexpr std::string_view kWrites = "which files are written";
constexpr std::string_view kShell = "what shells run";
constexpr std::string_view kInterprets = "what an interpreter runs";
constexpr std::string_view kLibc = "how libc works";
constexpr std::string_view kPlaces = "where files are read and written";
constexpr std::string_view kResolves = "where hosts are looked up";
constexpr std::string_view kOurs = "what heddle does";

struct Rule {
  std::string_view pattern;  // one * at the beginning, the end, or both
  std::string_view reason;
};

// clang-format off
constexpr Rule kSteering[] = {
    // The dynamic linker, and others that load code.
    {"LD_*", kLoads}, {"*_PRELOAD", kLoads}, {"*_PRELOAD_*", kLoads}, {"*PLUGIN*", kLoads}, {"*_MODULES", kLoads},
    {"OPENSSL_*", kLoads}, {"KMP_*", kLoads}, {"OMP_TOOL*", kLoads}, {"VK_*", kLoads}, {"LIBGL_*", kLoads},
    // Lists of folders: PATH, GCONV_PATH, LOCPATH, NLSPATH, PYTHONPATH …
    {"*PATH", kFinds}, {"*PATHS", kFinds}, {"*PATH_*", kFinds}, {"*_DIRS", kFinds}, {"TZDIR", kFinds},
    // Options of runtimes and sanitizers name logs, reports and tools to start; test frameworks, profilers and
    // tracers have variables of their own for the same.
    {"*_OPTIONS", kWrites}, {"*_OPTS", kWrites}, {"*_OUTPUT", kWrites}, {"*_OUTPUT_*", kWrites},
    {"*_LOG", kWrites}, {"*LOGFILE", kWrites}, {"*_LOG_FILE", kWrites}, {"*_LOG_DIR", kWrites}, {"*_OUT", kWrites},
    {"*_OUTFILE", kWrites}, {"*_REPORT", kWrites}, {"*_REPORT_FILE", kWrites}, {"*_PROFILE_FILE", kWrites},
    {"CPUPROFILE*", kWrites}, {"HEAPPROFILE*", kWrites}, {"LLVM_PROFILE_*", kWrites}, {"*_TRACE_FILE", kWrites},
    {"*_DUMP_FILE", kWrites}, {"*_DUMP_DIR", kWrites}, {"*_STATUS_FILE", kWrites}, {"*_EXIT_FILE", kWrites},
    {"TEST_*_FILE", kWrites}, {"TEST_*_DIR", kWrites}, {"GCOV_*", kWrites}, {"HISTFILE", kWrites}, {"*_PID_FILE", kWrites},
    {"*PIDFILE", kWrites}, {"*_CACHE_DIR", kWrites},
    {"GMON_OUT_PREFIX", kWrites}, {"SEGFAULT_*", kWrites}, {"STRACE_*", kWrites},
    // libc and its allocator.
    {"MALLOC_*", kLibc}, {"GLIBC_TUNABLES", kLibc}, {"RES_OPTIONS", kResolves}, {"LOCALDOMAIN", kResolves},
    {"HOSTALIASES", kResolves}, {"*_PROXY", kResolves}, {"*_proxy", kResolves}, {"GETCONF_DIR", kFinds},
    // Programs that the program starts.
    {"BASH*", kShell}, {"ENV", kShell}, {"SHELL*", kShell}, {"IFS", kShell}, {"PS1", kShell}, {"PS2", kShell},
    {"PS4", kShell}, {"PROMPT_COMMAND", kShell}, {"CDPATH", kShell}, {"GLOBIGNORE", kShell}, {"ZDOTDIR", kShell},
    {"EDITOR", kShell}, {"VISUAL", kShell}, {"PAGER", kShell}, {"BROWSER", kShell}, {"LESS*", kShell}, {"MANPAGER", kShell},
    {"*_COMMAND", kShell}, {"*_CMD", kShell}, {"*_WRAPPER", kShell}, {"*_ASKPASS", kShell}, {"*_EDITOR", kShell},
    {"*_PAGER", kShell}, {"*_SHELL", kShell}, {"MAKEFLAGS", kShell}, {"MAKEFILES", kShell}, {"CC", kShell}, {"CXX", kShell},
    {"PYTHON*", kInterprets}, {"PERL*", kInterprets}, {"RUBY*", kInterprets}, {"NODE_*", kInterprets}, {"JAVA_*", kInterprets},
    {"_JAVA_*", kInterprets}, {"JDK_JAVA_*", kInterprets}, {"LUA_*", kInterprets}, {"TCL*", kInterprets}, {"R_HOME", kInterprets},
    {"GIT_*", kInterprets}, {"SSH_*", kInterprets}, {"GUILE_*", kInterprets}, {"PHP*", kInterprets}, {"GDB*", kInterprets},
    {"DEBUGINFOD_*", kResolves},
    // Folders that programs write into, or read what to do from.
    {"HOME", kPlaces}, {"TMPDIR", kPlaces}, {"TMP", kPlaces}, {"TEMP", kPlaces}, {"TEMPDIR", kPlaces}, {"*_TMPDIR", kPlaces},
    {"XDG_*", kPlaces}, {"*_HOME", kPlaces}, {"PWD", kPlaces}, {"OLDPWD", kPlaces},
    {"HEDDLE_*", kOurs},
};

constexpr std::string_view kReadByLibc[] = {
    "LD_*", "LANG", "LANGUAGE", "LC_*", "TZ", "TZDIR", "MALLOC_*", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH",
    "NLSPATH", "RES_OPTIONS", "LOCALDOMAIN", "HOSTALIASES", "POSIXLY_CORRECT", "OMP_*",
};
// clang-format on

bool matches(std::string_view pattern, std::string_view name) {
  const bool open_front = pattern.starts_with('*');
  const bool open_back = pattern.size() > 1 && pattern.ends_with('*');
  if (open_front) pattern.remove_prefix(1);
  if (open_back) pattern.remove_suffix(1);
  if (const std::size_t star = pattern.find('*'); star != std::string_view::npos) {
    const std::string_view front = pattern.substr(0, star), back = pattern.substr(star + 1);
    return name.size() >= front.size() + back.size() && name.starts_with(front) && name.ends_with(back);
  }
  if (open_front && open_back) return name.find(pattern) != std::string_view::npos;
  if (open_front) return name.ends_with(pattern);
  if (open_back) return name.starts_with(pattern);
  return name == pattern;
}

}  // namespace

std::string_view steering_reason(std::string_view name) {
  const auto* rule = std::find_if(std::begin(kSteering), std::end(kSteering),
                                  [&](const Rule& r) { return matches(r.pattern, name); });
  return rule != std::end(kSteering) ? rule->reason : std::string_view();
}

bool is_read_by_libc(std::string_view name) {
  return std::any_of(std::begin(kReadByLibc), std::end(kReadByLibc),
                     [&](std::string_view pattern) { return matches(pattern, name); });
}

}  // namespace heddle
