// An explanation as the page of the HTML report shows it: both executions side by side with their source.
#include <fmt/format.h>

#include "tool/report/escape.h"
#include "tool/report/explained.h"
#include "tool/report/page_data.h"
#include "tool/report/places.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

// The line of source that an event stands in; empty where the artifact has none of it.
std::string source_line(const Trace& trace, EventId id) {
  const TraceEvent* event = trace.find_event(id);
  if (event == nullptr) return {};
  const std::vector<Frame> frames = visible_frames(trace, event->pc, event->stack);
  const Frame* frame = deciding_frame(frames);
  if (frame == nullptr) return {};
  const auto file = trace.symbols.sources.find(frame->file);
  if (file == trace.symbols.sources.end()) return {};
  const auto line = file->second.find(frame->line);
  return line == file->second.end() ? std::string() : escaped_lines(line->second);
}

// Lines, and flows as pairs of their numbers; -1: the value that was there at first.
Json side(const ProjectedRun& run) {
  const std::vector<ProjectedLine> lines = folded_lines(run);
  const auto number_of = [&](EventId id) {
    if (id == kNoEvent) return -1;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].event == id) return static_cast<int>(i);
    }
    return -1;
  };
  Json json;
  json["lines"] = Json::array();
  for (const ProjectedLine& line : lines)
    json["lines"].push_back({{"thread", index_of(line.thread)},
                             {"text", utf8(line.text)},
                             {"place", utf8(line.place)},
                             {"source", utf8(source_line(run.trace, line.event))},
                             {"inFlow", line.in_flow}});
  json["flows"] = Json::array();
  for (const Flow& flow : run.flows) {
    const int reader = number_of(flow.reader);
    if (reader >= 0) json["flows"].push_back({number_of(flow.writer), reader});
  }
  return json;
}

// Nothing where no choice decides it.
Json curve_of(const Explanation& e) {
  if (e.curve.points.size() < 2) return nullptr;
  Json json{{"words", curve_lines(e).front()}, {"points", Json::array()}, {"jumps", Json::array()}};
  for (const CurvePoint& p : e.curve.points) {
    const double share =
        p.executions == 0 ? 0 : static_cast<double>(p.failed) / static_cast<double>(p.executions);
    json["points"].push_back({{"at", p.choices}, {"share", share}, {"low", p.low}, {"high", p.high}});
  }
  for (const CurveJump& jump : e.curve.jumps)
    json["jumps"].push_back(
        {{"at", jump.choices}, {"from", jump.from}, {"to", jump.to}, {"text", utf8(jump_text(e, jump))}});
  return json;
}

}  // namespace

Json page_explanation(const Explanation& e) {
  Json json;
  json["sentence"] = utf8(remedy_sentence(e));
  json["evidence"] = utf8(remedy_evidence(e));
  json["noRemedy"] = utf8(no_remedy_text(e));
  json["how"] = utf8(explained_how(e));
  json["curve"] = curve_of(e);
  json["rootCause"] = Json::array();
  for (const std::string& line : root_cause_lines(e)) json["rootCause"].push_back(utf8(line));
  json["rootCauseIsMinimal"] = e.root_cause_is_minimal;
  json["differences"] = Json::array();
  for (const FlowDifference& flow : flow_differences(e))
    json["differences"].push_back({{"thread", index_of(flow.thread)},
                                   {"what", utf8(flow.what)},
                                   {"fails", utf8(flow.fails)},
                                   {"passes", utf8(flow.passes + flow.times_text())}});
  json["fails"] = side(e.failing);
  json["passes"] = e.passing ? side(*e.passing) : Json(nullptr);
  return json;
}

}  // namespace heddle::report
