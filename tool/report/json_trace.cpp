#include <map>

#include "tool/report/escape.h"
#include "tool/report/json.h"
#include "tool/report/json_parts.h"
#include "tool/report/names.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

const char* choice_kind_name(ChoiceKind kind) {
  constexpr const char* kNames[] = {"thread",   "reads-from",  "wake-up", "timeout",
                                    "spurious", "block-reuse", "value",   "overtakes"};
  static_assert(std::size(kNames) == kChoiceKinds);
  return static_cast<std::size_t>(kind) < kChoiceKinds ? kNames[static_cast<std::size_t>(kind)] : "unknown";
}

Json spec_of(const RunSpec& spec) {
  constexpr const char* kVolatile[] = {"relaxed", "acqrel", "plain"};
  constexpr const char* kPrune[] = {"window", "conservative", "aggressive", "never"};
  return {{"seed", spec.seed},
          {"strategy", utf8(spec.strategy)},
          {"model", model_name(spec.model)},
          {"volatile", kVolatile[static_cast<std::size_t>(spec.volatile_kind)]},
          {"sleep", spec.sleep == SleepKind::kTimed ? "timed" : "free"},
          {"prune", kPrune[static_cast<std::size_t>(spec.prune)]},
          {"prune_window", spec.prune_window},
          {"max_steps", spec.max_steps},
          {"stagnation_steps", spec.stagnation_steps},
          {"timeout_ns", spec.timeout_ns},
          {"memory_limit", spec.memory_limit},
          {"max_spurious", spec.max_spurious},
          {"trusted_libraries", utf8(spec.trusted_libraries)}};
}

Json program_of(const ProgramIdentity& program) {
  Json json = {
      {"path", utf8(program.path)}, {"build_id", utf8(program.build_id)}, {"cwd", utf8(program.cwd)}};
  json["argv"] = Json::array();
  for (const std::string& argument : program.argv) json["argv"].push_back(utf8(argument));
  json["environment"] = Json::object();
  for (const auto& [name, value] : program.environment) json["environment"][utf8(name)] = utf8(value);
  json["unset"] = Json::array();
  for (const std::string& name : program.unset) json["unset"].push_back(utf8(name));
  return json;
}

Json result_of(const TraceResult& result) {
  Json json = {{"ending", ending_name(result.ending)},
               {"status", result.status},
               {"steps", result.steps},
               {"threads", result.threads},
               {"duration_us", result.duration_us},
               {"trace_hash", hexadecimal(result.trace_hash)},
               {"message", utf8(result.message)}};
  json["outcomes"] = Json::array();
  for (const std::string& outcome : result.outcomes) json["outcomes"].push_back(utf8(outcome));
  return json;
}

Json event_of(const Trace& trace, const TraceEvent& e, Names& names) {
  Json json;
  json["id"] = index_of(e.id);
  json["thread"] = index_of(e.thread);
  json["kind"] = event_kind_name(e.kind);
  json["text"] = utf8(describe(trace, e, names).line());
  if (e.address != 0) {
    json["address"] = hexadecimal(e.address);
    json["location"] = utf8(names.location(e.address, e.id));
  }
  if (e.size != 0) {
    json["size"] = e.size;
    json["order"] = order_name(e.order);
    json["value"] = hexadecimal(e.value);
    if (e.value2 != 0) json["value2"] = hexadecimal(e.value2);
  }
  if (e.reads_from != kNoEvent) json["reads_from"] = index_of(e.reads_from);
  if (e.mo_position != 0) json["modification_order"] = e.mo_position;
  if (e.candidates != 0) json["candidates"] = e.candidates;
  if (e.overtaken != 0) json["overtaken"] = e.overtaken;
  if (e.location != 0) json["location"] = e.location;
  if (e.other != kNoThread) json["other_thread"] = index_of(e.other);
  if (e.flags & event_flags::kStale) json["stale"] = true;
  if (const TraceDeparture* d = trace.departure_at(e.id)) json["critical"] = d->critical;
  // Callers by number in "stacks"; the innermost place by number in "frames".
  if (e.pc != 0) json["pc"] = hexadecimal(e.pc);
  if (e.stack != kEmptyStack) json["stack"] = index_of(e.stack);
  return json;
}

