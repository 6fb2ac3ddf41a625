#include "tool/trace/trace.h"

#include <algorithm>

namespace heddle {

const std::string* Symbols::source_line(const std::string& file, std::uint32_t line) const {
  const auto lines = sources.find(file);
  if (lines == sources.end()) return nullptr;
  const auto text = lines->second.find(line);
  return text == lines->second.end() ? nullptr : &text->second;
}

const TraceEvent* Trace::find_event(EventId id) const {
  if (id == kNoEvent) return nullptr;
  const auto at = std::lower_bound(events.begin(), events.end(), id,
                                   [](const TraceEvent& e, EventId wanted) { return e.id < wanted; });
  return at != events.end() && at->id == id ? &*at : nullptr;
}

const TraceDeparture* Trace::departure_at(EventId event) const {
  if (event == kNoEvent) return nullptr;
  const auto at = std::find_if(departures.begin(), departures.end(),
                               [&](const TraceDeparture& d) { return d.event == event; });
  return at != departures.end() ? &*at : nullptr;
}

const TraceModule* Trace::module_at(Address address) const {
  for (const TraceModule& module : modules) {
    if (address >= module.begin && address < module.end) return &module;
  }
  return nullptr;
}

std::vector<std::uint64_t> Trace::pcs_of(std::uint64_t pc, StackId stack) const {
  std::vector<std::uint64_t> pcs;
  std::uint32_t node = index_of(stack);
  if (node < stacks.size() && (stacks[node].pc & kCalledFunction) != 0) {
    pcs.push_back(stacks[node].pc);
    node = index_of(stacks[node].caller);
  }
  if (pc != 0) pcs.push_back(pc);
  while (node != 0 && node < stacks.size()) {
    if (stacks[node].pc != 0) pcs.push_back(stacks[node].pc);
    node = index_of(stacks[node].caller);
  }
  return pcs;
}

}  // namespace heddle
