#include "trace_builder.h"

#include <cstring>

namespace heddle::report {

TraceBuilder::TraceBuilder() {
  trace.tool_version = "0.1.0";
  trace.pid = 4711;
  trace.execution = 17;
  trace.spec.seed = 42;
  trace.program = {"/home/ada/work/program", "0123abcd", {"./program", "--fast"}, "/home/ada/work", {}, {}};
  trace.modules = {{0x555555554000, 0x555555554000, 0x555555560000, "/home/ada/work/program", "0123abcd"}};
  trace.result.ending = Ending::kFinding;
  trace.result.threads = 3;
}

std::pair<std::uint64_t, StackId> TraceBuilder::place(const std::vector<At>& frames) {
  std::uint32_t stack = 0;
  std::uint64_t pc = 0;
  for (auto at = frames.rbegin(); at != frames.rend(); ++at) {
    if (pc != 0) {
      trace.stacks.push_back({pc, StackId{stack}});
      stack = static_cast<std::uint32_t>(trace.stacks.size() - 1);
    }
    pc = next_pc_ += 0x10;
    const std::string module = at->module.empty() ? "/home/ada/work/program" : at->module;
    trace.symbols.frames[pc] = {
        {at->function, at->file, at->line, at->column, 0, module, pc - 0x555555554000, 0, false}};
  }
  return {pc, StackId{stack}};
}

void TraceBuilder::source(const std::string& file, std::uint32_t line, const std::string& text) {
  trace.symbols.sources[file][line] = text;
}

Address TraceBuilder::global(const std::string& variable, std::uint64_t size, const std::string& member,
                             std::uint64_t offset) {
  const Address start = next_global_;
  next_global_ += (size + 15) / 16 * 16;
  trace.symbols.data[start + offset] = {variable + member,
                                        variable,
                                        start,
                                        size,
                                        "/home/ada/work/program",
                                        start + offset - 0x555555554000,
                                        "",
                                        0};
  return start + offset;
}

TraceEvent& TraceBuilder::event(EventKind kind, unsigned thread, const std::vector<At>& at) {
  TraceEvent e;
  e.id = EventId{static_cast<std::uint32_t>(trace.events.size())};
  e.kind = kind;
  e.thread = ThreadId{static_cast<std::uint16_t>(thread)};
  std::tie(e.pc, e.stack) = place(at);
  trace.events.push_back(e);
  trace.total_events = trace.events.size();
  return trace.events.back();
}

TraceEvent& TraceBuilder::access(EventKind kind, unsigned thread, Address address, std::uint64_t value,
                                 MemoryOrder order, const std::vector<At>& at) {
  TraceEvent& e = event(kind, thread, at);
  e.address = address;
  e.value = value;
  e.order = order;
  e.size = 4;
  return e;
}

TraceFinding& TraceBuilder::finding(FindingKind kind, const std::string& message) {
  TraceFinding& f = trace.findings.emplace_back();
  f.kind = kind;
  f.severity = severity_of(kind);
  f.message = message;
  return f;
}

TracePart& TraceBuilder::part(PartRole role, unsigned thread, const std::vector<At>& at) {
  TracePart& p = trace.findings.back().parts.emplace_back();
  p.role = role;
  p.thread = ThreadId{static_cast<std::uint16_t>(thread)};
  std::tie(p.pc, p.stack) = place(at);
  return p;
}

}  // namespace heddle::report
