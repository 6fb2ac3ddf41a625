#include "tool/report/html.h"

#include <algorithm>

#include "core/base/check.h"
#include "tool/base/xml.h"
#include "tool/report/escape.h"
#include "tool/report/page_data.h"

// page_asset.S
extern "C" const char
    heddle_report_page[];  // NOLINT(readability-identifier-naming): symbols of an assembler file
extern "C" const char heddle_report_page_end[];  // NOLINT(readability-identifier-naming)

namespace heddle::report {
namespace {

constexpr std::string_view kDataMark = "@HEDDLE_DATA@";
constexpr std::string_view kTitleMark = "@HEDDLE_TITLE@";
// Together they fit a page that opens at once.
constexpr std::size_t kMostEvents = 60'000;
constexpr std::size_t kMostEventsOfOne = 20'000;

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  HEDDLE_CHECK(at != std::string::npos);
  return text.replace(at, mark.size(), by);
}

// In a script element only "</script" and "<!--" mean something ([HTML] 4.12.1.3): without "<" there is
// neither.
std::string in_script(const std::string& json) {
  std::string text;
  text.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string page_of(const Json& data, const std::string& title) {
  const std::string page(heddle_report_page, heddle_report_page_end);
  const std::string json = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  // The data last: it may have the other mark in it.
  return replaced(replaced(page, kTitleMark, xml_escaped(title)), kDataMark, in_script(json));
}

Json bugs_of(const std::vector<CampaignFinding>& findings) {
  Json list = Json::array();
  const std::size_t room =
      std::min(kMostEventsOfOne, kMostEvents / std::max<std::size_t>(findings.size(), 1));
  for (const CampaignFinding& found : findings)
    list.push_back(page_bug(found, std::max<std::size_t>(room, 500)));
  return list;
}

std::string title_of(const Json& bugs) {
  if (bugs.empty()) return "heddle: no bug found";
  std::string title = "heddle: " + bugs[0]["summary"].get<std::string>();
  if (bugs.size() > 1) title += " and " + std::to_string(bugs.size() - 1) + " more";
  return title;
}

Json report_data(const CampaignReport& report) {
  Json data;
  data["version"] = kPageDataVersion;
  data["tool"] = "heddle " + utf8(report.tool_version);
  data["program"] = report.program.empty() ? "" : utf8(escaped(report.program[0]));
  data["campaign"] = report.executions == 0 ? Json(nullptr) : page_campaign(report);
  data["bugs"] = bugs_of(report.findings);
  return data;
}

Json trace_data(const Trace& trace, const std::string& path, const std::string& explanation = {}) {
  CampaignReport report;
  report.tool_version = trace.tool_version;
  report.program = trace.program.argv;
  for (std::size_t i = 0; i < trace.findings.size(); ++i)
    report.findings.push_back({&trace, i, 0, trace.execution, path, {}, explanation});
  return report_data(report);
}

std::string page_of(const Json& data) { return page_of(data, title_of(data["bugs"])); }

}  // namespace

std::string html_report(const CampaignReport& report) { return page_of(report_data(report)); }

std::string html_trace(const Trace& trace, const std::string& path, const std::string& explanation) {
  return page_of(trace_data(trace, path, explanation));
}

std::string html_explanation(const Explanation& explanation, const std::string& path) {
  Json data = trace_data(explanation.failing.trace, path);
  if (!data["bugs"].empty()) data["bugs"][0]["explanation"] = page_explanation(explanation);
  return page_of(data);
}

}  // namespace heddle::report
