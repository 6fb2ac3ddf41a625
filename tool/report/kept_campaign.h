// A campaign read back from the JSON that json_report() wrote: all but the executions, which are in
// artifacts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "tool/trace/campaign_report.h"

namespace heddle::report {

struct KeptFinding {
  std::string signature;  // fingerprint.h
  std::string artifact;   // path, as it was then; empty: none
  std::uint64_t count = 0;
  std::uint64_t first_execution = 0;
  RaceFollowUp follow_up;
};

struct KeptCampaign {
  CampaignReport report;  // without findings
  std::vector<KeptFinding> findings;
};

// The text is not trusted. An error says what is wrong with it.
Result<KeptCampaign> parse_campaign(std::string_view json);

}  // namespace heddle::report
