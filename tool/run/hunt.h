// The hunt for one failure: campaigns that go on past all else, in rounds. Races that a round has seen are choices of
// the rounds after it, since a failure may come from an order of plain accesses. Every third round leaves them alone:
// choices that do not matter make those that do rarer.
//
// Rounds have fixed numbers of executions, so that what is found is a function of the seed.
#pragma once

#include <cstdint>
#include <functional>

#include "tool/run/campaign.h"
#include "tool/run/wanted_failure.h"

namespace heddle::run {

class Hunt {
 public:
  // `options`: of each round; executions and seconds are for all of them together.
  Hunt(Target target, CampaignOptions options, WantedFailure wanted);

  // Configures each round's campaign before it runs.
  std::function<void(Campaign&)> prepare;

  // Goes on until the failure is found, or for so long; nullopt: as long as the options say. The report is of all
  // rounds so far; bugs that were passed by are of the latest.
  CampaignOutcome run(std::optional<double> seconds = std::nullopt);

  std::uint64_t executions() const { return executions_; }
  const VisiblePlaces& visible() const { return visible_; }
  bool has_ended() const { return ended_; }  // nothing is left to try

 private:
  struct Round {
    std::uint64_t executions = 0;
    bool sees_races = false;
  };
  Round next_round() const;
  void add_to_report(report::CampaignReport& report);

  Target target_;
  CampaignOptions options_;
  WantedFailure wanted_;
  VisiblePlaces visible_;
  std::uint64_t rounds_ = 0;
  std::uint64_t executions_ = 0;
  bool ended_ = false;
  report::CampaignReport sum_;
};

// The failure was found: one of the outcome's bugs is it. nullptr: it was not.
FoundBug* wanted_bug(CampaignOutcome& outcome);

}  // namespace heddle::run
