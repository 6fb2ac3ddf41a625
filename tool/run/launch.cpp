#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tool/run/descendants.h"
#include "tool/run/guard.h"
#include "tool/run/interruption.h"
#include "tool/run/limits.h"
#include "tool/run/target.h"

namespace heddle::run {
namespace {

std::vector<std::string> environment_for(const Target& target, int channel) {
  std::vector<std::string> result;
  std::string preload, folders;
  bool bind_now = false;
  // OpenMP's threads are to wait, and not to turn around a word that nobody can change meanwhile.
  const auto patience = {"GOMP_SPINCOUNT=", "KMP_BLOCKTIME="};
  const auto add = [&](const std::string& text) {
    if (text.rfind(std::string(kChannelVariable) + "=", 0) == 0) return;
    for (const char* name : patience) {
      if (text.rfind(name, 0) == 0) return;
    }
    bind_now = bind_now || text.rfind("LD_BIND_NOW=", 0) == 0;
    if (text.rfind("LD_PRELOAD=", 0) == 0) {
      preload = text.substr(std::strlen("LD_PRELOAD="));
    } else if (!target.preload_folders.empty() && text.rfind("LD_LIBRARY_PATH=", 0) == 0) {
      folders = text.substr(std::strlen("LD_LIBRARY_PATH="));
    } else {
      result.push_back(text);
    }
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    if (!target.set_variables.contains(name) && !target.unset_variables.contains(name)) add(text);
  }
  for (const auto& [name, value] : target.set_variables) add(name + "=" + value);
  if (!target.preload.empty()) preload = target.preload + (preload.empty() ? "" : ":" + preload);
  if (!preload.empty()) result.push_back("LD_PRELOAD=" + preload);
  if (!target.preload_folders.empty()) {
    const std::string old = folders.empty() ? "" : ":" + folders;
    result.push_back("LD_LIBRARY_PATH=" + target.preload_folders + old);
  }
  for (const char* name : patience) result.push_back(std::string(name) + "0");
  // Symbols are bound once, before the first choice, instead of again in every execution.
  if (!bind_now) result.push_back("LD_BIND_NOW=1");
  result.push_back(std::string(kChannelVariable) + "=" + std::to_string(channel));
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// fixed-layout PROGRAM ARGV0 ARGS… (runtime/layout/fixed_layout.cpp), which lies beside the library.
std::vector<std::string> fixed_layout_words(const Target& target) {
  const std::string folder = target.library.substr(0, target.library.rfind('/') + 1);
  std::vector<std::string> words = {folder + "heddle/fixed-layout", target.path};
  words.insert(words.end(), target.argv.begin(), target.argv.end());
  if (target.argv.empty()) words.push_back(target.path);
  return words;
}

// In the child, between fork and exec: system calls only.
struct ChildPlan {
  const char* path;
  char* const* argv;
  char* const* environment;
  const char* cwd;
  int input, output, channel, campaign;
  int first_descriptor;                 // of three that the runtime gets: channel, campaign, output
  char* const* fixed_layout = nullptr;  // how to start it at fixed addresses where the system does not help
};

// Has the system load every process at the same addresses. False: it does not let us.
bool fix_addresses() {
  const int old = personality(0xffffffff);
  if (old == -1) return false;
  if ((old & ADDR_NO_RANDOMIZE) != 0) return true;
  return personality(static_cast<unsigned long>(old) | ADDR_NO_RANDOMIZE) != -1;
}

// A new file with the bytes of `file`, read from its beginning.
int copy_of(int file) {
  const int copy = memory_file("heddle-input");
  char block[65536];
  for (off_t at = 0; copy >= 0;) {
    const ssize_t got = pread(file, block, sizeof block, at);
    if (got <= 0 || write(copy, block, static_cast<std::size_t>(got)) != got) break;
    at += got;
  }
  if (copy >= 0) lseek(copy, 0, SEEK_SET);
  return copy;
}

// What kept a process from becoming the program.
struct Failure {
  int error = 0;
  char call[12] = "";
};

// In the child: system calls only.
Failure failed(const char* call) {
  Failure failure;
  failure.error = errno;
  std::strncpy(failure.call, call, sizeof failure.call - 1);
  return failure;
}

Error cannot_run(const Target& target, const Failure& failure) {
  const std::string call = failure.call;
  std::string text = "Cannot run " + target.path + ": ";
  if (call == "chdir") text += "cannot go to the folder " + target.cwd + ": ";
  const bool is_plain = call == "execve" || call == "chdir";
  const bool is_denied = failure.error == EPERM || failure.error == ENOSYS;
  text += is_plain && !is_denied ? std::strerror(failure.error) + std::string(".")
                                 : why_refused(failure.call, failure.error);
  return {text, ExitCode::kBadInput};
}

// Becomes the program; returns where that is not possible.
Failure become(const ChildPlan& plan) {
  const bool is_fixed = fix_addresses();
  if (plan.cwd != nullptr && chdir(plan.cwd) != 0) return failed("chdir");
  // A fresh open has an offset of its own. Without /proc a copy has.
  const std::string input = plan.input >= 0 ? "/proc/self/fd/" + std::to_string(plan.input) : "/dev/null";
  int in = open(input.c_str(), O_RDONLY);
  if (in < 0 && plan.input >= 0) in = copy_of(plan.input);
  if (in > 0) dup2(in, STDIN_FILENO);
  if (in > 0) close(in);
  // Where descriptors are few, ours may lie where the program's are to be.
  const auto out_of_the_way = [&](int file) {
    while (file >= plan.first_descriptor) {
      const int lower = fcntl(file, F_DUPFD_CLOEXEC, 0);
      if (lower < 0 || lower > file) return file;
      file = lower;
    }
    return file;
  };
  const int output = out_of_the_way(plan.output), channel = out_of_the_way(plan.channel),
            campaign = out_of_the_way(plan.campaign);
  if (output >= 0) {
    for (const int place : {STDOUT_FILENO, STDERR_FILENO, plan.first_descriptor + 2}) {
      if (dup2(output, place) < 0) return failed("dup2");
    }
  }
  if (dup2(channel, plan.first_descriptor) < 0) return failed("dup2");
  if (campaign >= 0 && dup2(campaign, plan.first_descriptor + 1) < 0) return failed("dup2");
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  if (!is_fixed && plan.fixed_layout != nullptr)
    execve(plan.fixed_layout[0], plan.fixed_layout, plan.environment);
  execve(plan.path, plan.argv, plan.environment);
  return failed("execve");
}

[[noreturn]] void become_child(const ChildPlan& plan, pid_t parent, int error_pipe) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  setpgid(0, 0);
  const Failure failure = become(plan);
  if (write(error_pipe, &failure, sizeof failure) < 0) _exit(126);
  _exit(127);
}

// Choices that a campaign's execution keeps. Whatever is found is run again by its index, with room for all
// of its choices; so a campaign's memory need not grow with the length of its executions.
constexpr std::uint64_t kCampaignChoices = 1u << 17;

constexpr std::uint32_t kSymbolicEntries = 1u << 22;  // of each table
constexpr std::uint64_t kGranules = 1u << 20;         // 8 MB of the program's memory

ChannelSizes sizes_for(const RunSpec& spec, const LaunchOptions& options) {
  ChannelSizes sizes;
  if (options.mode == ChannelMode::kCampaign)
    sizes.choices = std::max<std::uint64_t>(kCampaignChoices, 2 * options.replay.size());
  if (spec.record_events == 0) sizes.events = 0;
  sizes.replay = std::max<std::uint64_t>(options.replay.size(), options.replay_room);
  sizes.orders = options.orders.size();
  if (spec.symbolic != 0) {
    sizes.symbolic = sizeof(symbolic::Header) +
                     kSymbolicEntries * (sizeof(symbolic::Expression) + sizeof(symbolic::Record));
  }
  if (spec.plain_events != PlainEvents::kNone) sizes.granules = kGranules;
  if (options.mode == ChannelMode::kSingle) sizes.ring = 1;
  return sizes;
}

}  // namespace

Result<Process> Process::prepare(const RunSpec& spec, const LaunchOptions& options) {
  Process process;
  if (auto enough = check_address_space(); !enough) return enough.error();
  const auto first = first_runtime_descriptor();
  if (!first) return first.error();
  process.first_descriptor_ = *first;
  const ChannelSizes sizes = sizes_for(spec, options);
  auto memory = SharedMemory::create("heddle-channel", Channel::bytes_needed(sizes));
  if (!memory) return memory.error();
  process.memory_ = std::move(*memory);
  Channel channel = Channel::initialise(process.memory_.data(), sizes);
  ChannelHeader& h = *channel.header();
  h.spec = spec;
  h.mode = options.mode;
  h.single_index = options.index;
  h.current.index = options.index;
  h.worker = options.worker;
  h.phase.store(options.takeover.phase);
  h.deaths.store(options.takeover.deaths);
  h.done.store(options.takeover.done);
  h.replay_count = static_cast<std::uint32_t>(options.replay.size());
  if (!options.replay.empty())
    std::memcpy(channel.replay(), options.replay.data(), options.replay.size_bytes());
  if (sizes.symbolic != 0) {
    auto* tables = new (channel.symbolic()) symbolic::Header;
    tables->expression_capacity = tables->record_capacity = kSymbolicEntries;
  }
  for (const Granule& g : options.granules) channel.granules().add(g);
  if (!options.orders.empty()) std::memcpy(channel.orders(), options.orders.data(), options.orders.size());
  h.end_after_event = options.end_after_event;
  h.pause_at_event = options.pause_at_event;
  h.campaign_fd = options.campaign >= 0 ? *first + 1 : -1;
  if (!options.inherit_output) {
    auto output = OutputFile::create();
    if (!output) return output.error();
    process.output_ = std::move(*output);
    guard_output(process.output_.descriptor());
    h.output_fd = *first + 2;
  }
  return process;
}

Result<Process> Process::launch(const Target& target, const RunSpec& spec, const LaunchOptions& options) {
  auto prepared = prepare(spec, options);
  if (!prepared) return prepared;
  Process process = std::move(*prepared);
  std::vector<std::string> arguments = target.argv;
  std::vector<std::string> environment = environment_for(target, process.first_descriptor_);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  std::vector<std::string> by_layout = fixed_layout_words(target);
  const std::vector<char*> fixed_layout = pointers(by_layout);
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) return Error{why_refused("pipe2", errno), ExitCode::kBadInput};
  const ChildPlan plan{target.path.c_str(),
                       argv.data(),
                       envp.data(),
                       target.cwd.empty() ? nullptr : target.cwd.c_str(),
                       target.input,
                       options.inherit_output ? -1 : process.output_.descriptor(),
                       process.memory_.descriptor(),
                       options.campaign,
                       process.first_descriptor_,
                       fixed_layout.data()};
  const pid_t parent = getpid();
  const pid_t pid = fork_child();
  const int fork_error = errno;
  if (pid == 0) become_child(plan, parent, error_pipe[1]);
  close(error_pipe[1]);
  Failure failure;
  ssize_t got = 0;
  while (pid > 0 && (got = read(error_pipe[0], &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  close(error_pipe[0]);
  if (pid < 0)
    return Error{"Cannot start a process: " + why_refused("clone", fork_error), ExitCode::kBadInput};
  process.pid_ = pid;
  process.launched_ = std::chrono::steady_clock::now();
  if (got == sizeof failure) return cannot_run(target, failure);
  return process;
}

Error Process::replace_this(const Target& target, const RunSpec& spec, const LaunchOptions& options) {
  auto process = prepare(spec, options);
  if (!process) return process.error();
  std::vector<std::string> arguments = target.argv;
  std::vector<std::string> environment = environment_for(target, process->first_descriptor_);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  return cannot_run(target,
                    become({target.path.c_str(), argv.data(), envp.data(),
                            target.cwd.empty() ? nullptr : target.cwd.c_str(), target.input, -1,
                            process->memory_.descriptor(), options.campaign, process->first_descriptor_}));
}

Process::~Process() { kill(); }

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      wait_status_(other.wait_status_),
      first_descriptor_(other.first_descriptor_),
      killed_by_us_(other.killed_by_us_),
      launched_(other.launched_),
      memory_(std::move(other.memory_)),
      output_(std::move(other.output_)) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    wait_status_ = other.wait_status_;
    first_descriptor_ = other.first_descriptor_;
    killed_by_us_ = other.killed_by_us_;
    launched_ = other.launched_;
    memory_ = std::move(other.memory_);
    output_ = std::move(other.output_);
  }
  return *this;
}

// The process is gone, and is to leave nothing behind.
void Process::reaped() {
  ::kill(-pid_, SIGKILL);
  forget_child(pid_);
  end_orphans();
  pid_ = -1;
}

bool Process::was_killed_from_outside() const {
  return !killed_by_us_ && WIFSIGNALED(wait_status_) && WTERMSIG(wait_status_) == SIGKILL;
}

bool Process::poll() {
  if (pid_ <= 0) return true;
  const pid_t got = waitpid(pid_, &wait_status_, WNOHANG);
  if (got != pid_) return false;
  reaped();
  return true;
}

bool Process::wait(std::uint64_t nanoseconds) {
  if (pid_ <= 0) return false;
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::nanoseconds(nanoseconds);
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  bool has_ended = false;
  while (!has_ended) {
    // Without pidfd (Linux 5.3) it is looked at every so often.
    constexpr std::int64_t kLook = 20, kLong = 1 << 20;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count() + 1;
    if (was_interrupted() || (nanoseconds != 0 && left <= 0)) break;
    pollfd entry{descriptor, POLLIN, 0};
    const std::int64_t most = descriptor >= 0 ? kLong : kLook;
    const auto timeout = static_cast<int>(nanoseconds == 0 ? most : std::min<std::int64_t>(left, most));
    has_ended = ::poll(&entry, descriptor >= 0 ? 1 : 0, timeout) > 0;
    siginfo_t info{};
    has_ended =
        has_ended || (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                      info.si_pid == pid_);
  }
  if (descriptor >= 0) close(descriptor);
  if (!has_ended) {
    kill();
    return true;
  }
  while (waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  reaped();
  return false;
}

bool Process::wait_for_pause(std::uint64_t nanoseconds) {
  if (pid_ <= 0) return false;
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::nanoseconds(nanoseconds);
  for (;;) {
    // WNOWAIT: its end is for wait() to see.
    siginfo_t info{};
    const int error = waitid(P_PID, static_cast<id_t>(pid_), &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG);
    if (error == 0 && info.si_pid == pid_ && info.si_code == CLD_STOPPED) break;
    const bool has_ended = error == 0 && info.si_pid == pid_;
    if (has_ended || was_interrupted() || (nanoseconds != 0 && Clock::now() > until)) return false;
    usleep(1000);
  }
  int status = 0;
  while (waitpid(pid_, &status, WUNTRACED) < 0 && errno == EINTR) {
  }
  return true;
}

void Process::ask_where() {
  if (pid_ <= 0) return;
  header().stuck = StuckPlace{};
  ::kill(pid_, SIGSTKFLT);
  usleep(100'000);
}

void Process::kill() {
  if (pid_ <= 0) return;
  // The zygote's children die with it.
  killed_by_us_ = true;
  ::kill(pid_, SIGKILL);
  while (waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  reaped();
}

std::string Process::output(bool& cut) const {
  cut = false;
  return output_.descriptor() >= 0 ? output_.read(cut) : std::string();
}

}  // namespace heddle::run
