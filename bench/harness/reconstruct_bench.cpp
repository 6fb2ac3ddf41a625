#include "bench/harness/reconstruct_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bench/harness/native_runs.h"
#include "bench/harness/thesis_programs.h"
#include "tool/bench/child_process.h"
#include "tool/run/campaign.h"
#include "tool/search/production.h"
#include "tool/search/reconstruct.h"

namespace heddle::bench {
namespace {

using Source = ReconstructRow::Source;

// An execution that `heddle run` finds.
std::optional<Trace> failing_execution(const run::Target& target, const RunSpec& spec, double seconds) {
  run::CampaignOptions campaign;
  campaign.spec = spec;
  std::copy_n("auto", sizeof "auto", campaign.spec.strategy);
  campaign.seconds = seconds;
  campaign.output_directory.clear();
  campaign.symbolise = false;
  run::CampaignOutcome outcome = run::Campaign(target, campaign).run();
  for (run::FoundBug& bug : outcome.bugs) {
    if (bug.trace.findings[bug.finding].severity == Severity::kBug) return std::move(bug.trace);
  }
  return std::nullopt;
}

struct FailingLog {
  search::LoggedPaths paths;
  search::LoggedEnd end;
};

// What a native run with that schedule would have logged.
Result<std::optional<FailingLog>> engine_log(const run::Target& target, const RunSpec& spec, double seconds) {
  auto failing = failing_execution(target, spec, seconds);
  if (!failing) return std::optional<FailingLog>();
  auto executions = search::Executions::start(target, failing->spec, {}, failing->execution);
  if (!executions) return executions.error();
  executions->keep_decisions();
  // (The last finding is what ended it.)
  const TraceFinding& finding = failing->findings.back();
  const ThreadId failed = finding.parts.empty() ? kMainThread : finding.parts.front().thread;
  search::Executed executed;
  executed.choices = std::move(failing->choices);
  executed.result.trace_hash = failing->result.trace_hash;
  executed.is_bug = true;
  auto traced = executions->trace(executed);
  if (!traced) return traced.error();
  FailingLog log;
  log.end.fails = true;
  for (const auto& [name, own] : (*traced)->decisions) {
    log.paths[name] = own.path;
    if (own.thread == failed) log.end.thread = name;
  }
  return std::optional(std::move(log));
}

Result<std::optional<FailingLog>> failing_log(const ReconstructBenchOptions& options,
                                              const run::Target& target, const std::string& folder,
                                              const RunSpec& spec, ReconstructRow& row) {
  auto native = record_failing_run(target, folder + "/" + row.program + "-logs", options.native_runs);
  if (!native) return native.error();
  if (*native) {
    row.source = Source::kNative;
    return std::optional(FailingLog{search::logged_paths(**native), search::logged_end(**native)});
  }
  auto made = engine_log(target, spec, options.seconds);
  if (made && *made) row.source = Source::kEngine;
  return made;
}

Result<ReconstructRow> measure_reconstruct(const ReconstructBenchOptions& options, const std::string& folder,
                                           const ThesisProgram& program) {
  ReconstructRow row;
  row.program = program.name;
  auto target = build_thesis_program(options.heddle, options.library, folder, program);
  if (!target) return target.error();
  RunSpec spec;
  spec.seed = options.seed;
  auto log = failing_log(options, *target, folder, spec, row);
  if (!log) return log.error();
  if (!*log) return row;
  for (const auto& [name, path] : (*log)->paths) row.branches += path.size();
  // Other executions to start from than those that the log may be of.
  spec.seed += 1;
  auto executions = search::Executions::start(*target, spec, {});
  if (!executions) return executions.error();
  executions->keep_decisions();
  search::ReconstructOptions how;
  how.seconds = options.seconds;
  const auto began = std::chrono::steady_clock::now();
  auto done = search::reconstruct(*executions, (*log)->paths, (*log)->end, how);
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  if (!done) return done.error();
  row.succeeded = done->succeeded;
  row.executions = done->executions;
  row.questions = done->questions;
  for (const auto& [name, matched] : done->matched) row.matched += matched.steps;
  return row;
}

}  // namespace

Result<std::vector<ReconstructRow>> run_reconstruct(const ReconstructBenchOptions& options,
                                                    const std::function<void(const ReconstructRow&)>& row) {
  std::vector<ThesisProgram> all;
  for (const std::string& folder : options.folders) {
    auto programs = read_thesis_programs(folder, options.programs);
    if (!programs && options.programs.empty()) return programs.error();
    if (programs)
      all.insert(all.end(), programs->begin(), programs->end());  // else the names are of another folder
  }
  return measure_each<ReconstructRow>(all, row, [&](const std::string& folder, const ThesisProgram& program) {
    return measure_reconstruct(options, folder, program);
  });
}

std::string reconstruct_head() {
  return fmt::format("{:<16} {:>8} {:>10} {:>10} {:>12} {:>11} {:>9} {:>8}\n", "program", "log of",
                     "branches", "matched", "executions", "questions", "seconds", "");
}

std::string reconstruct_row(const ReconstructRow& row) {
  const char* source = row.source == Source::kNative   ? "native"
                       : row.source == Source::kEngine ? "engine"
                                                       : "–";
  return fmt::format("{:<16} {:>8} {:>10} {:>10} {:>12} {:>11} {:>9.1f} {:>8}\n", row.program, source,
                     row.branches, row.matched, row.executions, row.questions, row.seconds,
                     row.succeeded ? "fails so" : "no");
}

std::string reconstruct_foot(const std::vector<ReconstructRow>& rows) {
  const auto succeeded = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& r) { return r.succeeded; }));
  return fmt::format(
      "{} of {} failures are reconstructed from paths alone, {:.0f} % (to reach: 80 %).\n", succeeded,
      rows.size(),
      100.0 * static_cast<double>(succeeded) / static_cast<double>(std::max<std::size_t>(rows.size(), 1)));
}

}  // namespace heddle::bench
