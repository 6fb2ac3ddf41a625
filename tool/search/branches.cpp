#include "tool/search/branches.h"

#include <algorithm>

#include "tool/search/goals.h"

namespace heddle::search {

std::vector<std::uint32_t> assertion_events(const Composition& of) {
  std::vector<std::uint32_t> events;
  for (const Goal& goal : goals_of(of)) {
    if (goal.kind != GoalKind::kAssertion) continue;
    const EventId event = of.tables.records[goal.record].event;
    events.push_back(event == kNoEvent ? 0 : index_of(event));
  }
  if (events.empty()) events.push_back(static_cast<std::uint32_t>(of.trace.events.size()));
  return events;
}

// Φ_ok asks for a schedule of these paths that passes (equation 5.1); the order of an execution that passed
// is one.
std::vector<Branch> branches_near(const Composition& of, const std::vector<std::uint32_t>& assertions) {
  std::vector<Branch> branches;
  for (const auto& [name, own] : of.threads) {
    for (std::uint32_t i = 0; i < own.records.size(); ++i) {
      const EventId event = of.tables.records[own.records[i]].event;
      const std::uint64_t at = event == kNoEvent ? 0 : index_of(event);
      std::uint64_t nearest = ~0ull;
      for (const std::uint32_t assertion : assertions) {
        // What comes after it can matter in other schedules: later than all that comes before.
        const std::uint64_t distance =
            at <= assertion ? assertion - at : of.trace.events.size() + at - assertion;
        nearest = std::min(nearest, distance);
      }
      branches.push_back({name, i, own.records[i], nearest});
    }
  }
  std::stable_sort(branches.begin(), branches.end(), [](const Branch& a, const Branch& b) {
    if (a.distance != b.distance) return a.distance < b.distance;
    return a.record > b.record;
  });
  return branches;
}

}  // namespace heddle::search
