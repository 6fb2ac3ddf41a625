// heddle-bench lin: CGVT's objects beside its tables.
#include <fmt/core.h>

#include <memory>

#include "bench/harness/commands.h"
#include "bench/harness/lin_bench.h"
#include "bench/harness/places.h"

namespace heddle::harness {
namespace {

constexpr const char* kLinExamples =
    "B: random schedules (the paper: the system's); D: dpct, in pieces of up to three operations; H: "
    "likewise, with one\n"
    "operation of the first thread in each; auto, pctwm: short clients until the first violation; all: every "
    "client of one\n"
    "call in each thread, exhaustively. Times are of this machine, the paper's of its own; find CPU: until a "
    "violation, on average.\n"
    "\n"
    "examples:\n"
    "  heddle-bench lin                 Tables I and II\n"
    "  heddle-bench lin --correct       the correct versions, which show nothing\n"
    "  heddle-bench lin TBStack Snark   two of them";

struct LinChoice {
  std::vector<std::string> words;
  std::string json;
  std::uint64_t executions = 0, seed = 1;
  bool correct = false;
};

int run_lin_bench(const LinChoice& choice) {
  const auto places = find_places();
  if (!places) return complain(places.error());
  bench::LinOptions options;
  options.folder = places->folder("lin");
  options.heddle = places->heddle;
  options.library = places->library;
  options.objects = choice.words;
  options.seed = choice.seed;
  options.correct = choice.correct;
  if (choice.executions != 0) options.executions = choice.executions;
  std::FILE* out = choice.json == "-" ? stderr : stdout;
  fmt::print(out, "{}", bench::lin_head());
  const auto cells = bench::run_lin(options, [&](const bench::LinCell& cell) {
    fmt::print(out, "{}", bench::lin_row(cell));
    std::fflush(out);
  });
  if (!cells) return complain(cells.error());
  if (choice.json.empty()) return 0;
  const auto written = write_text_file(choice.json, bench::lin_json(*cells));
  return written ? 0 : complain(written.error());
}

}  // namespace

std::function<int()> add_lin(CLI::App& app) {
  CLI::App* lin = app.add_subcommand("lin", "CGVT's objects: faults found and cut to minimum tests");
  lin->footer(kLinExamples);
  const auto choice = std::make_shared<LinChoice>();
  lin->add_option("names", choice->words, "only these objects")->type_name("NAME");
  lin->add_option("-n,--executions", choice->executions,
                  "of each correct object, and until a violation at most, under auto and pctwm [20000]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  lin->add_option("--seed", choice->seed, "of the executions [1]")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber);
  lin->add_flag("--correct", choice->correct, "the correct versions, which show nothing");
  lin->add_option("--json", choice->json, "write the results as JSON; - is standard output")
      ->type_name("FILE");
  return [choice] { return run_lin_bench(*choice); };
}

}  // namespace heddle::harness
