// What `heddle bench speed` measures: operations in one long execution against ThreadSanitizer's, how they
// fare with the length of the run, and executions per second.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

// One operation, repeated: how much longer than under ThreadSanitizer does it take?
struct OperationCase {
  std::string part;  // atomics, mutexes, plain
  std::string name;
  std::vector<std::string> arguments;  // of bench/speed/long_runs.cpp, after the result's file
  double limit = 0;                    // times ThreadSanitizer's, to reach
};
std::vector<OperationCase> operation_cases();

// A case of several lengths, under heddle only: is the cost of an operation constant, and memory flat?
struct LengthCase {
  std::string name;
  std::vector<std::string> arguments;  // but for the last, the number of operations
  std::uint32_t most_exponent = 7;     // 10^4 operations up to 10^this
};
std::vector<LengthCase> length_cases(std::uint32_t most_exponent);
inline constexpr long kFlatKilobytes = 1024;  // growth after 10^5 operations, to reach

// Executions per second of one worker, or of two against one.
struct RateCase {
  std::string name;
  std::vector<std::string> run_options;  // of heddle run
  std::vector<std::string> arguments;    // of bench/speed/executions.c
  std::uint64_t executions = 0;
  double target = 0;    // executions per second to reach; 0: see `against`
  std::string against;  // a case's name: the target is `share` of its rate
  double share = 0;
};
std::vector<RateCase> rate_cases();

}  // namespace heddle::bench
