#include "tool/replay/nearby.h"

#include <algorithm>
#include <map>

#include "core/base/random.h"
#include "tool/run/target.h"
#include "tool/run/time_limit.h"

namespace heddle::replay {
namespace {

// Another bug may be everywhere nearby: each is looked at a few times only.
constexpr std::uint32_t kMostLooks = 4;

using Plan = std::vector<Departure>;

class Neighbours {
 public:
  Neighbours(Carried& carried, const Trace& original, const NearbyOptions& options)
      : carried_(carried), original_(original), options_(options), random_(options.seed) {
    for (const DepartureMade& other : carried.last.others) others_.push_back(other);
    // Those first that are near to a departure of the execution, or else near to its end.
    const auto away = [&](const DepartureMade& other) {
      std::uint32_t nearest =
          carried_.last.departures.empty() ? last_event() - std::min(last_event(), other.event) : ~0u;
      for (const DepartureMade& made : carried_.last.departures)
        nearest = std::min(nearest, std::max(made.event, other.event) - std::min(made.event, other.event));
      return nearest;
    };
    std::ranges::stable_sort(others_, {}, away);
  }

  Result<Nearby> run() {
    const Plan& plan = carried_.plan;
    for (std::size_t i = 0; i < plan.size() && goes_on(); ++i) try_plan(without(i));
    // Each in turn, so that a long execution does not spend everything on the first kind.
    for (std::size_t k = 0; k < others_.size() && goes_on(); ++k) {
      Plan more = plan;
      more.push_back(others_[k].departure);
      try_plan(more);
      for (std::size_t i = 0; i < plan.size() && goes_on(); ++i) {
        if (!is_near(others_[k], i)) continue;
        Plan other = without(i);
        other.push_back(others_[k].departure);
        try_plan(other);
      }
    }
    while (others_.size() > 1 && goes_on()) {
      Plan more = plan;
      for (int n = 0; n < 2; ++n) more.push_back(others_[random_.below(others_.size())].departure);
      try_plan(more);
    }
    if (error_) return *error_;
    return std::move(found_);
  }

 private:
  std::uint32_t last_event() const {
    return static_cast<std::uint32_t>(carried_.last.run.trace.total_events);
  }

  bool goes_on() const {
    return !error_ && !found_.trace && found_.executions < options_.executions && !run::time_is_up();
  }

  Plan without(std::size_t i) const {
    Plan plan = carried_.plan;
    plan.erase(plan.begin() + static_cast<std::ptrdiff_t>(i));
    return plan;
  }

  // Could it stand for the i-th departure: of the same thread, a few operations away?
  bool is_near(const DepartureMade& other, std::size_t i) const {
    constexpr std::uint32_t kNear = 8;
    const Departure& departure = carried_.plan[i];
    if (other.departure.place.thread() != departure.place.thread()) return false;
    for (const DepartureMade& made : carried_.last.departures) {
      if (made.departure.place != departure.place) continue;
      return std::max(made.event, other.event) - std::min(made.event, other.event) <= kNear;
    }
    return false;
  }

  void try_plan(const Plan& plan) {
    ++found_.executions;
    if (options_.on_progress) options_.on_progress(found_.executions);
    const auto outcome = carried_.candidates.follow(plan);
    if (!outcome) {
      error_ = outcome.error();
      return;
    }
    bool is_new = false;
    for (const std::uint64_t signature : run::signatures_of(outcome->result, {}))
      is_new = ++looks_[signature] <= kMostLooks || is_new;
    if (!is_new || outcome->cut) return;
    auto explained = carried_.candidates.explain(original_.spec, outcome->choices);
    if (!explained || !put_same_first(explained->run.trace, original_)) return;
    found_.trace = std::move(explained->run.trace);
    found_.trace->execution = original_.execution;
    found_.trace->spec = original_.spec;
  }

  Carried& carried_;
  const Trace& original_;
  const NearbyOptions& options_;
  Random random_;
  std::vector<DepartureMade> others_;
  std::map<std::uint64_t, std::uint32_t> looks_;
  Nearby found_;
  std::optional<Error> error_;
};

}  // namespace

Result<Nearby> look_nearby(Carried& carried, const Trace& original, const NearbyOptions& options) {
  return Neighbours(carried, original, options).run();
}

}  // namespace heddle::replay
