#include "tool/report/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tool/findings/fingerprint.h"
#include "tool/report/critical.h"
#include "tool/report/escape.h"
#include "tool/report/headline.h"
#include "tool/report/json_parts.h"
#include "tool/report/kept_explanation.h"
#include "tool/report/names.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"
#include "tool/report/rows.h"
#include "tool/report/shell_word.h"
#include "tool/report/text.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kBase = "PROGRAM_DIRECTORY";
constexpr std::size_t kMostSteps = 200;  // of one code flow

// §3.4.3 asks for URIs as RFC 3986 has them.
std::string uri_path(std::string_view path) {
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~+@,=").find(c) != std::string_view::npos;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return text;
}

// "data race" as "data-race": the identity of the rule.
std::string rule_id(FindingKind kind) {
  std::string id = to_string(kind);
  std::erase(id, ':');
  std::replace(id.begin(), id.end(), ' ', '-');
  return id;
}

Json message_of(const std::string& text) { return {{"text", utf8(text)}}; }

Json file_location(const std::string& file, const std::string& directory) {
  const bool below = !directory.empty() && directory != "/" && file.size() > directory.size() + 1 &&
                     file.starts_with(directory) && file[directory.size()] == '/';
  if (below) return {{"uri", uri_path(file.substr(directory.size() + 1))}, {"uriBaseId", kBase}};
  return {{"uri", (file.starts_with('/') ? "file://" : "") + uri_path(file)}};
}

class SarifResult {
 public:
  // `baseline`: of §3.27.24; empty: there is none to compare with.
  SarifResult(const CampaignFinding& found, std::size_t rule, const std::string& baseline)
      : found_(found),
        trace_(*found.trace),
        finding_(found.get()),
        names_(trace_),
        rule_(rule),
        baseline_(baseline) {}

  Json write() {
    const Headline head = headline(trace_, finding_, names_);
    Json result;
    result["ruleId"] = rule_id(finding_.kind);
    result["ruleIndex"] = rule_;
    result["level"] = finding_.severity == Severity::kWarning ? "warning" : "error";
    result["message"] = message_of(head.sentence + consequence_sentences(found_.follow_up));
    result["locations"] = Json::array();
    result["relatedLocations"] = Json::array();
    result["stacks"] = Json::array();
    for (const TracePart* part : telling_parts(finding_)) add_part(*part, result);
    for (const CitedPlace& place : head.places) add_place(place, result);
    const std::string print = fingerprint(trace_, finding_);
    result["partialFingerprints"] = {{"heddle/v1", print}};
    if (!baseline_.empty()) result["baselineState"] = baseline_;
    if (found_.count != 0) result["occurrenceCount"] = found_.count;
    if (Json flow = thread_flows(); !flow.empty())
      result["codeFlows"] =
          Json::array({{{"message", message_of("One execution that shows it")}, {"threadFlows", flow}}});
    if (const KeptFix fix = kept_fix(found_.explanation, print); !fix.edits.empty())
      result["fixes"] = Json::array({json_fix(fix)});
    if (!found_.artifact.empty())
      result["properties"] = {{"artifact", utf8(found_.artifact)},
                              {"reproduce", utf8("heddle replay " + path_word(found_.artifact))}};
    return result;
  }

 private:
  // What `heddle explain` found, as text that replaces other text (§3.55). An edit counts bytes and SARIF characters;
  // they differ only behind a comment or a string that is not ASCII.
  Json json_fix(const KeptFix& fix) const {
    std::map<std::string, Json> replacements;
    for (const edit::SourceEdit& one : fix.edits) {
      Json region{{"startLine", one.line},
                  {"startColumn", one.column},
                  {"endColumn", one.column + one.before.size()}};
      replacements[one.file].push_back(
          {{"deletedRegion", std::move(region)}, {"insertedContent", message_of(one.after)}});
    }
    Json changes = Json::array();
    for (auto& [file, list] : replacements)
      changes.push_back(
          {{"artifactLocation", file_location(file, trace_.program.cwd)}, {"replacements", std::move(list)}});
    return {{"description", message_of(fix.sentence)}, {"artifactChanges", std::move(changes)}};
  }

  Json location(const Frame* frame, const std::string& words) const {
    Json json;
    if (frame != nullptr && !frame->file.empty()) {
      Json physical;
      physical["artifactLocation"] = file_location(frame->file, trace_.program.cwd);
      if (frame->line != 0) {
        physical["region"]["startLine"] = frame->line;
        if (frame->column != 0) physical["region"]["startColumn"] = frame->column;
        if (const std::string* line = trace_.symbols.source_line(frame->file, frame->line))
          physical["region"]["snippet"] = message_of(escaped(*line));
      }
      json["physicalLocation"] = std::move(physical);
    }
    if (frame != nullptr && !frame->function.empty())
      json["logicalLocations"] =
          Json::array({{{"fullyQualifiedName", utf8(escaped(frame->function))}, {"kind", "function"}}});
    json["message"] = message_of(words);
    return json;
  }

