// Campaigns as JUnit XML, for CI services: a test case for each campaign, a failure for each bug.
#pragma once

#include <string>
#include <vector>

#include "tool/trace/campaign_report.h"

namespace heddle::report {

struct JunitCase {
  std::string suite;
  std::string name;
  const CampaignReport* report = nullptr;
  std::string error;  // why nothing could be said; empty: it could
};

std::string junit_report(const std::vector<JunitCase>& cases);

// Of one campaign, named after its program.
std::string junit_report(const CampaignReport& report);

}  // namespace heddle::report
