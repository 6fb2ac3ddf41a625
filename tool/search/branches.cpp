#include "tool/search/branches.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/trace/event_kinds.h"
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

namespace {

// A call through a pointer that never pointed elsewhere, as the one to a thread's function: nothing to flip.
class SettledCalls {
 public:
  explicit SettledCalls(const Composition& of) : of_(of) {
    for (const TraceEvent& e : of.trace.events) {
      if (accesses_memory(e.kind)) values_[e.address].insert(e.value);
    }
  }

  bool contains(std::uint32_t record) const {
    const symbolic::Record& r = of_.tables.records[record];
    if (r.calls == 0) return false;
    // callee == address
    const symbolic::Expression& callee =
        of_.tables.expressions[index_of(of_.tables.expressions[index_of(r.expression)].operands[0])];
    if (callee.op != symbolic::Operator::kSymbol) return false;
    const auto values = values_.find(of_.tables.records[index_of(callee.operands[0])].address);
    return values == values_.end() || values->second.size() == 1;
  }

 private:
  const Composition& of_;
  std::map<Address, std::set<std::uint64_t>> values_;  // that were seen there
};

}  // namespace

// Φ_ok asks for a schedule of these paths that passes (equation 5.1); the order of an execution that passed
// is one.
std::vector<Branch> branches_near(const Composition& of, const std::vector<std::uint32_t>& assertions) {
  const SettledCalls settled(of);
  std::vector<Branch> branches;
  for (const auto& [name, own] : of.threads) {
    for (std::uint32_t i = 0; i < own.records.size(); ++i) {
      if (settled.contains(own.records[i])) continue;
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
