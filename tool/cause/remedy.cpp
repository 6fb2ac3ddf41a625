#include "tool/cause/remedy.h"

#include <algorithm>
#include <functional>

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
// Of the time of `heddle explain`: what remedies have (explain_command.cpp).
constexpr double kShareOfRemedies = 0.48;

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

// Proposals that are tried one after another, or a search of its own.
struct Group {
  const char* what;
  std::function<Proposals(const RemedyTrial&)> propose;
  std::function<bool(RemedyTrial&)> search = nullptr;
};

std::vector<Group> groups_for(FindingKind kind) {
  const Group life{"trying what should live longer", propose_longer_life};
  const Group waits{"trying notifications and waits", propose_for_waits};
  if (kind == FindingKind::kDataRace)
    return {life,
            {"trying the lock that the other access holds", propose_held_lock},
            {"trying updates that are one step", propose_update},
            {"trying atomic accesses", nullptr, try_atomic},
            {"trying a lock around both accesses", nullptr, try_lock},
            {"trying a lock around both lines", nullptr, try_locked_lines},
            {"trying which access should wait for the other one", propose_race_after}};
  std::vector<Group> groups;
  if (is_wait_for_ever(kind)) {
    groups = {{"trying a lock that is given back before a join", propose_given_back},
              {"trying the order of locks", propose_lock_order},
              waits};
  }
  groups.insert(groups.end(), {life,
                               {"trying what should be there earlier",
                                [](const RemedyTrial& t) { return propose_after(t, true); }},
                               {"trying which operations should be one step", propose_together},
                               waits,
                               {"trying which operation should wait for another one",
                                [](const RemedyTrial& t) { return propose_after(t, false); }},
                               {"trying longer steps", propose_longer_steps}});
  return groups;
}

// How many changes there would have been besides: of the groups from this one on. Those of the group in which the time was
// up are counted whole.
std::uint64_t proposals_of(const RemedyTrial& trial, const std::vector<Group>& groups, std::size_t from) {
  constexpr std::uint64_t kOfSearch = 4;
  std::uint64_t count = 0;
  for (std::size_t i = from; i < groups.size(); ++i)
    count += groups[i].propose ? groups[i].propose(trial).size() : kOfSearch;
  return count;
}

}  // namespace

void find_remedy(const run::Target& target, Explanation& explanation, const RemedyOptions& options) {
  if (explanation.failing.trace.findings.empty()) return;
  RemedyTrial trial(target, explanation, options);
  trial.say("how often does the bug show?");
  trial.calibrate();
  bool found = try_orders(trial);
  const std::vector<Group> groups = groups_for(explanation.failing.trace.findings.front().kind);
  std::size_t tried = 0;
  for (; tried < groups.size() && !found && trial.time_left(); ++tried) {
    const Group& group = groups[tried];
    found = group.search ? group.search(trial) : try_best(trial, group.propose(trial), group.what);
  }
  explanation.remedies_tried = trial.count();
  explanation.remedies_unproven = trial.unproven();
  explanation.remedies_cut = !found && (!trial.time_left() || trial.unproven() != 0);
  if (explanation.remedies_cut) {
    explanation.remedies_left =
        trial.time_left() ? 0 : proposals_of(trial, groups, tried == 0 ? 0 : tried - 1);
    const double each = trial.seconds_used() / static_cast<double>(std::max<std::uint64_t>(trial.count(), 1));
    // A third as long again for what helps to be tried at length; and what else is done has its share of the time.
    const double at_length = each * static_cast<double>(trial.count() + explanation.remedies_left) * 4 / 3;
    explanation.seconds_needed = std::max(at_length, trial.seconds_for_evidence()) / kShareOfRemedies;
  }
  if (!found) explanation.remedy.reset();
}

}  // namespace heddle::cause
