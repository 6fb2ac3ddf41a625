#include "bench/harness/cause_bench.h"
#include "core/trace/portfolio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/harness/thesis_programs.h"
#include "core/trace/event_kinds.h"
#include "tool/bench/child_process.h"
#include "tool/cause/interventions.h"
#include "tool/cause/solving.h"
#include "tool/replay/minimize.h"
#include "tool/run/campaign.h"

namespace heddle::bench {
namespace {

using Json = nlohmann::ordered_json;

CauseFigures figures_of(const Json& published) {
  CauseFigures f;
  const auto take = [&](const char* key, double& value) { value = published.value(key, -1.0); };
  take("threads", f.threads);
  take("variables", f.variables);
  take("accesses", f.accesses);
  take("symbolic_s", f.symbolic_seconds);
  take("constraints", f.constraints);
  take("solver_s", f.solver_seconds);
  take("pairs", f.pairs);
  take("events", f.events);
  take("kept_events", f.kept_events);
  take("flows", f.flows);
  take("kept_flows", f.kept_flows);
  take("switches", f.switches);
  take("reduced_switches", f.reduced_switches);
  return f;
}

void count_shared(const Trace& trace, CauseFigures& figures) {
  std::set<Address> variables;
  std::set<ThreadId> threads;
  double accesses = 0;
  for (const TraceEvent& event : trace.events) {
    threads.insert(event.thread);
    if (!accesses_memory(event.kind)) continue;
    variables.insert(event.address);
    ++accesses;
  }
  figures.threads = static_cast<double>(threads.size());
  figures.variables = static_cast<double>(variables.size());
  figures.accesses = accesses;
}

void take_explanation(const Explanation& e, CauseRow& row) {
  CauseFigures& f = row.ours;
  row.explained = e.passing.has_value();
  row.by_solving = row.explained && !e.by_intervention;
  f.events = static_cast<double>(e.all_events);
  f.flows = static_cast<double>(e.all_flows);
  if (!row.explained) return;
  f.kept_events = static_cast<double>(e.failing.kept.size());
  f.kept_flows = static_cast<double>(e.failing.flows.size());
}

Result<CauseRow> measure_cause(const CauseOptions& options, const std::string& folder,
                               const ThesisProgram& program) {
  CauseRow row;
  row.program = program.name;
  if (!program.thesis.is_null()) row.thesis = figures_of(program.thesis);
  auto target = build_thesis_program(options.heddle, options.library, folder, program);
  if (!target) return target.error();
  run::CampaignOptions campaign;
  campaign.spec.seed = options.seed;
  if (options.sequential) campaign.spec.model = ModelKind::kSc;
  // Without `delays`, which comes to the simplest execution that fails: the thesis' are of ordinary runs.
  const std::string strategy = fmt::format("auto:without={}", portfolio_number("delays"));
  std::copy_n(strategy.c_str(), strategy.size() + 1, campaign.spec.strategy);
  campaign.executions = options.executions;
  campaign.output_directory.clear();
  run::Campaign search(*target, campaign);
  const run::CampaignOutcome outcome = search.run();
  const auto bug = std::find_if(outcome.bugs.begin(), outcome.bugs.end(), [](const run::FoundBug& found) {
    return found.trace.findings[found.finding].severity == Severity::kBug;
  });
  if (bug == outcome.bugs.end()) return row;
  row.found = true;
  row.ours.switches = static_cast<double>(replay::size_of(bug->trace).switches);
  // Table 4.1 is about the execution as it was found.
  auto found = cause::trace_in_full(*target, bug->trace.spec, bug->trace.execution, bug->trace.choices, {});
  if (!found) return found.error();
  count_shared(*found, row.ours);
  replay::MinimiseOptions budget;
  budget.seconds = 10;
  auto small = replay::minimise(*target, bug->trace, budget);
  const Trace& failing = small ? *small : bug->trace;
  row.ours.reduced_switches = static_cast<double>(replay::size_of(failing).switches);
  cause::SolvingOptions solving;
  solving.solve_failing = true;
  auto solved = cause::explain_by_solving(*target, failing, solving);
  if (solved) {
    row.ours.symbolic_seconds = solved->symbolic_seconds;
    row.ours.solver_seconds = solved->failing_seconds;
    row.ours.constraints = static_cast<double>(solved->constraints);
    row.ours.pairs = static_cast<double>(solved->pairs_tried);
    row.ours.path = static_cast<double>(solved->clauses.path);
    row.ours.synchronisation = static_cast<double>(solved->clauses.synchronisation);
    row.ours.read_write = static_cast<double>(solved->clauses.read_write);
    row.ours.memory_order = static_cast<double>(solved->clauses.memory_order);
    row.why_not_solved = solved->why_not_solved;
    take_explanation(*solved, row);
  } else {
    row.why_not_solved = solved.error().message;
  }
  if (row.by_solving) return row;
  auto tried = cause::intervene(*target, failing, {});
  if (!tried) return tried.error();
  take_explanation(*tried, row);
  return row;
}

std::string pair_of(double ours, const std::optional<CauseFigures>& thesis, double CauseFigures::* member) {
  const auto text = [](double value) {
    return value < 0                                        ? std::string("–")
           : value < 10 && value != static_cast<int>(value) ? fmt::format("{:.2f}", value)
                                                            : fmt::format("{:.0f}", value);
  };
  return fmt::format("{}/{}", text(ours), thesis ? text((*thesis).*member) : std::string("–"));
}

}  // namespace

Result<std::vector<CauseRow>> run_cause(const CauseOptions& options,
                                        const std::function<void(const CauseRow&)>& row) {
  const auto programs = read_thesis_programs(options.folder, options.programs);
  if (!programs) return programs.error();
  return measure_each<CauseRow>(*programs, row, [&](const std::string& folder, const ThesisProgram& program) {
    return measure_cause(options, folder, program);
  });
}

std::string cause_head() {
  return fmt::format("{:<15} {:>7} {:>7} {:>11} {:>9} {:>11} {:>9} {:>11} {:>9} {:>11} {:>9} {:>9}  {}\n",
                     "ours/thesis", "threads", "vars", "accesses", "symb. s", "solver s", "pairs", "events",
                     "kept", "flows", "kept", "switches", "by");
}

std::string cause_row(const CauseRow& row) {
  const auto cell = [&](double CauseFigures::* member) {
    return pair_of(row.ours.*member, row.thesis, member);
  };
  const char* by = !row.found       ? "bug not found"
                   : !row.explained ? "–"
                   : row.by_solving ? "solving"
                                    : "trying";
  std::string text = fmt::format(
      "{:<15} {:>7} {:>7} {:>11} {:>9} {:>11} {:>9} {:>11} {:>9} {:>11} {:>9} {:>9}  {}\n", row.program,
      cell(&CauseFigures::threads), cell(&CauseFigures::variables), cell(&CauseFigures::accesses),
      cell(&CauseFigures::symbolic_seconds), cell(&CauseFigures::solver_seconds), cell(&CauseFigures::pairs),
      cell(&CauseFigures::events), cell(&CauseFigures::kept_events), cell(&CauseFigures::flows),
      cell(&CauseFigures::kept_flows), cell(&CauseFigures::reduced_switches), by);
  if (row.found && !row.by_solving && !row.why_not_solved.empty())
    text += fmt::format("{:<15} {}\n", "", row.why_not_solved);
  return text;
}

std::string cause_details(const std::vector<CauseRow>& rows) {
  constexpr int kBar = 40;
  std::string text = fmt::format(
      "\nSwitches before and after they are reduced (Table 4.3), and what the clauses of Φ_fail are of (Fig. "
      "4.5: p path, s synchronisation, r reads and writes, m program order)\n{:<15} {:>11} {:>11}  {:>8}\n",
      "ours/thesis", "found", "reduced", "clauses");
  for (const CauseRow& row : rows) {
    const CauseFigures& f = row.ours;
    const double all = f.path + f.synchronisation + f.read_write + f.memory_order;
    std::string bar;
    for (const auto& [kind, count] :
         {std::pair{'p', f.path}, {'s', f.synchronisation}, {'r', f.read_write}, {'m', f.memory_order}})
      if (all > 0 && count > 0) bar.append(static_cast<std::size_t>(std::lround(kBar * count / all)), kind);
    text += fmt::format("{:<15} {:>11} {:>11}  {:>8} {}\n", row.program,
                        pair_of(f.switches, row.thesis, &CauseFigures::switches),
                        pair_of(f.reduced_switches, row.thesis, &CauseFigures::reduced_switches),
                        all > 0 ? fmt::format("{:.0f}", all) : "–", bar);
  }
  return text + "\n";
}

std::string cause_foot(const std::vector<CauseRow>& rows) {
  double events = 0, flows = 0;
  std::size_t explained = 0, solved = 0, averaged = 0;
  for (const CauseRow& row : rows) {
    solved += row.by_solving ? 1 : 0;
    if (!row.explained || row.ours.events <= 0 || row.ours.flows <= 0) continue;
    ++explained;
    // Of the rows that the thesis averages, too: Fig. 4.2 is no program to be measured.
    if (!row.thesis && rows.size() > 1) continue;
    ++averaged;
    events += 1 - row.ours.kept_events / row.ours.events;
    flows += 1 - row.ours.kept_flows / row.ours.flows;
  }
  if (averaged == 0) return {};
  const auto n = static_cast<double>(averaged);
  return fmt::format(
      "{} of {} explained, {} by solving. On average {:.0f} % fewer events and {:.0f} % fewer data flows "
      "(thesis: 90 % "
      "and 96 %).\n",
      explained, rows.size(), solved, 100 * events / n, 100 * flows / n);
}

std::string cause_json(const std::vector<CauseRow>& rows) {
  const auto figures = [](const CauseFigures& f) {
    return Json{{"threads", f.threads},
                {"variables", f.variables},
                {"accesses", f.accesses},
                {"symbolic_s", f.symbolic_seconds},
                {"constraints", f.constraints},
                {"solver_s", f.solver_seconds},
                {"pairs", f.pairs},
                {"events", f.events},
                {"kept_events", f.kept_events},
                {"flows", f.flows},
                {"kept_flows", f.kept_flows},
                {"switches", f.switches},
                {"reduced_switches", f.reduced_switches},
                {"clauses",
                 {{"path", f.path},
                  {"synchronisation", f.synchronisation},
                  {"read_write", f.read_write},
                  {"memory_order", f.memory_order}}}};
  };
  Json all = Json::array();
  for (const CauseRow& row : rows) {
    all.push_back({{"program", row.program},
                   {"found", row.found},
                   {"explained", row.explained},
                   {"by_solving", row.by_solving},
                   {"why_not_solved", row.why_not_solved},
                   {"ours", figures(row.ours)},
                   {"thesis", row.thesis ? figures(*row.thesis) : Json(nullptr)}});
  }
  return Json{{"version", 1}, {"programs", std::move(all)}}.dump(2) + "\n";
}

}  // namespace heddle::bench
