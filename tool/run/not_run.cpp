#include "tool/run/not_run.h"

#include <fmt/core.h>
#include <sys/wait.h>

#include <cstring>
#include <string>

#include "tool/run/limits.h"

namespace heddle::run {

std::optional<Error> limit_error(const Process& process, const ExecutionResult& result) {
  if (result.ending != Ending::kUnsupported || (result.flags & result_flags::kLimit) == 0)
    return std::nullopt;
  // Of the zygote, which could start no process for it.
  if (result.status != 0)
    return Error{"Cannot start a process for an execution: " + why_refused("clone", result.status)};
  const ChannelHeader& h = process.header();
  if (result.message == 0 || result.message >= h.text.bytes) return std::nullopt;
  const char* text = process.channel().text() + result.message;
  return Error{std::string(text, strnlen(text, h.text.bytes - result.message))};
}

std::optional<Error> start_error(const Process& process) {
  if (process.header().state.load() != WorkerState::kStarting) return std::nullopt;
  const int status = process.wait_status();
  const std::string how = WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                                              : fmt::format("with exit status {}", WEXITSTATUS(status));
  bool cut = false;
  const std::string output = process.output(cut);
  return Error{fmt::format("The program ended {} before heddle's runtime could start. Does it load "
                           "libheddle.so? {}{}",
                           how, output.empty() ? "It wrote nothing." : "Its output was:\n", output),
               ExitCode::kInconclusive};
}

}  // namespace heddle::run
