#include "tool/run/free_run.h"

#include <fmt/core.h>

#include <algorithm>

namespace heddle::run {

Result<FreeRun> run_free(const Target& target, RunSpec spec, const SingleOptions& how) {
  spec.record_events = 0;
  LaunchOptions launch;
  launch.index = how.index;
  launch.replay = how.replay;
  launch.campaign = how.campaign;
  auto process = Process::launch(target, spec, launch);
  if (!process) return process.error();
  const bool killed = process->wait(spec.timeout_ns * 4);
  FreeRun run;
  run.result = conclude(*process, killed);
  if (!Channel::valid(&process->header(), process->channel_bytes()))
    return Error{"The program has overwritten what it shares with heddle.", ExitCode::kInconclusive};
  const Channel channel = process->channel();
  const std::uint32_t count = std::min(run.result.choices, channel.choice_capacity());
  run.choices.assign(channel.choices(), channel.choices() + count);
  return run;
}

std::string difference_of(const ExecutionResult& a, const ExecutionResult& b) {
  if (a.ending != b.ending || a.status != b.status) return "it ends in another way";
  if (a.choices != b.choices) return fmt::format("it makes {} choices, and not {}", b.choices, a.choices);
  if (a.steps != b.steps) return fmt::format("it performs {} operations, and not {}", b.steps, a.steps);
  if (a.trace_hash != b.trace_hash) return "its operations have other values or another order";
  return {};
}

Result<bool> is_difference_of_recording(const Target& target, const RunSpec& spec, const SingleOptions& how,
                                        const ExecutionResult& free, const ExecutionResult& recorded) {
  // Who differs by chance does so in one of these.
  constexpr int kTimes = 2;
  for (int i = 0; i < kTimes; ++i) {
    auto free_again = run_free(target, spec, how);
    if (!free_again) return free_again.error();
    if (!difference_of(free, free_again->result).empty()) return false;
    auto recorded_again = run_single(target, spec, how);
    if (!recorded_again) return recorded_again.error();
    if (!difference_of(recorded, recorded_again->result).empty()) return false;
  }
  return true;
}

}  // namespace heddle::run
