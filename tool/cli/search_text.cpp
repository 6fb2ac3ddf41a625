#include "tool/cli/search_text.h"

#include <fmt/format.h>

namespace heddle::cli {
namespace {

using search::TraceSource;

std::string flips_text(const std::vector<search::Flip>& flips, const PlaceNames& places) {
  std::string text;
  for (const search::Flip& flip : flips) {
    const std::string place = places(flip.pc);
    text += fmt::format("{}{} branch {}{}", text.empty() ? "" : ", ", flip.thread, flip.step + 1,
                        place.empty() ? "" : " (" + place + ")");
  }
  return text;
}

std::string source_text(const search::UsedTrace& used) {
  switch (used.source) {
    case TraceSource::kBase:
      return "";
    case TraceSource::kDatabase:
      return fmt::format(" (run {})", used.run);
    case TraceSource::kSteered:
      return " (steered)";
    case TraceSource::kInjected:
      return " (injected)";
  }
  return "";
}

std::string answer_text(const search::Attempt& attempt) {
  if (attempt.failed) return "fails when executed";
  switch (attempt.answer) {
    case constraints::Answer::kSatisfiable:
      return attempt.executed ? "passes when executed" : "possible";
    case constraints::Answer::kUnsatisfiable:
      return "no schedule";
    case constraints::Answer::kUnknown:
      return "not known";
  }
  return "";
}

// Of a long path, its end.
std::string shown_bits(const search::Path& path) {
  constexpr std::size_t kMost = 24;
  const std::string bits = search::bits_of(path);
  if (bits.empty()) return "-";
  return bits.size() <= kMost ? bits : "…" + bits.substr(bits.size() - kMost);
}

}  // namespace

std::string attempt_line(const search::Attempt& attempt, const PlaceNames& places) {
  std::string text = fmt::format("run {}", attempt.base);
  if (!attempt.flips.empty()) text += ", flipped " + flips_text(attempt.flips, places);
  text += ":";
  for (const search::UsedTrace& used : attempt.used)
    text += fmt::format(" {}:{}{}", used.thread, shown_bits(used.path), source_text(used));
  if (attempt.goal) {
    const std::string place = places(attempt.goal->place);
    text += fmt::format(" – {}{}{}", to_string(attempt.goal->kind), place.empty() ? "" : " ", place);
  }
  return text + ": " + answer_text(attempt) + "\n";
}

std::string derivation_text(const search::FoundBug& bug, const PlaceNames& places) {
  std::string text = fmt::format("derived from run {}", bug.attempt.base);
  text += bug.attempt.flips.empty() ? ", on the same paths"
                                    : " by flipping " + flips_text(bug.attempt.flips, places);
  text += "\nsolved schedule:";
  for (const search::Segment& segment : bug.schedule) {
    const std::string place = places(segment.pc);
    text += fmt::format("\n  {:<6} {} event{}{}", segment.thread, segment.events,
                        segment.events == 1 ? "" : "s", place.empty() ? "" : ", to " + place);
  }
  return text + "\n";
}

}  // namespace heddle::cli
