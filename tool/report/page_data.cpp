#include "tool/report/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "tool/findings/fingerprint.h"
#include "tool/report/escape.h"
#include "tool/report/headline.h"
#include "tool/report/kept_explanation.h"
#include "tool/report/minimised.h"
#include "tool/report/missed_store.h"
#include "tool/report/names.h"
#include "tool/report/object_history.h"
#include "tool/report/operation.h"
#include "tool/report/page_cards.h"
#include "tool/report/page_events.h"
#include "tool/report/page_places.h"
#include "tool/report/page_rows.h"
#include "tool/report/page_shown_cards.h"
#include "tool/report/places.h"
#include "tool/report/relations.h"
#include "tool/report/shell_word.h"
#include "tool/report/summary.h"
#include "tool/report/text.h"

namespace heddle::report {
namespace {

// Beyond the flags of events (core/trace/event.h), which are the low byte.
namespace row_flags {
constexpr std::uint32_t kCited = 0x100;     // by the finding
constexpr std::uint32_t kCritical = 0x200;  // is left when the page is collapsed
constexpr std::uint32_t kAccess = 0x400;    // a plain access or a wait, which is no event: it has no number
constexpr std::uint32_t kNeeded = 0x800;    // a switch or a read without which the bug goes away
}  // namespace row_flags

constexpr std::size_t kMostOutput = 64 << 10;

class BugPage {
 public:
  // `trace` has the events that are shown, which are some or all of the finding's.
  BugPage(const CampaignFinding& found, const Trace& trace, const Headline& head, Names& names,
          std::size_t max_rows)
      : found_(found),
        trace_(trace),
        finding_(found.get()),
        head_(head),
        paths_(trace),
        names_(names),
        places_(trace, paths_),
        missed_(missed_stores(trace)),
        cards_(page_cards(trace, finding_, names_)),
        rows_(page_rows(*found.trace, trace, finding_, head, cards_, max_rows)) {}

  Json write() {
    place_rows();
    shown_ = shown_cards(trace_, head_, cards_);
    Json json;
    head(json);
    json["cards"] = cards();
    json["start"] = start();
    json["rows"] = rows();
    json["threads"] = threads();
    relations(json);
    json["legend"] = Json::array();
    for (const std::string& line : names_.legend()) json["legend"].push_back(utf8(line));
    json["strings"] = strings_.list();
    places_.write(json);
    if (finding_.kind == FindingKind::kNotLinearizable) json["history"] = page_history(trace_);
    return json;
  }

 private:
  void place_rows() {
    row_of_event_.resize(trace_.events.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].event != nullptr)
        row_of_event_[static_cast<std::size_t>(rows_[i].event - trace_.events.data())] = i;
    }
  }

  Json row_at(Position position) const {
    return position == kInitialStore ? Json(-1) : Json(row_of_event_[position]);
  }
  Json row_of(const TraceEvent* event) const {
    return event == nullptr ? Json(-1) : row_at(static_cast<Position>(event - trace_.events.data()));
  }
  Json row_of(EventId id) const { return row_of(id == kNoEvent ? nullptr : trace_.find_event(id)); }

  template <typename Test>
  Json row_where(Test&& is_it) const {
    const auto row = std::find_if(rows_.begin(), rows_.end(), is_it);
    return row == rows_.end() ? Json(-1) : Json(row - rows_.begin());
  }
  Json row_of(const PageCard& card) const {
    const Json own =
        row_where([&](const PageRow& row) { return row.part != nullptr && row.part == card.part; });
    return own != -1 ? own : row_of(card.event);
  }
  Json row_of(const ShownDeed& deed) const {
    if (deed.card != nullptr) return row_of(*deed.card);
    if (deed.access != nullptr)
      return row_where([&](const PageRow& row) { return row.access == deed.access; });
    return row_of(deed.event);
  }

