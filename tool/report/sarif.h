// A campaign as SARIF 2.1.0 (OASIS), for code scanning services and editors: a result for each finding, with
// a code flow that has a thread flow for each thread, and a fingerprint that stays the same across runs and
// edits elsewhere.
#pragma once

#include <string>

#include "tool/trace/campaign_report.h"

namespace heddle::report {

std::string sarif_report(const CampaignReport& report);

}  // namespace heddle::report
