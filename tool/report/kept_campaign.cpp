#include "tool/report/kept_campaign.h"

#include <nlohmann/json.hpp>

#include "tool/report/json.h"
#include "tool/report/places.h"

namespace heddle::report {
namespace {

using Parsed = nlohmann::json;

std::vector<std::string> strings(const Parsed& list) {
  std::vector<std::string> result;
  for (const Parsed& text : list) result.push_back(text.get<std::string>());
  return result;
}

void read_left(const Parsed& left, CampaignReport& report) {
  report.distinct_executions = left.value("distinct_executions", std::uint64_t{0});
  report.executions_seen_once = left.value("seen_once", std::uint64_t{0});
  report.executions_seen_twice = left.value("seen_twice", std::uint64_t{0});
  report.read_pairs = left.value("read_pairs", std::uint64_t{0});
  report.exhausted = left.value("exhausted", false);
  report.buffers_loads = left.value("buffers_loads", false);
  report.search_ended = left.value("search_ended", false);
  if (left.contains("not_explored")) report.not_explored = strings(left.at("not_explored"));
}

FindingKind kind_named(std::string_view name) {
  for (const FindingKindRow& row : kFindingKinds) {
    if (row.name == name) return row.kind;
  }
  return FindingKind::kNone;
}

RaceFollowUp follow_up_of(const Parsed& json) {
  RaceFollowUp follow_up;
  follow_up.executions = json.at("executions").get<std::uint64_t>();
  follow_up.timed_out = json.value("timed_out", std::uint64_t{0});
  follow_up.complete = json.at("complete").get<bool>();
  for (const Parsed& found : json.at("found")) {
    const Parsed& artifact = found.at("artifact");
    follow_up.found.push_back({kind_named(found.at("kind").get<std::string>()),
                               found.at("summary").get<std::string>(), found.at("count").get<std::uint64_t>(),
                               artifact.is_string() ? artifact.get<std::string>() : std::string()});
  }
  return follow_up;
}

KeptFinding finding_of(const Parsed& json) {
  KeptFinding finding;
  finding.signature = json.at("signature").get<std::string>();
  finding.count = json.at("count").get<std::uint64_t>();
  finding.first_execution = json.at("first_execution").get<std::uint64_t>();
  if (json.at("artifact").is_string()) finding.artifact = json.at("artifact").get<std::string>();
  if (json.contains("consequences")) finding.follow_up = follow_up_of(json.at("consequences"));
  return finding;
}

KeptCampaign read(const Parsed& json) {
  KeptCampaign kept;
  CampaignReport& report = kept.report;
  report.tool_version = json.at("tool").at("version").get<std::string>();
  report.program = strings(json.at("program").at("argv"));
  report.program_path = json.at("program").at("path").get<std::string>();
  report.build_id = json.at("program").at("build_id").get<std::string>();
  for (const auto& [name, value] : json.at("options").items())
    report.options.emplace_back(name, value.get<std::string>());
  report.seed = json.at("seed").get<std::uint64_t>();
  report.executions = json.at("executions").get<std::uint64_t>();
  report.buggy_executions = json.at("buggy_executions").get<std::uint64_t>();
  report.seconds = json.at("seconds").get<double>();
  report.workers = json.at("workers").get<std::uint32_t>();
  report.pruned_executions = json.value("pruned_executions", std::uint64_t{0});
  for (const Parsed& share : json.at("strategies")) {
    report.strategies.push_back({share.at("name").get<std::string>(),
                                 share.at("executions").get<std::uint64_t>(),
                                 share.at("buggy_executions").get<std::uint64_t>()});
  }
  for (const Parsed& used : json.at("suppressed")) {
    report.suppressed.push_back({used.at("suppression").get<std::string>(),
                                 used.at("count").get<std::uint64_t>(), used.at("built_in").get<bool>()});
  }
  report.warnings = strings(json.at("warnings"));
  for (std::size_t i = 0; i < kEndings; ++i)
    report.endings[i] = json.at("endings").value(ending_key(static_cast<Ending>(i)), std::uint64_t{0});
  report.histogram = json.contains("outcomes");
  if (report.histogram) report.outcomes = json.at("outcomes").get<std::map<std::string, std::uint64_t>>();
  read_left(json.at("left"), report);
  report.complete = json.value("complete", true);
  report.redundant_executions = json.value("redundant_executions", std::uint64_t{0});
  if (json.contains("inconclusive") && json.at("inconclusive").is_string())
    report.inconclusive = json.at("inconclusive").get<std::string>();
  report.stopped_because = json.at("stopped_because").get<std::string>();
  for (const Parsed& finding : json.at("findings")) kept.findings.push_back(finding_of(finding));
  return kept;
}

}  // namespace

Result<KeptCampaign> parse_campaign(std::string_view text) {
  // A fraction is read as a number of any type, and the conversion is undefined for what the type cannot hold
  // ([conv.fpint]). No fraction of ours is negative or as large as any integer type's limit.
  const auto is_readable = [](int, Parsed::parse_event_t event, const Parsed& value) {
    if (event != Parsed::parse_event_t::value || !value.is_number_float()) return true;
    return value.get<double>() >= 0 && value.get<double>() < 0x1p31;
  };
  const Parsed json = Parsed::parse(text, is_readable, false);
  if (json.is_discarded()) return Error{"This is no JSON."};
  try {
    if (json.at("version").get<int>() != kReportVersion)
      return Error{"This report has another version than this heddle writes."};
    return read(json);
  } catch (const Parsed::exception& error) {
    return Error{std::string("This is no report of heddle's: ") + error.what()};
  }
}

}  // namespace heddle::report
