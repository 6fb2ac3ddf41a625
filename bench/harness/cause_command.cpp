// heddle-bench cause: the thesis' programs, explained.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/harness/cause_bench.h"
#include "bench/harness/commands.h"
#include "bench/harness/places.h"

namespace heddle::harness {
namespace {

constexpr const char* kCauseExamples =
    "examples:\n"
    "  heddle-bench cause\n"
    "  heddle-bench cause bank airline --json cause.json\n"
    "\n"
    "exit codes: 0 measured, 2 a program could not be compiled, 3 an error of heddle's own";

struct CauseChoice {
  bench::CauseOptions bench;
  std::string json;
};

int run_cause(CauseChoice options) {
  const auto places = find_places();
  if (!places) return complain(places.error());
  options.bench.folder = places->folder("cause");
  options.bench.heddle = places->heddle;
  options.bench.library = places->library;
  std::FILE* out = options.json == "-" ? stderr : stdout;
  fmt::print(out, "{}", bench::cause_head());
  const auto rows = bench::run_cause(options.bench, [&](const bench::CauseRow& row) {
    fmt::print(out, "{}", bench::cause_row(row));
    std::fflush(out);
  });
  if (!rows) return complain(rows.error());
  fmt::print(out, "{}{}", bench::cause_details(*rows), bench::cause_foot(*rows));
  if (!options.json.empty()) {
    if (auto written = write_text_file(options.json, bench::cause_json(*rows)); !written)
      return complain(written.error());
  }
  return 0;
}

}  // namespace

std::function<int()> add_cause(CLI::App& app) {
  CLI::App* cause = app.add_subcommand("cause", "root causes of the thesis' programs beside its tables");
  cause->footer(kCauseExamples);
  const auto options = std::make_shared<CauseChoice>();
  cause->add_option("names", options->bench.programs, "only these programs")->type_name("PROGRAM");
  cause->add_option("--seed", options->bench.seed, "of the campaigns [1]")->type_name("S");
  cause->add_flag("--sc", options->bench.sequential,
                  "under sequential consistency, as the thesis has it, and not under C++20");
  cause->add_option("--json", options->json, "write the results as JSON; - is standard output")
      ->type_name("FILE");
  return [options] { return run_cause(*options); };
}

}  // namespace heddle::harness
