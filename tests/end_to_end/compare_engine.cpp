// The whole engine against the enumerator, through the ABI: generated programs, run by the precompiled
// interpreter on real atomics and fibers. Exhaustive exploration has to show exactly what the axioms allow;
// conservative pruning changes nothing, a window and aggressive pruning only take away; and recorded
// executions go through the axiom checker.
//
//   compare_engine                 a few dozen programs, for the test run
//   compare_engine --seconds S     as many as the time allows
//   compare_engine --programs N --seed S --first I --jobs J    with J processes
//   compare_engine --compiled FILE --programs N --seed S    the programs as emit_programs wrote them,
//   compiled
//   --strong-cas    by a compiler that does not tell the runtime which exchanges are weak (clang)
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "compiler/install_layout.h"
#include "tests/oracle/check_trace.h"
#include "tests/oracle/enumerate.h"
#include "tests/oracle/generate.h"
#include "tool/bench/explore_program.h"

namespace {

using heddle::PruneKind;
using heddle::bench::Explored;
using heddle::bench::ExploreOptions;

// What was done, by all processes that share the work.
struct Totals {
  std::atomic<std::uint64_t> programs{0}, executions{0}, narrowed{0}, judged{0}, failures{0};
};

struct Case {
  std::uint64_t index = 0;
  oracle::Program program;
  oracle::Outcomes allowed;
};

class Comparison {
 public:
  Comparison(heddle::run::Target runner, bool compiled, Totals& totals)
      : runner_(std::move(runner)), compiled_(compiled), totals_(totals) {}

  // Prints what is wrong.
  void compare(const std::vector<Case>& cases) {
    explore(cases, PruneKind::kWindow, 0, true);
    // What the compiler makes of the program has nothing to do with pruning. And only real threads, which
    // need no atomic scopes, leave something to the reduction.
    compiled_ ? explore_reduced(cases) : explore_pruned(cases);
    for (const Case& c : cases) {
      if (c.index % (compiled_ ? 2 : 8) == 0) check_axioms(c);
      ++totals_.programs;
    }
  }

 private:
  void explore_reduced(const std::vector<Case>& cases) {
    ExploreOptions options = heddle::bench::exhaustive_exploration();
    std::strncpy(options.spec.strategy, "exhaustive:reduce=1", sizeof options.spec.strategy - 1);
    explore(cases, options, true);
  }

  void explore_pruned(const std::vector<Case>& cases) {
    // By pruning mode and window.
    std::map<std::pair<PruneKind, std::uint64_t>, std::vector<Case>> groups;
    for (const Case& c : cases) {
      const std::uint64_t number = c.index / 4;
      if (c.index % 4 == 1) groups[{PruneKind::kConservative, 0}].push_back(c);
      if (c.index % 4 == 2) groups[{PruneKind::kWindow, 1 + number % 2}].push_back(c);
      if (c.index % 4 == 3) groups[{PruneKind::kAggressive, 1 + number % 4}].push_back(c);
    }
    for (const auto& [how, members] : groups)
      explore(members, how.first, how.second, how.first == PruneKind::kConservative);
  }

  heddle::Result<std::vector<Explored>> explore_all(const std::vector<Case>& cases,
                                                    const ExploreOptions& options) {
    if (compiled_) {
      heddle::run::Target runner = heddle::bench::with_program(runner_, cases[0].program);
      runner.argv[1] = std::to_string(cases[0].index);
      auto explored = explore_program(runner, cases[0].program, options);
      if (!explored) return explored.error();
      return std::vector<Explored>{std::move(*explored)};
    }
    std::vector<oracle::Program> programs;
    for (const Case& c : cases) programs.push_back(c.program);
    return explore_programs(runner_, programs, options);
  }

  // `all`: has every outcome to be shown?
  void explore(const std::vector<Case>& cases, PruneKind prune, std::uint64_t window, bool all) {
    ExploreOptions options = heddle::bench::exhaustive_exploration();
    options.spec.prune = prune;
    options.spec.prune_window = window;
    explore(cases, options, all);
  }

  void explore(const std::vector<Case>& cases, const ExploreOptions& options, bool all) {
    const auto shown = explore_all(cases, options);
    if (!shown) return complain(cases[0], shown.error().message);
    totals_.executions += (*shown)[0].executions;
    for (std::size_t i = 0; i < cases.size(); ++i) judge(cases[i], (*shown)[i], options, all);
  }

  void judge(const Case& c, const Explored& shown, const ExploreOptions& options, bool all) {
    if (!shown.exhausted) return complain(c, "the exploration did not come to its end");
    std::string error;
    for (const auto& [outcome, first] : shown.outcomes) {
      if (c.allowed.count(outcome) == 0)
        error += "shown but forbidden: " + oracle::to_string(c.program, outcome) + "\n";
    }
    bool narrowed = false;
    for (const oracle::Outcome& outcome : c.allowed) {
      if (shown.outcomes.count(outcome) != 0) continue;
      totals_.narrowed += all ? 0 : 1;
      narrowed = true;
      if (all) error += "allowed but not shown: " + oracle::to_string(c.program, outcome) + "\n";
    }
    if (narrowed && !all) error += check_that_it_is_pruned(c, options);
    if (!error.empty()) complain(c, error);
  }

