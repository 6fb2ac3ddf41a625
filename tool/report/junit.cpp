#include "tool/report/junit.h"

#include <fmt/format.h>

#include <map>

#include "tool/report/escape.h"
#include "tool/report/places.h"
#include "tool/report/plain_words.h"
#include "tool/report/shell_word.h"
#include "tool/report/summary.h"
#include "tool/report/text.h"

namespace heddle::report {
namespace {

// XML 1.0 has no control characters, not even escaped: escaped_lines() has taken them away.
std::string xml(std::string_view text) {
  std::string result;
  for (const char c : escaped_lines(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\n':
        result += "&#10;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0;
  double seconds = 0;

  void add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    seconds += other.seconds;
  }
  std::string attributes() const {
    return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="0" time="{:.3f}")", tests, failures,
                       errors, seconds);
  }
};

std::string case_xml(const JunitCase& test, Counts& counts) {
  ++counts.tests;
  const double seconds = test.report != nullptr ? test.report->seconds : 0;
  counts.seconds += seconds;
  std::string failures, warnings;
  if (test.report != nullptr) {
    for (const CampaignFinding& found : test.report->findings) {
      const Trace& trace = *found.trace;
      const std::string summary = finding_summary(trace, found.get(), PathStyle(trace));
      if (!found.known.empty()) continue;  // the summary has it
      if (found.get().severity == Severity::kWarning) {
        warnings += "warning: " + summary + "\n";
        continue;
      }
      TextOptions text;
      text.artifact = found.artifact;
      text.leads_to = leads_to_lines(found.follow_up);
      failures += fmt::format(
          "      <failure type=\"{}\" message=\"{}\">{}</failure>\n", xml(to_string(found.get().kind)),
          xml(summary + ": " + plain_words(trace, found.get())), xml(text_report(trace, found.get(), text)));
    }
  }
  if (!failures.empty()) ++counts.failures;
  if (failures.empty() && !test.error.empty()) {
    ++counts.errors;
    failures = fmt::format("      <error type=\"inconclusive\" message=\"{}\"/>\n", xml(test.error));
  }
  std::string said;
  if (test.report != nullptr) said = warnings + summary_text(*test.report);
  return fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">\n{}      <system-out>{}</system-out>\n"
      "    </testcase>\n",
      xml(test.suite), xml(test.name), seconds, failures, xml(said));
}

}  // namespace

std::string junit_report(const std::vector<JunitCase>& cases) {
  std::map<std::string, std::pair<Counts, std::string>> suites;
  std::vector<std::string> order;
  for (const JunitCase& test : cases) {
    const auto [at, is_new] = suites.try_emplace(test.suite);
    if (is_new) order.push_back(test.suite);
    at->second.second += case_xml(test, at->second.first);
  }
  Counts all;
  std::string body;
  for (const std::string& name : order) {
    const auto& [counts, text] = suites.at(name);
    all.add(counts);
    body +=
        fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", xml(name), counts.attributes(), text);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heddle\" {}>\n{}</testsuites>\n",
      all.attributes(), body);
}

std::string junit_report(const CampaignReport& report) {
  std::string name;
  for (const std::string& word : report.program) name += (name.empty() ? "" : " ") + shell_word(word);
  const std::string error = report.executions == 0 ? "nothing could be explored" : "";
  return junit_report({{"heddle", name, &report, error}});
}

}  // namespace heddle::report
