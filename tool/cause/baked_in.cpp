#include "tool/cause/baked_in.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/random.h"
#include "core/trace/event_kinds.h"
#include "tool/cause/remedy_places.h"
#include "tool/cause/steps.h"
#include "tool/replay/candidates.h"
#include "tool/run/time_limit.h"

namespace heddle::cause {
namespace {

using replay::Candidates;

constexpr std::uint32_t kFirstPoints = 16;             // intervals that are looked at before any is divided
constexpr std::uint64_t kFirstLook = 64, kLook = 128;  // executions of one beginning
constexpr double kJump = 0.1;                          // what is less is no jump
constexpr std::size_t kMostJumps = 8;

class Curve {
 public:
  Curve(const Trace& failing, const Trace& shown, const BakedInOptions& options, Candidates candidates)
      : failing_(failing),
        shown_(shown),
        options_(options),
        candidates_(std::move(candidates)),
        began_(run::budget_seconds()) {}

  Result<FailureCurve> draw() {
    auto whole = candidates_.follow_log();
    if (!whole) return whole.error();
    for (const std::uint64_t signature : run::signatures_of(whole->result, options_.allowed_exits))
      wanted_.insert(signature);
    const auto length = static_cast<std::uint32_t>(whole->choices.size());
    if (whole->cut || wanted_.empty() || length == 0) return FailureCurve{};
    if (auto status = look_at_all(length); !status) return status.error();
    if (auto status = divide(); !status) return status.error();
    return finished();
  }

 private:
  bool time_left() const {
    return !run::time_is_up() && candidates_.executed() < options_.most_executions &&
           run::budget_seconds() - began_ < options_.seconds;
  }
  double rate(std::uint32_t choices) const {
    const CurvePoint& point = points_.at(choices);
    return point.executions == 0 ? 0
                                 : static_cast<double>(point.failed) / static_cast<double>(point.executions);
  }

  Status look(std::uint32_t choices, std::uint64_t executions) {
    CurvePoint& point = points_[choices];
    point.choices = choices;
    for (std::uint64_t i = 0; i < executions && time_left(); ++i) {
      auto outcome =
          candidates_.follow_beginning(choices, mix(mix(failing_.spec.seed, choices), point.executions));
      if (!outcome) return outcome.error();
      ++point.executions;
      const auto found = run::signatures_of(outcome->result, options_.allowed_exits);
      if (std::any_of(found.begin(), found.end(), [&](std::uint64_t one) { return wanted_.contains(one); }))
        ++point.failed;
    }
    return Done{};
  }

  // The ends first, then the middle of everything: where the time is up early, the curve is coarse and not cut.
  Status look_at_all(std::uint32_t length) {
    std::set<std::uint32_t> at{0, length};
    for (std::uint32_t i = 1; i < kFirstPoints; ++i)
      at.insert(static_cast<std::uint32_t>(std::uint64_t{length} * i / kFirstPoints));
    for (const std::uint32_t choices : at) {
      if (auto status = look(choices, kFirstLook); !status) return status;
    }
    return Done{};
  }

  // The interval with the largest jump is divided until jumps are at single choices.
  Status divide() {
    while (time_left()) {
      std::uint32_t from = 0, to = 0;
      double largest = kJump;
      for (auto point = points_.begin(); std::next(point) != points_.end(); ++point) {
        const auto next = std::next(point);
        const double jump = std::abs(rate(next->first) - rate(point->first));
        if (next->first - point->first > 1 && jump > largest) {
          largest = jump;
          from = point->first;
          to = next->first;
        }
      }
      if (to == 0) return Done{};
      if (auto status = look(from + (to - from) / 2, kLook); !status) return status;
    }
    return Done{};
  }

  // By choices, the events come by whom and where each choice was made.
  std::map<std::uint32_t, std::uint32_t> events_of_choices() {
    std::map<std::uint32_t, std::uint32_t> events;
    auto explained = candidates_.explain(failing_.spec, failing_.choices, Candidates::Others::kList);
    if (!explained) return events;
    for (const auto* list : {&explained->departures, &explained->others}) {
      for (const DepartureMade& made : *list) events.try_emplace(made.choice, made.event);
    }
    return events;
  }

  Result<FailureCurve> finished() {
    const auto events = events_of_choices();
    const auto event_of = [&](std::uint32_t choices) {
      const auto found = choices == 0 ? events.end() : events.find(choices - 1);
      return found == events.end() ? kNoEvent : decided_by(failing_, found->second, shown_);
    };
    FailureCurve curve;
    curve.executions = candidates_.executed();
    for (auto& [choices, point] : points_) {
      if (point.executions == 0) continue;
      const Share share = share_of(point.failed, point.executions);
      point.low = share.low;
      point.high = share.high;
      point.event = event_of(choices);
      curve.points.push_back(point);
    }
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      const CurvePoint &before = curve.points[i - 1], &after = curve.points[i];
      // Only what the intervals tell apart.
      if (after.low <= before.high || rate(after.choices) - rate(before.choices) < kJump) continue;
      curve.jumps.push_back({after.choices, after.event, rate(before.choices), rate(after.choices)});
    }
    std::stable_sort(curve.jumps.begin(), curve.jumps.end(),
                     [](const CurveJump& a, const CurveJump& b) { return a.to - a.from > b.to - b.from; });
    if (curve.jumps.size() > kMostJumps) curve.jumps.resize(kMostJumps);
    return curve;
  }

  const Trace& failing_;
  const Trace& shown_;
  const BakedInOptions& options_;
  Candidates candidates_;
  double began_;  // by budget_seconds()
  std::set<std::uint64_t> wanted_;
  std::map<std::uint32_t, CurvePoint> points_;
};

}  // namespace

Share share_of(std::uint64_t failed, std::uint64_t executions) {
  if (executions == 0) return {};
  constexpr double kZ = 1.959964;  // of the normal distribution, two-sided 95 %
  const auto n = static_cast<double>(executions);
  const double p = static_cast<double>(failed) / n;
  const double middle = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double reach = kZ / (1 + kZ * kZ / n) * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  return {std::max(0.0, middle - reach), std::min(1.0, middle + reach)};
}

EventId decided_by(const Trace& failing, std::uint32_t event, const Trace& shown) {
  const auto first = std::find_if(failing.events.begin(), failing.events.end(),
                                  [&](const TraceEvent& e) { return index_of(e.id) >= event; });
  if (first == failing.events.end()) return kNoEvent;
  const auto decided = std::find_if(first, failing.events.end(), [&](const TraceEvent& e) {
    return e.thread == first->thread && (takes_turn(e) || is_plain_access(e.kind)) && e.pc != 0;
  });
  if (decided == failing.events.end()) return kNoEvent;
  return counterpart_of(failing, decided->id, shown);
}

Result<FailureCurve> baked_in(const run::Target& target, const Trace& failing, const Trace& shown,
                              const BakedInOptions& options) {
  auto candidates = Candidates::start(target, failing.spec, failing);
  if (!candidates) return candidates.error();
  return Curve(failing, shown, options, std::move(*candidates)).draw();
}

}  // namespace heddle::cause
