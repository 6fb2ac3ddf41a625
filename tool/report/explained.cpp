#include "tool/report/explained.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "tool/report/escape.h"
#include "tool/report/headline.h"
#include "tool/report/names.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"
#include "tool/report/rounds.h"
#include "tool/report/style.h"
#include "tool/report/wrapped.h"

namespace heddle::report {
namespace {

std::string fitted(std::string_view text, std::size_t width) { return padded(clipped(text, width), width); }

std::string flow_side(const Trace& trace, const Flow& flow, Names& names) {
  const TraceEvent* reader = trace.find_event(flow.reader);
  const std::string value = reader != nullptr ? names.value(reader->value, reader->size, reader->id) : "?";
  const TraceEvent* writer = flow.writer == kNoEvent ? nullptr : trace.find_event(flow.writer);
  if (writer == nullptr) return fmt::format("{} (initial value)", value);
  return fmt::format("{} from {} at {}", value, thread_tag(writer->thread),
                     short_place(trace, writer->pc, writer->stack));
}

std::string flows_text(const Explanation& e, const Style& style, std::size_t most) {
  const std::vector<FlowDifference> flows = flow_differences(e);
  if (flows.empty()) return {};
  std::string text = "\n  " + style.bold("Data flows that differ") + "\n";
  for (std::size_t i = 0; i < std::min(flows.size(), most); ++i) {
    const FlowDifference& flow = flows[i];
    text += fmt::format("    {} {}: {} {}, {} {}{}\n", thread_tag(flow.thread), flow.what,
                        style.red("fails with"), flow.fails, style.blue("passes with"), flow.passes,
                        flow.times_text());
  }
  if (flows.size() > most) text += fmt::format("    … and {} more (-v)\n", flows.size() - most);
  return text;
}

std::string event_words(const Trace& trace, EventId id, Names& names) {
  const TraceEvent* event = id == kNoEvent ? nullptr : trace.find_event(id);
  if (event == nullptr) return "the initial value";
  return fmt::format("{} {} at {}", thread_tag(event->thread), describe(trace, *event, names).text,
                     short_place(trace, event->pc, event->stack));
}

std::string root_cause_text(const Explanation& e, const Style& style) {
  constexpr std::size_t kMostShown = 12;
  if (e.root_cause.empty()) return {};
  std::string text = "\n  " +
                     style.bold(e.root_cause_is_minimal
                                    ? "Root cause: none of the executions that pass has all of these"
                                    : "Root cause (perhaps not the least): no execution that passes has all "
                                      "of these") +
                     "\n";
  const std::vector<std::string> lines = root_cause_lines(e);
  for (std::size_t i = 0; i < std::min(lines.size(), kMostShown); ++i) text += "    " + lines[i] + "\n";
  if (e.root_cause.size() > kMostShown)
    text += fmt::format("    … and {} more\n", e.root_cause.size() - kMostShown);
  return text;
}

// Nothing is shown beside the execution that fails.
std::string no_difference_text(const Explanation& e) {
  const auto& findings = e.failing.trace.findings;
  const std::string tried = grouped(e.interventions);
  if (e.interventions == 0 && e.passed == 0)
    return "The time was up before any execution near this one was tried. Give it more with -t.";
  if (e.passed != 0)
    return fmt::format(
        "{} of {} executions near this one pass; what threads do to each other is in the same order in them.",
        grouped(e.passed), tried);
  if (!findings.empty() && findings.front().kind == FindingKind::kDataRace)
    return fmt::format(
        "Nothing orders the two accesses, whatever the threads do: {} executions near this one have the "
        "race, "
        "too.",
        tried);
  return fmt::format(
      "No execution near this one passes, and none of those that begin like it and go on at random: {} were "
      "tried. "
      "It may fail whatever the threads do.",
      tried);
}

// Those nearest to where the failure is decided; where that is not known, to the end.
std::vector<ProjectedLine> nearest_lines(std::vector<ProjectedLine> all, const FailureCurve& curve,
                                         std::size_t most) {
  if (all.size() <= most) return all;
  const auto none = [](std::size_t count) {
    ProjectedLine line;
    line.text = fmt::format("… {} more (-v)", count);
    return line;
  };
  std::size_t at = all.size() - 1;
  for (std::size_t i = 0; i < all.size() && !curve.jumps.empty(); ++i) {
    if (all[i].event == kNoEvent || curve.jumps.front().event == kNoEvent ||
        all[i].event < curve.jumps.front().event)
      continue;
    at = i;
    break;
  }
  std::size_t end = std::min(all.size(), at + most / 2 + 1);
  const std::size_t begin = end > most ? end - most : 0;
  end = begin + most;
  std::vector<ProjectedLine> lines;
  if (begin != 0) lines.push_back(none(begin));
  lines.insert(lines.end(), std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(begin)),
               std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(end)));
  if (end < all.size()) lines.push_back(none(all.size() - end));
  return lines;
}