  void head(Json& json) {
    json["kind"] = to_string(finding_.kind);
    json["severity"] = finding_.severity == Severity::kWarning ? "warning" : "bug";
    json["summary"] = utf8(finding_summary(trace_, finding_, paths_));
    json["words"] = utf8(head_.sentence + consequence_sentences(found_.follow_up));
    json["message"] = is_programs_message() ? utf8(escaped_lines(finding_.message)) : "";
    json["signature"] = fingerprint(trace_, finding_);
    json["count"] = found_.count;
    json["firstExecution"] = found_.first_execution;
    json["artifact"] = utf8(found_.artifact);
    const std::string file = found_.artifact.empty() ? "" : path_word(found_.artifact);
    json["reproduce"] = file.empty() ? "" : utf8("heddle replay " + file);
    json["explain"] = file.empty() ? "" : utf8("heddle explain " + file);
    json["explanation"] = kept_explanation(found_.explanation, json["signature"].get<std::string>());
    TextOptions text;
    text.detail = Detail::kAll;
    text.stacks_only = true;
    json["text"] = utf8(text_report(*found_.trace, finding_, text, names_));
    json["minimised"] = utf8(minimised_text(trace_, names_));
    json["run"] = run();
    json["totalEvents"] = trace_.total_events;
    json["output"] = utf8(escaped_lines(end_of_output()));
    json["outputCut"] = trace_.output_cut || trace_.output.size() > kMostOutput;
  }

  // Does the program, or its test, say it? What heddle says of the other kinds the words say better.
  bool is_programs_message() const {
    switch (finding_.kind) {
      case FindingKind::kAssertion:
      case FindingKind::kAbort:
      case FindingKind::kUncaughtException:
      case FindingKind::kTerminate:
      case FindingKind::kReported:
      case FindingKind::kNotLinearizable:
        return true;
      default:
        return false;
    }
  }

  // What a program said last is what it says of its failure.
  std::string_view end_of_output() const {
    const std::string_view all = trace_.output;
    if (all.size() <= kMostOutput) return all;
    const std::string_view end = all.substr(all.size() - kMostOutput);
    const std::size_t line = end.find('\n');
    return line == std::string_view::npos ? end : end.substr(line + 1);
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
    for (const PageRow& row : rows_) {
      const ThreadId id = row.event != nullptr    ? row.event->thread
                          : row.access != nullptr ? row.access->thread
                                                  : row.part->thread;
      if (threads.contains(id)) continue;
      threads[id] = {{"id", index_of(id)}, {"title", utf8(thread_title(trace_, id))}};
    }
    Json list = Json::array();
    for (auto& [id, json] : threads) list.push_back(std::move(json));
    return list;
  }

  std::size_t text(const std::string& words) { return strings_.number_of(utf8(words)); }

  // The events of the cards that one has to look at; accesses among them have rows of their own.
  std::set<EventId> cited() const {
    std::set<EventId> cited;
    if (finding_.event != kNoEvent) cited.insert(finding_.event);
    for (const PageCard& card : cards_) {
      const bool is_event = card.part == nullptr || !is_plain(card.part->access);
      if (card.is_main && card.event != nullptr && is_event) cited.insert(card.event->id);
    }
    cited.merge(cited_events(head_));
    return cited;
  }

  // [number or -1, thread, kind, words, remark, place, stack, row that was read, place in modification order, object,
  //  candidates, flags, variable]
  Json rows() {
    const std::set<EventId> cited = this->cited();
    const std::set<EventId> critical = page_critical_events(trace_, finding_, head_);
    const std::set<EventId> needed = needed_events(trace_);
    Json list = Json::array();
    const std::set<const TraceAccess*> cited_plain = cited_accesses(head_);
    for (const PageRow& row : rows_) {
      if (row.access != nullptr) {
        const bool is_cited = row.part != nullptr || cited_plain.contains(row.access);
        list.push_back(access_row(
            *row.access, (is_cited ? row_flags::kCited : 0) | (row.is_telling ? row_flags::kCritical : 0)));
        continue;
      }
      if (row.part != nullptr) {
        list.push_back(part_row(*row.part));
        continue;
      }
      const TraceEvent& e = *row.event;
      const std::uint32_t flags = e.flags | (cited.contains(e.id) ? row_flags::kCited : 0) |
                                  (critical.contains(e.id) ? row_flags::kCritical : 0) |
                                  (needed.contains(e.id) ? row_flags::kNeeded : 0);
      list.push_back({index_of(e.id), index_of(e.thread), text(event_kind_name(e.kind)),
                      text(describe(trace_, e, names_).text), text(remark_of(e)),
                      text(short_place(trace_, e.pc, e.stack)), places_.stack_of(e.pc, e.stack),
                      row_of(e.reads_from), e.mo_position, e.location, e.candidates, flags,
                      text(e.address == 0 ? "" : names_.location(e.address, e.id))});
    }
    return list;
  }

