// What a race leads to. Its accesses become choices, as if they were atomic operations, and the program is
// executed so many times more: what goes wrong then that is no race is what the race can do. A race is undefined
// behaviour, and this is the mildest of it.
//
// Executions are counted and not timed, and go in rounds: races that a round finds are choices of the next one.
// So what is found is a function of the seed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>

#include "tool/run/campaign.h"

namespace heddle::run {

struct RaceConsequences {
  std::uint64_t executions = 0;  // that made it a choice
  bool complete = false;         // all that were to be
  std::uint64_t timed_out = 0;   // of these: they came to no choice any more, and to no end
  std::uint64_t buggy_executions = 0;
  std::array<std::uint64_t, report::kEndings> endings{};
  std::deque<FoundBug> bugs;  // distinct, confirmed, no races; none is kept
};

class ConsequenceSearch {
 public:
  // `options`: of the campaign that found the races. `executions`: for all rounds of one race together.
  ConsequenceSearch(Target target, CampaignOptions options, std::uint64_t executions)
      : target_(std::move(target)), options_(std::move(options)), executions_(executions) {}

  std::function<void(const report::Progress&)> on_progress;

  // `from`: the accesses that are choices in the first round.
  RaceConsequences search(const VisiblePlaces& from);

 private:
  static constexpr std::uint32_t kRounds = 3;

  Target target_;
  CampaignOptions options_;
  std::uint64_t executions_;
};

// How many executions are worth it: fewer where one is long. `steps`: visible operations of one.
std::uint64_t executions_for_consequences(std::uint64_t steps);

}  // namespace heddle::run
