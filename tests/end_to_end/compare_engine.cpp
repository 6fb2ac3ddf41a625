// The whole engine against the enumerator, through the ABI: generated programs, run by the precompiled
// interpreter on real atomics and fibers. Exhaustive exploration has to show exactly what the axioms allow;
// conservative pruning changes nothing, a window and aggressive pruning only take away; and recorded
// executions go through the axiom checker.
//
//   compare_engine                 a few dozen programs, for the test run
//   compare_engine --seconds S     as many as the time allows
//   compare_engine --programs N --seed S --first I
//   compare_engine --compiled FILE --programs N --seed S    the programs as emit_programs wrote them,
//   compiled
//   --strong-cas    by a compiler that does not tell the runtime which exchanges are weak (clang)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "compiler/install_layout.h"
#include "tests/oracle/check_trace.h"
#include "tests/oracle/enumerate.h"
#include "tests/oracle/generate.h"
#include "tool/bench/explore_program.h"

namespace {

using heddle::PruneKind;
using heddle::bench::Explored;
using heddle::bench::ExploreOptions;

class Comparison {
 public:
  Comparison(heddle::run::Target runner, bool compiled) : runner_(std::move(runner)), compiled_(compiled) {}

  // Empty, or what is wrong.
  std::string compare(const oracle::Program& program, std::uint64_t index) {
    runner_ = heddle::bench::with_program(runner_, program);
    if (compiled_) runner_.argv[1] = std::to_string(index);
    const oracle::Outcomes allowed = oracle::consistent_outcomes(program);
    std::string error = explore(program, allowed, PruneKind::kWindow, 0, true);
    // What the compiler makes of the program has nothing to do with pruning.
    if (error.empty() && !compiled_) error = explore_pruned(program, allowed, index);
    if (error.empty() && index % 2 == 0) error = check_axioms(index);
    ++programs;
    return error.empty() ? error : oracle::to_string(program) + error + "\n";
  }

  std::uint64_t programs = 0, executions = 0, narrowed = 0, judged = 0;

 private:
  std::string explore_pruned(const oracle::Program& program, const oracle::Outcomes& allowed,
                             std::uint64_t index) {
    switch (index % 4) {
      case 1:
        return explore(program, allowed, PruneKind::kConservative, 0, true);
      case 2:
        return explore(program, allowed, PruneKind::kWindow, 1 + index / 4 % 2, false);
      case 3:
        return explore(program, allowed, PruneKind::kAggressive, 1 + index / 4 % 4, false);
      default:
        return {};
    }
  }

  std::string explore(const oracle::Program& program, const oracle::Outcomes& allowed, PruneKind prune,
                      std::uint64_t window, bool all) {
    ExploreOptions options = heddle::bench::exhaustive_exploration();
    options.spec.prune = prune;
    options.spec.prune_window = window;
    const auto shown = explore_program(runner_, program, options);
    if (!shown) return shown.error().message;
    executions += shown->executions;
    if (!shown->exhausted) return "the exploration did not come to its end";
    std::string error;
    for (const auto& [outcome, first] : shown->outcomes) {
      if (allowed.count(outcome) == 0)
        error += "shown but forbidden: " + oracle::to_string(program, outcome) + "\n";
    }
    for (const oracle::Outcome& outcome : allowed) {
      if (shown->outcomes.count(outcome) != 0) continue;
      narrowed += all ? 0 : 1;
      if (all) error += "allowed but not shown: " + oracle::to_string(program, outcome) + "\n";
      if (!all && shown->pruned_executions == 0) error += "outcomes are missing, but nothing was pruned\n";
    }
    return error;
  }

  // One random execution, with its events.
  std::string check_axioms(std::uint64_t index) {
    heddle::run::SingleOptions options;
    options.index = index;
    options.symbolise = false;
    const auto run = heddle::run::run_single(runner_, {}, options);
    if (!run) return run.error().message;
    const oracle::TraceVerdict verdict = oracle::check_trace(run->trace);
    ++judged;
    return verdict.error + verdict.not_judged;
  }

  heddle::run::Target runner_;
  bool compiled_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

oracle::Program with_strong_cas(oracle::Program program) {
  for (auto& thread : program.threads) {
    for (oracle::Op& op : thread) {
      if (op.kind == oracle::OpKind::kWeakCas) op.kind = oracle::OpKind::kCas;
    }
  }
  return program;
}

int run(std::uint64_t first, std::uint64_t programs, double seconds, std::uint64_t seed,
        const std::string& compiled, bool strong_cas) {
  const auto layout = heddle::compiler::find_layout();
  if (!layout) return 2;
  std::vector<std::string> notes;
  auto interpreter = heddle::run::resolve_target({compiled.empty() ? layout->litmus_interpreter : compiled},
                                                 layout->library, notes);
  if (!interpreter) {
    std::printf("%s\n", interpreter.error().message.c_str());
    return 2;
  }
  Comparison comparison(*interpreter, !compiled.empty());
  const auto start = std::chrono::steady_clock::now();
  int failures = 0;
  for (std::uint64_t i = first; i < first + programs && failures < 5; ++i) {
    if (seconds > 0 && seconds_since(start) > seconds) break;
    oracle::Program program = oracle::generated_program(seed, i, oracle::kSmallPrograms);
    if (strong_cas) program = with_strong_cas(std::move(program));
    const std::string error = comparison.compare(program, i);
    if (error.empty()) continue;
    std::printf("%s\n", error.c_str());
    ++failures;
  }
  std::printf(
      "%llu programs, %llu executions through the ABI, %llu outcomes taken away by pruning, "
      "%llu executions through the axiom checker, %.1f s: %s\n",
      static_cast<unsigned long long>(comparison.programs),
      static_cast<unsigned long long>(comparison.executions),
      static_cast<unsigned long long>(comparison.narrowed),
      static_cast<unsigned long long>(comparison.judged), seconds_since(start),
      failures == 0 ? "all equal" : "DIFFERENCES");
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t programs = 60, seed = 1, first = 0;
  double seconds = 0;
  std::string compiled;
  bool strong_cas = false;
  for (int i = 1; i < argc; ++i) {
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (std::strcmp(argv[i], "--programs") == 0) {
      programs = number();
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      seed = number();
    } else if (std::strcmp(argv[i], "--first") == 0) {
      first = number();
    } else if (std::strcmp(argv[i], "--compiled") == 0 && i + 1 < argc) {
      compiled = argv[++i];
    } else if (std::strcmp(argv[i], "--strong-cas") == 0) {
      strong_cas = true;
    } else if (std::strcmp(argv[i], "--seconds") == 0) {
      seconds = static_cast<double>(number());
      programs = ~0ull - first;
    } else {
      std::fprintf(stderr,
                   "usage: compare_engine [--programs N | --seconds S] [--seed S] [--first I] "
                   "[--compiled FILE] [--strong-cas]\n");
      return 2;
    }
  }
  return run(first, programs, seconds, seed, compiled, strong_cas);
}
