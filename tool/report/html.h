// The HTML report: one file without references to anything outside of it. The page is page/dist/page.html,
// built from page/src; what it shows is put into it as JSON, in which no markup can begin.
#pragma once

#include <string>

#include "tool/trace/campaign_report.h"
#include "tool/trace/explanation.h"

namespace heddle::report {

// A campaign with all of its findings.
std::string html_report(const CampaignReport& report);

// One execution that was kept: its findings alone. `path` is the artifact's, for the line that reproduces it, and
// `explanation` what `heddle explain` has kept beside it (kept_explanation.h).
std::string html_trace(const Trace& trace, const std::string& path, const std::string& explanation = {});
// The page of an execution with the explanation of its first finding at the top.
std::string html_explanation(const Explanation& explanation, const std::string& path);

}  // namespace heddle::report
