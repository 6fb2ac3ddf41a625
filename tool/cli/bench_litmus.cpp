// heddle bench litmus: the table of verdicts.
#include <fmt/core.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "compiler/install_layout.h"
#include "tool/bench/litmus_table.h"
#include "tool/cli/bench_commands.h"
#include "tool/cli/choice_option.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"

namespace heddle::cli {
namespace {

constexpr const char* kLitmusExamples =
    "examples:\n"
    "  heddle bench litmus                       all litmus tests\n"
    "  heddle bench litmus SB IRIW+sc            those of a shape, or with this in their name\n"
    "  heddle bench litmus -s random -n 1000 MP  how soon does random search show it?\n"
    "  heddle bench litmus --json - | jq .agrees\n"
    "\n"
    "exit codes: 0 all as expected, 1 inconclusive (not all was explored), 2 bad command line or file, 3 not "
    "as "
    "expected";

struct LitmusOptions {
  std::vector<std::string> words;
  std::string folder, json, strategy = "exhaustive";
  ColorWish color = ColorWish::kAuto;
  std::uint64_t executions = 0, seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool quiet = false;
};

void define_litmus(CLI::App& litmus, LitmusOptions& o) {
  litmus.add_option("names", o.words, "only tests of this shape, or with this in their name")
      ->type_name("NAME");
  litmus.add_option("--folder", o.folder, "read *.litmus files from here [the installed ones]")
      ->type_name("DIR");
  litmus.add_option("-s,--strategy", o.strategy, "exhaustive, random [exhaustive]")
      ->type_name("S")
      ->check(one_of({"exhaustive", "random"}));
  litmus
      .add_option("-n,--executions", o.executions, "at most N executions of each test [all; random: 10000]")
      ->type_name("N")
      ->check(whole_number(1));
  litmus.add_option("--seed", o.seed, "of random executions [1]")->type_name("S")->check(whole_number());
  litmus.add_option("-j,--jobs", o.jobs, "tests at a time [the machine's cores]")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  litmus.add_option("--json", o.json, "write the results as JSON; - is standard output")->type_name("FILE");
  add_color_option(litmus, o.color);
  litmus.add_flag("-q,--quiet", o.quiet, "only what is not as expected, and the last lines");
}

int exit_code_of(const std::vector<bench::LitmusResult>& results) {
  bool missing = false;
  for (const bench::LitmusResult& result : results) {
    if (!result.error.empty()) return static_cast<int>(ExitCode::kOwnError);
    for (const bench::LitmusRow& row : result.rows) {
      if (row.agrees()) continue;
      // What some executions did not show, others still may.
      if (row.first_shown || result.exhausted) return static_cast<int>(ExitCode::kOwnError);
      missing = true;
    }
  }
  return static_cast<int>(missing ? ExitCode::kInconclusive : ExitCode::kNoBug);
}

int run_litmus(const LitmusOptions& options) {
  auto layout = compiler::find_layout();
  if (!layout) return complain(layout.error());
  std::vector<std::string> notes;
  auto interpreter = run::resolve_target({layout->litmus_interpreter}, layout->library, notes);
  if (!interpreter) return complain(interpreter.error());
  std::vector<litmus::LitmusTest> tests;
  try {
    const std::string folder = options.folder.empty() ? layout->litmus_dir : options.folder;
    tests = bench::select_tests(litmus::read_litmus_folder(folder), options.words);
  } catch (const std::runtime_error& error) {
    return complain({std::string("These litmus tests cannot be read: ") + error.what()});
  }
  if (tests.empty())
    return complain({"No litmus test has such a name. `heddle bench litmus` lists all of them."});

  bench::ExploreOptions explore = bench::exhaustive_exploration();
  explore.spec.seed = options.seed;
  std::strncpy(explore.spec.strategy, options.strategy.c_str(), sizeof explore.spec.strategy - 1);
  if (options.executions != 0) explore.executions = options.executions;
  if (options.strategy == "random" && options.executions == 0) explore.executions = bench::kSampledExecutions;

  // Where the JSON goes to standard output, nothing else does.
  std::FILE* out = options.json == "-" ? stderr : stdout;
  const bench::TableOptions table{use_color(options.color), options.quiet};
  if (!options.quiet) fmt::print(out, "{}", bench::table_head());
  std::string shape;
  const auto started = std::chrono::steady_clock::now();
  const auto results =
      bench::run_litmus(tests, *interpreter, explore, options.jobs, [&](const bench::LitmusResult& result) {
        fmt::print(out, "{}", bench::table_rows(result, result.shape != shape, table));
        std::fflush(out);
        shape = result.shape;
      });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  fmt::print(out, "{}", bench::table_foot(results, seconds.count()));
  if (!options.json.empty()) {
    if (auto written = write_text_file(options.json, bench::litmus_json(results, HEDDLE_VERSION)); !written)
      return complain(written.error());
  }
  return exit_code_of(results);
}

}  // namespace

std::function<int()> add_bench_litmus(CLI::App& bench) {
  CLI::App* litmus = bench.add_subcommand("litmus", "the table of verdicts of the litmus tests");
  litmus->footer(kLitmusExamples);
  const auto options = std::make_shared<LitmusOptions>();
  define_litmus(*litmus, *options);
  return [options] { return run_litmus(*options); };
}

}  // namespace heddle::cli
