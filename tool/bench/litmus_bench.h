// `heddle bench litmus`: the litmus tests through the whole engine, and what each shows beside what it is
// declared to show.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/litmus/litmus.h"
#include "tool/bench/explore_program.h"

namespace heddle::bench {

enum class Verdict { kAllowed, kForbidden, kLimit };
const char* name_of(Verdict verdict);  // "allowed", "forbidden", "limit"

// One declared outcome.
struct LitmusRow {
  Verdict expected = Verdict::kAllowed;
  std::string outcome;                       // as declared: "a=1 b=0"
  std::string reason;                        // of a limit
  std::optional<std::uint64_t> first_shown;  // index of the execution; none: not shown

  bool agrees() const { return first_shown.has_value() == (expected == Verdict::kAllowed); }
};

struct LitmusResult {
  std::string name;
  std::string shape;
  std::vector<LitmusRow> rows;
  std::uint64_t executions = 0;
  std::uint64_t outcomes = 0;  // distinct ones
  bool exhausted = false;
  std::string error;  // where the test could not be run

  bool agrees() const;
};

// Programs with more interleavings than this are sampled at random, where all executions were asked for.
inline constexpr std::uint64_t kMostInterleavings = 5000;
inline constexpr std::uint64_t kSampledExecutions = 10'000;

// In the order of `tests`, several at a time. `on_result` is called for each, one at a time, in that order.
std::vector<LitmusResult> run_litmus(const std::vector<litmus::LitmusTest>& tests,
                                     const run::Target& interpreter, const ExploreOptions& options,
                                     unsigned jobs,
                                     const std::function<void(const LitmusResult&)>& on_result);

// Tests whose name or shape has one of the words in it; all where there is no word.
std::vector<litmus::LitmusTest> select_tests(std::vector<litmus::LitmusTest> tests,
                                             const std::vector<std::string>& words);

}  // namespace heddle::bench
