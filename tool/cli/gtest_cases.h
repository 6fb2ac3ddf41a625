// The test cases of a GoogleTest program, as it lists them itself.
#pragma once

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

// The cases of this shard, by GoogleTest's rule and its variables GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX,
// which are taken out of the environment: the program gets one case at a time and must not divide that again.
// Touches GTEST_SHARD_STATUS_FILE, by which a runner knows that sharding is understood.
Result<std::vector<GtestCase>> take_shard(std::vector<GtestCase> cases);

}  // namespace heddle::cli