  // What was read, and what was special about the event; describe() has the words for a line of a terminal.
  std::string remark_of(const TraceEvent& e) {
    const auto missed = missed_.find(index_of(e.id));
    std::string remark = read_words(trace_, e, missed == missed_.end() ? nullptr : &missed->second, names_);
    const auto add = [&](std::uint8_t flag, const char* words) {
      if ((e.flags & flag) != 0) remark += (remark.empty() ? "" : ", ") + std::string(words);
    };
    add(event_flags::kBlocked, e.kind == EventKind::kSignal ? "its handler runs" : "had to wait");
    add(event_flags::kTimedOut, "timed out");
    add(event_flags::kSpurious, "spurious");
    add(event_flags::kFailed, "failed");
    add(event_flags::kLatestOnly, "mixed sizes: newest value only");
    return remark;
  }

  Json access_row(const TraceAccess& a, std::uint32_t flags) {
    return {-1,
            index_of(a.thread),
            text(a.writes ? "write" : "read"),
            text(describe_access(a, names_)),
            text(""),
            text(short_place(trace_, a.pc, a.stack)),
            places_.stack_of(a.pc, a.stack),
            -1,
            0,
            0,
            0,
            row_flags::kAccess | flags,
            text(names_.location(a.address, a.after))};
  }

  Json part_row(const TracePart& part) {
    const bool waits = part.role == PartRole::kBlockedThread;
    const bool writes = part.access == AccessKind::kWrite;
    return {-1,
            index_of(part.thread),
            text(waits    ? "wait"
                 : writes ? "write"
                          : "read"),
            text(waits ? wait_words(part, names_) : describe_access(part, names_)),
            text(""),
            text(short_place(trace_, part.pc, part.stack)),
            places_.stack_of(part.pc, part.stack),
            -1,
            0,
            0,
            0,
            row_flags::kAccess | row_flags::kCited | row_flags::kCritical,
            text(part.address == 0 ? "" : names_.location(part.address, part.event))};
  }

  Json cards() {
    Json list = Json::array();
    if (finding_.kind == FindingKind::kNotLinearizable) return list;  // the history says it all
    for (const ShownCard& card : shown_) {
      Json deeds = Json::array();
      for (const ShownDeed& deed : card.deeds) {
        deeds.push_back({{"thread", deed.thread == kNoThread ? -1 : static_cast<int>(index_of(deed.thread))},
                         {"words", utf8(deed.words)},
                         {"object", utf8(deed.object)},
                         {"row", row_of(deed)}});
      }
      list.push_back({{"deeds", std::move(deeds)},
                      {"stack", places_.stack_of(card.frame)},
                      {"main", card.is_main},
                      {"finding", card.is_finding}});
    }
    return list;
  }

  // Where the page opens: the later access of a race, the use of what was freed; else the finding's own event, or
  // whatever it cites.
  Json start() const {
    for (const PageRow& row : rows_) {
      const bool is_access = row.part != nullptr && is_plain(row.part->access);
      if (is_access && row.part->role != PartRole::kPreviousAccess) return &row - rows_.data();
    }
    if (trace_.find_event(finding_.event) != nullptr) return row_of(finding_.event);
    for (const ShownCard& card : shown_) {
      for (const ShownDeed& deed : card.deeds) {
        if (const Json row = row_of(deed); card.is_main && row != -1) return row;
      }
    }
    return rows_.empty() ? Json(-1) : Json(rows_.size() - 1);
  }

