// Bugs that few interleavings show (bench/deep): how many executions and how
// much CPU time it takes until the first one, over many seeds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::bench {

struct DeepOptions {
  std::string folder;                   // with the programs and programs.txt
  std::string heddle;                   // this program, to compile them
  std::string library;                  // libheddle.so
  std::vector<std::string> programs;    // empty: all
  std::vector<std::string> strategies;  // empty: kDeepStrategies
  std::uint32_t seeds = 20;
  std::uint64_t first_seed = 1;
  std::uint64_t executions = 1'000'000;  // of one campaign, without a bug
  double seconds = 10;                   // likewise
  bool correct = false;                  // the correct twins instead
};
extern const std::vector<std::string> kDeepStrategies;

struct DeepCell {
  std::string program;
  std::string strategy;
  std::uint32_t seeds = 0;
  // Of the seeds that found the bug, in ascending order.
  std::vector<double> executions;
  std::vector<double> cpu_seconds;
  double spent = 0;  // CPU seconds of all campaigns, those without a find as well

  std::uint32_t not_found() const { return seeds - static_cast<std::uint32_t>(executions.size()); }
};

// The value that this share of all seeds does not exceed, where those without a find count as infinite;
// negative: infinite. REQUIRES: `found` is sorted.
double quantile(const std::vector<double>& found, std::uint32_t seeds, double share);

// Calls `row` with each cell as it is measured, and `head` before each program.
Result<std::vector<DeepCell>> run_deep(const DeepOptions& options,
                                       const std::function<void(const std::string&)>& head,
                                       const std::function<void(const DeepCell&)>& row);

std::string deep_row(const DeepCell& cell);
// By strategy: programs whose bug every seed found, and what it took on those that all strategies found.
std::string deep_foot(const std::vector<DeepCell>& cells);
std::string deep_json(const std::vector<DeepCell>& cells);
// Executions to the first bug: a row for each program, a mark for each strategy from the median to the 95th
// percentile.
std::string deep_svg(const std::vector<DeepCell>& cells);

}  // namespace heddle::bench
