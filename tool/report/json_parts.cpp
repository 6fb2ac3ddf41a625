#include "tool/report/json_parts.h"

#include <fmt/format.h>

#include "tool/findings/fingerprint.h"
#include "tool/report/escape.h"
#include "tool/report/headline.h"
#include "tool/report/known_faults.h"
#include "tool/report/places.h"

#include "tool/trace/held_locks.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

const char* access_name(AccessKind access) {
  switch (access) {
    case AccessKind::kRead:
      return "read";
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kAllocation:
      return "allocation";
    case AccessKind::kFree:
      return "free";
    case AccessKind::kThreadEnd:
      return "thread end";
    case AccessKind::kDestruction:
      return "destruction";
    case AccessKind::kObjectUse:
      return "use of a synchronisation object";
    case AccessKind::kAtomicRead:
      return "atomic read";
    case AccessKind::kAtomicWrite:
      return "atomic write";
    case AccessKind::kNone:
      break;
  }
  return "none";
}

Json location_of(const Frame& frame, const TracePart& part) {
  Json location;
  location["role"] = role_name(part.role);
  location["file"] = utf8(frame.file);
  location["line"] = frame.line;
  location["column"] = frame.column;
  location["function"] = utf8(frame.function);
  location["module"] = utf8(frame.module);
  location["offset"] = hexadecimal(frame.offset);
  return location;
}

Json stack_of(const Trace& trace, const TracePart& part, const std::vector<Frame>& frames) {
  Json stack;
  stack["role"] = role_name(part.role);
  stack["thread"] = part.thread == kNoThread ? Json(nullptr) : Json(index_of(part.thread));
  if (part.other != kNoThread) stack["other_thread"] = index_of(part.other);
  if (part.access != AccessKind::kNone) stack["access"] = access_name(part.access);
  if (part.size != 0) stack["size"] = part.size;
  if (part.address != 0) stack["address"] = hexadecimal(part.address);
  const auto symbol = trace.symbols.data.find(part.address);
  if (symbol != trace.symbols.data.end()) stack["variable"] = utf8(symbol->second.name);
  if (part.block != 0) {
    stack["block"] = {{"address", hexadecimal(part.block)}, {"size", part.block_size}};
  }
  if (part.event != kNoEvent) stack["event"] = index_of(part.event);
  if (!part.text.empty()) stack["text"] = utf8(part.text);
  if (part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess) {
    stack["locks"] = Json::array();
    for (const HeldLock& lock : held_locks(trace, part.thread, part.event)) {
      Json held;
      held["address"] = hexadecimal(lock.address);
      held["exclusive"] = lock.exclusive;
      const auto name = trace.symbols.data.find(lock.address);
      if (name != trace.symbols.data.end()) held["variable"] = utf8(name->second.name);
      held["frames"] = Json::array();
      for (const Frame& frame : visible_frames(trace, lock.taken->pc, lock.taken->stack))
        held["frames"].push_back(json_frame(frame));
      stack["locks"].push_back(std::move(held));
    }
  }
  stack["frames"] = Json::array();
  for (const Frame& frame : frames) stack["frames"].push_back(json_frame(frame));
  return stack;
}

}  // namespace

std::string hexadecimal(std::uint64_t n) { return fmt::format("{:#x}", n); }

Json json_frame(const Frame& frame) {
  return {{"function", utf8(frame.function)},
          {"file", utf8(frame.file)},
          {"line", frame.line},
          {"column", frame.column},
          {"module", utf8(frame.module)},
          {"offset", hexadecimal(frame.offset)},
          {"inlined", frame.inlined}};
}

Json json_finding(const Trace& trace, const TraceFinding& finding) {
  Json json;
  json["kind"] = to_string(finding.kind);
  json["severity"] = finding.severity == Severity::kWarning ? "warning" : "bug";
  json["summary"] = utf8(finding_summary(trace, finding, PathStyle(trace)));
  const Headline head = headline(trace, finding);
  json["sentence"] = utf8(head.sentence);
  json["places"] = Json::array();
  for (const CitedPlace& place : head.places) {
    Json cited = {{"file", utf8(place.frame.file)},
                  {"line", place.frame.line},
                  {"column", place.frame.column},
                  {"label", utf8(place.label)}};
    if (place.thread != kNoThread) cited["thread"] = index_of(place.thread);
    json["places"].push_back(std::move(cited));
  }
  json["message"] = utf8(finding.message);
  json["signature"] = fingerprint(trace, finding);
  if (finding.kind == FindingKind::kSignal) json["signal"] = signal_name(finding.signal);
  if (finding.kind == FindingKind::kNonZeroExit || finding.kind == FindingKind::kTestFailure)
    json["exit_status"] = finding.exit_status;
  json["locations"] = Json::array();
  for (const TracePart* part : telling_parts(finding)) {
    const std::vector<Frame> frames = visible_frames(trace, part->pc, part->stack);
    if (const Frame* frame = deciding_frame(frames)) json["locations"].push_back(location_of(*frame, *part));
  }
  json["hints"] = Json::array();
  for (const TracePart& part : finding.parts) {
    if (part.role == PartRole::kThroughLibrary)
      json["hints"].push_back({{"library", utf8(part.text)}, {"advice", utf8(library_advice(part.text))}});
  }
  if (const KnownFault* fault = known_fault(trace, finding))
    json["hints"].push_back({{"library", fault->library}, {"advice", fault->advice}});
  json["stacks"] = Json::array();
  for (const TracePart& part : finding.parts) {
    if (part.role == PartRole::kThroughLibrary) continue;
    json["stacks"].push_back(stack_of(trace, part, visible_frames(trace, part.pc, part.stack)));
  }
  return json;
}

Json json_edits(const std::vector<edit::SourceEdit>& edits) {
  Json list = Json::array();
  for (const edit::SourceEdit& one : edits)
    list.push_back({{"file", utf8(one.file)},
                    {"line", one.line},
                    {"column", one.column},
                    {"before", utf8(one.before)},
                    {"after", utf8(one.after)}});
  return list;
}

std::string dumped(const Json& document) {
  return json_for_terminals(document.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace heddle::report
