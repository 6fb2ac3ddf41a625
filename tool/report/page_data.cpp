#include "tool/report/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tool/findings/fingerprint.h"
#include "tool/report/critical.h"
#include "tool/report/escape.h"
#include "tool/report/minimised.h"
#include "tool/report/names.h"
#include "tool/report/object_history.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"
#include "tool/report/plain_words.h"
#include "tool/report/relations.h"
#include "tool/report/shell_word.h"
#include "tool/report/summary.h"
#include "tool/report/text.h"
#include "tool/trace/select_events.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

// Beyond the flags of events (core/trace/event.h), which are the low byte.
namespace row_flags {
constexpr std::uint32_t kCited = 0x100;     // by the finding
constexpr std::uint32_t kCritical = 0x200;  // is left when the page is collapsed
constexpr std::uint32_t kAccess =
    0x400;  // a plain access of the finding, which is no event and has no number
constexpr std::uint32_t kNeeded = 0x800;  // a switch or a read without which the bug goes away
}  // namespace row_flags

constexpr std::size_t kMostOutput = 64 << 10;

// Numbers for values that appear again and again.
template <typename Key>
class NumberedTable {
 public:
  std::size_t number_of(const Key& key) {
    const auto [at, is_new] = numbers_.try_emplace(key, list_.size());
    if (is_new) list_.push_back(key);
    return at->second;
  }
  const std::vector<Key>& list() const { return list_; }

 private:
  std::map<Key, std::size_t> numbers_;
  std::vector<Key> list_;
};

class BugPage {
 public:
  BugPage(const CampaignFinding& found, const Trace& trace)
      : found_(found), trace_(trace), finding_(trace.findings[found.finding]), paths_(trace), names_(trace) {}

  Json write() {
    place_rows();
    Json json;
    head(json);
    json["parts"] = parts();
    json["rows"] = rows();
    json["threads"] = threads();
    relations(json);
    json["legend"] = Json::array();
    for (const std::string& line : names_.legend()) json["legend"].push_back(utf8(line));
    json["strings"] = strings_.list();
    json["stacks"] = stacks_;
    json["frames"] = frames_;
    json["files"] = files();
    if (finding_.kind == FindingKind::kNotLinearizable) json["history"] = page_history(trace_);
    return json;
  }

 private:
  struct Row {
    const TraceEvent* event = nullptr;
    const TracePart* access = nullptr;
  };

  // Events, and the plain accesses of the finding each after the last event before it.
  void place_rows() {
    std::vector<const TracePart*> accesses;
    for (const PartRole role : {PartRole::kPreviousAccess, PartRole::kAccess, PartRole::kHere}) {
      for (const TracePart& part : finding_.parts) {
        if (part.role != role || !is_plain(part.access)) continue;
        accesses.push_back(&part);
      }
    }
    const auto before = [](const TracePart* part, const TraceEvent& event) {
      return part->event == kNoEvent || part->event < event.id;
    };
    row_of_event_.resize(trace_.events.size());
    for (std::size_t i = 0; i <= trace_.events.size(); ++i) {
      for (const TracePart*& part : accesses) {
        if (part == nullptr || (i < trace_.events.size() && !before(part, trace_.events[i]))) continue;
        rows_.push_back({nullptr, part});
        part = nullptr;
      }
      if (i == trace_.events.size()) break;
      row_of_event_[i] = rows_.size();
      rows_.push_back({&trace_.events[i], nullptr});
    }
  }

  Json row_at(Position position) const {
    return position == kInitialStore ? Json(-1) : Json(row_of_event_[position]);
  }
  Json row_of(EventId id) const {
    const TraceEvent* event = id == kNoEvent ? nullptr : trace_.find_event(id);
    return event == nullptr ? Json(-1) : row_at(static_cast<Position>(event - trace_.events.data()));
  }

