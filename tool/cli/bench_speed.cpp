// heddle bench speed: what operations and executions cost.
#include <fmt/core.h>

#include <memory>
#include <set>

#include "compiler/compiler_identity.h"
#include "compiler/install_layout.h"
#include "tool/bench/speed_table.h"
#include "tool/cli/bench_commands.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"

namespace heddle::cli {
namespace {

constexpr const char* kSpeedExamples =
    "examples:\n"
    "  heddle bench speed                           everything, with g++ and clang++ (an hour)\n"
    "  heddle bench speed atomics --only \"store\"   some rows\n"
    "  heddle bench speed executions                executions per second\n"
    "  heddle bench speed lengths --longest 8       up to 10^8 operations\n"
    "\n"
    "Programs take turns: a busy machine makes times longer and leaves ratios nearly as they are. A mark (!) "
    "is for "
    "what\n"
    "falls short of docs/measurements/speed.md. exit codes: 0 measured, 2 bad command line, 3 something "
    "could not "
    "be built or "
    "run";

struct SpeedOptions {
  std::vector<std::string> parts;
  std::vector<std::string> compilers;
  std::string only, json;
  unsigned rounds = 5;
  std::uint32_t longest = 7;
};

const std::vector<std::string> kParts = {"atomics", "mutexes", "plain", "lengths", "executions"};

// Those of the usual compilers that are installed.
std::vector<std::string> installed_compilers() {
  std::vector<std::string> found;
  if (!compiler::find_on_path("g++").empty()) found.emplace_back("g++");
  for (const char* name : {"clang++-19", "clang++"}) {
    if (compiler::find_on_path(name).empty()) continue;
    found.emplace_back(name);
    break;
  }
  return found;
}

bool has(const SpeedOptions& options, const std::string& part) {
  return options.parts.empty() ||
         std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
}

bool wanted(const SpeedOptions& options, const std::string& name) {
  return name.find(options.only) != std::string::npos;
}

class Session {
 public:
  Session(const SpeedOptions& options, std::FILE* out) : options_(options), out_(out) {}

  Status operations(const bench::SpeedBench& programs) {
    std::string part;
    std::vector<bench::OperationResult> rows;
    for (const bench::OperationCase& operation : bench::operation_cases()) {
      if (!has(options_, operation.part) || !wanted(options_, operation.name)) continue;
      if (operation.part != part) {
        show(bench::operations_foot(rows));
        show(bench::operations_head(operation.part, programs.compiler(), operation.limit));
        part = operation.part;
        rows.clear();
      }
      auto result = programs.measure(operation, options_.rounds);
      if (!result) return result.error();
      show(bench::operations_row(*result));
      rows.push_back(*result);
      results.operations.push_back(std::move(*result));
    }
    show(bench::operations_foot(rows));
    return Done{};
  }

  Status lengths(const bench::SpeedBench& programs) {
    show(bench::lengths_head(options_.longest));
    for (const bench::LengthCase& length : bench::length_cases(options_.longest)) {
      if (!wanted(options_, length.name)) continue;
      auto result = programs.measure(length);
      if (!result) return result.error();
      show(bench::lengths_row(*result, options_.longest));
      results.lengths.push_back(std::move(*result));
    }
    return Done{};
  }

  Status executions(const bench::SpeedBench& programs) {
    show(bench::executions_head());
    for (const bench::RateCase& rate : bench::rate_cases()) {
      if (!wanted(options_, rate.name)) continue;
      auto result = programs.measure(rate, options_.rounds);
      if (!result) return result.error();
      show(bench::executions_row(*result, results.executions));
      results.executions.push_back(std::move(*result));
    }
    auto start = programs.measure_start(options_.rounds);
    if (!start) return start.error();
    show(bench::start_row(*start));
    results.starts = {*start};
    return Done{};
  }

  bench::SpeedResults results;

 private:
  void show(const std::string& text) {
    fmt::print(out_, "{}", text);
    std::fflush(out_);
  }

  const SpeedOptions& options_;
  std::FILE* out_;
};

int run_speed(const SpeedOptions& options) {
  auto layout = compiler::find_layout();
  if (!layout) return complain(layout.error());
  const std::vector<std::string> compilers =
      options.compilers.empty() ? installed_compilers() : options.compilers;
  if (compilers.empty())
    return complain({"There is no g++ and no clang++ here. --compiler names another one."});
  // Where the JSON goes to standard output, nothing else does.
  std::FILE* out = options.json == "-" ? stderr : stdout;
  Session session(options, out);
  bool first = true;
  for (const std::string& compiler : compilers) {
    fmt::print(stderr, "building with {}\n", compiler);
    auto programs = bench::SpeedBench::build(layout->executable, layout->speed_dir, compiler);
    if (!programs) return complain(programs.error());
    Status status = session.operations(*programs);
    // What follows is about heddle alone: one compiler tells it all.
    if (status && first && has(options, "lengths")) status = session.lengths(*programs);
    if (status && first && has(options, "executions")) status = session.executions(*programs);
    if (!status) return complain(status.error());
    first = false;
  }
  if (!options.json.empty()) {
    if (auto written = write_text_file(options.json, bench::speed_json(session.results, HEDDLE_VERSION));
        !written)
      return complain(written.error());
  }
  return static_cast<int>(ExitCode::kNoBug);
}

}  // namespace

std::function<int()> add_bench_speed(CLI::App& bench) {
  CLI::App* speed =
      bench.add_subcommand("speed", "operations and executions, beside ThreadSanitizer and native");
  speed->footer(kSpeedExamples);
  const auto o = std::make_shared<SpeedOptions>();
  speed->add_option("parts", o->parts, "atomics, mutexes, plain, lengths, executions [all]")
      ->type_name("PART")
      ->check(one_of(kParts));
  speed->add_option("--compiler", o->compilers, "build with this C++ compiler [g++ and clang++]")
      ->type_name("NAME");
  speed->add_option("--only", o->only, "rows with this in their name")->type_name("TEXT");
  speed->add_option("--rounds", o->rounds, "how often everything is measured [5]")
      ->type_name("N")
      ->check(whole_number(1, 1000));
  speed->add_option("--longest", o->longest, "lengths up to 10^N operations [7]")
      ->type_name("N")
      ->check(whole_number(5, 9));
  speed->add_option("--json", o->json, "write the results as JSON; - is standard output")->type_name("FILE");
  return [o] { return run_speed(*o); };
}

}  // namespace heddle::cli
