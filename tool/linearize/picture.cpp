#include "tool/linearize/picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/linearize/bars.h"
#include "tool/base/xml.h"

namespace heddle::linearize {
namespace {

enum class Mark { kNone, kInvolved, kViolating };

Mark mark_of(const ObservedHistory& history, OperationIndex i) {
  if (i == history.violating) return Mark::kViolating;
  const bool involved =
      std::find(history.involved.begin(), history.involved.end(), i) != history.involved.end();
  return involved ? Mark::kInvolved : Mark::kNone;
}

Position end_of(const ObservedHistory& history, OperationIndex i) {
  return history.pending(i) ? static_cast<Position>(history.prefix) : history.operations[i].returned;
}

std::string lane_name(std::uint32_t thread) {
  return thread == 0 ? "main" : fmt::format("thread {}", thread);
}

// Where each event is drawn: far enough from those before it for every bar to hold its text.
std::map<Position, double> columns(const ObservedHistory& history) {
  constexpr double kCharacter = 7.5;
  constexpr double kPadding = 14;
  constexpr double kGap = 10;
  std::map<Position, double> at;
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    if (!history.in_prefix(i)) continue;
    at[history.operations[i].called];
    at[end_of(history, i)];
  }
  double next = 0;
  for (auto& [position, x] : at) {
    x = next;
    for (OperationIndex i = 0; i < history.operations.size(); ++i) {
      if (!history.in_prefix(i) || end_of(history, i) != position) continue;
      const double text = kCharacter * static_cast<double>(width_of(text_of(history, i))) + kPadding;
      x = std::max(x, at[history.operations[i].called] + text);
    }
    next = x + kGap;
  }
  return at;
}

}  // namespace

std::string history_svg(const ObservedHistory& history) {
  constexpr double kLeft = 80;
  constexpr double kRow = 40;
  constexpr double kHeight = 26;
  const auto at = columns(history);
  std::map<std::uint32_t, std::size_t> rows;
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    if (history.in_prefix(i)) rows[history.operations[i].thread];
  }
  std::size_t next = 0;
  for (auto& [thread, row] : rows) row = next++;
  const double width = kLeft + (at.empty() ? 0 : at.rbegin()->second) + 20;
  const double height = kRow * static_cast<double>(rows.size()) + 30;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"ui-monospace, monospace\" font-size=\"12\" role=\"img\" aria-label=\"history of {2}\">\n"
      "<style>.bar{{fill:#dbe7f5;stroke:#3b6ea5}}.involved{{fill:#fde9c8;stroke:#b7791f}}"
      ".violating{{fill:#fbd5d5;stroke:#c02020;stroke-width:2}}.lane{{stroke:#ccc}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height, xml_escaped(history.object));
  for (const auto& [thread, row] : rows) {
    const double y = 10 + kRow * static_cast<double>(row) + kHeight / 2;
    svg += fmt::format(
        "<text x=\"6\" y=\"{:.1f}\">{}</text><line class=\"lane\" x1=\"{}\" x2=\"{:.1f}\" y1=\"{:.1f}\" "
        "y2=\"{:.1f}\"/>\n",
        y + 4, lane_name(thread), kLeft - 5, width - 5, y, y);
  }
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    if (!history.in_prefix(i)) continue;
    const ObservedOperation& operation = history.operations[i];
    const double from = kLeft + at.at(operation.called);
    const double to = kLeft + at.at(end_of(history, i));
    const double y = 10 + kRow * static_cast<double>(rows.at(operation.thread));
    const Mark mark = mark_of(history, i);
    const char* name = mark == Mark::kViolating ? "violating" : mark == Mark::kInvolved ? "involved" : "bar";
    svg += fmt::format(
        "<g><title>{4}, {5}: events {6} to {7}</title><rect class=\"{0}\" x=\"{1:.1f}\" y=\"{2:.1f}\" "
        "width=\"{3:.1f}\" height=\"{8}\" rx=\"4\"{9}/>"
        "<text x=\"{10:.1f}\" y=\"{11:.1f}\">{4}</text></g>\n",
        name, from, y, std::max(to - from, 6.0), xml_escaped(text_of(history, i)),
        lane_name(operation.thread), operation.called,
        history.pending(i) ? "…" : std::to_string(operation.returned), kHeight,
        history.pending(i) ? " stroke-dasharray=\"4 3\"" : "", from + 7, y + 17);
  }
  return svg + "</svg>\n";
}

std::string history_bars(const ObservedHistory& history) {
  std::vector<Bar> bars;
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    if (!history.in_prefix(i)) continue;
    bars.push_back({history.operations[i].thread, history.operations[i].called, end_of(history, i),
                    text_of(history, i), history.pending(i), i == history.violating});
  }
  return BarChart(std::move(bars)).text();
}

std::string history_json(const ObservedHistory& history) {
  nlohmann::json operations = nlohmann::json::array();
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    if (!history.in_prefix(i)) continue;
    const Mark mark = mark_of(history, i);
    nlohmann::json entry = {{"thread", history.operations[i].thread},
                            {"text", text_of(history, i)},
                            {"call", history.operations[i].called},
                            {"return", nullptr},
                            {"mark", mark == Mark::kViolating  ? "violating"
                                     : mark == Mark::kInvolved ? "involved"
                                                               : "none"}};
    if (!history.pending(i)) entry["return"] = history.operations[i].returned;
    operations.push_back(std::move(entry));
  }
  return nlohmann::json{
             {"object", history.object}, {"client", history.client.text()}, {"operations", operations}}
             .dump(2) +
         "\n";
}

}  // namespace heddle::linearize
