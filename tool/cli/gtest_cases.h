// The test cases of a GoogleTest program, as it lists them itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace heddle::cli {

struct GtestCase {
  std::string suite;  // "All/QueueTest"
  std::string name;   // "KeepsEveryValue/3"

  std::string filter() const { return suite + "." + name; }
};

// What `PROGRAM --gtest_list_tests` printed. Disabled cases are left out unless asked for.
std::vector<GtestCase> parse_gtest_list(std::string_view listing, bool with_disabled);

// Runs the program, with its own arguments, to list its cases. An error where it does not list any way.
Result<std::vector<GtestCase>> list_gtest_cases(const std::vector<std::string>& program);

// Which part of the cases is ours, by GoogleTest's variables GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX.
struct GtestShard {
  std::uint64_t total = 1;
  std::uint64_t index = 0;

  // Every total-th case, as GoogleTest itself divides them.
  std::vector<GtestCase> part_of(const std::vector<GtestCase>& cases) const;
};

// Takes the variables out of the environment: the program gets one case at a time and must not divide that
// again. Touches GTEST_SHARD_STATUS_FILE, by which a runner knows that sharding is understood.
Result<GtestShard> take_shard();

}  // namespace heddle::cli
