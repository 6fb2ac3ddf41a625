#include "tool/run/repetition.h"

#include <fmt/format.h>
#include <sys/syscall.h>

#include <algorithm>

namespace heddle::run {
namespace {

// The calls that programs make most while they run; others are told by number.
std::string system_call_name(int number) {
  switch (number) {
    case SYS_openat:
      return "openat";
    case SYS_read:
      return "read";
    case SYS_write:
      return "write";
    case SYS_close:
      return "close";
    case SYS_mmap:
      return "mmap";
    case SYS_munmap:
      return "munmap";
    case SYS_mprotect:
      return "mprotect";
    case SYS_madvise:
      return "madvise";
    case SYS_brk:
      return "brk";
    case SYS_clone:
    case SYS_clone3:
      return "clone";
    case SYS_vfork:
    case SYS_fork:
      return "fork";
    case SYS_pipe2:
      return "pipe2";
    case SYS_socket:
      return "socket";
    case SYS_eventfd2:
      return "eventfd2";
    case SYS_memfd_create:
      return "memfd_create";
    case SYS_rt_sigaction:
      return "rt_sigaction";
    case SYS_tgkill:
      return "tgkill";
    case SYS_exit_group:
      return "exit_group";
    default:
      return fmt::format("number {}", number);
  }
}

const char* way(RepetitionKind kind) {
  switch (kind) {
    case RepetitionKind::kTrack:
      return "memory put back in process, writes tracked by userfaultfd";
    case RepetitionKind::kCopy:
      return "memory put back in process, all of it";
    default:
      return "a process for each execution";
  }
}

}  // namespace

std::string describe_repetition(const std::vector<RepetitionReport>& workers) {
  if (workers.empty()) return {};
  std::uint64_t executions = 0, processes = 0;
  for (const RepetitionReport& worker : workers) {
    executions += worker.executions;
    processes += worker.processes;
  }
  const RepetitionReport& first = workers.front();
  std::string text =
      fmt::format("{} ({} in {})", way(first.kind),
                  fmt::format("{} {}", executions, executions == 1 ? "execution" : "executions"),
                  fmt::format("{} {}", processes, processes == 1 ? "process" : "processes"));
  const auto caller = std::find_if(workers.begin(), workers.end(),
                                   [](const RepetitionReport& w) { return w.system_call >= 0; });
  if (caller != workers.end()) {
    text += fmt::format("; a new process is needed after system call {}, which cannot be undone",
                        system_call_name(caller->system_call));
  }
  if (first.why[0] != 0) text += "; " + std::string(first.why, ::strnlen(first.why, sizeof first.why));
  return text;
}

}  // namespace heddle::run
