#include "tool/cli/search_and_hunt.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "tool/run/background_work.h"
#include "tool/run/interruption.h"

namespace heddle::cli {

namespace {

// Both kinds of thinking, half of the time each. One that has nothing more to say leaves its half to the other.
class Thinking {
 public:
  Thinking(const std::function<Thought()>& think, const std::function<Thought()>& along)
      : think_([&, think] { found_ = think(); }),
        along_([&, along] { hunted_ = along ? along() : Thought::kNothing; }) {
    if (!along) along_.run_for(0);
  }
  // True: there is enough.
  bool run_for(double seconds) {
    const double each = think_.has_ended() || along_.has_ended() ? seconds : seconds / 2;
    if (think_.run_for(each) && found_ == Thought::kEnough) return true;
    return along_.run_for(each) && hunted_ == Thought::kEnough;
  }
  bool has_ended() const { return think_.has_ended() && along_.has_ended(); }

 private:
  Thought found_ = Thought::kNothing, hunted_ = Thought::kNothing;
  run::BackgroundWork think_, along_;
};

}  // namespace

HuntOutcome search_and_hunt(const run::Target& target, const HuntOptions& options,
                            const std::function<Thought()>& think, const std::function<Thought()>& along) {
  Thinking thinking(think, along);
  run::CampaignOptions how;
  how.spec = options.spec;
  std::strncpy(how.spec.strategy, "auto", sizeof how.spec.strategy - 1);
  how.allowed_exits = options.allowed_exits;
  how.output_directory = {};
  how.jobs = std::max(1u, std::thread::hardware_concurrency());
  how.overlap = false;
  run::Hunt hunt(target, how, options.wanted);
  hunt.prepare = [&](run::Campaign& campaign) { campaign.on_progress = options.on_progress; };
  HuntOutcome outcome;
  const auto time_left = [] { return !run::was_interrupted() && run::seconds_left() > 0; };
  while (time_left()) {
    if (thinking.run_for(std::min(kThinkingSeconds, run::seconds_left()))) break;
    if (!options.tries || hunt.has_ended()) {
      if (thinking.has_ended()) break;
      continue;
    }
    if (!time_left()) break;
    const bool alone = thinking.has_ended();
    run::CampaignOutcome tried =
        hunt.run(alone ? run::seconds_left() : std::min(kTryingSeconds, run::seconds_left()));
    if (run::FoundBug* bug = run::wanted_bug(tried)) {
      outcome.bug = std::move(*bug);
      break;
    }
  }
  outcome.executions = hunt.executions();
  return outcome;
}

}  // namespace heddle::cli
