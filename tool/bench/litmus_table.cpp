#include "tool/bench/litmus_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tool/report/style.h"

namespace heddle::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string shown_text(const LitmusRow& row, const LitmusResult& result) {
  if (!row.first_shown) {
    return result.exhausted ? fmt::format("never in {}", result.executions)
                            : fmt::format("not in {}", result.executions);
  }
  return fmt::format("in {} of {}", *row.first_shown + 1, result.executions);
}

}  // namespace

std::string table_head() {
  return fmt::format("{:<34} {:<26} {:<10} {:<10} {}\n", "test", "outcome", "expected", "shown",
                     "first shown in execution");
}

std::string table_rows(const LitmusResult& result, bool first_of_shape, const TableOptions& options) {
  const report::Style style(options.color);
  std::string text;
  if (first_of_shape && !options.only_disagreements) text += style.bold(result.shape) + "\n";
  if (!result.error.empty()) return text + fmt::format("  {:<32} {}\n", result.name, style.red(result.error));
  std::string name = result.name;
  for (const LitmusRow& row : result.rows) {
    if (options.only_disagreements && row.agrees()) continue;
    const std::string shown = fmt::format("{:<10}", row.first_shown ? "yes" : "no");
    text += fmt::format("  {:<32} {:<26} {:<10} {} {}{}\n", name, row.outcome, name_of(row.expected),
                        row.agrees() ? shown : style.red(shown), shown_text(row, result),
                        row.agrees() ? "" : "   <-- not as expected");
    name.clear();
  }
  return text;
}

std::string table_foot(const std::vector<LitmusResult>& results, double seconds) {
  std::set<std::string> shapes;
  std::uint64_t verdicts = 0, executions = 0, limits = 0, wrong = 0, failed = 0, open = 0;
  for (const LitmusResult& result : results) {
    shapes.insert(result.shape);
    executions += result.executions;
    verdicts += result.rows.size();
    failed += result.error.empty() ? 0 : 1;
    open += result.exhausted || !result.error.empty() ? 0 : 1;
    for (const LitmusRow& row : result.rows) {
      limits += row.expected == Verdict::kLimit ? 1 : 0;
      wrong += row.agrees() ? 0 : 1;
    }
  }
  std::string text = fmt::format(
      "{} tests of {} shapes, {} verdicts, {} executions in {:.1f} s: {}\n", results.size(), shapes.size(),
      verdicts, executions, seconds,
      wrong + failed == 0 ? "all as expected" : fmt::format("{} not as expected, {} not run", wrong, failed));
  if (open != 0) text += fmt::format("{} tests were not explored in full\n", open);
  if (limits != 0) {
    text += fmt::format(
        "limit: {} outcomes that C++20 allows and heddle's model leaves out (docs/guide/memory-model.md)\n",
        limits);
  }
  return text;
}

std::string litmus_json(const std::vector<LitmusResult>& results, const std::string& tool_version) {
  Json tests = Json::array();
  bool agree = true;
  for (const LitmusResult& result : results) {
    agree = agree && result.agrees();
    Json rows = Json::array();
    for (const LitmusRow& row : result.rows) {
      Json json = {{"outcome", row.outcome},
                   {"expected", name_of(row.expected)},
                   {"shown", row.first_shown.has_value()},
                   {"agrees", row.agrees()}};
      if (row.first_shown) json["first_execution"] = *row.first_shown;
      if (!row.reason.empty()) json["reason"] = row.reason;
      rows.push_back(std::move(json));
    }
    Json test = {{"name", result.name},
                 {"shape", result.shape},
                 {"agrees", result.agrees()},
                 {"executions", result.executions},
                 {"distinct_outcomes", result.outcomes},
                 {"exhausted", result.exhausted},
                 {"verdicts", std::move(rows)}};
    if (!result.error.empty()) test["error"] = result.error;
    tests.push_back(std::move(test));
  }
  const Json document = {
      {"version", 1}, {"heddle", tool_version}, {"agrees", agree}, {"tests", std::move(tests)}};
  return document.dump(2) + "\n";
}

}  // namespace heddle::bench
