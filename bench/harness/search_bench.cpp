#include "bench/harness/search_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness/native_runs.h"
#include "bench/harness/thesis_programs.h"
#include "core/trace/event_kinds.h"
#include "tool/bench/child_process.h"
#include "tool/cause/solving.h"
#include "tool/replay/minimize.h"
#include "tool/run/campaign.h"
#include "tool/search/path_alternates.h"
#include "tool/search/search.h"

namespace heddle::bench {
namespace {

SearchFigures search_figures(const nlohmann::ordered_json& published) {
  SearchFigures f;
  const auto take = [&](const char* key, double& value) { value = published.value(key, -1.0); };
  take("threads", f.threads);
  take("branches", f.branches);
  take("events", f.events);
  take("symbolic_s", f.symbolic_seconds);
  take("runs", f.runs);
  take("tries", f.tries);
  take("depth", f.depth);
  take("traces", f.traces);
  take("flipped", f.flipped);
  take("synthesised", f.synthesised);
  take("solver_s", f.solver_seconds);
  take("mcr", f.attempts);
  take("flows", f.flows);
  take("kept_flows", f.kept_flows);
  take("all_events", f.all_events);
  take("kept_events", f.kept_events);
  f.schedule_only = published.value("schedule_only", false);
  return f;
}

// Runs that pass; those that fail are left out, as in the thesis.
Result<std::vector<search::Executed>> passing_runs(search::Executions& executions, const std::string& folder,
                                                   const SearchBenchOptions& options, SearchRow& row) {
  std::vector<search::Executed> runs;
  if (!options.native) {
    for (std::uint64_t i = 0; runs.size() < options.runs && i < 4 * options.runs; ++i) {
      auto run = executions.sample(i);
      if (!run) return run.error();
      if (run->passes) runs.push_back(std::move(*run));
    }
    return runs;
  }
  auto native = record_passing_runs(executions.target(), folder + "/" + row.program + "-logs", options.runs);
  if (!native) return native.error();
  search::FollowLimits limits;
  limits.runs = options.runs;
  limits.seconds = options.seconds;
  limits.each.most_executions = 100;
  limits.each.seconds = options.seconds / 4;
  auto followed = search::follow_runs(executions, native->database, limits);
  if (!followed) return followed.error();
  row.native = static_cast<double>(native->database.distinct_runs());
  row.followed = static_cast<double>(followed->same);
  return std::move(followed->executed);
}

struct SearchedOnce {
  std::optional<search::FoundBug> bug;
  search::SearchCounts counts;
  std::size_t runs = 0;
};

Result<SearchedOnce> search_once(search::Executions& executions, const std::vector<search::Executed>& runs,
                                 const SearchBenchOptions& options, search::SearchOptions how,
                                 SearchRow* row) {
  how.seconds = options.seconds;
  search::Search search(executions, how);
  for (const search::Executed& run : runs) {
    auto added = search.add(run);
    if (!added && added.error().code == ExitCode::kOwnError) return added.error();
  }
  if (search.runs() == 0) return SearchedOnce{};
  if (row != nullptr) {
    const search::TracedRun& first = search.run(1);
    row->ours.runs = static_cast<double>(search.runs());
    row->ours.threads = static_cast<double>(first.threads.size());
    row->ours.branches =
        static_cast<double>(search::branches_near(search::composition_of(first), {0}).size());
    row->ours.events = static_cast<double>(
        std::count_if(first.trace.events.begin(), first.trace.events.end(),
                      [](const TraceEvent& e) { return accesses_memory(e.kind) || synchronises(e.kind); }));
    row->ours.symbolic_seconds = static_cast<double>(first.trace.result.duration_us) * 1e-6;
  }
  auto found = search.find();
  if (!found) return found.error();
  return SearchedOnce{std::move(*found), search.counts(), search.runs()};
}

// As `heddle explain` would: on the same paths, else on others, else beside the run that it was derived from.
std::optional<Explanation> explained(const run::Target& target, const search::Executions& executions,
                                     search::FoundBug bug) {
  replay::MinimiseOptions budget;
  auto small = replay::minimise(target, bug.trace, budget);
  const Trace& failing = small ? *small : bug.trace;
  auto solved = cause::explain_by_solving(target, failing, {});
  if (solved && solved->passing) return std::move(*solved);
  auto flipped = search::explain_by_flips(target, failing, {});
  if (flipped && flipped->passing) return std::move(*flipped);
  Trace base;
  base.spec = executions.spec();
  base.choices = std::move(bug.base);
  auto projected = search::project(target, failing, std::move(base), {});
  if (!projected) return std::nullopt;
  return std::move(*projected);
}

Result<SearchRow> measure_search(const SearchBenchOptions& options, const std::string& folder,
                                 const ThesisProgram& program) {
  SearchRow row;
  row.program = program.name;
  if (!program.thesis.is_null()) row.thesis = search_figures(program.thesis);
  auto target = build_thesis_program(options.heddle, options.library, folder, program);
  if (!target) return target.error();
  RunSpec spec;
  spec.seed = options.seed;
  auto executions = search::Executions::start(*target, spec, {});
  if (!executions) return executions.error();
  auto runs = passing_runs(*executions, folder, options, row);
  if (!runs) return runs.error();

  search::SearchOptions thesis;
  thesis.order = search::SearchOrder::kThesis;
  if (row.thesis && row.thesis->depth > 0) {
    thesis.depth = static_cast<std::uint32_t>(row.thesis->depth);
    thesis.traces = static_cast<std::uint32_t>(row.thesis->traces);
  }
  auto first = search_once(*executions, *runs, options, thesis, &row);
  if (!first) return first.error();
  if (first->bug) {
    row.found = true;
    const auto& flips = first->bug->attempt.flips;
    row.ours.schedule_only = flips.empty();
    row.ours.tries = static_cast<double>(first->counts.tries);
    row.ours.flipped = static_cast<double>(first->counts.flips);
    row.ours.synthesised = static_cast<double>(first->counts.synthesised);
    row.ours.solver_seconds = first->counts.satisfiable_seconds;
    row.ours.depth = 0;
    for (const search::Flip& flip : flips)
      row.ours.depth = std::max(row.ours.depth, static_cast<double>(flip.rank));
    if (auto shown = explained(*target, *executions, std::move(*first->bug))) {
      row.ours.flows = static_cast<double>(shown->all_flows);
      row.ours.kept_flows = static_cast<double>(shown->failing.flows.size());
      row.ours.all_events = static_cast<double>(shown->all_events);
      row.ours.kept_events = static_cast<double>(shown->failing.kept.size());
    }
  }
  auto pruned = search_once(*executions, *runs, options, {}, nullptr);
  if (!pruned) return pruned.error();
  row.found_pruned = pruned->bug.has_value();
  if (row.found_pruned) row.ours.attempts = static_cast<double>(pruned->counts.executions);

  run::CampaignOptions campaign;
  campaign.spec.seed = options.seed;
  std::copy_n("auto", sizeof "auto", campaign.spec.strategy);
  // As many as all runs and executions of the search together.
  campaign.executions = runs->size() + pruned->counts.executions;
  campaign.output_directory.clear();
  run::Campaign all(*target, campaign);
  const run::CampaignOutcome outcome = all.run();
  for (const run::FoundBug& bug : outcome.bugs) {
    if (bug.trace.findings[bug.finding].severity == Severity::kBug && row.campaign < 0)
      row.campaign = static_cast<double>(bug.first_execution + 1);
  }
  return row;
}

std::string figure(double value) {
  if (value < 0) return "–";
  return value < 10 && value != static_cast<int>(value) ? fmt::format("{:.2f}", value)
                                                        : fmt::format("{:.0f}", value);
}

}  // namespace

Result<std::vector<SearchRow>> run_search(const SearchBenchOptions& options,
                                          const std::function<void(const SearchRow&)>& row) {
  const auto programs = read_thesis_programs(options.folder, options.programs);
  if (!programs) return programs.error();
  return measure_each<SearchRow>(*programs, row,
                                 [&](const std::string& folder, const ThesisProgram& program) {
                                   return measure_search(options, folder, program);
                                 });
}

std::string search_head() {
  return fmt::format(
      "{:<14} {:>7} {:>9} {:>10} {:>7} {:>9} {:>7} {:>7} {:>7} {:>7} {:>9} {:>11} {:>11} {:>6}\n",
      "ours/thesis", "threads", "branches", "events", "runs", "by", "tries", "depth", "flips", "synth.",
      "MCR", "kept events", "kept flows", "auto");
}

std::string search_row(const SearchRow& row) {
  const auto cell = [&](double SearchFigures::* member) {
    return fmt::format("{}/{}", figure(row.ours.*member), row.thesis ? figure((*row.thesis).*member) : "–");
  };
  const auto by = [](bool schedule_only) { return schedule_only ? "sched." : "path"; };
  return fmt::format(
      "{:<14} {:>7} {:>9} {:>10} {:>7} {:>9} {:>7} {:>7} {:>7} {:>7} {:>9} {:>11} {:>11} {:>6}\n",
      row.program, cell(&SearchFigures::threads), cell(&SearchFigures::branches),
      cell(&SearchFigures::events), cell(&SearchFigures::runs),
      fmt::format("{}/{}", row.found ? by(row.ours.schedule_only) : "–",
                  row.thesis ? by(row.thesis->schedule_only) : "–"),
      cell(&SearchFigures::tries), cell(&SearchFigures::depth), cell(&SearchFigures::flipped),
      cell(&SearchFigures::synthesised), cell(&SearchFigures::attempts), cell(&SearchFigures::kept_events),
      cell(&SearchFigures::kept_flows), figure(row.campaign));
}

std::string search_foot(const std::vector<SearchRow>& rows) {
  std::size_t found = 0, pruned = 0, missed = 0, projected = 0;
  double events = 0, flows = 0;
  for (const SearchRow& row : rows) {
    found += row.found ? 1 : 0;
    pruned += row.found_pruned ? 1 : 0;
    missed += row.campaign < 0 && row.found_pruned ? 1 : 0;
    if (row.ours.all_events <= 0 || row.ours.flows <= 0) continue;
    ++projected;
    events += 1 - row.ours.kept_events / row.ours.all_events;
    flows += 1 - row.ours.kept_flows / row.ours.flows;
  }
  const auto n = static_cast<double>(std::max<std::size_t>(projected, 1));
  return fmt::format(
      "{} of {} found in the thesis' order, {} in ours; {} of these `auto` misses in as many executions. "
      "Projections have {:.0f} % fewer events and {:.0f} % fewer data flows (thesis: 50 % and 83 %).\n",
      found, rows.size(), pruned, missed, 100 * events / n, 100 * flows / n);
}

std::string search_json(const std::vector<SearchRow>& rows) {
  const auto figures = [](const SearchFigures& f) {
    return nlohmann::ordered_json{{"threads", f.threads},
                                  {"branches", f.branches},
                                  {"events", f.events},
                                  {"symbolic_s", f.symbolic_seconds},
                                  {"runs", f.runs},
                                  {"schedule_only", f.schedule_only},
                                  {"tries", f.tries},
                                  {"depth", f.depth},
                                  {"flipped", f.flipped},
                                  {"synthesised", f.synthesised},
                                  {"solver_s", f.solver_seconds},
                                  {"attempts", f.attempts},
                                  {"flows", f.flows},
                                  {"kept_flows", f.kept_flows},
                                  {"all_events", f.all_events},
                                  {"kept_events", f.kept_events}};
  };
  auto all = nlohmann::ordered_json::array();
  for (const SearchRow& row : rows) {
    all.push_back({{"program", row.program},
                   {"found", row.found},
                   {"found_pruned", row.found_pruned},
                   {"auto_executions", row.campaign},
                   {"native_different", row.native},
                   {"native_reconstructed", row.followed},
                   {"ours", figures(row.ours)},
                   {"thesis", row.thesis ? figures(*row.thesis) : nlohmann::ordered_json(nullptr)}});
  }
  return nlohmann::ordered_json{{"version", 1}, {"programs", std::move(all)}}.dump(2) + "\n";
}

}  // namespace heddle::bench
