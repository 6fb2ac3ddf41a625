#include "tool/report/escape.h"
#include "tool/report/json.h"
#include "tool/report/json_parts.h"
#include "tool/report/places.h"

namespace heddle::report {
namespace {

Json strings(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(utf8(text));
  return list;
}

Json consequences_of(const RaceFollowUp& follow_up) {
  Json json = {{"executions", follow_up.executions},
               {"timed_out", follow_up.timed_out},
               {"complete", follow_up.complete},
               {"found", Json::array()}};
  for (const RaceConsequence& found : follow_up.found) {
    json["found"].push_back(
        {{"kind", to_string(found.kind)},
         {"summary", utf8(found.summary)},
         {"count", found.count},
         {"artifact", found.artifact.empty() ? Json(nullptr) : Json(utf8(found.artifact))}});
  }
  return json;
}

Json findings_of(const CampaignReport& report) {
  Json list = Json::array();
  for (const CampaignFinding& found : report.findings) {
    Json json = json_finding(*found.trace, found.get());
    json["count"] = found.count;
    json["first_execution"] = found.first_execution;
    json["artifact"] = found.artifact.empty() ? Json(nullptr) : Json(utf8(found.artifact));
    if (!found.known.empty()) json["known"] = utf8(found.known);
    if (found.follow_up.executions != 0) json["consequences"] = consequences_of(found.follow_up);
    list.push_back(std::move(json));
  }
  return list;
}

Json known_of(const CampaignReport& report) {
  Json list = Json::array();
  for (const KnownFinding& one : report.known) {
    Json json = json_finding(*one.trace, one.trace->findings.front());
    json["artifact"] = utf8(one.artifact);
    json["count"] = one.count;
    json["gone"] = one.count == 0;
    list.push_back(std::move(json));
  }
  return list;
}

Json strategies_of(const CampaignReport& report) {
  Json list = Json::array();
  for (const StrategyShare& share : report.strategies) {
    list.push_back({{"name", utf8(share.name)},
                    {"executions", share.executions},
                    {"buggy_executions", share.buggy_executions}});
  }
  return list;
}

Json endings_of(const CampaignReport& report) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kEndings; ++i) json[ending_key(static_cast<Ending>(i))] = report.endings[i];
  return json;
}

}  // namespace

std::string json_report(const CampaignReport& report) {
  Json json;
  json["version"] = kReportVersion;
  json["tool"] = {{"name", "heddle"}, {"version", report.tool_version}};
  json["program"] = {{"argv", strings(report.program)},
                     {"path", utf8(report.program_path)},
                     {"build_id", utf8(report.build_id)}};
  json["options"] = Json::object();
  for (const auto& [name, value] : report.options) json["options"][utf8(name)] = utf8(value);
  json["seed"] = report.seed;
  json["executions"] = report.executions;
  json["buggy_executions"] = report.buggy_executions;
  json["redundant_executions"] = report.redundant_executions;
  json["unfinished_executions"] = report.unfinished_executions();
  json["seconds"] = report.seconds;
  json["executions_per_second"] = report.executions_per_second();
  json["workers"] = report.workers;
  json["strategies"] = strategies_of(report);
  json["findings"] = findings_of(report);
  if (report.has_known) json["known"] = known_of(report);
  json["suppressed"] = Json::array();
  for (const UsedSuppression& used : report.suppressed) {
    json["suppressed"].push_back(
        {{"suppression", utf8(used.text)}, {"count", used.count}, {"built_in", used.built_in}});
  }
  json["warnings"] = strings(report.warnings);
  json["endings"] = endings_of(report);
  json["pruned_executions"] = report.pruned_executions;
  if (report.histogram) {
    std::map<std::string, std::uint64_t> outcomes;  // two may be one once their bytes are made UTF-8
    for (const auto& [outcome, count] : report.outcomes) outcomes[utf8(outcome)] += count;
    json["outcomes"] = outcomes;
  }
  json["digest"] = hexadecimal(report.digest);
  const bool known = report.share_new() >= 0;
  const CampaignReport::Range range = known ? report.share_new_interval() : CampaignReport::Range{};
  json["left"] = {{"distinct_executions", report.distinct_executions},
                  {"seen_once", report.executions_seen_once},
                  {"seen_twice", report.executions_seen_twice},
                  {"read_pairs", report.read_pairs},
                  {"exhausted", report.exhausted},
                  {"buffers_loads", report.buffers_loads},
                  {"search_ended", report.search_ended},
                  {"not_explored", strings(report.not_explored)},
                  {"share_new", known ? Json(report.share_new()) : Json(nullptr)},
                  {"share_new_interval", known ? Json({range.low, range.high}) : Json(nullptr)}};
  json["complete"] = report.complete;
  json["inconclusive"] = report.inconclusive.empty() ? Json(nullptr) : Json(utf8(report.inconclusive));
  json["stopped_because"] = utf8(report.stopped_because);
  return dumped(json);
}

}  // namespace heddle::report
