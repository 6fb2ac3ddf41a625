// heddle explain: why an execution fails, and what would make it pass.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <limits>
#include <thread>

#include "tool/base/atomic_file.h"
#include "tool/cause/baked_in.h"
#include "tool/cause/interventions.h"
#include "tool/cause/remedy.h"
#include "tool/cause/solving.h"
#include "tool/cli/choice_option.h"
#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/preamble.h"
#include "tool/cli/recorded_program.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"
#include "tool/replay/carry_over.h"
#include "tool/replay/minimize.h"
#include "tool/replay/symbolic.h"
#include "tool/report/explained.h"
#include "tool/report/html.h"
#include "tool/report/kept_explanation.h"
#include "tool/report/remedy_edits.h"
#include "tool/run/time_limit.h"
#include "tool/search/path_alternates.h"

namespace heddle::cli {
namespace {

struct ExplainOptions {
  RecordedOptions recorded;
  std::string artifact, time, html, svg, json, patch;
  ColorWish color = ColorWish::kAuto;
  std::uint64_t executions = 10'000;
  unsigned jobs = 0;
  bool no_remedy = false, intervene = false, quiet = false, verbose = false;
};

std::optional<int> parse_explain(const Arguments& arguments, ExplainOptions& o) {
  CLI::App app(
      "Says why the bug of an artifact happens, and what to change. It shows the few events and data flows "
      "in "
      "which the execution differs from one that is nearly the same and passes, and says which memory order, "
      "lock or order of operations is missing. Whatever it says was executed: the execution that passes, and "
      "thousands of executions in which the change is enforced.",
      "heddle explain");
  app.footer(
      "examples:\n"
      "  heddle explain heddle-out/bug-1.heddle\n"
      "  heddle explain --html why.html --time 5m heddle-out/bug-1.heddle\n"
      "\n"
      "exit codes: 0 a change was found that makes the bug go away (with --no-remedy: an execution that "
      "passes), "
      "1 none was, 2 bad artifact or program, 3 an error of heddle's own");
  app.add_option("artifact", o.artifact, "bug-N.heddle")->required()->type_name("FILE");
  app.add_option(
         "-t,--time", o.time,
         "how long to try: 500ms, 10s, 5m [60 seconds of the processors' time, however long that takes]")
      ->type_name("D")
      ->check(duration());
  app.add_option("-n,--executions", o.executions, "executions that a change has to pass [10000]")
      ->type_name("N")
      ->check(whole_number());
  app.add_option("-j,--jobs", o.jobs, "worker processes [the machine's cores]")
      ->type_name("N")
      ->check(whole_number(0, 1024));
  app.add_flag("--intervene", o.intervene,
               "find the execution that passes by trying, also for a program built with --full");
  app.add_flag("--no-remedy", o.no_remedy, "do not look for what to change");
  app.add_option("--html", o.html, "write a page with both executions side by side")->type_name("FILE");
  app.add_option("--svg", o.svg, "also write a picture of both executions")->type_name("FILE");
  app.add_option("--json", o.json, "also write the explanation as JSON")->type_name("FILE");
  app.add_option(
         "--patch", o.patch,
         "write the change as a patch, where it is single words: memory orders, notify_all, while for if")
      ->type_name("FILE");
  add_recorded_options(app, o.recorded);
  add_color_option(app, o.color);
  app.add_flag("-v,--verbose", o.verbose, "show all events and data flows that differ, not only 15 rows");
  app.add_flag("-q,--quiet", o.quiet, "no progress");
  return parse_command(app, arguments);
}

class Steps {
 public:
  explicit Steps(bool shown) : shown_(shown) {}
  void operator()(const std::string& what) const {
    if (shown_) fmt::print(stderr, "heddle: {} …\n", what);
  }

