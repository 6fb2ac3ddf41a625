#include "tool/cause/comparison.h"

#include <algorithm>
#include <set>

namespace heddle::cause {
namespace {

std::vector<EventId> kept_events(const Steps& steps, const std::vector<bool>& kept) {
  std::vector<EventId> events;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) events.push_back(steps.events[i]->id);
  }
  return events;
}

EventId event_of(const Steps& steps, std::uint32_t at) {
  return at == kNoStep ? kNoEvent : steps.events[at]->id;
}

// Of what the failing execution did, how much the other one did not do: none on the same path. Those of the
// thread that failed first: where it comes to the same place and passes, the difference is what it read.
std::pair<std::size_t, std::size_t> steps_without_counterpart(const AlignedSteps& steps, ThreadId failed) {
  std::set<std::uint64_t> known;
  const auto key = [](const Step& s) { return std::uint64_t{index_of(s.thread)} << 32 | s.ordinal; };
  for (const Step& step : steps.passing.steps) known.insert(key(step));
  std::pair<std::size_t, std::size_t> missing;
  for (const Step& step : steps.failing.steps) {
    if (!known.contains(key(step))) ++(step.thread == failed ? missing.first : missing.second);
  }
  return missing;
}

}  // namespace

namespace {

Comparison compared(const Trace& failing, Trace passing, bool by_paths) {
  const AlignedSteps steps = align(failing, passing);
  const Projection difference =
      by_paths ? path_projection(steps.failing.steps, steps.passing.steps)
               : projection(steps.failing.steps, steps.passing.steps, OrderRule::kDependentPairs);
  Comparison result;
  result.failing.kept = kept_events(steps.failing, difference.failing);
  result.passing.kept = kept_events(steps.passing, difference.alternate);
  for (const FlowVariation& flow : difference.flows) {
    result.failing.flows.push_back(
        {event_of(steps.failing, flow.failing_reader), event_of(steps.failing, flow.failing_writer)});
    result.passing.flows.push_back(
        {event_of(steps.passing, flow.alternate_reader), event_of(steps.passing, flow.alternate_writer)});
  }
  for (const auto& [here, there] : difference.partings) {
    if (here != kNoStep) result.failing.parted.push_back(event_of(steps.failing, here));
    if (there != kNoStep) result.passing.parted.push_back(event_of(steps.passing, there));
  }
  const bool has_place = !failing.findings.empty() && !failing.findings.front().parts.empty();
  const auto [own, others] =
      steps_without_counterpart(steps, has_place ? failing.findings.front().parts.front().thread : kNoThread);
  const std::size_t kept = result.failing.kept.size() + result.passing.kept.size();
  // An execution in which no data flows differently explains by order alone; one that has such flows says
  // more.
  const std::size_t flows = difference.flows.empty() ? kept + 1 : difference.flows.size();
  result.difference = {own, others, flows, kept};
  result.passing.trace = std::move(passing);
  return result;
}

}  // namespace

Comparison compare(const Trace& failing, Trace passing) {
  return compared(failing, std::move(passing), false);
}

Comparison compare_paths(const Trace& failing, Trace passing) {
  return compared(failing, std::move(passing), true);
}

void count_all(const Trace& failing, Explanation& explanation) {
  const Steps steps = steps_of(failing);
  explanation.all_events = steps.steps.size();
  explanation.all_flows = static_cast<std::uint64_t>(
      std::count_if(steps.steps.begin(), steps.steps.end(), [](const Step& s) { return s.reads; }));
}

}  // namespace heddle::cause