  void head(Json& json) {
    json["kind"] = to_string(finding_.kind);
    json["severity"] = finding_.severity == Severity::kWarning ? "warning" : "bug";
    json["summary"] = utf8(finding_summary(trace_, finding_, paths_));
    json["words"] = utf8(plain_words(trace_, finding_));
    json["message"] = utf8(escaped(finding_.message));
    json["signature"] = fingerprint(trace_, finding_);
    json["count"] = found_.count;
    json["firstExecution"] = found_.first_execution;
    json["artifact"] = utf8(found_.artifact);
    json["reproduce"] = found_.artifact.empty() ? "" : utf8("heddle replay " + path_word(found_.artifact));
    TextOptions text;
    text.detail = Detail::kAll;
    text.stacks_only = true;
    json["text"] = utf8(text_report(trace_, finding_, text));
    json["minimised"] = utf8(minimised_text(trace_));
    json["run"] = run();
    json["totalEvents"] = trace_.total_events;
    json["output"] = utf8(escaped_lines(trace_.output.substr(0, kMostOutput)));
    json["outputCut"] = trace_.output_cut || trace_.output.size() > kMostOutput;
  }

  Json run() const {
    Json list = Json::array();
    const auto add = [&](const char* label, const std::string& value) {
      if (!value.empty()) list.push_back({label, utf8(value)});
    };
    std::string command;
    for (const std::string& word : trace_.program.argv)
      command += (command.empty() ? "" : " ") + shell_word(word);
    add("program", command);
    add("directory", trace_.program.cwd);
    add("build id", trace_.program.build_id);
    add("strategy", trace_.spec.strategy);
    add("seed", std::to_string(trace_.spec.seed));
    add("execution", grouped(trace_.execution));
    add("memory model", model_name(trace_.spec.model));
    add("ending", ending_name(trace_.result.ending));
    add("threads", grouped(trace_.result.threads));
    for (const std::string& outcome : trace_.result.outcomes) add("outcome", escaped(outcome));
    return list;
  }

  Json threads() {
    std::map<ThreadId, Json> threads;
    for (const Row& row : rows_) {
      const ThreadId id = row.event != nullptr ? row.event->thread : row.access->thread;
      if (threads.contains(id)) continue;
      threads[id] = {{"id", index_of(id)}, {"title", utf8(thread_title(trace_, id))}};
    }
    Json list = Json::array();
    for (auto& [id, json] : threads) list.push_back(std::move(json));
    return list;
  }

  std::size_t text(const std::string& words) { return strings_.number_of(utf8(words)); }

  // [number or -1, thread, kind, words, remark, place, stack, row that was read, place in modification order,
  // object,
  //  candidates, flags]
  Json rows() {
    const std::set<EventId> critical = critical_events(trace_, finding_);
    std::set<EventId> cited;
    if (finding_.event != kNoEvent) cited.insert(finding_.event);
    for (const TracePart& part : finding_.parts) {
      const bool is_access = part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess;
      if (part.event != kNoEvent && !is_access) cited.insert(part.event);
    }
    Json list = Json::array();
    for (const Row& row : rows_) {
      if (row.access != nullptr) {
        list.push_back(access_row(*row.access));
        continue;
      }
      const TraceEvent& e = *row.event;
      const Operation operation = describe(trace_, e, names_);
      const TraceDeparture* departure = trace_.departure_at(e.id);
      const std::uint32_t flags = e.flags | (cited.contains(e.id) ? row_flags::kCited : 0) |
                                  (critical.contains(e.id) ? row_flags::kCritical : 0) |
                                  (departure != nullptr && departure->critical ? row_flags::kNeeded : 0);
      list.push_back({index_of(e.id), index_of(e.thread), text(event_kind_name(e.kind)), text(operation.text),
                      text(operation.remark), text(short_place(trace_, e.pc, e.stack)),
                      stack_of(e.pc, e.stack), row_of(e.reads_from), e.mo_position, e.location, e.candidates,
                      flags});
    }
    return list;
  }

