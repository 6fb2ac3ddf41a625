#include "tool/run/target.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/check.h"
#include "core/trace/event_kinds.h"
#include "tool/base/crc32c.h"
#include "tool/program/environment.h"
#include "tool/program/program_image.h"
#include "tool/run/memory_kills.h"
#include "tool/run/needed_calls.h"
#include "tool/run/not_run.h"
#include "tool/symbols/symboliser.h"
#include "tool/trace/test_failure.h"

namespace heddle::run {
namespace {

// What names a binary that was linked without a build id: the size and a checksum of the file.
std::string contents_id(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint32_t sum = 0;
  std::uint64_t bytes = 0;
  std::vector<char> block(1 << 20);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto got = static_cast<std::size_t>(file.gcount());
    sum = crc32c({block.data(), got}, sum);
    bytes += got;
  } while (file);
  return bytes == 0 ? std::string() : fmt::format("contents-{:x}-{:08x}", bytes, sum);
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string directory = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    const std::string candidate = directory + "/" + name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return name;
}

std::optional<std::string> Target::variable(const std::string& name) const {
  if (const auto set = set_variables.find(name); set != set_variables.end()) return set->second;
  if (unset_variables.contains(name)) return std::nullopt;
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

ProgramIdentity Target::identity(const std::vector<std::string>& asked) const {
  ProgramIdentity id;
  id.path = path;
  id.build_id = build_id;
  id.argv = argv;
  std::error_code ignored;
  id.cwd = cwd.empty() ? std::filesystem::current_path(ignored).string() : cwd;
  std::set<std::string> names(asked.begin(), asked.end());
  names.insert(kept_variables.begin(), kept_variables.end());
  names.erase(kChannelVariable);
  for (const std::string& name : names) {
    if (!variable(name)) id.unset.push_back(name);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string name(*entry, std::strcspn(*entry, "="));
    if (is_read_by_libc(name)) names.insert(std::move(name));
  }
  for (const auto& [name, value] : set_variables) {
    if (is_read_by_libc(name)) names.insert(name);
  }
  for (const std::string& name : names) {
    if (auto value = variable(name)) id.environment.emplace_back(name, std::move(*value));
  }
  return id;
}

Result<Target> resolve_target(const std::vector<std::string>& argv, const std::string& library,
                              std::vector<std::string>& notes) {
  if (argv.empty()) return Error{"No program given. Usage: heddle run [options] -- PROGRAM [ARGS…]"};
  if (auto calls = check_needed_calls(CallNeed::kPrograms); !calls) return calls.error();
  watch_memory_kills();
  Target target;
  target.argv = argv;
  auto image = inspect_program(find_program(argv[0]));
  if (!image) return image.error();
  if (auto reason = refuse_reason(*image)) return *reason;
  for (std::string& text : warnings(*image)) notes.push_back(std::move(text));
  std::error_code ignored;
  target.path = std::filesystem::absolute(image->path, ignored).lexically_normal().string();
  target.build_id = image->build_id.empty() ? contents_id(image->path) : image->build_id;
  target.library = library;
  auto preload = preload_list(*image, library);
  if (!preload) return preload.error();
  target.preload = *preload;
  target.preload_folders = preload_folders(*preload, library);
  return target;
}

ExecutionResult conclude(const Process& process, bool killed_for_time) {
  ExecutionResult result = process.header().current;
  result.choices = process.header().choice_count.load();
  result.events = process.header().event_count.load();
  const int status = process.wait_status();
  if (result.ending != Ending::kRunning) return result;
  if (killed_for_time) {
    result.ending = Ending::kTimedOut;
  } else if (WIFEXITED(status)) {
    result.status = WEXITSTATUS(status);
    result.ending = result.status == kInternalErrorStatus ? Ending::kInternalError : Ending::kExited;
  } else {
    result.ending = Ending::kSignalled;
    result.status = WTERMSIG(status);
  }
  return result;
}

std::optional<TraceFinding> finding_of_ending(const ExecutionResult& result,
                                              const std::vector<int>& allowed_exits) {
  TraceFinding finding;
  if (result.ending == Ending::kExited && result.status != 0) {
    for (const int allowed : allowed_exits) {
      if (allowed == result.status) return std::nullopt;
    }
    finding.kind = FindingKind::kNonZeroExit;
    finding.exit_status = result.status;
    finding.message = "the program ended with exit status " + std::to_string(result.status);
    finding.signature = 0x65786974ull << 32 | static_cast<std::uint32_t>(result.status);
    return finding;
  }
  if (result.ending == Ending::kSignalled) {
    // Somebody outside has killed it, which says nothing about the program.
    if (result.status == SIGKILL && !memory_ran_out()) return std::nullopt;
    finding.kind = result.status == SIGKILL ? FindingKind::kOutOfMemory : FindingKind::kSignal;
    finding.signal = static_cast<std::uint8_t>(result.status);
    const char* name = sigabbrev_np(result.status);
    finding.message = result.status == SIGKILL
                          ? "the kernel killed the program because memory ran out"
                          : "the program was ended by SIG" + std::string(name != nullptr ? name : "?");
    finding.signature = 0x7369676eull << 32 | static_cast<std::uint32_t>(result.status);
    return finding;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> signatures_of(const ExecutionResult& result,
                                         const std::vector<int>& allowed_exits) {
  std::vector<std::uint64_t> signatures;
  if (result.signature != 0) signatures.push_back(result.signature);
  for (const std::uint64_t other : result.more_signatures) {
    if (other != 0) signatures.push_back(other);
  }
  if (signatures.empty()) {
    if (const auto finding = finding_of_ending(result, allowed_exits))
      signatures.push_back(finding->signature);
  }
  return signatures;
}

Result<Trace> trace_of(const Target& target, const Process& process, RunSpec spec,
                       const ExecutionResult& result, std::size_t kept_events) {
  CaptureContext context;
  context.program = target.identity(asked_variables(process.header()));
  context.max_events = kept_events;
  context.input = read_memory_file(target.input);
  context.output = process.output(context.output_cut);
  context.result = result;
  spec.replay = ReplayKind::kNone;
  context.spec = spec;
  return capture(process.channel(), process.channel_bytes(), std::move(context));
}

namespace {

constexpr std::uint32_t kSeveral = ~0u;

// By granule, the thread that writes there atomically; kSeveral: several do.
std::map<std::uint64_t, std::uint32_t> atomic_writers(const Channel& channel) {
  std::map<std::uint64_t, std::uint32_t> writers;
  const std::uint32_t count =
      std::min<std::uint32_t>(channel.header()->event_count.load(), channel.event_capacity());
  for (std::uint32_t i = 0; i < count; ++i) {
    const Event event = channel.events()[i];
    // The program may have overwritten it.
    if (event.kind >= EventKind::kCount || !stores_atomically(event.kind)) continue;
    const auto [at, is_new] = writers.try_emplace(Granule::key_of(event.address), index_of(event.thread));
    if (!is_new && at->second != index_of(event.thread)) at->second = kSeveral;
  }
  return writers;
}

// Runs the execution once to learn which words of memory several threads touch.
Result<std::vector<Granule>> shared_granules(const Target& target, RunSpec spec, LaunchOptions launch) {
  spec.plain_events = PlainEvents::kFindShared;
  launch.inherit_output = false;
  launch.pause_at_event = ~0u;
  auto process = Process::launch(target, spec, launch);
  if (!process) return process.error();
  process->wait(spec.timeout_ns * 4);
  if (!Channel::valid(&process->header(), process->channel_bytes()))
    return Error{"The program has overwritten what it shares with heddle.", ExitCode::kInconclusive};
  const auto writers = atomic_writers(process->channel());
  std::vector<Granule> shared;
  for (Granule g : process->channel().granule_table()) {
    if (g.key == 0) continue;
    // Some read plainly what others write atomically (`items[head]` in C, as g++ 12 compiles it).
    const auto writer = g.is_written == 0 ? writers.find(g.key) : writers.end();
    const bool is_written_atomically =
        writer != writers.end() && (g.is_shared != 0 || writer->second != g.thread);
    if (is_written_atomically) g.is_shared = g.is_written = 1;
    if (g.is_shared != 0 && g.is_written != 0) shared.push_back(g);
  }
  return shared;
}

}  // namespace

namespace {

// A test program that ends with a status says in its output what failed. The signature stays that of the status:
// campaigns know no more of an execution.
void name_test_failure(TraceFinding& finding, std::string_view output) {
  if (finding.kind != FindingKind::kNonZeroExit) return;
  const auto failure = first_test_failure(output);
  if (!failure) return;
  finding.kind = FindingKind::kTestFailure;
  finding.message = failure->text;
}

Result<SingleRun> run_once(const Target& target, RunSpec spec, const SingleOptions& options,
                           bool& was_killed) {
  spec.record_events = 1;
  LaunchOptions launch;
  launch.index = options.index;
  launch.replay = options.replay;
  launch.campaign = options.campaign;
  launch.end_after_event = options.end_after_event;
  launch.pause_at_event = options.pause_at_event;
  launch.orders = options.orders;
  std::vector<Granule> granules;
  if (spec.plain_events == PlainEvents::kShared) {
    if (options.finds_shared) {
      auto found = shared_granules(target, spec, launch);
      if (!found) return found.error();
      granules = std::move(*found);
    }
    granules.insert(granules.end(), options.also_shared.begin(), options.also_shared.end());
    launch.granules = granules;
  }
  auto process = Process::launch(target, spec, launch);
  if (!process) return process.error();
  const pid_t pid = process->pid();
  const bool paused = options.pause_at_event != ~0u && process->wait_for_pause(spec.timeout_ns * 4);
  off_t shown = 0;
  const auto show_output = [&] {
    if (options.shows_output) shown = process->copy_output(STDOUT_FILENO, shown);
  };
  if (paused) show_output();
  if (paused && options.on_pause) options.on_pause(pid);
  // Events make an execution slower: its time is longer, too. Who looks at it with a debugger has all day.
  const auto began = std::chrono::steady_clock::now();
  const bool killed = process->wait(paused ? 0 : spec.timeout_ns * 4);
  const auto took = std::chrono::steady_clock::now() - began;
  was_killed = process->was_killed_from_outside();
  show_output();
  SingleRun run;
  run.result = conclude(*process, killed);
  run.result.duration_us =
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  if (auto error = limit_error(*process, run.result)) return *error;
  if (auto error = killed || was_killed ? std::nullopt : start_error(*process)) return *error;
  auto trace = trace_of(target, *process, spec, run.result, options.kept_events);
  if (!trace) return trace.error();
  run.trace = std::move(*trace);
  run.shared = std::move(granules);
  if (spec.symbolic != 0) {
    auto tables = capture_symbolic(process->channel(), process->channel_bytes());
    if (!tables) return tables.error();
    run.symbolic = std::move(*tables);
  }
  if (const OrderTable* orders = process->channel().orders(); !options.orders.empty()) {
    const auto given = reinterpret_cast<const OrderTable*>(options.orders.data())->vectors;
    for (std::uint32_t i = 0; i < given; ++i) run.orders.push_back(orders->vector()[i]);
  }
  run.trace.pid = static_cast<std::uint32_t>(pid);
  if (run.trace.findings.empty() || run.result.signature == 0) {
    if (auto finding = finding_of_ending(run.result, options.allowed_exits)) {
      run.result.signature = finding->signature;
      name_test_failure(*finding, run.trace.output);
      run.trace.findings.push_back(std::move(*finding));
    }
  }
  if (options.symbolise) {
    Symboliser symboliser(run.trace.modules);
    symbolise(run.trace, symboliser);
  }
  return run;
}

}  // namespace

// A process that was killed from outside says nothing of the program: it is run once more.
Result<SingleRun> run_single(const Target& target, RunSpec spec, const SingleOptions& options) {
  bool was_killed = false;
  auto run = run_once(target, spec, options, was_killed);
  if (run && was_killed && run->result.ending == Ending::kSignalled)
    run = run_once(target, spec, options, was_killed);
  return run;
}

}  // namespace heddle::run
