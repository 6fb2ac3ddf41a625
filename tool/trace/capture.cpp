#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "tool/base/hex.h"
#include "tool/trace/select_events.h"
#include "tool/trace/trace.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxTextBytes = 1024 * 1024;  // of one message or note; histories are long

// The channel as read once and no more: offsets are taken from the header a single time, so that a writer
// that is still alive cannot move a section after it was checked.
class ChannelReader {
 public:
  ChannelReader(const Channel& channel, std::uint64_t bytes)
      : memory_(reinterpret_cast<const char*>(channel.header())), bytes_(bytes), header_(*channel.header()) {
    choices_ = header_.choices;
    events_ = header_.events;
    stacks_ = header_.stacks;
    findings_ = header_.findings;
    text_ = header_.text;
    module_text_ = header_.module_text;
    outcome_text_ = header_.outcome_text;
  }

  const ChannelHeader& header() const { return header_; }

  bool in_bounds() const {
    for (const Section* s :
         {&choices_, &events_, &stacks_, &findings_, &text_, &module_text_, &outcome_text_}) {
      if (s->offset < sizeof(ChannelHeader) || s->offset > bytes_ || s->bytes > bytes_ - s->offset)
        return false;
    }
    return true;
  }

  std::uint64_t choice_count() const { return bounded<Choice>(choices_, header_.choice_count.load()); }
  std::uint64_t event_count() const { return bounded<Event>(events_, header_.event_count.load()); }
  std::uint64_t finding_count() const { return bounded<Finding>(findings_, header_.finding_count.load()); }
  Choice choice(std::uint64_t i) const { return entry<Choice>(choices_, 0, i); }
  Event event(std::uint64_t i) const { return entry<Event>(events_, 0, i); }
  Finding finding(std::uint64_t i) const { return entry<Finding>(findings_, 0, i); }

  std::uint64_t stack_count() const {
    if (stacks_.bytes < sizeof(StackDepot)) return 0;
    std::uint32_t count;
    std::memcpy(&count, memory_ + stacks_.offset + offsetof(StackDepot, count), sizeof count);
    return std::min<std::uint64_t>(count, (stacks_.bytes - sizeof(StackDepot)) / sizeof(StackNode));
  }
  StackNode stack_node(std::uint64_t i) const { return entry<StackNode>(stacks_, sizeof(StackDepot), i); }

  std::string text(std::uint32_t offset) const { return string_in(text_, offset); }
  std::string module_text(std::uint32_t offset) const { return string_in(module_text_, offset); }
  std::string outcome_text(std::uint32_t offset) const { return string_in(outcome_text_, offset); }

 private:
  template <typename T>
  static std::uint64_t bounded(const Section& s, std::uint64_t count) {
    return std::min<std::uint64_t>(count, s.bytes / sizeof(T));
  }
  template <typename T>
  T entry(const Section& s, std::uint64_t skip, std::uint64_t i) const {
    T value;
    std::memcpy(static_cast<void*>(&value), memory_ + s.offset + skip + i * sizeof(T), sizeof(T));
    return value;
  }
  std::string string_in(const Section& s, std::uint32_t offset) const {
    if (offset == 0 || offset >= s.bytes) return {};
    const char* from = memory_ + s.offset + offset;
    return std::string(from, strnlen(from, std::min<std::uint64_t>(s.bytes - offset, kMaxTextBytes)));
  }

  const char* memory_;
  std::uint64_t bytes_;
  const ChannelHeader& header_;
  Section choices_, events_, stacks_, findings_, text_, module_text_, outcome_text_;
};

template <typename E>
E known(E value, E last, E otherwise) {
  return static_cast<unsigned>(value) <= static_cast<unsigned>(last) ? value : otherwise;
}

// Copies what the trace needs of the channel's stacks and texts under new, dense numbers.
class Interner {
 public:
  Interner(const ChannelReader& reader, Trace& trace) : reader_(reader), trace_(trace) {
    nodes_.resize(reader.stack_count());
  }

