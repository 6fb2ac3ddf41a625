#include "tool/findings/moved_lines.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace heddle {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A brace alone is no landmark.
bool tells_something(const std::string& text) { return std::ranges::any_of(text, is_word); }

std::uint32_t distance(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint32_t>(a < b ? b - a : a - b);
}

}  // namespace

std::string squeezed(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (std::isspace(static_cast<unsigned char>(text[i])) == 0) {
      result += text[i];
      continue;
    }
    // Between two words a blank means something.
    const std::size_t next = text.find_first_not_of(" \t\r\n\f\v", i);
    if (next == std::string_view::npos) break;
    if (!result.empty() && is_word(result.back()) && is_word(text[next])) result += ' ';
    i = next - 1;
  }
  return result;
}

MovedLines::MovedLines(const Kept& before, const std::vector<std::string>& now)
    : known_(!before.empty() && !now.empty()) {
  std::unordered_map<std::string, std::vector<std::uint32_t>> places;
  for (std::size_t i = 0; i < now.size(); ++i)
    places[squeezed(now[i])].push_back(static_cast<std::uint32_t>(i) + 1);
  std::unordered_map<std::string, std::size_t> times;
  std::map<std::uint32_t, std::string> texts;
  for (const auto& [line, text] : before) ++times[texts[line] = squeezed(text)];
  for (const auto& [line, text] : texts) {
    const auto at = places.find(text);
    if (at == places.end() || at->second.size() != 1 || times[text] != 1 || !tells_something(text)) continue;
    sure_[line] = at->second.front();
  }
  found_ = sure_;
  for (const auto& [line, place] : sure_) taken_[place] = line;
  // The others, those first that are nearest to where they should be.
  struct Pair {
    std::uint32_t away, before, now;
  };
  constexpr std::size_t kMostOfOneText = 64, kMostPairs = 1 << 20;  // an artifact may come from anywhere
  std::vector<Pair> pairs;
  for (const auto& [line, text] : texts) {
    const auto at = places.find(text);
    if (found_.contains(line) || at == places.end() || at->second.size() > kMostOfOneText) continue;
    if (pairs.size() >= kMostPairs) break;
    const std::int64_t expected = line + shift_near(line);
    for (const std::uint32_t place : at->second) pairs.push_back({distance(expected, place), line, place});
  }
  std::ranges::stable_sort(pairs, {}, &Pair::away);
  for (const Pair& pair : pairs) {
    if (found_.contains(pair.before) || taken_.contains(pair.now)) continue;
    found_[pair.before] = pair.now;
    taken_[pair.now] = pair.before;
  }
}

std::int64_t MovedLines::shift_near(std::uint32_t before) const {
  const auto after = sure_.lower_bound(before);
  auto nearest = after;
  if (after != sure_.begin()) {
    const auto earlier = std::prev(after);
    if (after == sure_.end() || before - earlier->first <= after->first - before) nearest = earlier;
  }
  return nearest == sure_.end() ? 0 : std::int64_t{nearest->second} - nearest->first;
}

std::optional<std::uint32_t> MovedLines::now(std::uint32_t before) const {
  const auto at = found_.find(before);
  return at == found_.end() ? std::nullopt : std::optional(at->second);
}

std::uint32_t MovedLines::about(std::uint32_t before) const {
  if (const auto place = now(before)) return *place;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(before + shift_near(before), 1));
}

}  // namespace heddle
