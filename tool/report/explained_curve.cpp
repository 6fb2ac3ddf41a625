// When a failure was decided, in words, as a line of small bars, and for pages.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tool/report/explained.h"
#include "tool/report/names.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostJumps = 3, kBars = 40;

double rate_of(const CurvePoint& point) {
  return point.executions == 0 ? 0
                               : static_cast<double>(point.failed) / static_cast<double>(point.executions);
}

std::string percent(double share) {
  const double value = share * 100;
  if (value == 0 || value >= 9.95) return fmt::format("{:.0f} %", value);
  return value >= 0.095 ? fmt::format("{:.1f} %", value) : fmt::format("{:.2f} %", value);
}

// The share by choices, each column the last point that lies in it or before it.
std::string bars(const FailureCurve& curve) {
  static constexpr const char* kBar[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::uint32_t length = curve.points.back().choices;
  const std::size_t columns = std::min<std::size_t>(kBars, length + std::size_t{1});
  std::string text;
  for (std::size_t column = 0; column < columns; ++column) {
    const double at = columns == 1 ? length
                                   : static_cast<double>(length) * static_cast<double>(column) /
                                         static_cast<double>(columns - 1);
    double share = 0;
    for (const CurvePoint& point : curve.points) {
      if (point.choices <= at + 1e-9) share = rate_of(point);
    }
    text += kBar[std::min<std::size_t>(7, static_cast<std::size_t>(std::lround(share * 7)))];
  }
  return text;
}

}  // namespace

std::vector<std::string> curve_lines(const Explanation& e) {
  const FailureCurve& curve = e.curve;
  if (curve.points.size() < 2) return {};
  std::vector<std::string> lines;
  if (curve.jumps.empty() && rate_of(curve.points.front()) > 0.99) {
    lines.emplace_back(
        "When it is decided: before the first choice; every execution that begins like it fails.");
    return lines;
  }
  lines.push_back(
      fmt::format("When it is decided: {} of executions fail from the beginning, {} from the last choice",
                  percent(rate_of(curve.points.front())), percent(rate_of(curve.points.back()))));
  lines.push_back("  " + bars(curve));
  for (std::size_t i = 0; i < std::min(kMostJumps, curve.jumps.size()); ++i)
    lines.push_back("  " + jump_text(e, curve.jumps[i]));
  return lines;
}

std::string jump_text(const Explanation& e, const CurveJump& jump) {
  const Trace& trace = e.failing.trace;
  Names names(trace);
  const TraceEvent* event = jump.event == kNoEvent ? nullptr : trace.find_event(jump.event);
  const std::string what =
      event == nullptr
          ? "at the end"
          : fmt::format("when {} comes next: {} at {}", thread_tag(event->thread),
                        describe(trace, *event, names).text, short_place(trace, event->pc, event->stack));
  return fmt::format("from {} to {} {}", percent(jump.from), percent(jump.to), what);
}

}  // namespace heddle::report
