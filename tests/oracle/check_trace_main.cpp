// check_trace: executions of a real program through the axiom checker.
//
//   check_trace FILE.heddle ...                                 the executions in these artifacts
//   check_trace [-n N] [--seed S] -- PROGRAM [ARGUMENTS...]     N executions [5], each in a process of its
//   own
//
// Needs the library as `heddle` does: it lies in bin/ of the same tree. Exit status: 0 consistent, 1 an axiom
// is violated or an execution could not be run, 2 usage.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "compiler/install_layout.h"
#include "tests/oracle/check_trace.h"
#include "tool/artifact/artifact.h"
#include "tool/run/target.h"

namespace {

struct Totals {
  unsigned judged = 0, wrong = 0, not_judged = 0;
  std::size_t events = 0, atomics = 0;
  std::string reason;
};

void judge(const heddle::Trace& trace, const std::string& name, Totals& totals) {
  const oracle::TraceVerdict verdict = oracle::check_trace(trace);
  if (!verdict.not_judged.empty()) {
    ++totals.not_judged;
    totals.reason = verdict.not_judged;
    return;
  }
  ++totals.judged;
  totals.events += verdict.events;
  totals.atomics += verdict.atomics;
  if (verdict.error.empty()) return;
  ++totals.wrong;
  std::printf("%s: %s\n", name.c_str(), verdict.error.c_str());
}

int report(const Totals& totals) {
  std::printf("%u executions judged (%zu events, %zu atomic), %u violate an axiom", totals.judged,
              totals.events, totals.atomics, totals.wrong);
  if (totals.not_judged != 0) std::printf("; %u not judged: %s", totals.not_judged, totals.reason.c_str());
  std::printf("\n");
  return totals.wrong == 0 ? 0 : 1;
}

int fail(const heddle::Error& error) {
  std::printf("check_trace: %s\n", error.message.c_str());
  return 1;
}

int check_program(const std::vector<std::string>& argv, std::uint64_t executions, std::uint64_t seed) {
  const auto layout = heddle::compiler::find_layout();
  if (!layout) return fail(layout.error());
  std::vector<std::string> notes;
  const auto target = heddle::run::resolve_target(argv, layout->library, notes);
  if (!target) return fail(target.error());
  Totals totals;
  heddle::RunSpec spec;
  spec.seed = seed;
  for (std::uint64_t i = 0; i < executions; ++i) {
    heddle::run::SingleOptions options;
    options.index = i;
    options.symbolise = false;
    const auto run = heddle::run::run_single(*target, spec, options);
    if (!run) return fail(run.error());
    judge(run->trace, "execution " + std::to_string(i) + " of seed " + std::to_string(seed), totals);
  }
  return report(totals);
}

int check_artifacts(const std::vector<std::string>& paths) {
  Totals totals;
  for (const std::string& path : paths) {
    const auto trace = heddle::read_artifact(path);
    if (!trace) return fail(trace.error());
    judge(*trace, path, totals);
  }
  return report(totals);
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t executions = 5, seed = 1;
  std::vector<std::string> artifacts;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") == 0 && i + 1 < argc)
      return check_program({argv + i + 1, argv + argc}, executions, seed);
    if (std::strcmp(argv[i], "-n") == 0 && i + 1 < argc) {
      executions = std::strtoull(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      artifacts.emplace_back(argv[i]);
    }
  }
  if (!artifacts.empty()) return check_artifacts(artifacts);
  std::fprintf(stderr, "usage: check_trace FILE.heddle ... | check_trace [-n N] [--seed S] -- PROGRAM ...\n");
  return 2;
}
