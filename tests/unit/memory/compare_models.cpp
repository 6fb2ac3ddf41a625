// The memory model against the independent oracles, on generated programs: exhaustive exploration must show
// exactly what the axioms allow, pruning must change nothing (conservative) or only take away (window,
// aggressive), and the model sc must show exactly the interleavings.
//
//   compare_models                 a few thousand programs, for the test run
//   compare_models --all           50,000 programs
//   compare_models --programs N --seed S --first I
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "tests/oracle/enumerate.h"
#include "tests/oracle/generate.h"
#include "tests/unit/memory/explore.h"

namespace heddle::memory {
namespace {

struct Totals {
  std::uint64_t programs = 0;
  std::uint64_t executions = 0;
  std::uint64_t outcomes = 0;
  std::uint64_t weak = 0;   // programs that show more than interleavings do
  std::uint64_t three = 0;  // with three or more threads
  std::uint64_t updates = 0;
  std::uint64_t mixed = 0;       // seq_cst mixed with weaker orders
  std::uint64_t overtaking = 0;  // programs with more outcomes than S in the order of execution has
  std::uint64_t repaired = 0;    // programs with more outcomes than the standard's words allow
  std::uint64_t pruned = 0;      // programs in which a window took something away
};

Options options_for(ModelKind model, PruneKind prune, std::uint64_t window) {
  Options o;
  o.model = model;
  o.prune = prune;
  o.window = window;
  return o;
}

class Comparison {
 public:
  // Empty, or what is wrong.
  std::string compare(const oracle::Program& program, std::uint64_t index) {
    count(program);
    const oracle::Outcomes allowed = oracle::consistent_outcomes(program);
    const oracle::Outcomes interleaved = oracle::interleaved_outcomes(program);
    totals.outcomes += allowed.size();
    totals.weak += allowed.size() > interleaved.size();
    totals.overtaking +=
        allowed.size() >
        oracle::consistent_outcomes(program, {oracle::SeqCst::kExecutionOrder, false}).size();

    ExploreOptions plain;
    plain.model = options_for(ModelKind::kCxx20, PruneKind::kNever, 0);
    plain.check_axioms = index % 16 == 0;
    std::string error = expect_equal(program, plain, allowed, "c++20");
    if (!error.empty()) return error;

    ExploreOptions words;
    words.model = options_for(ModelKind::kCxx20Words, PruneKind::kNever, 0);
    words.check_axioms = index % 16 == 0;
    words.creation_order = reversed(program);
    const oracle::Outcomes by_words = oracle::consistent_outcomes(program, {oracle::SeqCst::kWords, false});
    totals.repaired += allowed.size() > by_words.size();
    error = expect_equal(program, words, by_words, "c++20-words");
    if (!error.empty()) return error;

    ExploreOptions sc;
    sc.model = options_for(ModelKind::kSc, PruneKind::kWindow, 0);
    error = expect_equal(program, sc, interleaved, "sc");
    if (!error.empty() || index % 4 != 0) return error;

    ExploreOptions conservative;
    conservative.creation_order = reversed(program);
    conservative.model = options_for(ModelKind::kCxx20, PruneKind::kConservative, 0);
    conservative.check_axioms = index % 16 == 0;
    error = expect_equal(program, conservative, allowed, "c++20 with conservative pruning");
    if (!error.empty()) return error;

    ExploreOptions window;
    window.check_axioms = index % 16 == 0;
    window.model = options_for(ModelKind::kCxx20, PruneKind::kWindow, 1 + index / 12 % 3);
    error = expect_subset(program, window, allowed, "c++20 with a window");
    if (!error.empty()) return error;
    window.model = options_for(ModelKind::kCxx20, PruneKind::kAggressive, 1 + index / 12 % 4);
    return expect_subset(program, window, allowed, "c++20 with aggressive pruning");
  }

  Totals totals;

 private:
  static std::vector<std::size_t> reversed(const oracle::Program& program) {
    std::vector<std::size_t> order;
    for (std::size_t i = program.threads.size(); i-- > 0;) order.push_back(i);
    return order;
  }

