#include "tool/cause/remedy_trial.h"

#include <algorithm>
#include <utility>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/remedy_places.h"

namespace heddle::cause {
namespace {

Rules rules_of(const std::vector<RemedyPart>& parts) {
  Rules rules;
  for (const RemedyPart& part : parts) rules.push_back(part.rule);
  return rules;
}

Rules rules_of(const Proposal& proposal) {
  Rules rules = rules_of(proposal.parts);
  rules.insert(rules.end(), proposal.along.begin(), proposal.along.end());
  return rules;
}

// Places of the same lines as the proposal's, at which a failure has come by. True: some were new.
bool add_copies(const Trace& failure, Proposal& proposal) {
  bool added = false;
  const auto add = [&](std::uint64_t pc, StackId stack, Address address) {
    const CodePlace place = place_of(failure, pc, stack);
    const ShownOperation here = shown(failure, pc, stack, address);
    // What is destroyed is shown where that begins, and is touched all over the destructor.
    const ShownOperation end = shown_end(failure, pc, stack, address);
    const auto has = [&](const CodePlace& other) {
      return std::any_of(proposal.parts.begin(), proposal.parts.end(), [&](const RemedyPart& part) {
        return part.rule.place == place && part.rule.other == other;
      });
    };
    for (std::size_t i = 0; i < proposal.parts.size() && proposal.parts.size() < kMostRules; ++i) {
      const RemedyPart& part = proposal.parts[i];
      const bool is_there =
          is_same_line(part.shown.frame, here.frame) || is_same_line(part.shown.frame, end.frame);
      if (part.rule.place == place || !is_there || has(part.rule.other)) continue;
      RemedyPart copy = part;
      copy.rule.place = place;
      proposal.parts.push_back(std::move(copy));
      if (!proposal.turns.empty() || proposal.needs_visible_race) proposal.turns.push_back(pc);
      added = true;
    }
  };
  for (const TracePart& part : failure.findings.front().parts) {
    if (part.pc != 0) add(part.pc, part.stack, part.address);
  }
  return added;
}

// The thread uses more that is not there yet: it begins when that is there, too. True: it is.
bool start_later_still(const Trace& failure, Proposal& proposal) {
  const CodePlace start = proposal.parts.front().rule.place;
  for (const TraceEvent& created : failure.events) {
    if (created.kind != EventKind::kThreadCreate || place_of(failure, created) != start) continue;
    const TracePart *use = nullptr, *setting = nullptr;
    for (const TracePart& part : failure.findings.front().parts) {
      if (part.role != PartRole::kAccess && part.role != PartRole::kPreviousAccess) continue;
      (part.thread == created.thread ? setting : use) = &part;
    }
    if (use == nullptr || setting == nullptr || use->thread != created.other) continue;
    RemedyPart more = proposal.parts.front();
    const TraceEvent* done = turn_after(failure, created, setting->event, setting->pc);
    more.rule.other =
        done != nullptr ? place_of(failure, *done) : place_of(failure, setting->pc, setting->stack);
    more.other_shown = shown(failure, setting->pc, setting->stack, setting->address);
    const bool known = std::any_of(proposal.parts.begin(), proposal.parts.end(), [&](const RemedyPart& part) {
      return part.rule.other == more.rule.other;
    });
    if (known || proposal.parts.size() == kMostRules) return false;
    proposal.parts.push_back(std::move(more));
    proposal.turns.push_back(setting->pc);
    return true;
  }
  return false;
}

}  // namespace

void RemedyTrial::calibrate() {
  trials_.calibrate();
  explanation_.base_executions = trials_.base_executions();
}

const Frame& RemedyTrial::frame_of(const Trace& trace, const TraceEvent& event) const {
  const auto [at, is_new] = frames_.try_emplace({&trace, event.pc, event.stack});
  if (is_new) at->second = shown(trace, event.pc, event.stack, 0).frame;
  return at->second;
}

bool RemedyTrial::helps(const std::vector<RemedyPart>& parts) { return helps(rules_of(parts)); }

bool RemedyTrial::helps(const Rules& rules) {
  if (rules.size() > kMostRules) return false;
  const Trials::Outcome outcome = trials_.try_rules(rules);
  if (outcome.shows && outcome.trace) last_failure_ = outcome.trace;
  return outcome.known && !outcome.shows;
}

bool RemedyTrial::helps(Proposal& proposal) {
  constexpr int kMostRounds = 10;
  for (int round = 0; round < kMostRounds; ++round) {
    last_failure_.reset();
    if (helps_as_it_is(proposal)) return true;
    if (!last_failure_ || last_failure_->findings.empty()) return false;
    const bool is_wider = proposal.kind == RemedyKind::kStartLater
                              ? start_later_still(*last_failure_, proposal)
                              : add_copies(*last_failure_, proposal);
    if (!is_wider) return false;
  }
  return false;
}

bool RemedyTrial::helps_as_it_is(const Proposal& proposal) {
  const Trials::Turns turns(trials_, proposal.turns);
  const Rules rules = rules_of(proposal);
  return proposal.needs_visible_race ? removes_consequences(rules) : helps(rules);
}

bool RemedyTrial::removes_consequences(const Rules& rules) {
  const Trials::Outcome outcome = trials_.explore_consequences(rules);
  if (outcome.shows && outcome.trace) last_failure_ = outcome.trace;
  return outcome.known && !outcome.shows;
}

bool RemedyTrial::is_of_its_kind(const Proposal::Unless& unless) {
  if (!helps(unless.rules)) return false;
  const auto trace = trials_.trace_when_followed(unless.rules);
  return !trace || std::none_of(trace->events.begin(), trace->events.end(), [&](const TraceEvent& e) {
    return e.thread == unless.reader && e.address == unless.read && reads_memory(e.kind);
  });
}

double RemedyTrial::behaviours_kept(const Proposal& proposal) {
  if (!behaviours_) behaviours_ = trials_.behaviours({}, proposal.needs_visible_race);
  const Trials::Turns turns(trials_, proposal.turns);
  const std::uint64_t left = trials_.behaviours(rules_of(proposal), proposal.needs_visible_race);
  return *behaviours_ == 0 ? 1 : std::min(1.0, static_cast<double>(left) / static_cast<double>(*behaviours_));
}

Trials::Outcome RemedyTrial::explore_at_length(const Proposal& proposal) {
  say("trying the remedy at length");
  const Rules rules = rules_of(proposal);
  const double seconds = options_.trials.seconds / 3;
  const std::uint64_t executions = std::max(options_.executions, trials_.executions_for_evidence());
  return proposal.needs_visible_race ? trials_.explore_consequences(rules, executions, seconds)
                                     : trials_.explore(rules, executions, seconds);
}

bool RemedyTrial::accept(const Proposal& proposal) {
  const Trials::Turns turns(trials_, proposal.turns);
  if (proposal.unless && !is_of_its_kind(*proposal.unless)) return false;
  if (trials_.is_race() && !proposal.needs_visible_race) {
    say("trying whether what the race leads to goes away, too");
    if (!removes_consequences(rules_of(proposal))) return false;
  }
  const Trials::Outcome outcome = explore_at_length(proposal);
  if (outcome.shows) return false;
  if (!outcome.is_complete && outcome.executions < trials_.executions_for_evidence()) {
    ++unproven_;
    return false;
  }
  Remedy remedy;
  remedy.kind = proposal.kind;
  remedy.parts = proposal.parts;
  remedy.executions = outcome.executions;
  remedy.is_complete = outcome.is_complete;
  remedy.other_bugs = outcome.other_bugs;
  explanation_.remedy = std::move(remedy);
  return true;
}

}  // namespace heddle::cause
