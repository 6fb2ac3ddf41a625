// The programs of the thesis' chapter 5 (bench/search): how a bug is found
// from runs that passed, beside Tables 5.1 to 5.4.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::bench {

struct SearchBenchOptions {
  std::string folder;                 // with the programs and thesis.json
  std::string heddle;                 // this program, to compile them
  std::string library;                // libheddle.so
  std::vector<std::string> programs;  // empty: all
  std::uint64_t seed = 1;
  std::uint64_t runs = 100;  // that pass, to start from
  bool native = true;        // recorded in native runs; else executions under the engine
  double seconds = 60;       // for each search
};

// What the tables count; of the thesis or of ours. Negative: not known or none.
struct SearchFigures {
  // Table 5.1
  double threads = -1, branches = -1, events = -1, symbolic_seconds = -1;
  // Table 5.2
  double runs = -1, tries = -1, depth = -1, traces = -1, flipped = -1, synthesised = -1, solver_seconds = -1;
  bool schedule_only = false;
  // Table 5.3: executions of ours in the solver-pruned order; MCR's in the thesis
  double attempts = -1;
  // Table 5.4
  double flows = -1, kept_flows = -1, all_events = -1, kept_events = -1;
};

struct SearchRow {
  std::string program;
  SearchFigures ours;
  std::optional<SearchFigures> thesis;
  bool found = false;         // in the thesis' order
  bool found_pruned = false;  // in ours
  double native = -1;         // different native runs that passed
  double followed = -1;       // native runs of which an execution takes the same paths
  double campaign = -1;       // executions of `auto` until the bug; negative: not within as many as are tried
};

Result<std::vector<SearchRow>> run_search(const SearchBenchOptions& options,
                                          const std::function<void(const SearchRow&)>& row);

std::string search_head();
std::string search_row(const SearchRow& row);
std::string search_foot(const std::vector<SearchRow>& rows);
std::string search_json(const std::vector<SearchRow>& rows);

}  // namespace heddle::bench
