// Applications (bench/apps): one long execution of each under several
// strategies, under ThreadSanitizer and natively, on one core. In the manner of C11Tester's Table 1 and
// PCTWM's Table 4.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::bench {

struct AppsOptions {
  std::string folder;  // with the programs and fetch_package
  std::string heddle;
  std::string compiler = "g++";
  std::vector<std::string> programs;    // empty: all of bench/apps
  std::vector<std::string> strategies;  // empty: random, pct, pctwm, pos
  bool packages = false;                // also programs of Debian, which are fetched
};

struct AppResult {
  std::string program;
  std::string how;  // "native", "tsan", or a strategy with options of heddle run
  int status = 0;
  double seconds = 0;
  double cpu_seconds = 0;
  long kilobytes = 0;
  std::vector<std::string> findings;  // kinds, each distinct finding once
  double to_tsan = 0;                 // CPU time over ThreadSanitizer's; 0: not heddle's
};

Result<std::vector<AppResult>> run_apps(const AppsOptions& options,
                                        const std::function<void(const AppResult&)>& row);

std::string app_row(const AppResult& result);
std::string apps_json(const std::vector<AppResult>& results);

}  // namespace heddle::bench