  Json access_row(const TracePart& part) {
    const bool writes = part.access == AccessKind::kWrite;
    return {-1,
            index_of(part.thread),
            text(writes ? "write" : "read"),
            text(describe_access(part, names_)),
            text(""),
            text(short_place(trace_, part.pc, part.stack)),
            stack_of(part.pc, part.stack),
            -1,
            0,
            0,
            0,
            row_flags::kAccess | row_flags::kCited | row_flags::kCritical};
  }

  // Where one has to look: the accesses, the waiting threads, the failing place.
  Json parts() {
    Json list = Json::array();
    if (finding_.kind == FindingKind::kNotLinearizable) return list;  // the history says it all
    for (const TracePart* part : telling_parts(finding_)) {
      Json json;
      json["role"] = role_name(part->role);
      json["thread"] = part->thread == kNoThread ? -1 : static_cast<int>(index_of(part->thread));
      json["title"] = utf8(part_title(*part));
      json["stack"] = stack_of(part->pc, part->stack);
      const auto access =
          std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.access == part; });
      json["row"] = access != rows_.end() ? Json(access - rows_.begin()) : part_row(*part);
      list.push_back(std::move(json));
    }
    return list;
  }

  // An atomic access of a race is the last event of its thread by then; other parts cite their event
  // themselves.
  Json part_row(const TracePart& part) const {
    const bool is_access = part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess;
    if (!is_access) return row_of(part.event != kNoEvent ? part.event : finding_.event);
    for (std::size_t i = trace_.events.size(); i-- > 0;) {
      const TraceEvent& e = trace_.events[i];
      if (e.thread == part.thread && e.address == part.address && e.pc == part.pc &&
          (part.event == kNoEvent || index_of(e.id) <= index_of(part.event) + 1)) {
        return row_at(static_cast<Position>(i));
      }
    }
    return row_of(part.event);
  }

  static std::string deed_of(const TracePart& part) {
    switch (part.access) {
      case AccessKind::kAllocation:
        return "allocates";
      case AccessKind::kFree:
        return "frees";
      case AccessKind::kThreadEnd:
        return "ends, and with it";
      case AccessKind::kDestruction:
        return "destroys";
      case AccessKind::kObjectUse:
        return "uses";
      default:
        return is_write(part.access) ? "writes" : "reads";
    }
  }

  std::string part_title(const TracePart& part) {
    const std::string who = thread_tag(part.thread);
    const std::string what = part.address != 0 ? names_.location(part.address, part.event) : "";
    switch (part.role) {
      case PartRole::kAccess:
      case PartRole::kPreviousAccess: {
        return fmt::format("{} {} {}", who, deed_of(part), what);
      }
      case PartRole::kBlockedThread:
      case PartRole::kWaits:
        if (what.empty() && part.other != kNoThread)
          return fmt::format("{} waits for {}", who, thread_tag(part.other));
        return fmt::format("{} waits for {}", who, what.empty() ? escaped(part.text) : what);
      case PartRole::kFreed:
        return fmt::format("{} freed {}", who, what);
      case PartRole::kThreadEnded:
        return fmt::format("{} ended", who);
      case PartRole::kHolds:
        return fmt::format("{} took {}", who, what);
      case PartRole::kThreadCreated:
        return fmt::format("{} was created", who);
      default:
        return fmt::format("{} was here", who);
    }
  }

  // -1 where nothing is known about the place.
  Json stack_of(std::uint64_t pc, StackId stack) {
    const auto [at, is_new] = stack_numbers_.try_emplace({pc, index_of(stack)}, -1);
    if (!is_new) return at->second;
    const std::vector<Frame> frames = visible_frames(trace_, pc, stack);
    if (frames.empty()) return -1;
    Json list = Json::array();
    for (const Frame& frame : frames) list.push_back(frame_number(frame));
    at->second = static_cast<std::int64_t>(stacks_.size());
    const Frame* deciding = deciding_frame(frames);
    stacks_.push_back(
        {{"frames", std::move(list)}, {"at", deciding == nullptr ? 0 : deciding - frames.data()}});
    return at->second;
  }

  std::size_t frame_number(const Frame& frame) {
    const std::string place = place_text(frame, paths_);
    const std::string module =
        frame.module.empty() ? "" : fmt::format("{}+{:#x}", base_name(frame.module), frame.offset);
    const auto key = std::make_tuple(frame.function, place, module, frame.inlined);
    const auto [at, is_new] = frame_numbers_.try_emplace(key, frame_numbers_.size());
    if (is_new) {
      frames_.push_back({utf8(escaped(frame.function)), utf8(place), utf8(escaped(module)),
                         frame.file.empty() ? Json(-1) : Json(file_numbers_.number_of(frame.file)),
                         frame.line, is_own_code(frame)});
    }
    return at->second;
  }

  Json files() const {
    Json list = Json::array();
    for (const std::string& file : file_numbers_.list()) {
      Json lines = Json::array();
      const auto kept = trace_.symbols.sources.find(file);
      if (kept != trace_.symbols.sources.end()) {
        for (const auto& [line, text] : kept->second) lines.push_back({line, utf8(escaped_lines(text))});
      }
      list.push_back({{"path", utf8(paths_.shown(file))}, {"lines", std::move(lines)}});
    }
    return list;
  }

  void relations(Json& json) const {
    const Relations relations = relations_of(trace_);
    json["synchronises"] = Json::array();
    for (const auto& [from, to] : relations.synchronises_with)
      json["synchronises"].push_back({row_at(from), row_at(to)});
    json["readable"] = Json::array();
    for (const auto& [read, stores] : relations.readable) {
      Json list = Json::array();
      for (const Position store : stores) list.push_back(row_at(store));
      json["readable"].push_back({row_at(read), std::move(list)});
    }
  }

  const CampaignFinding& found_;
  const Trace& trace_;
  const TraceFinding& finding_;
  PathStyle paths_;
  Names names_;
  std::vector<Row> rows_;
  std::vector<std::size_t> row_of_event_;
  NumberedTable<std::string> strings_;
  NumberedTable<std::string> file_numbers_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::int64_t> stack_numbers_;
  std::map<std::tuple<std::string, std::string, std::string, bool>, std::size_t> frame_numbers_;
  Json stacks_ = Json::array();
  Json frames_ = Json::array();
};

}  // namespace

