// How many failures of the thesis' programs (chapters 4 and 5) are reconstructed from the paths of one
// failing run alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::bench {

struct ReconstructBenchOptions {
  std::vector<std::string> folders;  // with programs and thesis.json
  std::string heddle, library;
  std::vector<std::string> programs;  // empty: all
  std::uint64_t seed = 1;
  std::uint64_t native_runs = 60;  // until one fails
  double seconds = 60;             // for each
};

struct ReconstructRow {
  std::string program;
  // Where the log is from: a native run, or, where none of them failed, an execution under the engine.
  enum class Source { kNone, kNative, kEngine } source = Source::kNone;
  std::size_t branches = 0;  // in the log
  std::size_t matched = 0;   // of them, in what was executed
  std::uint64_t executions = 0, questions = 0;
  double seconds = 0;
  bool succeeded = false;
};

Result<std::vector<ReconstructRow>> run_reconstruct(const ReconstructBenchOptions& options,
                                                    const std::function<void(const ReconstructRow&)>& row);

std::string reconstruct_head();
std::string reconstruct_row(const ReconstructRow& row);
std::string reconstruct_foot(const std::vector<ReconstructRow>& rows);

}  // namespace heddle::bench
