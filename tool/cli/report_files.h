// The reports that a command was asked to write.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "core/base/result.h"
#include "tool/artifact/campaign_report.h"

namespace heddle::cli {

struct ReportFiles {
  std::string json, sarif, junit, html;  // "-": standard output; empty: not asked for
};

void add_report_options(CLI::App& app, ReportFiles& files);
Status write_reports(const report::CampaignReport& report, const ReportFiles& files);

// A campaign leaves what it found in its folder: artifacts, and what this writes beside them, from which
// `heddle report` makes the other reports later.
inline constexpr const char* kCampaignFile = "campaign.json";
Status keep_campaign(const report::CampaignReport& report, const std::string& folder);

}  // namespace heddle::cli
