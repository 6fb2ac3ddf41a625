// Trace: everything about one execution, as values that own themselves. RunSpec and choices are enough to run
// it again; events, findings and symbols are enough to explain it.
//
// Invariants, which capture() and the artifact's reader both establish and all other code relies on:
//   events are in increasing order of id, their `text` indexes `texts` and their `stack` indexes `stacks`;
//   accesses are in increasing order of `after` (kNoEvent first), and their `stack` indexes `stacks`;
//   stacks[0] is the empty stack and every node's caller has a smaller index than the node (so a walk ends);
//   texts[0] is empty and means "none"; kinds, roles and orders are values of their enumerations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/trace/channel.h"
#include "core/trace/event.h"
#include "tool/trace/symbols.h"

namespace heddle {

// Program and input: what has to be the same for the choices to mean the same.
struct ProgramIdentity {
  std::string path;      // of the binary
  std::string build_id;  // hexadecimal; empty: the binary has none
  std::vector<std::string> argv;
  std::string cwd;
  // The variables that the execution could depend on (tool/program/environment.h), in order of name, and
  // those that the program asked for and that were not set.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> unset;
};

struct TraceModule {
  Address base = 0;   // load bias
  Address begin = 0;  // first and one-past-last mapped address
  Address end = 0;
  std::string path;
  std::string build_id;  // hexadecimal
};

// An Event with its number. `text` is an index into Trace::texts here, not an offset into the channel.
struct TraceEvent : Event {
  EventId id = kNoEvent;
};

// A plain access to memory that several threads touch. It is no event: it makes no choice, and campaigns do not
// see it. Known of executions that were run once more to be shown (tool/replay/shared_accesses.h).
struct TraceAccess {
  EventId after = kNoEvent;  // the last event before it; kNoEvent: it came before all
  ThreadId thread = kMainThread;
  bool writes = false;
  std::uint8_t size = 0;
  std::uint64_t pc = 0;
  StackId stack = kEmptyStack;
  Address address = 0;
  std::uint64_t value = 0;  // read or written
};

struct TraceStackNode {
  std::uint64_t pc = 0;
  StackId caller = kEmptyStack;
};

struct TracePart {
  PartRole role = PartRole::kHere;
  AccessKind access = AccessKind::kNone;
  MemoryKind memory = MemoryKind::kUnknown;
  std::uint8_t size = 0;
  ThreadId thread = kNoThread;
  ThreadId other = kNoThread;
  std::uint64_t pc = 0;
  StackId stack = kEmptyStack;
  Address address = 0;
  Address block = 0;
  std::uint64_t block_size = 0;
  EventId event = kNoEvent;
  std::string text;
};

struct TraceFinding {
  FindingKind kind = FindingKind::kNone;
  Severity severity = Severity::kBug;
  std::uint8_t signal = 0;
  std::int32_t exit_status = 0;
  EventId event = kNoEvent;
  std::uint64_t signature = 0;  // the runtime's; equal within one campaign. Across campaigns: fingerprint.h
  std::string message;
  std::vector<TracePart> parts;
};

// ExecutionResult without its offsets.
struct TraceResult {
  std::uint64_t trace_hash = 0;
  std::uint64_t steps = 0;
  std::uint64_t signature = 0;
  std::uint32_t duration_us = 0;
  std::int32_t status = 0;
  std::uint32_t threads = 0;
  std::uint32_t flags = 0;
  std::uint32_t divergence_choice = 0;
  Ending ending = Ending::kRunning;
  std::string message;
  std::vector<std::string> outcomes;
};

// A choice at which an execution leaves the unsurprising one, in which a thread goes on while it can, loads
// read the newest store and nothing fails without a reason (core/trace/plan.h). Known of executions that were
// minimised; all that is left of a minimal one is here.
struct TraceDeparture {
  ChoiceKind kind = ChoiceKind::kThread;
  bool preempts = false;  // kThread: the thread could have gone on
  bool critical = false;  // tried: without it the bug goes away
  ThreadId thread = kMainThread;
  ThreadId to = kNoThread;   // kThread: who goes on instead
  std::uint32_t choice = 0;  // index into Trace::choices
  EventId event = kNoEvent;  // where it shows: the first event of `to`, the load; kNoEvent: nowhere
};

// How much there is to understand in an execution.
struct TraceSize {
  std::uint64_t events = 0;
  std::uint64_t switches = 0;     // from one thread to another
  std::uint64_t preemptions = 0;  // of these, those away from a thread that could have gone on
  std::uint64_t stale_reads = 0;
  std::uint64_t departures = 0;  // of all kinds
};

struct Minimisation {
  TraceSize before, after;
  std::uint64_t candidates = 0;  // executions tried
  std::uint64_t milliseconds = 0;
  bool complete = false;  // every departure that is left was tried; else the time was up
};

struct Trace {
  std::string tool_version;  // of the heddle that made it
  RunSpec spec;
  std::uint64_t execution = 0;  // index in its campaign
  std::uint32_t pid = 0;        // of the process that ran it, as shown in reports
  ProgramIdentity program;
  Address main_stack_address = 0;  // addresses whose movement can break a replay
  Address heap_address = 0;
  Address program_address = 0;

  std::vector<TraceModule> modules;
  std::vector<Choice> choices;
  std::uint64_t total_events = 0;  // in the execution; more than events.size() where only some were kept
  std::vector<TraceEvent> events;
  std::vector<TraceAccess> accesses;  // in the order of time
  std::vector<TraceStackNode> stacks{{}};
  std::vector<std::string> texts{{}};
  std::vector<TraceFinding> findings;
  std::vector<StackPlace> stack_places;  // of a captured execution, for its symbols; not in files
  std::optional<Minimisation> minimised;
  std::vector<TraceDeparture> departures;  // in the order of their choices
  TraceResult result;
  std::string input;   // what the program could read from standard input
  std::string output;  // what it wrote to standard output and error
  bool output_cut = false;
  Symbols symbols;

  const TraceEvent* find_event(EventId id) const;
  const TraceModule* module_at(Address address) const;
  // The departure that shows at this event, nullptr: none.
  const TraceDeparture* departure_at(EventId event) const;
  std::string_view text_of(const Event& event) const { return texts[event.text]; }
  // The return addresses of a place, innermost first: its pc, then the callers. Before them the function of
  // libc that the place calls, where this made the access (marked by kCalledFunction).
  std::vector<std::uint64_t> pcs_of(std::uint64_t pc, StackId stack) const;
};

struct CaptureContext {
  ProgramIdentity program;
  std::string input;
  std::string output;
  bool output_cut = false;
  std::optional<RunSpec> spec;            // what the tool asked for; else the channel's copy
  std::optional<ExecutionResult> result;  // where the tool knows better than the channel (killed, timed out)
  std::size_t max_events = 2'000'000;     // more are thinned out around what the findings cite
};

// Names of variables that the program has asked for, by the same rules.
std::vector<std::string> asked_variables(const ChannelHeader& header);

// Copies the execution under way out of a mapped channel. The writer may have died at any moment or have been
// overwritten by the tested program: every offset and count is checked against `mapped_bytes`, and what makes
// no sense is left out. An error only where the mapping is no channel at all.
Result<Trace> capture(const Channel& channel, std::uint64_t mapped_bytes, CaptureContext context);

}  // namespace heddle
