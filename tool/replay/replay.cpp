#include "tool/replay/replay.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/base/random.h"
#include "core/trace/canonical_value.h"
#include "tool/findings/fingerprint.h"
#include "tool/replay/engine_version.h"
#include "tool/symbols/symboliser.h"
#include "tool/trace/stack_view.h"

namespace heddle::replay {
namespace {

std::string place(const Trace& trace, const TraceEvent& event) {
  // What the artifact says, before any file that it names is opened.
  std::vector<Frame> found;
  const auto known = trace.symbols.frames.find(event.pc);
  if (known != trace.symbols.frames.end()) found = known->second;
  if (found.empty()) {
    Symboliser symboliser(trace.modules);
    found = symboliser.frames(event.pc);
  }
  if (found.empty()) return fmt::format("at {:#x}", event.pc);
  return fmt::format("in {} {}:{}", found[0].function, found[0].file, found[0].line);
}

// What an event is, for somebody who compares two.
std::string told(const Trace& trace, const TraceEvent& event) {
  std::string text = fmt::format("thread {} {}", index_of(event.thread), place(trace, event));
  if (event.size != 0) text += fmt::format(", value {:#x}", event.value);
  return text;
}

std::uint64_t canonical(const Trace& trace, std::uint64_t value) {
  return canonical_value(value, std::span(trace.modules));
}

std::uint64_t digest_of(const Trace& trace) {
  // The hash is over values as they were, addresses among them: it stands in for events that were not kept.
  const bool has_all = trace.events.size() == trace.total_events;
  std::uint64_t digest = mix(trace.total_events, has_all ? 0 : trace.result.trace_hash);
  const auto same_everywhere = [&](std::uint64_t value) { return canonical(trace, value); };
  for (const TraceEvent& e : trace.events) {
    digest = mix(mix(mix(digest, index_of(e.id)), mix(same_everywhere(e.pc), same_everywhere(e.address))),
                 mix(same_everywhere(e.value), same_everywhere(e.value2)));
    digest = mix(digest, std::uint64_t{index_of(e.thread)} << 32 | static_cast<std::uint64_t>(e.kind) << 16 |
                             static_cast<std::uint64_t>(e.order) << 8 | e.flags);
    digest = mix(digest, std::uint64_t{index_of(e.reads_from)} << 32 | e.mo_position);
  }
  return digest;
}

// Libraries that were loaded then and now, and are not the same any more.
std::vector<std::string> changed_modules(const Trace& a, const Trace& b) {
  std::vector<std::string> changed;
  for (const TraceModule& x : a.modules) {
    for (const TraceModule& y : b.modules) {
      if (x.path == y.path && x.path != a.program.path && x.build_id != y.build_id && !is_engine(x))
        changed.push_back(x.path);
    }
  }
  return changed;
}

bool same_event(const Trace& of_a, const TraceEvent& a, const Trace& of_b, const TraceEvent& b) {
  const auto same_value = [&](std::uint64_t x, std::uint64_t y) {
    return x == y || canonical(of_a, x) == canonical(of_b, y);
  };
  return a.kind == b.kind && a.thread == b.thread && same_value(a.value, b.value) &&
         same_value(a.value2, b.value2) && a.order == b.order && a.size == b.size &&
         a.reads_from == b.reads_from && a.other == b.other && a.flags == b.flags;
}

bool has_finding(const Trace& a, const Trace& b, const TraceFinding& y) {
  return std::any_of(a.findings.begin(), a.findings.end(), [&](const TraceFinding& x) {
    return x.kind == y.kind && (x.signature == y.signature || fingerprint(a, x) == fingerprint(b, y));
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

Result<ReplayOutcome> follow(const run::Target& target, const Trace& original, const ReplayOptions& options,
                             ReplayKind kind);

}  // namespace

bool has_same_findings(const Trace& a, const Trace& b) {
  return std::all_of(a.findings.begin(), a.findings.end(), [&](const TraceFinding& x) {
    return x.severity != Severity::kBug || has_finding(b, a, x);
  });
}

std::string first_difference(const Trace& a, const Trace& b) {
  // Of a long execution only some events are kept: those that both have are compared.
  for (std::size_t i = 0, k = 0; i < a.events.size() && k < b.events.size();) {
    const TraceEvent& x = a.events[i];
    const TraceEvent& y = b.events[k];
    if (x.id != y.id) {
      x.id < y.id ? ++i : ++k;
      continue;
    }
    ++i;
    ++k;
    if (same_event(a, x, b, y)) continue;
    return fmt::format("event {} differs: expected {}; came {}.", index_of(x.id), told(a, x), told(b, y)) +
           moved_addresses(a, b);
  }
  if (a.total_events != b.total_events) {
    std::string text = fmt::format("{} events were expected, and {} came", a.total_events, b.total_events);
    if (const TraceEvent* next = a.find_event(EventId{static_cast<std::uint32_t>(b.total_events)}))
      text += fmt::format("; event {} is missing: expected {}", index_of(next->id), told(a, *next));
    if (const TraceEvent* next = b.find_event(EventId{static_cast<std::uint32_t>(a.total_events)}))
      text += fmt::format("; event {} was not expected: {}", index_of(next->id), told(b, *next));
    return text + "." + moved_addresses(a, b);
  }
  return {};
}

Result<ReplayOutcome> replay(const run::Target& target, const Trace& original, const ReplayOptions& options) {
  auto exact = follow(target, original, options, ReplayKind::kExact);
  if (!exact || exact->reproduced || exact->cut || exact->other_engine.empty()) return exact;
  auto guided = follow(target, original, options, ReplayKind::kGuided);
  if (!guided) return guided;
  if (!guided->reproduced) return exact;
  guided->guided = true;
  guided->difference.clear();  // some is expected
  return guided;
}

namespace {

Result<ReplayOutcome> follow(const run::Target& target, const Trace& original, const ReplayOptions& options,
                             ReplayKind kind) {
  RunSpec spec = original.spec;
  spec.replay = kind;
  run::SingleOptions single;
  single.index = original.execution;
  single.replay = original.choices;
  single.shows_output = options.shows_output;
  single.symbolise = options.symbolise;
  single.end_after_event = options.end_after_event;
  single.pause_at_event = options.pause_at_event;
  single.on_pause = options.on_pause;
  auto run = run::run_single(target, spec, single);
  if (!run) return run.error();
  ReplayOutcome outcome;
  outcome.trace = std::move(run->trace);
  outcome.trace.execution = original.execution;
  outcome.digest = digest_of(outcome.trace);
  outcome.changed_modules = changed_modules(original, outcome.trace);
  outcome.other_engine = other_engine(original, outcome.trace);
  if (run->result.ending == Ending::kDiverged) {
    const std::size_t made = outcome.trace.choices.size();
    outcome.difference = fmt::format("the program offers other choices than it did, at choice {} of {}", made,
                                     original.choices.size());
    const std::string event = first_difference(original, outcome.trace);
    if (!event.empty()) outcome.difference += "; " + event;
    return outcome;
  }
  outcome.cut = run->result.ending == Ending::kCut && options.end_after_event != ~0u;
  if (outcome.cut) return outcome;
  outcome.difference = first_difference(original, outcome.trace);
  outcome.reproduced = has_same_findings(original, outcome.trace);
  // What was suppressed when the artifact was made stays so.
  if (outcome.reproduced && !original.findings.empty()) {
    std::erase_if(outcome.trace.findings,
                  [&](const TraceFinding& y) { return !has_finding(original, outcome.trace, y); });
  }
  if (!outcome.reproduced && outcome.difference.empty())
    outcome.difference = "the finding did not show again";
  // What is known of the execution stays known of it.
  if (outcome.reproduced && outcome.difference.empty()) {
    outcome.trace.minimised = original.minimised;
    outcome.trace.departures = original.departures;
  }
  return outcome;
}

}  // namespace
}  // namespace heddle::replay
