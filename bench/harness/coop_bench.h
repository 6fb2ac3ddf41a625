// The programs of the thesis' chapter 3 (bench/coop): recorded natively,
// their logs merged and the failures replayed, beside Tables 3.2 to 3.11 and Figs. 3.6 to 3.12.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::bench {

struct CoopOptions {
  std::string folder;  // with the programs and thesis.json
  std::string heddle;  // this program, to compile them
  std::string library;
  std::vector<std::string> programs;  // empty: all
  std::uint64_t logs = 50;            // failing ones of each program; the thesis has 500
  std::uint64_t passing = 20;         // passing ones of each program; the thesis has 100
  std::uint64_t sets = 1;             // of partial logs drawn from them; attempts are medians
  std::uint64_t attempts = 60;        // the thesis tries 500
  std::vector<std::string> ways;      // "SGM", "DGM", "ours"; empty: all
  std::string kept;                   // programs and logs stay there, and are taken from there
  double record_seconds = 20;         // for native runs of a program
  std::uint64_t seed = 1;
  bool verbose = false;   // every attempt
  bool variables = true;  // Table 3.7 as well
  bool blocks = true;     // Table 3.8 as well
  bool metrics = true;    // Tables 3.3 and 3.4 as well
  bool counts = true;     // Table 3.9 as well
};

// Least, mean and most of something.
struct CoopRange {
  double least = 0, mean = 0, most = 0;
};

// Executions until the bug was replayed.
using Attempts = std::optional<std::uint64_t>;  // none: it was not
// By name of the way ("SGM", "DGM", "ours") and share ("1", "25", "50", "75").
using AttemptTable = std::map<std::string, std::map<std::string, Attempts>>;

struct CoopScheme {
  bool recorded = false;
  std::uint64_t elements = 0;  // that some run accessed
  CoopRange accesses;          // of an element (Fig. 3.11)
  double total_accesses = 0;
  CoopRange dispersion;  // individual (Figs. 3.6, 3.7)
  AttemptTable attempts;
  std::map<std::string, CoopRange> bytes;     // of a log, by share (Figs. 3.10, 3.12)
  std::map<std::string, CoopRange> overhead;  // in per cent, by share (Figs. 3.8, 3.9)
};

struct CoopRow {
  std::string program;
  double failure_percent = 0;
  std::uint64_t runs = 0, failing = 0, passing = 0;
  double native_seconds = 0;  // CPU of one run
  CoopScheme variables, blocks;
  AttemptTable by_metric;                                             // SGM with each (Table 3.3)
  std::map<std::string, std::map<std::string, double>> rank_seconds;  // by metric and share (Table 3.4)
  std::map<std::uint64_t, AttemptTable> by_count;                     // of logs (Table 3.9)
  std::string problem;                                                // in words
};

Result<std::vector<CoopRow>> run_coop(const CoopOptions& options,
                                      const std::function<void(const CoopRow&)>& row);

// The tables, each row of ours above the thesis'.
Result<std::string> coop_tables(const CoopOptions& options, const std::vector<CoopRow>& rows);
std::string coop_line(const CoopRow& row);  // progress
std::string coop_json(const std::vector<CoopRow>& rows);
// What the figures need of what coop_json wrote.
Result<std::vector<CoopRow>> read_coop_json(const std::string& text);

// Figs. 3.6 to 3.12 as pictures, those that something was measured for. What the thesis has of them in
// numbers (Tables 3.10 and 3.11) is in them.
struct CoopFigure {
  std::string number;  // "3.6"
  std::string svg;
};
Result<std::vector<CoopFigure>> coop_figures(const CoopOptions& options, const std::vector<CoopRow>& rows);

}  // namespace heddle::bench
