// The nine benchmarks of the papers (bench/paper), measured live beside the
// published figures.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::bench {

struct PaperOptions {
  std::string folder;                   // with the programs and papers.json
  std::string heddle;                   // this program, to compile them
  std::string library;                  // libheddle.so
  std::vector<std::string> programs;    // empty: all
  std::vector<std::string> strategies;  // empty: random, pct, pctwm, pos, surw, surwm, delays, auto
  std::uint64_t executions = 1000;
  std::uint64_t seed = 1;
  bool vary = false;            // also the tables for varying d and h
  std::uint64_t draws = 0;      // also pct and pctwm with change points drawn once, for so many seeds
  std::uint64_t campaigns = 0;  // also executions to the first bug, in so many campaigns of each
  bool correct = false;         // the correct twins instead
};

// The thesis' parameters (Table 7.6) of the programs that are chosen.
struct PaperParameters {
  std::string program;
  int pct_depth = 0;
  int depth = 0;  // of pctwm
  int history = 1;
};
Result<std::vector<PaperParameters>> paper_parameters(const PaperOptions& options);

struct PaperCell {
  std::string program;
  std::string strategy;  // with its parameters
  std::uint64_t executions = 0;
  std::uint64_t buggy = 0;
  double milliseconds = 0;     // CPU time of one execution in steady state, with one worker
  double published_rate = -1;  // per cent; negative: none
  double published_milliseconds = -1;
  std::vector<double> rates;          // by seed, lowest first, where change points were drawn once for each
  std::vector<std::uint64_t> firsts;  // executions to the first bug, fewest first

  double rate() const {
    return executions != 0 ? 100.0 * static_cast<double>(buggy) / static_cast<double>(executions) : 0;
  }
};

// A share with its 95 % interval (Wilson 1927), in per cent.
struct Interval {
  double low = 0;
  double high = 0;
};
Interval wilson(std::uint64_t hits, std::uint64_t of);

// Calls `row` with each cell as it is measured, and `head` before each table.
Result<std::vector<PaperCell>> run_paper(const PaperOptions& options,
                                         const std::function<void(const std::string&)>& head,
                                         const std::function<void(const PaperCell&)>& row);

std::string paper_row(const PaperCell& cell);
// Averages over the programs, by strategy.
std::string paper_foot(const std::vector<PaperCell>& cells);
std::string paper_json(const std::vector<PaperCell>& cells);

}  // namespace heddle::bench
