// heddle record: runs a program natively, and keeps what its threads did.
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "compiler/install_layout.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/record_elements.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/program/program_search.h"
#include "tool/record/log_reader.h"
#include "tool/record/path_log.h"
#include "tool/report/escape.h"
#include "tool/run/limits.h"
#include "tool/run/needed_calls.h"
#include "tool/run/target.h"
#include "tool/symbols/symboliser.h"

namespace heddle::cli {
namespace {

struct RecordOptions {
  bool path = false, vars = false, blocks = false, raw = false, quiet = false;
  bool profile = false, all = false, lean = false, json = false;
  std::string directory = "heddle-logs", limit, share, instance, show, check, output, named;
  std::uint32_t executions = 3;
  std::size_t steps = 0;
  std::vector<std::string> program;

  std::string setting() const {
    std::string text = fmt::format("{}:{}", vars ? "vars" : blocks ? "blocks" : "path", directory);
    for (const auto& [name, value] :
         {std::pair{"limit", &limit}, {"share", &share}, {"instance", &instance}}) {
      if (!value->empty()) text += fmt::format(",{}={}", name, *value);
    }
    return text;
  }
};

std::optional<int> parse_record(const Arguments& arguments, RecordOptions& o) {
  CLI::App app(
      "Runs a program natively, at nearly its own speed, and logs what its threads do. The log says which "
      "way "
      "each thread went at every branch (--path), or in which order threads came to shared variables "
      "(--vars) "
      "or to the code that touches them (--blocks). The program has to be built with `heddle c++ --full`. In "
      "production the environment variable HEDDLE_RECORD alone does the same: HEDDLE_RECORD=path:DIR.",
      "heddle record [options] -- PROGRAM [ARGS…]");
  app.footer(
      "examples:\n"
      "  heddle record -- ./server --port 8080\n"
      "  heddle record --path --dir logs -- ./test\n"
      "  heddle record --show logs/test-….hlog\n"
      "\n"
      "exit codes: the program's own (128 and the signal's number, if one ended it); 2 bad command line, "
      "program or log, 3 an error of heddle's own");
  app.add_flag("--path", o.path, "the branches of each thread [the default]");
  app.add_flag("--vars", o.vars, "the order of accesses to shared variables and locks");
  app.add_flag("--blocks", o.blocks, "the order in which threads run the code that accesses them")
      ->excludes("--vars")
      ->excludes("--path");
  app.add_option("-d,--dir", o.directory, "where logs are written [heddle-logs]")->type_name("DIR");
  app.add_option("--limit", o.limit, "bytes of a log at most: 64M, 1G [256M]; what comes later is cut")
      ->type_name("N");
  app.add_option("--share", o.share, "the part of the shared variables to record, in percent [100]")
      ->type_name("P");
  app.add_option("--instance", o.instance, "which elements: the same ones for the same name")
      ->type_name("ID");
  app.add_flag("--raw", o.raw, "leave the log as the program wrote it, uncompressed");
  app.add_option("--show", o.show, "print what a log says, and run nothing")->type_name("LOG");
  app.add_option("--check", o.check,
                 "run the program once under the engine, and say how far each thread goes the log's way; of "
                 "shared elements: held to the log's order")
      ->type_name("LOG");
  app.add_option("-o,--output", o.output, "… and write the bug that comes of it")->type_name("FILE");
  app.add_flag("--json", o.json, "with --show, of shared elements: as JSON");
  app.add_option("--program", o.named, "… with names from this program [the one that the log names]")
      ->type_name("FILE");
  app.add_flag("--profile", o.profile, "find out which variables are shared, for PROGRAM.spes");
  app.add_flag("--all", o.all,
               "… those also that were always accessed under the same lock, whose order is theirs: for code "
               "that may come to them without it when nobody looks");
  app.add_flag("--lean", o.lean, "… without those [the default]")->excludes("--all");
  app.add_option("-n,--executions", o.executions, "of --profile [3]")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000));
  app.add_option("--steps", o.steps, "with --show: the first N steps of each thread, too")
      ->type_name("N")
      ->check(whole_number());
  app.add_flag("-q,--quiet", o.quiet, "say nothing");
  app.add_option("program", o.program, "the program and its arguments, after --")->type_name("PROGRAM ARGS…");
  app.prefix_command(false);
  // What follows the first word that is no option is the program's.
  auto end = std::find(arguments.begin(), arguments.end(), "--");
  const Arguments own(arguments.begin(), end);
  if (const auto code = parse_command(app, own)) return code;
  // `heddle record path -- PROGRAM`: what is recorded may be a word, too.
  if (end != arguments.end() && o.program.size() == 1) {
    bool* const wished = o.program[0] == "path"     ? &o.path
                         : o.program[0] == "vars"   ? &o.vars
                         : o.program[0] == "blocks" ? &o.blocks
                                                    : nullptr;
    if (wished != nullptr) {
      *wished = true;
      o.program.clear();
    }
  }
  if (end != arguments.end()) o.program.insert(o.program.end(), end + 1, arguments.end());
  return std::nullopt;
}