 private:
  bool shown_;
};

// The root cause stands, where its events have the same numbers.
void take_root_cause(Explanation& explanation, std::optional<Explanation>& unfinished) {
  if (!unfinished || unfinished->failing.trace.events.size() != explanation.failing.trace.events.size())
    return;
  explanation.root_cause = std::move(unfinished->root_cause);
  explanation.root_cause_is_minimal = unfinished->root_cause_is_minimal;
}

// By its constraints where the program was built for it, on the same paths or on others, else by trying.
Result<Explanation> explain(const run::Target& target, const Trace& failing, double seconds,
                            const ExplainOptions& options, const Steps& step) {
  std::string why_not;
  std::optional<Explanation> unfinished;
  if (!options.intervene && replay::is_full_build(target.path)) {
    step("solving the constraints of its symbolic trace");
    auto solved = [&] {
      const run::TimeShare share(seconds);
      return cause::explain_by_solving(target, failing, {});
    }();
    if (solved && solved->passing) return solved;
    why_not = solved ? solved->why_not_solved : solved.error().message;
    if (solved) unfinished = std::move(*solved);
    step("looking for a branch that goes the other way");
    search::PathAlternateOptions flips;
    flips.seconds = seconds;
    auto flipped = search::explain_by_flips(target, failing, flips);
    if (flipped && flipped->passing) {
      flipped->why_not_solved = why_not;
      take_root_cause(*flipped, unfinished);
      return flipped;
    }
  }
  step("looking for an execution that passes");
  cause::InterventionOptions near;
  near.seconds = seconds;
  auto tried = cause::intervene(target, failing, near);
  if (!tried) return tried;
  tried->why_not_solved = why_not;
  take_root_cause(*tried, unfinished);
  return tried;
}

// As small as it can be made in a tenth of the time; as it was where that fails.
Result<Trace> smaller(const run::Target& target, Trace failing, double seconds, const Steps& step) {
  if (failing.minimised) return failing;
  step("making the execution smaller");
  replay::MinimiseOptions budget;
  budget.seconds = seconds * 0.1;
  auto small = replay::minimise(target, failing, budget);
  if (small || small.error().code == ExitCode::kOwnError) return small;
  return failing;
}

// The artifact is of another build than the program that was asked for: the execution of this program, or,
// where it does not come to it, the old program, if it is still there.
Result<Trace> in_this_build(RecordedProgram& program, Trace failing, double seconds, const Steps& step) {
  auto old_build = find_recorded_program(failing, {});
  const bool has_old = old_build && !old_build->is_other_build;
  if (has_old) {
    auto here = in_this_engine(old_build->target, std::move(failing));
    if (!here) return here;
    failing = std::move(*here);
    auto small = smaller(old_build->target, std::move(failing), seconds, step);
    if (!small) return small;
    failing = std::move(*small);
  }
  step("carrying the execution over to this build");
  auto carried = replay::carry_over(program.target, failing);
  if (carried) {
    step("carried over");
    return carried;
  }
  if (!has_old) return carried;
  warn(carried.error().message + " It is explained with " + old_build->target.path + ".");
  program = std::move(*old_build);
  return failing;
}

// What is left to be done by hand is said; where that is all, there is no patch.
Status write_patch(const std::string& path, const report::RemedyEdits& edits) {
  for (const std::string& what : edits.by_hand) warn("Not in the patch, since it is not one word: " + what);
  if (edits.edits.empty()) {
    warn("No patch was written to " + path + ".");
    return Done{};
  }
  std::error_code none;
  auto diff = edit::unified_diff(edits.edits, edits.files, std::filesystem::current_path(none).string());
  if (!diff) return diff.error();
  return write_file_atomically(path, *diff);
}

}  // namespace

int explain_command(const Arguments& arguments) {
  ExplainOptions options;
  if (const auto code = parse_explain(arguments, options)) return *code;
  constexpr double kWork = 60;
  Result<double> seconds = options.time.empty() ? Result<double>(kWork) : parse_duration(options.time);
  if (!seconds) return complain(seconds.error());
  auto opened = open_artifact(options.artifact, options.recorded);
  if (!opened) return complain(opened.error());
  auto& [original, program] = *opened;
  const ProgramIdentity then = original.program;
  const auto fail = [&](const Error& error) {
    if (error.code == ExitCode::kInconclusive) tell_changed_surroundings(program.target, then);
    return complain(error);
  };
  const Steps step(!options.quiet && stderr_is_terminal());
  begin_work(*seconds);
  // Without a limit of the user's a busy machine takes longer, and finds as much.
  if (options.time.empty()) run::set_work_limit(*seconds);

  Result<Trace> failing = std::move(original);
  if (program.is_other_build) {
    failing = in_this_build(program, std::move(*failing), *seconds, step);
  } else {
    failing = in_this_engine(program.target, std::move(*failing));
  }
  if (failing) failing = smaller(program.target, std::move(*failing), *seconds, step);
  if (!failing) return fail(failing.error());
  // Where a race is what the failure comes of, every execution has it: one that passes is one without the failure.
  const VisiblePlaces visible = failing->spec.visible;
  if (!failing->findings.empty() && failing->findings.front().kind != FindingKind::kDataRace)
    failing->spec.visible.silence = VisiblePlaces::kAllRaces;
  auto explanation = explain(program.target, *failing, *seconds * 0.25, options, step);
  if (!explanation) return fail(explanation.error());
  explanation->failing.trace.spec.visible = visible;
  step("looking for the moment at which the failure is decided");
  cause::BakedInOptions curve;
  curve.seconds = std::min(*seconds * 0.1, 5.0);
  // It adds to the explanation; without it the rest is as good.
  if (auto drawn = cause::baked_in(program.target, *failing, explanation->failing.trace, curve))
    explanation->curve = std::move(*drawn);
  if (!options.no_remedy) {
    cause::RemedyOptions remedy;
    // A third of it comes on top, for the change that is right to be tried at length.
    remedy.trials.seconds = *seconds * 0.48;
    remedy.trials.jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
    remedy.executions = options.executions;
    remedy.on_step = step;
    cause::find_remedy(program.target, *explanation, remedy);
  }
  report::ExplainedOptions look{terminal_width(), use_color(options.color)};
  if (options.verbose) look.rows = std::numeric_limits<std::size_t>::max();
  fmt::print("{}", report::explained_text(*explanation, look));
  const auto page = [&](const Explanation& e) { return report::html_explanation(e, options.artifact); };
  const report::RemedyEdits edits = report::remedy_edits(*explanation);
  const auto json = [&](const Explanation& e) { return report::explained_json(e, edits.edits); };
  using Writer = std::function<std::string(const Explanation&)>;
  for (const auto& [path, text] : {std::pair<std::string, Writer>{options.html, page},
                                   {options.svg, &report::explained_svg},
                                   {options.json, json}}) {
    if (path.empty()) continue;
    if (auto written = write_file_atomically(path, text(*explanation)); !written)
      return complain(written.error());
  }
  if (!options.patch.empty() && explanation->remedy) {
    if (auto written = write_patch(options.patch, edits); !written) return complain(written.error());
  }
  const bool has_answer =
      options.no_remedy ? explanation->passing.has_value() : explanation->remedy.has_value();
  // For the pages that are made of the artifact later. It is no failure if there is no place for it.
  if (auto kept = write_file_atomically(report::explanation_path(options.artifact),
                                        report::explanation_to_keep(*explanation, edits.edits));
      !kept)
    warn(kept.error().message);
  return has_answer ? 0 : static_cast<int>(ExitCode::kInconclusive);
}

}  // namespace heddle::cli
