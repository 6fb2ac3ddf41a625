// heddle lin run: detection by a campaign, localization of what was found.
#include <fmt/core.h>

#include <algorithm>

#include "tool/artifact/artifact.h"
#include "tool/base/atomic_file.h"
#include "tool/cli/lin_commands.h"
#include "tool/cli/run_options.h"
#include "tool/cli/value_checks.h"
#include "tool/findings/findings_folder.h"
#include "tool/linearize/check_client.h"
#include "tool/linearize/minimum_test.h"
#include "tool/linearize/picture.h"
#include "tool/report/shell_word.h"
#include "tool/run/time_limit.h"

namespace heddle::cli {
namespace {

constexpr const char* kDescription =
    "Explores a test that was written with <heddle/lin.hpp> until a history has no linearization. Random "
    "clients of the object run under the schedules that the strategy chooses, until the budget is spent.\n"
    "\n"
    "What was found is then cut to a minimum test case (CGVT): operations before, at the same time, and "
    "after, "
    "such that none of the concurrent ones can be left out. It is written to DIR/minimum_test.cpp, with "
    "DIR/minimum.heddle to replay it, DIR/minimum.svg and DIR/minimum.json.\n"
    "\n"
    "All options of `heddle run` are understood, too. Options of the test itself (`TEST --help`) stand "
    "behind "
    "it: --threads N, --operations M, --before N, --after N, --one, --client TEXT.";

constexpr const char* kExamples =
    "examples:\n"
    "  heddle lin run -- ./queue_test\n"
    "  heddle lin run -n 20000 -s dpct -- ./queue_test --threads 3 --operations 2\n"
    "  heddle lin run -s exhaustive -- ./queue_test --operations 1\n"
    "\n"
    "exit codes: as heddle run: 0 no bug, 66 a bug was found, 1 inconclusive, 2 bad command line";

struct LinRun {
  bool no_localize = false;
  std::uint64_t check = 0;  // 0: by what detection needed
};

void add_lin_options(CLI::App& app, LinRun& wish) {
  app.add_flag("--no-localize", wish.no_localize, "only find, and do not cut down");
  app.add_option("--check", wish.check,
                 "executions of each test case that is tried [as many as finding needed, 300 to 2000]")
      ->type_name("N")
      ->check(whole_number(1, 999'999'999));
}

// σ of CHECK, as in detection: a smaller test shows the fault in a larger share of its executions.
std::uint64_t sigma(const LinRun& wish, const run::CampaignOutcome& outcome) {
  if (wish.check != 0) return wish.check;
  return std::clamp<std::uint64_t>(4 * outcome.report.executions, 300, 2000);
}

constexpr NumberedName kMinimum = {"minimum", ".heddle", true};
constexpr NumberedName kMinimumTest = {"minimum_test", ".cpp", true};
constexpr NumberedName kMinimumHistory = {"minimum", ".json", true};
constexpr NumberedName kMinimumPicture = {"minimum", ".svg", true};

// Under one number, which no other call has used.
Result<std::uint64_t> write_files(const std::string& folder, const linearize::Localized& localized) {
  const linearize::ObservedHistory& history = localized.violated.history;
  std::uint64_t above = 0;
  for (const NumberedName& name : {kMinimumTest, kMinimumHistory, kMinimumPicture}) {
    for (const NumberedFile& file : numbered_files(folder, name)) above = std::max(above, file.number);
  }
  const auto added = add_numbered_file(folder, kMinimum, serialise(localized.violated.trace), above);
  if (!added) return added.error();
  const auto write = [&](const NumberedName& name, const std::string& text) {
    return write_file_atomically(path_in(folder, name.of(added->number)), text);
  };
  if (auto done = write(kMinimumTest, minimum_test_source(localized)); !done) return done.error();
  if (auto done = write(kMinimumHistory, history_json(history)); !done) return done.error();
  if (auto done = write(kMinimumPicture, history_svg(history)); !done) return done.error();
  return added->number;
}

void localize(const LinRun& wish, const RunOptions& options, const run::Target& target,
              const run::CampaignOutcome& outcome, const std::function<void(const std::string&)>& write) {
  const auto found = linearize::violation_of(outcome);
  if (!found) return;
  const std::string& folder = options.campaign.output_directory;
  run::CampaignOptions campaign = options.campaign;
  campaign.executions = sigma(wish, outcome);
  campaign.seconds = 0;
  campaign.max_failures = 1;
  campaign.output_directory.clear();
  linearize::ClientChecker checker(target, campaign);
  auto localized = linearize::localize(
      *found, [&](const lin::Client& client, const std::vector<Choice>& schedule, linearize::Effort effort) {
        return checker(client, schedule, effort);
      });
  auto shown = localized ? checker.with_symbols(localized->violated) : std::nullopt;
  if (!shown) {
    write(run::time_is_up()
              ? "heddle: the time was over before the smallest test was found; give more (--time)\n"
              : "heddle: the history's operations did not show the fault again; --check N allows more "
                "executions\n");
    return;
  }
  localized->violated = std::move(*shown);
  write(explain_minimum(*localized, *campaign.executions));
  const auto written = write_files(folder, *localized);
  if (!written) {
    complain(written.error());
    return;
  }
  const auto word = [&](const NumberedName& name) {
    return report::path_word(path_in(folder, name.of(*written)));
  };
  write(fmt::format("test: {}\npicture: {}\nreproduce: heddle replay {}\n", word(kMinimumTest),
                    word(kMinimumPicture), word(kMinimum)));
}

}  // namespace

int lin_run(const Arguments& arguments) {
  LinRun wish;
  const RunCommand command = {"lin run",
                              "heddle lin run [options] [--] TEST [ARGS…]",
                              kDescription,
                              kExamples,
                              kRunCommand.default_seconds,
                              [&](CLI::App& app) { add_lin_options(app, wish); }};
  RunOptions options;
  if (const auto code = parse_run_options(arguments, options, command)) return *code;
  run::CampaignOutcome outcome;
  return explore(options, outcome,
                 [&](const run::Target& target, const run::CampaignOutcome& found,
                     const std::function<void(const std::string&)>& write) {
                   if (!wish.no_localize) localize(wish, options, target, found, write);
                 });
}

}  // namespace heddle::cli