Json page_bug(const CampaignFinding& found, std::size_t max_events) {
  if (found.trace->events.size() <= max_events) return BugPage(found, *found.trace).write();
  Trace shorter = *found.trace;
  keep_relevant_events(shorter, max_events);
  return BugPage(found, shorter).write();
}

Json page_campaign(const CampaignReport& report) {
  Json json;
  json["executions"] = report.executions;
  json["buggyExecutions"] = report.buggy_executions;
  json["duration"] = duration_text(report.seconds);
  json["perSecond"] = report.executions_per_second();
  json["workers"] = report.workers;
  json["seed"] = std::to_string(report.seed);  // 64 bits do not fit a number of JavaScript's
  json["stoppedBecause"] = utf8(report.stopped_because);
  json["left"] = utf8(what_is_left(report));
  json["strategies"] = Json::array();
  for (const StrategyShare& share : report.strategies)
    json["strategies"].push_back({utf8(share.name), share.executions, share.buggy_executions});
  json["warnings"] = Json::array();
  for (const std::string& warning : report.warnings) json["warnings"].push_back(utf8(warning));
  json["outcomes"] = Json::array();
  if (report.histogram) {
    for (const auto& [outcome, count] : report.outcomes)
      json["outcomes"].push_back({utf8(escaped(outcome)), count});
  }
  return json;
}

}  // namespace heddle::report
