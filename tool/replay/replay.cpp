#include "tool/replay/replay.h"

#include <fmt/core.h>

#include <algorithm>

#include "tool/artifact/fingerprint.h"
#include "tool/artifact/stack_view.h"
#include "tool/artifact/symboliser.h"

namespace heddle::replay {
namespace {

std::string place(const Trace& trace, const TraceEvent& event) {
  Symboliser symboliser(trace.modules);
  const auto& frames = symboliser.frames(event.pc);
  if (frames.empty()) return fmt::format("{:#x}", event.pc);
  return fmt::format("{} {}:{}", frames[0].function, frames[0].file, frames[0].line);
}

bool same_event(const TraceEvent& a, const TraceEvent& b) {
  return a.kind == b.kind && a.thread == b.thread && a.value == b.value && a.value2 == b.value2 &&
         a.order == b.order && a.size == b.size && a.reads_from == b.reads_from && a.other == b.other &&
         a.flags == b.flags;
}

bool has_finding(const Trace& a, const Trace& b, const TraceFinding& y) {
  return std::any_of(a.findings.begin(), a.findings.end(), [&](const TraceFinding& x) {
    return x.kind == y.kind && (x.signature == y.signature || fingerprint(a, x) == fingerprint(b, y));
  });
}

bool has_same_findings(const Trace& a, const Trace& b) {
  return std::all_of(a.findings.begin(), a.findings.end(), [&](const TraceFinding& x) {
    return x.severity != Severity::kBug || has_finding(b, a, x);
  });
}

// Replay relies on addresses that do not move; where the system does not allow that, say which one did.
std::string moved_addresses(const Trace& a, const Trace& b) {
  std::string text;
  const auto compare = [&](const char* name, Address x, Address y) {
    if (x != y) text += fmt::format(" The {} moved from {:#x} to {:#x}.", name, x, y);
  };
  compare("program", a.program_address, b.program_address);
  compare("heap", a.heap_address, b.heap_address);
  compare("main stack", a.main_stack_address, b.main_stack_address);
  return text;
}

}  // namespace

std::string first_difference(const Trace& a, const Trace& b) {
  const std::size_t common = std::min(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < common; ++i) {
    const TraceEvent& x = a.events[i];
    const TraceEvent& y = b.events[i];
    if (x.id != y.id) break;  // one of the two keeps only some of its events
    if (same_event(x, y)) continue;
    return fmt::format("event {} differs: thread {} in {} against thread {} in {}", index_of(x.id),
                       index_of(x.thread), place(a, x), index_of(y.thread), place(b, y)) +
           moved_addresses(a, b);
  }
  if (a.total_events != b.total_events) {
    return fmt::format("{} events against {}", a.total_events, b.total_events) + moved_addresses(a, b);
  }
  return {};
}

Result<ReplayOutcome> replay(const run::Target& target, const Trace& original, bool inherit_output) {
  RunSpec spec = original.spec;
  spec.replay = ReplayKind::kExact;
  run::SingleOptions options;
  options.index = original.execution;
  options.replay = original.choices;
  options.inherit_output = inherit_output;
  auto run = run::run_single(target, spec, options);
  if (!run) return run.error();
  ReplayOutcome outcome;
  outcome.trace = std::move(run->trace);
  outcome.trace.execution = original.execution;
  if (run->result.ending == Ending::kDiverged) {
    outcome.difference = fmt::format("the program offers other choices than it did after choice {}",
                                     outcome.trace.choices.size());
    const std::string event = first_difference(original, outcome.trace);
    if (!event.empty()) outcome.difference += "; " + event;
    return outcome;
  }
  outcome.difference = first_difference(original, outcome.trace);
  outcome.reproduced = has_same_findings(original, outcome.trace);
  // What was suppressed when the artifact was made stays so.
  if (outcome.reproduced && !original.findings.empty()) {
    std::erase_if(outcome.trace.findings,
                  [&](const TraceFinding& y) { return !has_finding(original, outcome.trace, y); });
  }
  if (!outcome.reproduced && outcome.difference.empty())
    outcome.difference = "the finding did not show again";
  return outcome;
}

}  // namespace heddle::replay