  StackId stack(StackId id) {
    // Callers have smaller numbers in the depot; a node that says otherwise was overwritten and ends the
    // stack.
    std::vector<std::uint32_t> path;
    std::uint32_t at = index_of(id);
    while (at != 0 && at < nodes_.size() && nodes_[at] == 0) {
      path.push_back(at);
      const std::uint32_t caller = index_of(reader_.stack_node(at).caller);
      at = caller < at ? caller : 0;
    }
    std::uint32_t mapped = at != 0 && at < nodes_.size() ? nodes_[at] : 0;
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
      trace_.stacks.push_back({reader_.stack_node(*node).pc, StackId{mapped}});
      mapped = nodes_[*node] = static_cast<std::uint32_t>(trace_.stacks.size() - 1);
    }
    return StackId{mapped};
  }

  std::uint32_t text(std::uint32_t offset) {
    if (offset == 0) return 0;
    const auto [at, is_new] = texts_.try_emplace(offset, 0u);
    if (is_new) {
      std::string text = reader_.text(offset);
      if (!text.empty()) {
        trace_.texts.push_back(std::move(text));
        at->second = static_cast<std::uint32_t>(trace_.texts.size() - 1);
      }
    }
    return at->second;
  }

 private:
  const ChannelReader& reader_;
  Trace& trace_;
  std::vector<std::uint32_t> nodes_;  // depot index → index in the trace, 0: not yet
  std::unordered_map<std::uint32_t, std::uint32_t> texts_;
};

RunSpec sane(RunSpec spec) {
  spec.model = known(spec.model, ModelKind::kCxx20Words, ModelKind::kCxx20);
  spec.sleep = known(spec.sleep, SleepKind::kTimed, SleepKind::kFree);
  spec.volatile_kind = known(spec.volatile_kind, VolatileKind::kPlain, VolatileKind::kRelaxed);
  spec.prune = known(spec.prune, PruneKind::kNever, PruneKind::kWindow);
  spec.replay = known(spec.replay, ReplayKind::kPlan, ReplayKind::kNone);
  spec.strategy[sizeof spec.strategy - 1] = '\0';
  spec.trusted_libraries[sizeof spec.trusted_libraries - 1] = '\0';
  return spec;
}

TracePart captured_part(const FindingPart& from, const ChannelReader& reader, Interner& interner) {
  TracePart part;
  part.role = known(from.role, kLastPartRole, PartRole::kHere);
  part.access = known(from.access, kLastAccessKind, AccessKind::kNone);
  part.memory = known(from.memory, MemoryKind::kThreadLocal, MemoryKind::kUnknown);
  part.size = from.size;
  part.thread = from.thread;
  part.other = from.other;
  part.pc = from.pc;
  part.stack = interner.stack(from.stack);
  part.address = from.address;
  part.block = from.block;
  part.block_size = from.block_size;
  part.event = from.event;
  part.text = reader.text(from.text);
  return part;
}

void capture_findings(Trace& trace, const ChannelReader& reader, Interner& interner) {
  const std::uint64_t count = reader.finding_count();
  for (std::uint64_t i = 0; i < count; ++i) {
    const Finding from = reader.finding(i);
    if (from.kind == FindingKind::kNone || from.kind >= FindingKind::kCount) continue;
    TraceFinding finding;
    finding.kind = from.kind;
    finding.severity = known(from.severity, Severity::kWarning, severity_of(from.kind));
    finding.signal = from.signal;
    finding.exit_status = from.exit_status;
    finding.event = from.event;
    finding.signature = from.signature;
    finding.message = reader.text(from.message);
    const std::uint32_t parts = std::min<std::uint32_t>(from.part_count, kMaxFindingParts);
    for (std::uint32_t p = 0; p < parts; ++p) {
      finding.parts.push_back(captured_part(from.parts[p], reader, interner));
    }
    trace.findings.push_back(std::move(finding));
  }
}

void capture_events(Trace& trace, const ChannelReader& reader, Interner& interner, std::size_t max_events) {
  const std::uint64_t count = reader.event_count();
  trace.total_events = count;
  Event current;  // a copy: the writer's memory is never referred to twice
  const auto event_at = [&](std::size_t i) -> const Event& { return current = reader.event(i); };
  const auto position_of = [&](EventId id) { return std::min<std::size_t>(index_of(id), count); };
  const auto kept = relevant_events(count, event_at, position_of, trace.findings, max_events);
  trace.events.reserve(kept.size());
  for (const std::size_t i : kept) {
    TraceEvent event{reader.event(i), EventId{static_cast<std::uint32_t>(i)}};
    event.kind = event.kind < EventKind::kCount ? event.kind : EventKind::kNone;
    event.order = known(event.order, MemoryOrder::kSeqCst, MemoryOrder::kRelaxed);
    event.stack = interner.stack(event.stack);
    event.text = interner.text(event.text);
    trace.events.push_back(event);
  }
}

