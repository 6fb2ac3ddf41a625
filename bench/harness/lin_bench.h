// CGVT's objects (bench/lin): detection and localization, measured live
// beside the paper's Tables I and II.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::bench {

struct LinOptions {
  std::string folder;                // with the objects and papers.json
  std::string heddle;                // this program, to compile them
  std::string library;               // libheddle.so
  std::vector<std::string> objects;  // empty: all
  std::uint64_t seed = 1;
  std::uint64_t executions = 20000;  // of correct objects, and of our own version until it finds something
  std::uint64_t all_executions = 200'000;  // of exhaustive search
  bool correct = false;                    // the correct versions instead
};

// What a version did, or what the paper says that it did.
struct LinFigures {
  std::uint64_t violating = 0;
  std::uint64_t histories = 0;
  double history_milliseconds = 0;
  // Until a violation, on average: of all processes' CPU; the paper's by the clock. 0: there was none.
  double found_milliseconds = 0;
  std::optional<std::size_t> concurrent;  // operations of the minimum test case's Pc
  double localization_milliseconds = 0;
  double localization_cpu_milliseconds = 0;  // of all processes; the paper has none
  // Of that, what it took to see that nothing can be left out of the test case, which the paper does not do.
  // By its share of the time.
  double verification_cpu_milliseconds = 0;
};

struct LinCell {
  std::string object;
  // B: random schedules; D: D-PCT; H: D-PCT, one thread with one operation; auto, pctwm: short clients until
  // the first violation; all: every client of one call in each thread, exhaustively
  std::string version;
  std::string shape;  // of the clients, 2*500
  LinFigures measured;
  std::string minimum;           // the test case
  std::string quantity;          // operations of each thread of Pc: "1, 2"
  std::uint64_t checks = 0;      // test cases that localization tried
  std::uint64_t executions = 0;  // executions of these test cases
  bool explored_all = false;
  std::optional<LinFigures> published;
  std::string published_quantity;  // Table I
};

Result<std::vector<LinCell>> run_lin(const LinOptions& options,
                                     const std::function<void(const LinCell&)>& row);

std::string lin_head();
std::string lin_row(const LinCell& cell);
std::string lin_json(const std::vector<LinCell>& cells);

}  // namespace heddle::bench