  static bool is_life(const TraceEvent& from) {
    return from.kind == EventKind::kThreadCreate || from.kind == EventKind::kThreadEnd;
  }

  void relations(Json& json) const {
    const Relations relations = relations_of(trace_);
    json["synchronises"] = Json::array();
    json["life"] = Json::array();
    for (const auto& [from, to] : relations.synchronises_with)
      json[is_life(trace_.events[from]) ? "life" : "synchronises"].push_back({row_at(from), row_at(to)});
    add_blocks(json["life"]);
    json["readable"] = Json::array();
    for (const auto& [read, stores] : relations.readable) {
      Json list = Json::array();
      for (const Position store : stores) list.push_back(row_at(store));
      json["readable"].push_back({row_at(read), std::move(list)});
    }
    json["missed"] = Json::array();
    for (const TraceEvent& e : trace_.events) {
      const auto missed = missed_.find(index_of(e.id));
      if (missed == missed_.end()) continue;
      json["missed"].push_back(
          {row_of(&e), row_of(missed->second.store), static_cast<int>(missed->second.how)});
    }
    json["links"] = links();
  }

  // From where a block was allocated to where it was freed.
  void add_blocks(Json& list) const {
    std::map<Address, const TraceEvent*> allocated;
    for (const TraceEvent& e : trace_.events) {
      if (e.kind == EventKind::kAllocate) allocated[e.address] = &e;
      if (e.kind != EventKind::kFree) continue;
      const auto from = allocated.find(e.address);
      if (from == allocated.end()) continue;
      list.push_back({row_of(from->second), row_of(&e)});
      allocated.erase(from);
    }
  }

  // What the finding is: both accesses of a race, the free and the use, who took what another one waits for.
  Json links() const {
    Json list = Json::array();
    const auto link = [&](const PageCard& a, const PageCard& b) {
      const Json from = row_of(a), to = row_of(b);
      if (from == -1 || to == -1 || from == to) return;
      list.push_back(from < to ? Json({from, to}) : Json({to, from}));
    };
    const auto is_role = [](const PageCard& card, PartRole role) {
      return card.part != nullptr && card.part->role == role;
    };
    for (const PageCard& card : cards_) {
      for (const PageCard& other : cards_) {
        const bool race = is_role(card, PartRole::kPreviousAccess) && is_role(other, PartRole::kAccess);
        const bool after_free =
            is_role(card, PartRole::kFreed) && card.is_main && is_role(other, PartRole::kHere);
        const bool notified = is_role(card, PartRole::kNotified) &&
                              (is_role(other, PartRole::kBlockedThread) || is_role(other, PartRole::kWaits));
        const bool held = is_role(card, PartRole::kHolds) && is_role(other, PartRole::kBlockedThread) &&
                          card.part->address == other.part->address && card.thread != other.thread;
        if (race || after_free || notified || held) link(card, other);
      }
    }
    return list;
  }

  const CampaignFinding& found_;
  const Trace& trace_;
  const TraceFinding& finding_;
  const Headline& head_;
  PathStyle paths_;
  Names& names_;
  PagePlaces places_;
  std::unordered_map<std::uint32_t, MissedStore> missed_;
  std::vector<PageCard> cards_;
  std::vector<PageRow> rows_;
  std::vector<ShownCard> shown_;
  std::vector<std::size_t> row_of_event_;
  NumberedTable<std::string> strings_;
};

}  // namespace

Json page_bug(const CampaignFinding& found, std::size_t max_events) {
  // The words come first, so that they name what they name as the terminal does.
  Names names(*found.trace);
  const Headline head = headline(*found.trace, found.get(), names);
  if (found.trace->events.size() <= max_events)
    return BugPage(found, *found.trace, head, names, max_events).write();
  const Trace shorter = page_events(*found.trace, found.get(), head, max_events);
  return BugPage(found, shorter, head, names, max_events).write();
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