  // Who takes outcomes away has to say so, of each program. That is asked of the program alone: among others,
  // the stores of the interpreter count for a window over all of them, and more may go.
  std::string check_that_it_is_pruned(const Case& c, const ExploreOptions& options) {
    const auto alone = explore_program(heddle::bench::with_program(runner_, c.program), c.program, options);
    if (!alone) return alone.error().message;
    const bool narrowed = alone->outcomes.size() < c.allowed.size();
    return narrowed && alone->pruned_executions == 0 ? "outcomes are missing, but nothing was pruned\n" : "";
  }

  // One random execution, with its events.
  void check_axioms(const Case& c) {
    heddle::run::SingleOptions options;
    options.index = c.index;
    options.symbolise = false;
    heddle::run::Target runner = heddle::bench::with_program(runner_, c.program);
    if (compiled_) runner.argv[1] = std::to_string(c.index);
    const auto run = heddle::run::run_single(runner, {}, options);
    if (!run) return complain(c, run.error().message);
    const oracle::TraceVerdict verdict = oracle::check_trace(run->trace);
    ++totals_.judged;
    if (const std::string error = verdict.error + verdict.not_judged; !error.empty()) complain(c, error);
  }

  void complain(const Case& c, const std::string& error) {
    ++totals_.failures;
    std::printf("program %llu\n%s%s\n\n", static_cast<unsigned long long>(c.index),
                oracle::to_string(c.program).c_str(), error.c_str());
  }

  heddle::run::Target runner_;
  bool compiled_;
  Totals& totals_;
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

struct Work {
  std::uint64_t first = 0, programs = 60, seed = 1, jobs = 1;
  double seconds = 0;
  std::string compiled;
  bool strong_cas = false;
};

constexpr std::uint64_t kBatch = 64;  // programs in one process

// Every `jobs`th batch, from the one with this number.
void work_on(const Work& work, std::uint64_t number, const heddle::run::Target& runner, Totals& totals) {
  const auto start = std::chrono::steady_clock::now();
  Comparison comparison(runner, !work.compiled.empty(), totals);
  const std::uint64_t batch = work.compiled.empty() ? kBatch : 1;
  for (std::uint64_t at = number * batch; at < work.programs; at += work.jobs * batch) {
    std::vector<Case> cases;
    std::size_t outcomes = 0;
    const auto compare = [&] {
      if (!cases.empty()) comparison.compare(cases);
      cases.clear();
      outcomes = 0;
    };
    for (std::uint64_t i = at; i < std::min(at + batch, work.programs); ++i) {
      if (totals.failures >= 5 || (work.seconds > 0 && seconds_since(start) > work.seconds)) return;
      Case c;
      c.index = work.first + i;
      c.program = oracle::generated_program(work.seed, c.index, oracle::kSmallPrograms);
      if (work.strong_cas) c.program = with_strong_cas(std::move(c.program));
      c.allowed = oracle::consistent_outcomes(c.program);
      if (outcomes + c.allowed.size() > heddle::bench::kMostOutcomes) compare();
      outcomes += c.allowed.size();
      cases.push_back(std::move(c));
    }
    compare();
  }
}

int run(const Work& work) {
  const auto layout = heddle::compiler::find_layout();
  if (!layout) return 2;
  std::vector<std::string> notes;
  auto interpreter = heddle::run::resolve_target(
      {work.compiled.empty() ? layout->litmus_interpreter : work.compiled}, layout->library, notes);
  if (!interpreter) {
    std::printf("%s\n", interpreter.error().message.c_str());
    return 2;
  }
  void* shared = mmap(nullptr, sizeof(Totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  auto& totals = *new (shared) Totals;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t job = 1; job < work.jobs; ++job) {
    if (fork() != 0) continue;
    work_on(work, job, *interpreter, totals);
    std::fflush(stdout);
    _exit(0);
  }
  work_on(work, 0, *interpreter, totals);
  int status = 0;
  while (wait(&status) > 0) {
    if (status != 0) ++totals.failures;
  }
  std::printf(
      "%llu programs, %llu executions through the ABI, %llu outcomes taken away by pruning, "
      "%llu executions through the axiom checker, %.1f s: %s\n",
      static_cast<unsigned long long>(totals.programs), static_cast<unsigned long long>(totals.executions),
      static_cast<unsigned long long>(totals.narrowed), static_cast<unsigned long long>(totals.judged),
      seconds_since(start), totals.failures == 0 ? "all equal" : "DIFFERENCES");
  return totals.failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Work work;
  for (int i = 1; i < argc; ++i) {
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (std::strcmp(argv[i], "--programs") == 0) {
      work.programs = number();
    } else if (std::strcmp(argv[i], "--jobs") == 0) {
      work.jobs = std::max<std::uint64_t>(1, number());
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      work.seed = number();
    } else if (std::strcmp(argv[i], "--first") == 0) {
      work.first = number();
    } else if (std::strcmp(argv[i], "--compiled") == 0 && i + 1 < argc) {
      work.compiled = argv[++i];
    } else if (std::strcmp(argv[i], "--strong-cas") == 0) {
      work.strong_cas = true;
    } else if (std::strcmp(argv[i], "--seconds") == 0) {
      work.seconds = static_cast<double>(number());
      work.programs = std::uint64_t{1} << 62;
    } else {
      std::fprintf(stderr,
                   "usage: compare_engine [--programs N | --seconds S] [--jobs N] [--seed S] [--first I] "
                   "[--compiled FILE] [--strong-cas]\n");
      return 2;
    }
  }
  return run(work);
}
