// The results of `heddle bench speed`, for people and for programs.
#pragma once

#include <string>

#include "tool/bench/speed_bench.h"

namespace heddle::bench {

// All that was measured, in the order of the tables.
struct SpeedResults {
  std::vector<OperationResult> operations;
  std::vector<LengthResult> lengths;
  std::vector<RateResult> executions;
  std::vector<Spread> starts;  // of a campaign, in milliseconds; at most one
};

inline constexpr double kStartMilliseconds = 30;  // to reach

std::string operations_head(const std::string& part, const std::string& compiler, double limit);
std::string operations_row(const OperationResult& result);
std::string operations_foot(const std::vector<OperationResult>& results);
std::string lengths_head(std::uint32_t most_exponent);
std::string lengths_row(const LengthResult& result, std::uint32_t most_exponent);
std::string executions_head();
// `all`: those before it, which it may have to be compared with.
std::string executions_row(const RateResult& result, const std::vector<RateResult>& all);
std::string start_row(const Spread& milliseconds);
std::string speed_json(const SpeedResults& results, const std::string& tool_version);

}  // namespace heddle::bench
