#include "tool/cli/gtest_cases.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "compiler/install_layout.h"
#include "tool/program/program_image.h"
#include "tool/program/program_search.h"
#include "tool/run/descendants.h"
#include "tool/run/limits.h"
#include "tool/run/target.h"

namespace heddle::cli {
namespace {

constexpr std::string_view kDisabled = "DISABLED_";

bool is_disabled(const GtestCase& test) {
  const auto starts = [](std::string_view name) {
    // Suites of instantiated tests are called Instance/Suite.
    const std::size_t slash = name.find('/');
    return name.starts_with(kDisabled) ||
           (slash != std::string_view::npos && name.substr(slash + 1).starts_with(kDisabled));
  };
  return starts(test.suite) || starts(test.name);
}

constexpr std::chrono::seconds kListing{60};

struct Output {
  int status = 0;
  std::string text;
};

// Becomes the program that lists its cases. Answers, by its exit status, why that is not possible.
[[noreturn]] void become(char* const* argv, const std::string& library_path, int output, pid_t parent,
                         int failure) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int input = open("/dev/null", O_RDONLY);
  if (input > 0) dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  signal(SIGPIPE, SIG_DFL);
  if (!library_path.empty()) setenv("LD_LIBRARY_PATH", library_path.c_str(), 1);
  execvp(argv[0], argv);
  const int error = errno;
  _exit(write(failure, &error, sizeof error) < 0 ? 126 : 127);
}

// What it writes until it closes its output. False: it takes too long.
bool read_all(int file, std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + kListing;
  fcntl(file, F_SETFL, O_NONBLOCK);
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{file, POLLIN, 0};
    const int ready = poll(&entry, 1, static_cast<int>(left));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) usleep(1000);  // where the system denies poll
    char buffer[1 << 14];
    const ssize_t got = read(file, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

// Its standard output; what it says on standard error the user sees.
Result<Output> output_of(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto layout = compiler::find_layout();
  if (!layout) return layout.error();
  const std::string library_path = native_library_path(run::find_program(words[0]), layout->link_dir);
  int ends[2], failure[2];
  if (pipe2(ends, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0)
    return Error{run::why_refused("pipe2", errno)};
  const pid_t parent = getpid();
  const pid_t child = run::fork_child();
  if (child == 0) become(argv.data(), library_path, ends[1], parent, failure[1]);
  close(ends[1]);
  close(failure[1]);
  int error = child < 0 ? errno : 0;
  Output output;
  bool is_listed = child < 0;
  if (child > 0) {
    is_listed = read_all(ends[0], output.text);
    if (!is_listed) kill(child, SIGKILL);
    while (waitpid(child, &output.status, 0) < 0 && errno == EINTR) {
    }
    run::forget_child(child);
    run::end_orphans();
    if (read(failure[0], &error, sizeof error) != sizeof error) error = 0;
  }
  close(ends[0]);
  close(failure[0]);
  if (error != 0) return Error{fmt::format("{} cannot be started: {}.", words[0], std::strerror(error))};
  if (!is_listed)
    return Error{fmt::format(
        "{} did not list its cases within {} seconds. Is it a GoogleTest program? `heddle run` explores any.",
        words[0], kListing.count())};
  return output;
}

// A variable with a number from 0 on; nothing where it is not set.
Result<std::optional<std::uint64_t>> number_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::optional<std::uint64_t>();
  std::uint64_t number = 0;
  const char* end = text + std::strlen(text);
  if (const auto [stop, error] = std::from_chars(text, end, number); error != std::errc() || stop != end)
    return Error{fmt::format("{}={} is no number.", variable, text)};
  return std::optional(number);
}

}  // namespace

std::vector<GtestCase> parse_gtest_list(std::string_view listing, bool with_disabled) {
  std::vector<GtestCase> cases;
  std::string suite;
  while (!listing.empty()) {
    const std::size_t end = std::min(listing.find('\n'), listing.size());
    std::string_view line = listing.substr(0, end);
    listing.remove_prefix(std::min(end + 1, listing.size()));
    // "Suite.  # TypeParam = int", "  Case/0  # GetParam() = 3"
    const bool is_case = line.starts_with("  ");
    line = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    line = line.substr(0, line.find_first_of(" \t\r#"));
    if (line.empty()) continue;
    if (!is_case) {
      // Whatever else the program prints on its way is no suite.
      suite = line.ends_with('.') ? std::string(line.substr(0, line.size() - 1)) : "";
    } else if (!suite.empty()) {
      GtestCase test{suite, std::string(line)};
      if (with_disabled || !is_disabled(test)) cases.push_back(std::move(test));
    }
  }
  return cases;
}

Result<std::vector<GtestCase>> list_gtest_cases(const std::vector<std::string>& program) {
  // Why a campaign could not run it is worth more than why it lists nothing.
  const auto image = inspect_program(run::find_program(program[0]));
  if (!image) return image.error();
  if (auto reason = refuse_reason(*image)) return *reason;
  std::vector<std::string> words = program;
  words.emplace_back("--gtest_list_tests");
  auto output = output_of(words);
  // Killed from outside, which says nothing of the program.
  if (output && WIFSIGNALED(output->status) && WTERMSIG(output->status) == SIGKILL) output = output_of(words);
  if (!output) return output.error();
  if (!WIFEXITED(output->status) || WEXITSTATUS(output->status) != 0) {
    return Error{
        fmt::format("`{} --gtest_list_tests` failed. Is it a GoogleTest program? `heddle run` explores any.",
                    program[0])};
  }
  const bool with_disabled =
      std::find(program.begin(), program.end(), "--gtest_also_run_disabled_tests") != program.end();
  auto cases = parse_gtest_list(output->text, with_disabled);
  if (cases.empty())
    return Error{
        fmt::format("{} lists no test cases. Is it a GoogleTest program, and does --gtest_filter leave any? "
                    "`heddle run` explores any program.",
                    program[0])};
  return cases;
}

Result<GtestShard> take_shard() {
  const auto total = number_from("GTEST_TOTAL_SHARDS");
  if (!total) return total.error();
  const auto index = number_from("GTEST_SHARD_INDEX");
  if (!index) return index.error();
  if (const char* file = std::getenv("GTEST_SHARD_STATUS_FILE"); file != nullptr && total->has_value()) {
    const int descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return Error{fmt::format("GTEST_SHARD_STATUS_FILE {} cannot be written.", file)};
    close(descriptor);
  }
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"})
    unsetenv(variable);
  if (total->value_or(1) == 1 && !index->has_value()) return GtestShard{};
  if (!total->has_value() || !index->has_value() || **index >= **total)
    return Error{"GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX have to be set both, the index below the total."};
  return GtestShard{**total, **index};
}

std::vector<GtestCase> GtestShard::part_of(const std::vector<GtestCase>& cases) const {
  std::vector<GtestCase> mine;
  for (std::size_t i = index; i < cases.size(); i += total) mine.push_back(cases[i]);
  return mine;
}

}  // namespace heddle::cli