void capture_stack_places(Trace& trace, const ChannelReader& reader) {
  const std::uint32_t count = std::min(reader.header().stack_place_count, kMaxStackPlaces);
  for (std::uint32_t i = 0; i < count; ++i) trace.stack_places.push_back(reader.header().stack_places[i]);
}

void capture_modules(Trace& trace, const ChannelReader& reader) {
  const std::uint32_t count = std::min(reader.header().module_count, kMaxModules);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Module from = reader.header().modules[i];
    if (from.begin >= from.end) continue;
    TraceModule module{from.base, from.begin, from.end, reader.module_text(from.path), {}};
    // The dynamic linker gives the main program an empty name.
    if (module.path.empty() && i == 0) module.path = trace.program.path;
    const std::size_t size = std::min<std::size_t>(from.build_id_size, sizeof from.build_id);
    module.build_id = to_hex({reinterpret_cast<const char*>(from.build_id), size});
    if (trace.program.build_id.empty() && module.path == trace.program.path) {
      trace.program.build_id = module.build_id;
    }
    trace.modules.push_back(std::move(module));
  }
}

void capture_result(Trace& trace, const ChannelReader& reader,
                    const std::optional<ExecutionResult>& known_result) {
  const ExecutionResult from = known_result ? *known_result : reader.header().current;
  TraceResult& to = trace.result;
  trace.execution = from.index;
  to.trace_hash = from.trace_hash;
  to.steps = from.steps;
  to.signature = from.signature;
  to.duration_us = from.duration_us;
  to.status = from.status;
  to.threads = from.threads;
  to.flags = from.flags;
  to.divergence_choice = from.divergence_choice;
  to.ending = known(from.ending, Ending::kInternalError, Ending::kRunning);
  to.message = reader.text(from.message);
  const std::uint32_t outcomes = std::min(reader.header().outcome_count, kMaxOutcomes);
  for (const std::uint32_t outcome : from.outcomes) {
    if (outcome == 0 || outcome > outcomes) continue;
    to.outcomes.push_back(reader.outcome_text(reader.header().outcome_at[outcome - 1]));
  }
}

}  // namespace

std::vector<std::string> asked_variables(const ChannelHeader& header) {
  const std::string_view text(header.asked.names,
                              std::min<std::size_t>(header.asked.used, sizeof header.asked.names));
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\0', at), text.size());
    if (end > at) names.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

Result<Trace> capture(const Channel& channel, std::uint64_t mapped_bytes, CaptureContext context) {
  if (!channel || !Channel::valid(channel.header(), mapped_bytes)) {
    return Error{
        "The memory shared with the program is damaged: its header is not a channel of this version.",
        ExitCode::kOwnError};
  }
  const ChannelReader reader(channel, mapped_bytes);
  if (!reader.in_bounds()) {
    return Error{"The memory shared with the program is damaged: a section lies outside it.",
                 ExitCode::kOwnError};
  }
  Trace trace;
  trace.tool_version = HEDDLE_VERSION;
  trace.program = std::move(context.program);
  trace.input = std::move(context.input);
  trace.output = std::move(context.output);
  trace.output_cut = context.output_cut;
  trace.spec = context.spec ? *context.spec : sane(reader.header().spec);
  trace.pid = reader.header().execution_pid.load();
  trace.main_stack_address = reader.header().main_stack_address;
  trace.heap_address = reader.header().heap_address;
  trace.program_address = reader.header().program_address;

  const std::uint64_t choices = reader.choice_count();
  trace.choices.reserve(choices);
  for (std::uint64_t i = 0; i < choices; ++i) {
    const Choice choice = reader.choice(i);
    if (static_cast<std::uint32_t>(choice.kind()) >= kChoiceKinds)
      break;  // overwritten: what follows means nothing
    trace.choices.push_back(choice);
  }

  Interner interner(reader, trace);
  capture_stack_places(trace, reader);
  capture_modules(trace, reader);
  capture_findings(trace, reader, interner);
  capture_events(trace, reader, interner, context.max_events);
  capture_result(trace, reader, context.result);
  return trace;
}

}  // namespace heddle