// A program that runs natively gets the user's signals as it would without heddle, and its log is collected
// however it ends.
pid_t recorded_process = 0;

// What comes from the terminal the program gets itself.
void pass_on(int signal, siginfo_t* info, void*) {
  if (recorded_process > 0 && info->si_code != SI_KERNEL) kill(recorded_process, signal);
}

void leave_signals_to_the_program() {
  struct sigaction action = {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

// The program's exit code, as a shell tells it.
Result<int> run_natively(const RecordOptions& o, pid_t& process) {
  if (auto calls = run::check_needed_calls(run::CallNeed::kPrograms); !calls) return calls.error();
  std::vector<char*> words;
  for (const std::string& word : o.program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  fmt::print(stdout, "");
  std::fflush(stdout);
  const std::string setting = o.setting();
  const auto layout = compiler::find_layout();
  if (!layout) return layout.error();
  const std::string library_path = native_library_path(run::find_program(o.program[0]), layout->link_dir);
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) return Error{run::why_refused("pipe2", errno)};
  const pid_t parent = getpid();
  process = fork();
  if (process < 0) return Error{"Cannot start a process: " + run::why_refused("clone", errno)};
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    setenv("HEDDLE_RECORD", setting.c_str(), 1);
    if (!library_path.empty()) setenv("LD_LIBRARY_PATH", library_path.c_str(), 1);
    execvp(words[0], words.data());
    const int error = errno;
    if (write(failure[1], &error, sizeof error) < 0) _exit(126);
    _exit(127);
  }
  recorded_process = process;
  leave_signals_to_the_program();
  close(failure[1]);
  int error = 0;
  ssize_t got = 0;
  while ((got = read(failure[0], &error, sizeof error)) < 0 && errno == EINTR) {
  }
  const bool cannot_run = got == sizeof error;
  close(failure[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (cannot_run) return Error{o.program[0] + " cannot be run: " + std::strerror(error) + "."};
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> logs_of(const std::string& directory, pid_t process) {
  std::vector<std::string> found;
  std::error_code error;
  const std::string ending = fmt::format("-{}.hlog", process);
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().string().ends_with(ending)) found.push_back(entry.path().string());
  }
  // The time is in the name: an older process of the same number comes first.
  std::sort(found.begin(), found.end());
  return found;
}

Status collect(const RecordOptions& o, const std::string& path) {
  const auto log = read_log(path);
  if (!log) return log.error();
  if (log->header.build == 0) {
    std::filesystem::remove(path);
    return Error{o.program[0] + " was not built for it. Build it with `heddle c++ --full`."};
  }
  if (!o.raw && log->header.kind != record::LogKind::kPath) return collect_access_log(path, o.quiet);
  if (!o.raw) {
    if (const Status written = write_collected(*log, path); !written) return written.error();
  }
  if (!o.quiet) {
    fmt::print(stderr, "heddle: recorded {}: {} thread{}, {}{}\n", report::escaped(path), log->header.threads,
               log->header.threads == 1 ? "" : "s", outcome_text(log->header.outcome),
               log->header.truncated != 0 ? "; its limit was reached, and the rest is not there" : "");
  }
  return Done{};
}

std::string step_text(const PathTables& tables, const PathStep& step) {
  PathTables::Place at = tables.describe(step.place);
  at.function = demangled(at.function.c_str());
  const auto named = [&](std::uint64_t key) {
    return key == 0
               ? std::string("code that was not built so")
               : demangled(tables.describe(record::place_of(record::FunctionKey{key}, 0)).function.c_str());
  };
  switch (step.kind) {
    case record::StepKind::kBranch:
      return fmt::format("{}:{} {}: branch {}", at.file, at.line, at.function, step.outcome);
    case record::StepKind::kSwitch:
      return fmt::format("{}:{} {}: way {} of {}", at.file, at.line, at.function, step.outcome,
                         at.successors);
    case record::StepKind::kIndirectCall:
      return fmt::format("{}:{} {}: calls {}", at.file, at.line, at.function, named(step.outcome));
    case record::StepKind::kLanding:
      return fmt::format("{}:{} {}: an exception arrives", at.file, at.line, at.function);
    case record::StepKind::kEntered:
      return fmt::format("{} is entered", at.function);
    case record::StepKind::kSecondReturn:
      return fmt::format("{}:{} {}: setjmp returns again", at.file, at.line, at.function);
    case record::StepKind::kSignal:
      return fmt::format("signal {}", step.outcome);
    case record::StepKind::kSignalEnd:
    case record::StepKind::kCount:
      break;
  }
  return {};
}

int show_log(const RecordOptions& o) {
  if (is_access_log(o.show)) return show_access_log(o.show, o.named, o.json);
  const auto raw = read_log(o.show);
  if (!raw) return complain(raw.error());
  const auto tables = PathTables::read(raw->program(), raw->modules());
  if (!tables) return complain(tables.error());
  const auto log = read_path_log(o.show, *tables, kMostSteps, o.steps);
  if (!log) return complain(log.error());
  fmt::print("program {}\nbuild   {:016x}\nrun     {:016x}\nended   {}{}\n", report::escaped(log->program),
             log->build, log->run, outcome_text(log->outcome),
             raw->header.truncated != 0 ? "; what came after the log's limit is not there" : "");
  for (const ThreadPath& thread : log->threads) {
    fmt::print("thread {}: {} bits, {} decisions, {} marks{}\n", report::escaped(thread.name), thread.bits,
               thread.decisions, thread.marks, thread.incomplete ? ", incomplete" : "");
    for (const PathStep& step : thread.steps) fmt::print("  {}\n", report::escaped(step_text(*tables, step)));
  }
  return 0;
}

// One execution in the engine's own order: the first difference tells whether the log is about this program,
// and where the schedule matters.
int check_log(const RecordOptions& o) {
  const auto log = read_path_log(o.check);
  if (!log) return complain(log.error());
  auto layout = compiler::find_layout();
  if (!layout) return complain(layout.error());
  std::vector<std::string> notes;
  auto target = run::resolve_target(o.program, layout->library, notes);
  if (!target) return complain(target.error());
  RunSpec spec;
  spec.record_events = spec.symbolic = spec.path_trace = 1;
  const auto run = run::run_single(*target, spec, {});
  if (!run) return complain(run.error());
  if (run->symbolic.cut)
    return complain({"The execution has more steps than there is room for.", ExitCode::kInconclusive});
  const auto paths = paths_of(run->symbolic, StableNames(run->trace));
  bool is_same = true;
  for (const ThreadPath& thread : log->threads) {
    const auto own =
        std::find_if(paths.begin(), paths.end(), [&](const auto& p) { return p.name == thread.name; });
    const ThreadPath& executed = own == paths.end() ? ThreadPath() : *own;
    const std::size_t same = first_difference(thread, executed);
    const bool is_equal =
        same == thread.steps.size() && first_difference(executed, thread) == executed.steps.size();
    is_same = is_same && is_equal;
    fmt::print("thread {}: {}\n", report::escaped(thread.name),
               is_equal ? fmt::format("all {} steps", thread.steps.size())
                        : fmt::format("{} of {} steps", same, thread.steps.size()));
  }
  return is_same ? 0 : static_cast<int>(ExitCode::kInconclusive);
}

}  // namespace

int record_command(const Arguments& arguments) {
  RecordOptions options;
  if (const auto code = parse_record(arguments, options)) return *code;
  if (!options.show.empty()) return show_log(options);
  if (options.program.empty())
    return complain(
        {"No program given. For example:\nheddle record -- ./server --port 8080\n`heddle record --help` "
         "explains it."});
  if (options.profile) return make_element_profile(options.program, options.executions, !options.all);
  if (!options.check.empty() && is_access_log(options.check))
    return follow_access_log(options.check, options.program, options.output);
  if (!options.check.empty()) return check_log(options);
  pid_t process = 0;
  const auto code = run_natively(options, process);
  if (!code) return complain(code.error());
  const std::vector<std::string> logs = logs_of(options.directory, process);
  if (logs.empty()) {
    return complain(
        {options.program[0] +
         " has written no log. Build it with `heddle c++ --full`; a message above says more where "
         "the log could not be made."});
  }
  if (const Status collected = collect(options, logs.back()); !collected) return complain(collected.error());
  return *code;
}

}  // namespace heddle::cli
