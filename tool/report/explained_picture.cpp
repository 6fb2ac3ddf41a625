// An explanation as a picture and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tool/base/xml.h"
#include "tool/report/escape.h"
#include "tool/report/explained.h"
#include "tool/report/json_parts.h"
#include "tool/report/names.h"
#include "tool/report/places.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

constexpr int kRow = 26, kHead = 58, kColumn = 250, kMargin = 20, kGap = 40;

struct Panel {
  std::vector<ProjectedLine> lines;
  std::map<ThreadId, int> column;  // in the order of threads

  explicit Panel(const ProjectedRun& run) : lines(folded_lines(run)) {
    for (const ProjectedLine& line : lines) column[line.thread] = 0;
    int next = 0;
    for (auto& [thread, at] : column) at = next++;
  }
  int width() const { return std::max<int>(1, static_cast<int>(column.size())) * kColumn; }
  int height() const { return kHead + static_cast<int>(lines.size()) * kRow; }
};

std::string text_at(int x, int y, const std::string& text, const char* kind) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\">{}</text>\n", x, y, kind, xml_escaped(text));
}

std::string panel_svg(const Panel& panel, const ProjectedRun& run, int left, const char* title,
                      const char* kind) {
  std::string svg = text_at(left, 22, title, kind);
  for (const auto& [thread, at] : panel.column) {
    const int x = left + at * kColumn;
    svg += text_at(x + 8, 44, thread_title(run.trace, thread), "head");
    svg += fmt::format("<line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\" class=\"lane\"/>\n", x, 30,
                       panel.height());
  }
  std::map<std::uint32_t, std::pair<int, int>> where;
  for (std::size_t i = 0; i < panel.lines.size(); ++i) {
    const ProjectedLine& line = panel.lines[i];
    const int x = left + panel.column.at(line.thread) * kColumn;
    const int y = kHead + static_cast<int>(i) * kRow;
    if (line.event != kNoEvent) where[index_of(line.event)] = {x, y + kRow / 2 - 4};
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" class=\"{}\"/>\n", x + 3,
                       y, kColumn - 8, kRow - 6,
                       line.parts     ? "parts"
                       : line.in_flow ? "flow"
                                      : "step");
    svg += text_at(x + 9, y + 14, clipped(line.text, 26), "what");
    svg += fmt::format("<text x=\"{}\" y=\"{}\" class=\"place\" text-anchor=\"end\">{}</text>\n",
                       x + kColumn - 10, y + 14, xml_escaped(clipped_front(line.place, 16)));
  }
  for (const Flow& flow : run.flows) {
    const auto from = where.find(index_of(flow.writer));
    const auto to = where.find(index_of(flow.reader));
    if (from == where.end() || to == where.end()) continue;
    const auto [x1, y1] = from->second;
    const auto [x2, y2] = to->second;
    svg += fmt::format(
        "<path d=\"M {} {} C {} {}, {} {}, {} {}\" class=\"arrow {}\" marker-end=\"url(#end)\"/>\n", x1 + 3,
        y1, x1 - 30, y1, x2 - 30, y2, x2 + 2, y2, kind);
  }
  return svg;
}

Json json_run(const ProjectedRun& run) {
  Json events = Json::array();
  for (const ProjectedLine& line : projected_lines(run))
    events.push_back({{"event", index_of(line.event)},
                      {"thread", index_of(line.thread)},
                      {"operation", utf8(line.text)},
                      {"place", utf8(line.place)},
                      {"in_varied_flow", line.in_flow},
                      {"leaves_path", line.parts}});
  Json flows = Json::array();
  for (const Flow& flow : run.flows) {
    Json one{{"reader", nullptr}, {"writer", nullptr}};
    if (flow.reader != kNoEvent) one["reader"] = index_of(flow.reader);
    if (flow.writer != kNoEvent) one["writer"] = index_of(flow.writer);
    flows.push_back(std::move(one));
  }
  return {{"events", std::move(events)}, {"flows", std::move(flows)}};
}

Json json_root_cause(const Explanation& e) {
  constexpr const char* kKinds[] = {"before", "reads", "modification"};
  Json orderings = Json::array();
  for (const CauseOrdering& ordering : e.root_cause) {
    Json one{
        {"kind", kKinds[static_cast<std::size_t>(ordering.kind)]}, {"first", nullptr}, {"second", nullptr}};
    if (ordering.first != kNoEvent) one["first"] = index_of(ordering.first);
    if (ordering.second != kNoEvent) one["second"] = index_of(ordering.second);
    orderings.push_back(std::move(one));
  }
  return orderings;
}

Json json_operation(const ShownOperation& operation) {
  return {{"variable", utf8(operation.variable)}, {"frame", json_frame(operation.frame)}};
}

Json json_frames(const Trace& trace, EventId id) {
  Json frames = Json::array();
  const TraceEvent* event = id == kNoEvent ? nullptr : trace.find_event(id);
  if (event == nullptr) return frames;
  for (const Frame& frame : visible_frames(trace, event->pc, event->stack))
    frames.push_back(json_frame(frame));
  return frames;
}

