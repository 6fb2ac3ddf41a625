#include "tool/cause/remedy.h"

#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_trial.h"

namespace heddle::cause {

void find_remedy(const run::Target& target, Explanation& explanation, const RemedyOptions& options) {
  if (explanation.failing.trace.findings.empty()) return;
  RemedyTrial trial(target, explanation, options);
  trial.say("how often does the bug show?");
  trial.calibrate();
  const bool found = try_orders(trial) || try_lock(trial) || try_race_after(trial) ||
                     try_locks_together(trial) || try_together(trial, true) || try_after(trial) ||
                     try_together(trial, false);
  explanation.remedies_tried = trial.count();
  if (!found) explanation.remedy.reset();
}

}  // namespace heddle::cause
