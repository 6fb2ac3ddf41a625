// What the page of the HTML report is made from, as JSON: a campaign and, for each bug, its rows, relations,
// stacks and the source around them. page/src/data.ts is the other side of this interface.
#pragma once

#include "tool/report/json_parts.h"
#include "tool/trace/campaign_report.h"
#include "tool/trace/explanation.h"

namespace heddle::report {

inline constexpr int kPageDataVersion = 4;

// Of one bug's events at most `max_events` are kept, those that matter most (select_events.h).
Json page_bug(const CampaignFinding& found, std::size_t max_events);

// Why it failed, beside the execution that passes; explained_page.cpp.
Json page_explanation(const Explanation& explanation);

Json page_campaign(const CampaignReport& report);

}  // namespace heddle::report