Json json_curve(const Trace& trace, const FailureCurve& curve) {
  if (curve.points.empty()) return nullptr;
  const auto event_of = [](EventId event) {
    return event == kNoEvent ? Json(nullptr) : Json(index_of(event));
  };
  Json points = Json::array(), jumps = Json::array();
  for (const CurvePoint& p : curve.points)
    points.push_back({{"choices", p.choices},
                      {"event", event_of(p.event)},
                      {"executions", p.executions},
                      {"failed", p.failed},
                      {"low", p.low},
                      {"high", p.high}});
  for (const CurveJump& j : curve.jumps)
    jumps.push_back({{"event", event_of(j.event)},
                     {"from", j.from},
                     {"to", j.to},
                     {"frames", json_frames(trace, j.event)}});
  return {{"points", std::move(points)}, {"jumps", std::move(jumps)}, {"executions", curve.executions}};
}

}  // namespace

std::string explained_svg(const Explanation& e) {
  const Panel fails(e.failing);
  const Panel passes(e.passing ? *e.passing : ProjectedRun{});
  const int second = kMargin + fails.width() + kGap;
  const int width = e.passing ? second + passes.width() + kMargin : kMargin + fails.width() + kMargin;
  const int height = std::max(fails.height(), passes.height()) + 40;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<style>text{{font:12px ui-monospace,monospace;fill:#222}} .place{{fill:#777;font-size:11px}} "
      ".head{{font-weight:bold}} .fails{{fill:#b3261e;font-weight:bold;font-size:15px}} "
      ".passes{{fill:#1a6e2e;font-weight:bold;font-size:15px}} .lane{{stroke:#ddd}} "
      ".step{{fill:#f2f2f2;stroke:#ccc}} .flow{{fill:#fff4d6;stroke:#c98a00}} "
      ".parts{{fill:#e8e3f7;stroke:#5b3fa8;stroke-width:2}} "
      ".arrow{{fill:none;stroke-width:1.6}} path.fails{{stroke:#b3261e}} "
      "path.passes{{stroke:#1a6e2e}}</style>\n"
      "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#555\"/></marker></defs>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  svg += panel_svg(fails, e.failing, kMargin, "fails", "fails");
  if (e.passing) svg += panel_svg(passes, *e.passing, second, "passes", "passes");
  svg += text_at(kMargin, height - 14, remedy_sentence(e), "what");
  return svg + "</svg>\n";
}

std::string explained_json(const Explanation& e, const std::vector<edit::SourceEdit>& edits) {
  Json document;
  document["format"] = "heddle-explanation";
  document["version"] = 2;
  const Trace& trace = e.failing.trace;
  if (!trace.findings.empty()) document["finding"] = json_finding(trace, trace.findings.front());
  document["by"] = e.by_intervention ? "intervention" : "constraints";
  document["on_other_paths"] = e.on_other_paths;
  if (!e.why_not_solved.empty()) document["why_not_solved"] = utf8(e.why_not_solved);
  document["what_happened"] = explained_sentence(e);
  document["root_cause"] = json_root_cause(e);
  document["failing"] = json_run(e.failing);
  document["passing"] = e.passing ? json_run(*e.passing) : Json(nullptr);
  document["all_events"] = e.all_events;
  document["all_flows"] = e.all_flows;
  document["executions_tried"] = e.interventions;
  document["executions_passed"] = e.passed;
  document["curve"] = json_curve(trace, e.curve);
  document["remedy"] = nullptr;
  if (e.remedy) {
    Json parts = Json::array();
    for (const RemedyPart& part : e.remedy->parts) {
      Json one{{"operation", json_operation(part.shown)}};
      if (part.rule.kind == RuleKind::kStrengthen) {
        one["order"] = order_name(part.rule.order);
        one["was"] = order_name(part.was);
      } else {
        one["other"] = json_operation(part.other_shown);
      }
      if (part.rule.kind == RuleKind::kAtomic || part.rule.kind == RuleKind::kFence)
        one["order"] = order_name(part.rule.order);
      if (!part.first_access.frame.file.empty()) one["first"] = json_operation(part.first_access);
      if (part.last_access.event.kind != EventKind::kNone) one["last"] = json_operation(part.last_access);
      if (!part.from.file.empty()) one["within"] = Json::array({json_frame(part.from), json_frame(part.to)});
      if (!part.lock.empty()) one["lock"] = utf8(part.lock);
      parts.push_back(std::move(one));
    }
    document["remedy"] = {{"kind", name_of(e.remedy->kind)},
                          {"sentence", remedy_sentence(e)},
                          {"parts", std::move(parts)},
                          {"edits", json_edits(edits)},
                          {"behaviours_kept", e.remedy->behaviours_kept},
                          {"other_bugs", e.remedy->other_bugs},
                          {"executions_without_bug", e.remedy->executions},
                          {"all_executions", e.remedy->is_complete}};
  }
  return dumped(document);
}

}  // namespace heddle::report
