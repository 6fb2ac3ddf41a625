// A small program with one seeded bug, in C, whose correct twin -DCORRECT makes: compiled through heddle and
// run in campaigns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tool/run/campaign.h"

namespace heddle::bench {

struct BugProgram {
  std::string name;
  std::string source;  // path
  std::vector<std::string> defines;
};

// The binary in `folder`.
Result<std::string> compile_program(const std::string& heddle, const std::string& folder,
                                    const BugProgram& program, bool correct);

struct CampaignCost {
  run::CampaignOutcome outcome;
  double cpu_seconds = 0;  // of all processes
};

// REQUIRES: no other campaign runs in this process.
Result<CampaignCost> run_campaign(const std::string& binary, const std::string& library,
                                  const std::string& strategy, run::CampaignOptions options);

// CPU time of this process and of all that it has started. Waits until these have ended; those whose parents
// do not wait for them count from the first call on.
double cpu_seconds_of_all();

}  // namespace heddle::bench
