// What the races of a campaign lead to: looked for when the campaign is over, and told with the races.
#pragma once

#include <functional>

#include "tool/cli/run_options.h"

namespace heddle::cli {

struct FollowUpHooks {
  std::function<void(const report::Progress&)> on_progress;
  std::function<void(run::FoundBug&)> minimise;  // empty: executions are kept as they were found
};

// Fills the follow-up of each race, and keeps an artifact of each consequence. Bugs behind races that the user
// suppresses are bugs of the campaign.
// `how`: the campaign's options.
void follow_races(const run::Target& target, const RunOptions& options, const run::CampaignOptions& how,
                  run::CampaignOutcome& outcome, const FollowUpHooks& hooks);

}  // namespace heddle::cli
