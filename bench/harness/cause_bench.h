// The programs of the thesis' chapter 4 (bench/cause): how each is
// explained, beside Tables 4.1, 4.2 and 4.3.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::bench {

struct CauseOptions {
  std::string folder;                 // with the programs and thesis.json
  std::string heddle;                 // this program, to compile them
  std::string library;                // libheddle.so
  std::vector<std::string> programs;  // empty: all
  std::uint64_t seed = 1;
  bool sequential = false;             // sequential consistency, as in the thesis; else C++20
  std::uint64_t executions = 100'000;  // to find the bug
};

// What the tables count; of the thesis or of ours. Negative: not known.
struct CauseFigures {
  double threads = -1, variables = -1, accesses = -1;
  double symbolic_seconds = -1, constraints = -1, solver_seconds = -1;
  double pairs = -1, events = -1, kept_events = -1, flows = -1, kept_flows = -1;
  double switches = -1, reduced_switches = -1;
  // Fig. 4.5: clauses by what they are of. The thesis' figure has no numbers.
  double path = -1, synchronisation = -1, read_write = -1, memory_order = -1;
};

struct CauseRow {
  std::string program;
  CauseFigures ours;
  std::optional<CauseFigures> thesis;
  bool found = false;          // the bug
  bool explained = false;      // beside an execution that passes
  bool by_solving = false;     // not by intervention
  std::string why_not_solved;  // in words
};

Result<std::vector<CauseRow>> run_cause(const CauseOptions& options,
                                        const std::function<void(const CauseRow&)>& row);

std::string cause_head();
std::string cause_row(const CauseRow& row);
// Table 4.3 and Fig. 4.5.
std::string cause_details(const std::vector<CauseRow>& rows);
// How much less there is to look at, on average, and how many fell back to interventions.
std::string cause_foot(const std::vector<CauseRow>& rows);
std::string cause_json(const std::vector<CauseRow>& rows);

}  // namespace heddle::bench
