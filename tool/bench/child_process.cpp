#include "tool/bench/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tool/run/descendants.h"

namespace heddle::bench {

namespace {

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<Finished> spawn_and_wait(const std::string& folder, const std::vector<std::string>& command) {
  const auto began = std::chrono::steady_clock::now();
  const auto child = start_in(folder, command, {});
  if (!child) return child.error();
  int status = 0;
  rusage usage{};
  while (wait4(*child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return Finished{WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), took.count(),
                  cpu_seconds(usage), usage.ru_maxrss};
}

}  // namespace

Result<pid_t> start_in(const std::string& folder, const std::vector<std::string>& command,
                       const std::vector<std::string>& environment) {
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> set = environment;
  std::vector<char*> variables;
  for (std::string& variable : set) variables.push_back(variable.data());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name(*variable, std::strcspn(*variable, "="));
    const bool is_set = std::ranges::any_of(
        set, [&](const std::string& s) { return s.starts_with(name) && s.substr(name.size(), 1) == "="; });
    if (!is_set) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return Error{fmt::format("`{}` cannot be started: {}.", command[0], std::strerror(error)),
                 ExitCode::kOwnError};
  return child;
}

Result<Finished> run_measured(const std::string& folder, const std::vector<std::string>& command) {
  // Executions are processes of processes: those that outlive their parent become ours, and count as well.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto finished = spawn_and_wait(folder, command);
  if (!finished) return finished;
  rusage usage{};
  while (run::await_orphan(usage)) {
    finished->cpu_seconds += cpu_seconds(usage);
    finished->kilobytes = std::max(finished->kilobytes, usage.ru_maxrss);
  }
  return finished;
}

Result<int> run_in(const std::string& folder, const std::vector<std::string>& command) {
  const auto finished = spawn_and_wait(folder, command);
  if (!finished) return finished.error();
  return finished->status;
}

Result<TemporaryFolder> TemporaryFolder::make() {
  const char* parent = std::getenv("TMPDIR");
  std::string path =
      std::string(parent != nullptr && parent[0] != '\0' ? parent : "/tmp") + "/heddle-bench-XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    return Error{
        fmt::format("No folder can be made beside {}: {}. Set TMPDIR to a place that can be written.", path,
                    std::strerror(errno))};
  return TemporaryFolder(path);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace heddle::bench