  void count(const oracle::Program& program) {
    ++totals.programs;
    totals.three += program.threads.size() >= 3;
    bool updates = false, seq_cst = false, weaker = false;
    for (const auto& thread : program.threads) {
      for (const oracle::Op& op : thread) {
        updates = updates || op.is_update() || op.is_cas();
        (op.order == oracle::Order::kSeqCst ? seq_cst : weaker) = true;
      }
    }
    totals.updates += updates;
    totals.mixed += seq_cst && weaker;
  }

  std::string expect_equal(const oracle::Program& program, const ExploreOptions& options,
                           const oracle::Outcomes& expected, const char* what) {
    const Explored shown = explorer_.explore(program, options);
    totals.executions += shown.executions;
    std::string error = shown.error.empty() ? difference(program, shown.outcomes, expected)
                                            : oracle::to_string(program) + shown.error + "\n";
    return error.empty() ? error : std::string(what) + ": " + error;
  }

  std::string expect_subset(const oracle::Program& program, const ExploreOptions& options,
                            const oracle::Outcomes& allowed, const char* what) {
    const Explored shown = explorer_.explore(program, options);
    totals.executions += shown.executions;
    totals.pruned += shown.outcomes.size() < allowed.size();
    std::string error = shown.error.empty() ? "" : oracle::to_string(program) + shown.error + "\n";
    for (const auto& o : shown.outcomes) {
      if (allowed.count(o) == 0) {
        error += oracle::to_string(program) + "shown but forbidden: " + oracle::to_string(program, o) + "\n";
      }
    }
    if (shown.outcomes.size() < allowed.size() && shown.pruned_executions == 0) {
      error += oracle::to_string(program) + "outcomes are missing but nothing was reported as pruned\n";
    }
    return error.empty() ? error : std::string(what) + ": " + error;
  }

  SteppedModel model_;
  Explorer explorer_{model_};
};

int run(std::uint64_t first, std::uint64_t programs, std::uint64_t seed) {
  Comparison comparison;
  const auto start = std::chrono::steady_clock::now();
  int failures = 0;
  for (std::uint64_t i = first; i < first + programs; ++i) {
    const std::string error = comparison.compare(oracle::generated_program(seed, i), i);
    if (error.empty()) continue;
    std::printf("%s\n", error.c_str());
    if (++failures == 5) break;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Totals& t = comparison.totals;
  const auto percent = [&](std::uint64_t n) {
    return 100.0 * static_cast<double>(n) / static_cast<double>(t.programs);
  };
  std::printf(
      "%llu programs (%.0f %% with three or more threads, %.0f %% with updates, %.0f %% mixing seq_cst with "
      "weaker orders, %.0f %% weak, %.1f %% overtaking, %.1f %% only by the repair), %llu outcomes, %llu "
      "executions, %llu narrowed by windows, %.1f s: %s\n",
      static_cast<unsigned long long>(t.programs), percent(t.three), percent(t.updates), percent(t.mixed),
      percent(t.weak), percent(t.overtaking), percent(t.repaired),
      static_cast<unsigned long long>(t.outcomes), static_cast<unsigned long long>(t.executions),
      static_cast<unsigned long long>(t.pruned), seconds, failures == 0 ? "all equal" : "DIFFERENCES");
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace heddle::memory

int main(int argc, char** argv) {
  std::uint64_t programs = 4000, seed = 1, first = 0;
  for (int i = 1; i < argc; ++i) {
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (std::strcmp(argv[i], "--all") == 0) {
      programs = 50'000;
    } else if (std::strcmp(argv[i], "--programs") == 0) {
      programs = number();
    } else if (std::strcmp(argv[i], "--seed") == 0) {
      seed = number();
    } else if (std::strcmp(argv[i], "--first") == 0) {
      first = number();
    } else {
      std::fprintf(stderr, "usage: compare_models [--all | --programs N] [--seed S] [--first I]\n");
      return 2;
    }
  }
  return heddle::memory::run(first, programs, seed);
}
