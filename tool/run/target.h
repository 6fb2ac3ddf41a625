// A program to be tested, and one process of it under the runtime.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/channel.h"
#include "core/trace/orders.h"
#include "tool/run/shared_memory.h"
#include "tool/trace/symbolic_tables.h"
#include "tool/trace/trace.h"

namespace heddle::run {

struct Target {
  std::string path;  // of the executable, absolute
  std::vector<std::string> argv;
  std::string build_id;
  std::string preload;          // libheddle.so under the names of other runtimes; empty: it is linked
  std::string preload_folders;  // where its names are found; empty: they are paths
  std::string library;          // libheddle.so
  std::string cwd;              // where to run; empty: here
  int input = -1;               // memory file with standard input; -1: /dev/null
  // What differs from the environment here: variables of an artifact, in order of name.
  std::map<std::string, std::string> set_variables;
  std::set<std::string> unset_variables;
  std::set<std::string> kept_variables;  // to be kept with a bug even if nobody asks for them

  // The value that the program gets; none: it is not set.
  std::optional<std::string> variable(const std::string& name) const;
  // `asked`: variables that the program asked for.
  ProgramIdentity identity(const std::vector<std::string>& asked) const;
};

// The file that a program's name stands for, as execvp would find it.
std::string find_program(const std::string& name);

// Resolves a command line to a target that can be run, or says why not; appends what the user should know.
// `library` is the installed libheddle.so.
Result<Target> resolve_target(const std::vector<std::string>& argv, const std::string& library,
                              std::vector<std::string>& notes);

// Where a worker goes on that comes in the place of one that died (core/trace/channel.h).
struct Takeover {
  Phase phase = Phase::kIdle;
  std::uint32_t deaths = 0;
  std::uint64_t done = 0;
};

struct LaunchOptions {
  ChannelMode mode = ChannelMode::kSingle;
  std::uint64_t index = 0;  // kSingle: which execution
  std::span<const Choice> replay;
  std::uint64_t replay_room = 0;      // for logs that are written later: at least so many choices
  std::span<const Granule> granules;  // PlainEvents::kShared: what the pass before found
  std::span<const std::byte> orders;  // an OrderTable that the execution is held to; empty: none
  int campaign = -1;                  // descriptor of the CampaignState
  std::uint32_t worker = 0;           // number among its workers, below IndexClaims::kMostWorkers
  Takeover takeover;
  bool inherit_output = false;  // the program writes to our own standard output and error
  std::uint32_t end_after_event = ~0u;
  std::uint32_t pause_at_event = ~0u;
};

// One started process. Killed and reaped when destroyed.
class Process {
 public:
  static Result<Process> launch(const Target& target, const RunSpec& spec, const LaunchOptions& options);
  // This process becomes the program, as a debugger wants it. Returns only where that is not possible.
  static Error replace_this(const Target& target, const RunSpec& spec, const LaunchOptions& options);
  Process() = default;
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  pid_t pid() const { return pid_; }
  Channel channel() const { return Channel(memory_.data()); }
  ChannelHeader& header() const { return *channel().header(); }
  std::uint64_t channel_bytes() const { return memory_.bytes(); }
  bool alive() const { return pid_ > 0; }
  // Has it ended? Fills wait_status() and forgets the pid when so.
  bool poll();
  // Waits until it ends, or kills it after `nanoseconds` (0: never), or when the user interrupts; answers
  // whether it had to be killed.
  bool wait(std::uint64_t nanoseconds);
  // Lets the runtime write down where it is, before it is killed for taking too long.
  void ask_where();
  void kill();
  // Waits until it stops itself, for so long at most (0: for ever); false: it has not.
  bool wait_for_pause(std::uint64_t nanoseconds);
  int wait_status() const { return wait_status_; }
  // It was killed by somebody else: by the kernel when memory ran out, by hand. REQUIRES: it has ended.
  bool was_killed_from_outside() const;
  std::chrono::steady_clock::time_point launched() const { return launched_; }
  std::string output(bool& cut) const;
  // Standard output and error, as far as they were kept, from there on; how many bytes there are now.
  off_t copy_output(int file, off_t from) const { return output_.copy_to(file, from); }

 private:
  static Result<Process> prepare(const RunSpec& spec, const LaunchOptions& options);

  void reaped();

  pid_t pid_ = -1;
  int wait_status_ = 0;
  int first_descriptor_ = -1;  // in the program
  bool killed_by_us_ = false;
  std::chrono::steady_clock::time_point launched_;
  SharedMemory memory_;
  OutputFile output_;
};

// How the execution that this process ran itself ended, from the channel and the wait status.
ExecutionResult conclude(const Process& process, bool killed_for_time);

// Of a longer execution an artifact has the events around what its findings cite, unless all are asked for.
// So it stays below 5 MB for a million events (docs/design/trace-format.md).
inline constexpr std::size_t kKeptEvents = 100'000;

// Runs one execution in a process of its own, with events, and brings it back as a symbolised trace. Findings
// that only the tool can see (exit status, kill) are added.
struct SingleRun {
  Trace trace;
  ExecutionResult result;
  SymbolicTables symbolic;          // RunSpec::symbolic
  std::vector<Granule> shared;      // PlainEvents::kShared: memory whose accesses are events
  std::vector<OrderVector> orders;  // those of SingleOptions::orders, with how far they were kept
};
struct SingleOptions {
  std::uint64_t index = 0;
  std::span<const Choice> replay;
  bool symbolise = true;
  // The program's output goes to our standard output when it has ended, or stands where it is to. (Not while
  // it runs: to the program, a terminal or a pipe would be something else than the file of other executions.)
  bool shows_output = false;
  std::vector<int> allowed_exits;
  int campaign = -1;  // descriptor of the CampaignState whose execution this is, for strategies that learn
  std::size_t kept_events = kKeptEvents;
  std::uint32_t end_after_event = ~0u;  // end the execution there
  std::uint32_t pause_at_event = ~0u;   // the process stops there (SIGSTOP) until somebody continues it
  std::function<void(pid_t)> on_pause;
  std::span<const Granule> also_shared;  // besides what several threads touch in this execution
  bool finds_shared = true;              // false: also_shared is all
  std::span<const std::byte> orders;     // an OrderTable (core/trace/orders.h) that the execution is held to
};
Result<SingleRun> run_single(const Target& target, RunSpec spec, const SingleOptions& options);

// The execution that a process has just run, as its channel shows it.
Result<Trace> trace_of(const Target& target, const Process& process, RunSpec spec,
                       const ExecutionResult& result, std::size_t kept_events = kKeptEvents);

// The finding for an ending that the runtime could not report itself; none where the ending is no bug.
std::optional<TraceFinding> finding_of_ending(const ExecutionResult& result,
                                              const std::vector<int>& allowed_exits);

// Of all bugs of an execution. Where no finding was written, an ending can still be a bug.
std::vector<std::uint64_t> signatures_of(const ExecutionResult& result,
                                         const std::vector<int>& allowed_exits);

}  // namespace heddle::run