  void add_part(const TracePart& part, Json& result) {
    const std::vector<Frame> frames = visible_frames(trace_, part.pc, part.stack);
    const std::string words = fmt::format("{} ({})", role_name(part.role), thread_text(part.thread));
    Json here = location(deciding_frame(frames), words);
    // Services show the first location alone; the others are what it has to be read with.
    if (result["locations"].empty()) {
      result["locations"].push_back(here);
    } else {
      here["id"] = result["relatedLocations"].size() + 1;
      result["relatedLocations"].push_back(here);
    }
    Json stack;
    stack["message"] = message_of(words);
    stack["frames"] = Json::array();
    for (const Frame& frame : frames) {
      Json json = {{"location", location(&frame, frame.function)}};
      if (!frame.module.empty()) json["module"] = utf8(std::string(base_name(frame.module)));
      stack["frames"].push_back(std::move(json));
    }
    if (!stack["frames"].empty()) result["stacks"].push_back(std::move(stack));
  }

  // What the first block of the report in a terminal cites besides; of a failed check it is the only place.
  void add_place(const CitedPlace& place, Json& result) {
    const auto is_there = [&](const Json& list) {
      return std::ranges::any_of(list, [&](const Json& other) {
        const auto physical = other.find("physicalLocation");
        if (physical == other.end() || !physical->contains("region")) return false;
        return (*physical)["artifactLocation"] == file_location(place.frame.file, trace_.program.cwd) &&
               (*physical)["region"]["startLine"] == place.frame.line;
      });
    };
    if (is_there(result["locations"]) || is_there(result["relatedLocations"])) return;
    Json here = location(&place.frame, place.label);
    if (result["locations"].empty()) {
      result["locations"].push_back(std::move(here));
      return;
    }
    here["id"] = result["relatedLocations"].size() + 1;
    result["relatedLocations"].push_back(std::move(here));
  }

  // A thread flow for each thread, with what it did in the order of time (executionOrder, §3.38.11).
  Json thread_flows() {
    const std::set<EventId> critical = critical_events(trace_, finding_);
    std::map<ThreadId, Json> flows;
    std::size_t order = 0;
    for (const Row& row : choose_rows(trace_, {kMostSteps, &finding_})) {
      if (row.event == nullptr && row.access == nullptr) continue;
      ++order;
      const bool is_event = row.event != nullptr;
      const ThreadId thread = is_event ? row.event->thread : row.access->thread;
      const std::uint64_t pc = is_event ? row.event->pc : row.access->pc;
      const StackId stack = is_event ? row.event->stack : row.access->stack;
      const std::vector<Frame> frames = visible_frames(trace_, pc, stack);
      const std::string words = is_event ? fmt::format("#{} {}", index_of(row.event->id),
                                                       describe(trace_, *row.event, names_).line())
                                         : describe_access(*row.access, names_);
      const bool matters = !is_event || row.cited || critical.contains(row.event->id);
      flows[thread].push_back({{"location", location(deciding_frame(frames), words)},
                               {"executionOrder", order},
                               {"importance", matters ? "essential" : "unimportant"}});
    }
    Json list = Json::array();
    for (auto& [thread, steps] : flows) {
      list.push_back({{"id", thread_tag(thread)},
                      {"message", message_of(thread_title(trace_, thread))},
                      {"locations", std::move(steps)}});
    }
    return list;
  }

  const CampaignFinding& found_;
  const Trace& trace_;
  const TraceFinding& finding_;
  Names names_;
  std::size_t rule_;
  std::string baseline_;
};

Json rule_of(FindingKind kind) {
  return {
      {"id", rule_id(kind)},
      {"shortDescription", message_of(to_string(kind))},
      {"defaultConfiguration", {{"level", severity_of(kind) == Severity::kWarning ? "warning" : "error"}}},
      {"properties", {{"tags", Json::array({"concurrency", "correctness"})}}}};
}

Json invocation_of(const CampaignReport& report) {
  std::string command;
  for (const std::string& word : report.program) command += (command.empty() ? "" : " ") + shell_word(word);
  Json json = {{"executionSuccessful", true}};
  json["commandLine"] = utf8("heddle run -- " + command);
  return json;
}

}  // namespace

std::string sarif_report(const CampaignReport& report) {
  Json rules = Json::array();
  Json results = Json::array();
  std::map<FindingKind, std::size_t> numbers;
  std::string directory;
  const auto add = [&](const CampaignFinding& found, const std::string& baseline) {
    const FindingKind kind = found.get().kind;
    const auto [at, is_new] = numbers.try_emplace(kind, numbers.size());
    if (is_new) rules.push_back(rule_of(kind));
    if (directory.empty()) directory = found.trace->program.cwd;
    results.push_back(SarifResult(found, at->second, baseline).write());
  };
  for (const CampaignFinding& found : report.findings)
    add(found, !report.has_known ? "" : found.known.empty() ? "new" : "unchanged");
  for (const KnownFinding& one : report.known) {
    if (one.count == 0) add({one.trace.get(), 0, 0, 0, one.artifact, one.artifact}, "absent");
  }
  Json run;
  run["tool"]["driver"] = {
      {"name", "heddle"}, {"version", utf8(report.tool_version)}, {"rules", std::move(rules)}};
  run["invocations"] = Json::array({invocation_of(report)});
  if (!directory.empty()) run["originalUriBaseIds"][kBase] = {{"uri", "file://" + uri_path(directory) + "/"}};
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = std::move(results);
  Json document = {{"$schema", kSchema}, {"version", "2.1.0"}};
  document["runs"] = Json::array({std::move(run)});
  return dumped(document);
}

}  // namespace heddle::report