// A plain access of memory that several threads touch. "after": the last event before it.
Json access_of(const TraceAccess& a, Names& names) {
  Json json;
  json["thread"] = index_of(a.thread);
  json["text"] = utf8(describe_access(a, names));
  json["writes"] = a.writes;
  json["address"] = hexadecimal(a.address);
  json["location"] = utf8(names.location(a.address, a.after));
  json["size"] = a.size;
  json["value"] = hexadecimal(a.value);
  if (a.after != kNoEvent) json["after"] = index_of(a.after);
  json["pc"] = hexadecimal(a.pc);
  if (a.stack != kEmptyStack) json["stack"] = index_of(a.stack);
  return json;
}

Json size_of(const TraceSize& size) {
  return {{"events", size.events},
          {"switches", size.switches},
          {"preemptions", size.preemptions},
          {"stale_reads", size.stale_reads},
          {"departures", size.departures}};
}

Json departure_of(const TraceDeparture& d) {
  Json json = {{"kind", choice_kind_name(d.kind)},
               {"thread", index_of(d.thread)},
               {"choice", d.choice},
               {"critical", d.critical}};
  if (d.kind == ChoiceKind::kThread) {
    json["to"] = index_of(d.to);
    json["preempts"] = d.preempts;
  }
  if (d.event != kNoEvent) json["event"] = index_of(d.event);
  return json;
}

}  // namespace

std::string json_trace(const Trace& trace) {
  Json json;
  json["version"] = kReportVersion;
  json["tool"] = {{"name", "heddle"}, {"version", utf8(trace.tool_version)}};
  json["program"] = program_of(trace.program);
  json["run"] = spec_of(trace.spec);
  json["execution"] = trace.execution;
  json["result"] = result_of(trace.result);
  json["findings"] = Json::array();
  for (const TraceFinding& finding : trace.findings) json["findings"].push_back(json_finding(trace, finding));
  json["modules"] = Json::array();
  for (const TraceModule& m : trace.modules) {
    json["modules"].push_back({{"path", utf8(m.path)},
                               {"build_id", utf8(m.build_id)},
                               {"base", hexadecimal(m.base)},
                               {"begin", hexadecimal(m.begin)},
                               {"end", hexadecimal(m.end)}});
  }
  json["choices"] = Json::array();
  for (const Choice c : trace.choices) {
    json["choices"].push_back({{"kind", choice_kind_name(c.kind())}, {"picked", c.picked().bits}});
  }
  if (trace.minimised) {
    json["minimised"] = {{"before", size_of(trace.minimised->before)},
                         {"after", size_of(trace.minimised->after)},
                         {"candidates", trace.minimised->candidates},
                         {"milliseconds", trace.minimised->milliseconds},
                         {"complete", trace.minimised->complete}};
    json["departures"] = Json::array();
    for (const TraceDeparture& d : trace.departures) json["departures"].push_back(departure_of(d));
  }
  json["total_events"] = trace.total_events;
  json["events"] = Json::array();
  Names names(trace);
  for (const TraceEvent& e : trace.events) json["events"].push_back(event_of(trace, e, names));
  json["accesses"] = Json::array();
  for (const TraceAccess& a : trace.accesses) json["accesses"].push_back(access_of(a, names));
  json["stacks"] = Json::array();
  for (const TraceStackNode& node : trace.stacks) {
    json["stacks"].push_back({{"pc", hexadecimal(node.pc)}, {"caller", index_of(node.caller)}});
  }
  json["frames"] = Json::array();
  for (const auto& [pc, frames] : trace.symbols.frames) {
    Json list = Json::array();
    for (const Frame& frame : frames) list.push_back(json_frame(frame));
    json["frames"].push_back({{"pc", hexadecimal(pc)}, {"frames", std::move(list)}});
  }
  json["sources"] = Json::array();
  for (const auto& [file, lines] : trace.symbols.sources) {
    Json list = Json::array();
    for (const auto& [line, text] : lines) list.push_back({{"line", line}, {"text", utf8(text)}});
    json["sources"].push_back({{"file", utf8(file)}, {"lines", std::move(list)}});
  }
  json["output"] = utf8(trace.output);
  return dumped(json);
}

}  // namespace heddle::report
