// What is said at the end of a campaign, and while it runs.
#pragma once

#include <cstdint>
#include <string>

#include "tool/trace/campaign_report.h"

namespace heddle::report {

struct SummaryOptions {
  bool color = false;
  std::size_t max_outcomes = 40;  // lines of the histogram
  bool verbose = false;
  bool lists_all = false;  // also a single bug, which was told already where reports were
};

// Executions and their speed, distinct bugs with how often each was hit, strategies, seed, and what is left.
std::string summary_text(const CampaignReport& report, const SummaryOptions& options = {});

// What is new, what of --known is still there and what is gone; empty where nothing was known.
std::string known_text(const CampaignReport& report);

// How much further executions would still show, as far as that is known.
std::string what_is_left(const CampaignReport& report);

// One line of at most `width` columns, without an end of line.
std::string progress_line(const Progress& progress, std::size_t width);

// 0.35 s, 12.3 s, 4 m 05 s, 2 h 10 m.
std::string duration_text(double seconds);

}  // namespace heddle::report
