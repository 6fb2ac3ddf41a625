#include "tool/cause/remedy.h"

#include <algorithm>

#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"
#include "tool/cause/remedy_trial.h"

namespace heddle::cause {
namespace {

// So many that help are compared before one is chosen.
constexpr std::size_t kMostCompared = 4;
// A change under which less of the program's behaviour is left only lets its threads run one after another.
constexpr double kLeastKept = 0.02;
// Shares are compared by thirds: a sample says no more.
constexpr int kMostThirds = 2;

// Of the changes that help, the one that leaves most of what the program can do. Which proposal came first decides
// where two leave about as much.
bool try_best(RemedyTrial& trial, Proposals proposals, const char* what) {
  if (proposals.empty()) return false;
  trial.say(what);
  std::vector<std::pair<int, const Proposal*>> helping;
  for (Proposal& proposal : proposals) {
    if (!trial.time_left() || helping.size() == kMostCompared) break;
    add_siblings(trial, proposal);
    if (!trial.helps(proposal)) continue;
    const double kept = trial.behaviours_kept(proposal);
    if (kept < kLeastKept) continue;
    const int thirds = std::min(kMostThirds, static_cast<int>(kept * 3));
    // Of what leaves most, what is nearest to the failure is as good as any other.
    if (thirds == kMostThirds && trial.accept(proposal)) return true;
    if (thirds != kMostThirds) helping.push_back({-thirds, &proposal});
  }
  std::stable_sort(helping.begin(), helping.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return std::any_of(helping.begin(), helping.end(),
                     [&](const auto& one) { return trial.accept(*one.second); });
}

bool is_wait_for_ever(FindingKind kind) {
  return kind == FindingKind::kDeadlock || kind == FindingKind::kLostWakeUp;
}

bool find_for_race(RemedyTrial& trial) {
  return try_best(trial, propose_longer_life(trial), "trying what should live longer") ||
         try_best(trial, propose_held_lock(trial), "trying the lock that the other access holds") ||
         try_best(trial, propose_update(trial), "trying updates that are one step") || try_atomic(trial) ||
         try_lock(trial) ||
         try_best(trial, propose_race_after(trial), "trying which access should wait for the other one");
}

bool find_for_wait(RemedyTrial& trial) {
  return try_best(trial, propose_given_back(trial), "trying a lock that is given back before a join") ||
         try_best(trial, propose_lock_order(trial), "trying the order of locks") ||
         try_best(trial, propose_for_waits(trial), "trying notifications and waits");
}

bool find_for_all(RemedyTrial& trial) {
  return try_best(trial, propose_longer_life(trial), "trying what should live longer") ||
         try_best(trial, propose_after(trial, true), "trying what should be there earlier") ||
         try_best(trial, propose_together(trial, true), "trying which operations should be one step") ||
         try_best(trial, propose_for_waits(trial), "trying notifications and waits") ||
         try_best(trial, propose_after(trial, false), "trying which operation should wait for another one") ||
         try_best(trial, propose_together(trial, false), "trying longer steps");
}

}  // namespace

void find_remedy(const run::Target& target, Explanation& explanation, const RemedyOptions& options) {
  if (explanation.failing.trace.findings.empty()) return;
  RemedyTrial trial(target, explanation, options);
  trial.say("how often does the bug show?");
  trial.calibrate();
  const FindingKind kind = explanation.failing.trace.findings.front().kind;
  const bool found = try_orders(trial) || (kind == FindingKind::kDataRace && find_for_race(trial)) ||
                     (is_wait_for_ever(kind) && find_for_wait(trial)) ||
                     (kind != FindingKind::kDataRace && find_for_all(trial));
  explanation.remedies_tried = trial.count();
  explanation.remedies_cut = !found && !trial.time_left();
  if (!found) explanation.remedy.reset();
}

}  // namespace heddle::cause
