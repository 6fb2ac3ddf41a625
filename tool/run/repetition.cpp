#include "tool/run/repetition.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/run/system_call_name.h"

namespace heddle::run {
namespace {

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
      fmt::format("{} (workers, which run ahead, have run {} in {})", way(first.kind),
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
