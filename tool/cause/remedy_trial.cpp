#include "tool/cause/remedy_trial.h"

#include <utility>

namespace heddle::cause {
namespace {

Rules rules_of(const std::vector<RemedyPart>& parts) {
  Rules rules;
  for (const RemedyPart& part : parts) rules.push_back(part.rule);
  return rules;
}

}  // namespace

void RemedyTrial::calibrate() {
  trials_.calibrate();
  explanation_.base_executions = trials_.base_executions();
}

bool RemedyTrial::helps(const std::vector<RemedyPart>& parts) { return helps(rules_of(parts)); }

bool RemedyTrial::helps(const Rules& rules) {
  const Trials::Outcome outcome = trials_.try_rules(rules);
  if (outcome.shows && outcome.trace) last_failure_ = outcome.trace;
  return outcome.known && !outcome.shows;
}

bool RemedyTrial::removes_consequences(const Rules& rules) {
  say("trying whether what the race leads to goes away, too");
  const Trials::Outcome outcome = trials_.explore_consequences(rules);
  return outcome.known && !outcome.shows;
}

bool RemedyTrial::accept(RemedyKind kind, const std::vector<RemedyPart>& parts) {
  if (trials_.is_race() && !removes_consequences(rules_of(parts))) return false;
  say("trying the remedy at length");
  return take(kind, parts,
              trials_.explore(rules_of(parts), options_.executions, options_.trials.seconds / 3));
}

bool RemedyTrial::accept_visible(RemedyKind kind, std::vector<RemedyPart> parts) {
  say("trying the remedy at length");
  const Rules rules = rules_of(parts);
  return take(kind, std::move(parts),
              trials_.explore_consequences(rules, options_.executions, options_.trials.seconds / 3));
}

bool RemedyTrial::take(RemedyKind kind, std::vector<RemedyPart> parts, const Trials::Outcome& outcome) {
  if (outcome.shows || outcome.executions == 0) return false;
  Remedy remedy;
  remedy.kind = kind;
  remedy.parts = std::move(parts);
  remedy.executions = outcome.executions;
  remedy.is_complete = outcome.is_complete;
  remedy.other_bugs = outcome.other_bugs;
  explanation_.remedy = std::move(remedy);
  return true;
}

}  // namespace heddle::cause
