// The results of the litmus tests, for people and for programs.
#pragma once

#include <string>

#include "tool/bench/litmus_bench.h"

namespace heddle::bench {

struct TableOptions {
  bool color = false;
  bool only_disagreements = false;
};

std::string table_head();
// One line for each declared outcome; a shape's name goes before its first test.
std::string table_rows(const LitmusResult& result, bool first_of_shape, const TableOptions& options);
// "234 tests, 612 verdicts: all as expected", with what is not.
std::string table_foot(const std::vector<LitmusResult>& results, double seconds);

std::string litmus_json(const std::vector<LitmusResult>& results, const std::string& tool_version);

}  // namespace heddle::bench
