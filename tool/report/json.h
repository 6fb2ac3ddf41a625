// The JSON of a campaign and of an artifact. docs/guide/report-schema.json is the schema of the former; `version`
// in the document is kReportVersion and rises when a key changes its meaning or goes away. New keys may come
// at any time.
#pragma once

#include <string>

#include "tool/trace/campaign_report.h"
#include "tool/trace/trace.h"

namespace heddle::report {

inline constexpr int kReportVersion = 1;

// Ends with a newline. Strings are made valid UTF-8: other bytes appear as \xNN.
std::string json_report(const CampaignReport& report);

// All of a trace, for `heddle show --json`.
std::string json_trace(const Trace& trace);

}  // namespace heddle::report
