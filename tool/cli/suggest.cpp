#include "tool/cli/suggest.h"

#include <algorithm>

namespace heddle::cli {
namespace {

constexpr std::size_t kMostSuggested = 3;
// Longer words are no slips of the fingers, and the distance takes the product of both lengths.
constexpr std::size_t kLongestWord = 64;

// Neither dashes at the beginning nor capitals count: -Seed is near to --seed.
std::string simplified(std::string_view word) {
  const std::size_t start = word.find_first_not_of('-');
  std::string text(start == std::string_view::npos ? std::string_view() : word.substr(start));
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// A slip is one character of a short word, and one in three of a long one.
bool is_near(std::size_t distance, std::size_t length) { return distance <= (length < 4 ? 1 : length / 3); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = above;
    above = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differs = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + differs});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string given = simplified(word);
  if (given.empty() || given.size() > kLongestWord) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::string other = simplified(candidate);
    if (other.empty()) continue;
    // One letter is near to every other one.
    const bool is_letter = given.size() == 1 || other.size() == 1;
    std::size_t distance = edit_distance(given, other);
    // What was not written to its end.
    if (given.size() >= 3 && other.starts_with(given)) distance = std::min<std::size_t>(distance, 1);
    if (is_letter ? distance == 0 : is_near(distance, std::max(given.size(), other.size())))
      near.emplace_back(distance, candidate);
  }
  if (near.empty()) return {};
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (std::size_t i = 0; i < near.size() && i < kMostSuggested && near[i].first == near[0].first; ++i)
    text += (i == 0 ? " Did you mean '" : "' or '") + near[i].second;
  return text + "'?";
}

}  // namespace heddle::cli