std::string line_text(const std::vector<ProjectedLine>& lines, std::size_t i, std::size_t width) {
  if (i >= lines.size()) return std::string(width, ' ');
  const ProjectedLine& line = lines[i];
  const std::size_t place = std::min<std::size_t>(width_of(line.place), width / 2);
  return fitted(fmt::format("{}{:<4}{}",
                            line.parts     ? "⑂ "
                            : line.in_flow ? "◆ "
                                           : "  ",
                            line.event == kNoEvent ? "" : thread_tag(line.thread), line.text),
                width - place - 1) +
         " " + fitted(line.place, place);
}

}  // namespace

std::vector<ProjectedLine> projected_lines(const ProjectedRun& run) {
  std::vector<ProjectedLine> lines;
  Names names(run.trace);
  std::set<EventId> in_flows;
  for (const Flow& flow : run.flows) in_flows.insert({flow.reader, flow.writer});
  for (const EventId id : run.kept) {
    const TraceEvent* event = run.trace.find_event(id);
    if (event == nullptr) continue;
    ProjectedLine line;
    line.event = id;
    line.thread = event->thread;
    line.text = describe(run.trace, *event, names).text;
    line.place = short_place(run.trace, event->pc, event->stack);
    line.in_flow = in_flows.contains(id);
    line.parts = std::find(run.parted.begin(), run.parted.end(), id) != run.parted.end();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<ProjectedLine> folded_lines(const ProjectedRun& run) {
  std::vector<ProjectedLine> all = projected_lines(run);
  const auto is_same = [](const ProjectedLine& a, const ProjectedLine& b) {
    return a.thread == b.thread && a.text == b.text && a.place == b.place && a.parts == b.parts;
  };
  std::vector<ProjectedLine> lines;
  for (std::size_t i = 0; i < all.size();) {
    const Rounds rounds = rounds_at(all, i, is_same);
    const std::size_t end = i + std::max<std::size_t>(rounds.count * rounds.period, 1);
    for (; i < end; ++i) {
      if (rounds.count != 0 && i == rounds.hidden_from(end - rounds.count * rounds.period)) {
        lines.push_back({kNoEvent, all[i].thread, rounds.instead(), "", false, false});
        i = end - rounds.period;
      }
      lines.push_back(std::move(all[i]));
    }
  }
  return lines;
}

std::string FlowDifference::times_text() const {
  return times == 1 ? "" : fmt::format(" ({} times)", grouped(times));
}

std::vector<FlowDifference> flow_differences(const Explanation& e) {
  std::vector<FlowDifference> flows;
  std::map<FlowDifference, std::size_t> known;  // where it is in `flows`
  if (!e.passing) return flows;
  Names fails(e.failing.trace), passes(e.passing->trace);
  const std::string nowhere = "not coming there";
  for (std::size_t i = 0; i < e.failing.flows.size(); ++i) {
    const TraceEvent* here = e.failing.trace.find_event(e.failing.flows[i].reader);
    const TraceEvent* there = e.passing->trace.find_event(e.passing->flows[i].reader);
    const TraceEvent* reader = here != nullptr ? here : there;
    if (reader == nullptr) continue;
    const Trace& trace = here != nullptr ? e.failing.trace : e.passing->trace;
    FlowDifference flow{
        reader->thread,
        fmt::format("reads {} at {}",
                    (here != nullptr ? fails : passes).location(reader->address, reader->id),
                    short_place(trace, reader->pc, reader->stack)),
        here != nullptr ? flow_side(e.failing.trace, e.failing.flows[i], fails) : nowhere,
        there != nullptr ? flow_side(e.passing->trace, e.passing->flows[i], passes) : nowhere};
    if (flow.fails == flow.passes) continue;  // nobody could see the difference
    const auto [at, is_new] = known.emplace(flow, flows.size());
    if (is_new) {
      flows.push_back(std::move(flow));
    } else {
      ++flows[at->second].times;
    }
  }
  return flows;
}

std::vector<std::string> root_cause_lines(const Explanation& e) {
  std::vector<std::string> lines;
  Names names(e.failing.trace);
  for (const CauseOrdering& ordering : e.root_cause) {
    const std::string first = event_words(e.failing.trace, ordering.first, names);
    const std::string second = event_words(e.failing.trace, ordering.second, names);
    switch (ordering.kind) {
      case CauseOrdering::Kind::kBefore:
        lines.push_back(fmt::format("{}  before  {}", first, second));
        break;
      case CauseOrdering::Kind::kReads:
        lines.push_back(fmt::format("{}  reads from  {}", second, first));
        break;
      case CauseOrdering::Kind::kModification:
        lines.push_back(fmt::format("{}  is overwritten by  {}", first, second));
        break;
    }
  }
  return lines;
}

std::string explained_sentence(const Explanation& e) {
  const Trace& trace = e.failing.trace;
  return trace.findings.empty() ? std::string() : headline(trace, trace.findings.front()).sentence;
}

std::string explained_how(const Explanation& e) {
  if (!e.passing) return no_difference_text(e);
  return fmt::format(
      "{}: {} of {} events and {} of {} data flows differ. {} executions were tried, {} passed.",
      e.by_intervention  ? "Found by intervention"
      : e.on_other_paths ? "Found by solving, on other paths (⑂)"
                         : "Found by solving",
      e.failing.kept.size(), grouped(e.all_events), e.failing.flows.size(), grouped(e.all_flows),
      grouped(e.interventions), grouped(e.passed));
}

std::string explained_text(const Explanation& e, const ExplainedOptions& options) {
  const Style style(options.color);
  const Trace& trace = e.failing.trace;
  std::string text;
  if (!trace.findings.empty())
    text += style.bold("Why: " + finding_summary(trace, trace.findings.front(), PathStyle(trace))) + "\n";
  const std::string sentence = remedy_sentence(e);
  if (!sentence.empty()) {
    // What to do comes first, in lines that fit; why, after it.
    const std::size_t width = std::max<std::size_t>(options.width, 60) - 4;
    text += "\n";
    for (const std::string& line : wrapped(sentence, width)) text += "  " + style.bold(line) + "\n";
    for (const std::string& line : wrapped(remedy_evidence(e), width)) text += "  " + line + "\n";
  } else if (const std::string none = no_remedy_text(e); !none.empty()) {
    text += "\n";
    for (const std::string& line : wrapped(none, std::max<std::size_t>(options.width, 60) - 4))
      text += "  " + line + "\n";
  }
  if (const std::string what = explained_sentence(e); !what.empty()) {
    text += "\n";
    for (const std::string& line :
         wrapped("What happened: " + what, std::max<std::size_t>(options.width, 60) - 4))
      text += "  " + line + "\n";
  }
  if (e.passing) {
    const std::size_t half = (std::max<std::size_t>(options.width, 60) - 7) / 2;
    const auto fails = nearest_lines(folded_lines(e.failing), e.curve, options.rows);
    const auto passes = nearest_lines(folded_lines(*e.passing), {}, options.rows);
    text +=
        fmt::format("\n  {} │ {}\n", style.red(fitted("fails", half)), style.blue(fitted("passes", half)));
    std::string rule;
    for (std::size_t i = 0; i < half + 1; ++i) rule += "─";
    text += "  " + rule + "┼" + rule + "\n";
    for (std::size_t i = 0; i < std::max(fails.size(), passes.size()); ++i)
      text += fmt::format("  {} │ {}\n", line_text(fails, i, half), line_text(passes, i, half));
    text += flows_text(e, style, options.rows);
    text += root_cause_text(e, style);
  }
  for (const std::string& line : curve_lines(e)) text += "\n  " + line;
  if (!e.curve.points.empty()) text += "\n";
  text += "\n  " + explained_how(e) + "\n";
  if (!e.why_not_solved.empty()) text += "  By solving alone: " + escaped(e.why_not_solved) + "\n";
  return text;
}

}  // namespace heddle::report
