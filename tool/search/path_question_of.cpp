#include "tool/search/path_question_of.h"

#include <algorithm>
#include <charconv>

#include "tool/search/waiting_rounds.h"

namespace heddle::search {
namespace {

// "0.2.1": the first child of the second child of the main thread. Empty: of a signal handler, or no name.
std::vector<std::uint32_t> numbers_of(const std::string& name) {
  std::vector<std::uint32_t> numbers;
  const char* at = name.data();
  const char* const end = at + name.size();
  while (at != end) {
    std::uint32_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec != std::errc() || (read.ptr != end && *read.ptr != '.')) return {};
    numbers.push_back(number);
    at = read.ptr == end ? end : read.ptr + 1;
  }
  return numbers;
}

struct ShortPath {
  std::vector<std::uint64_t> steps;
  std::vector<PathQuestion::Loop> loops;
};

ShortPath shortened(const Path& path, std::size_t most) {
  ShortPath result;
  for (std::size_t at = 0; at < path.size() && result.steps.size() < most;) {
    const auto rounds = many_rounds_from(path, at);
    const std::size_t count = rounds ? rounds->period : 1;
    const auto begin = static_cast<std::uint32_t>(result.steps.size());
    for (std::size_t i = 0; i < count; ++i) result.steps.push_back(path[at + i].bits);
    if (!rounds) {
      ++at;
      continue;
    }
    result.loops.push_back({begin, static_cast<std::uint32_t>(result.steps.size())});
    at = rounds->begin + rounds->count() * rounds->period;
  }
  return result;
}

}  // namespace

std::shared_ptr<const PathQuestion> path_question_of(const LoggedPaths& log) {
  auto question = std::make_shared<PathQuestion>();
  using Numbers = std::vector<std::uint32_t>;
  std::vector<std::pair<Numbers, const Path*>> threads;
  for (const auto& [name, path] : log) {
    if (Numbers numbers = numbers_of(name); !numbers.empty()) threads.emplace_back(std::move(numbers), &path);
  }
  // Parents before their children: a path needs its parent's number.
  std::sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
  });
  std::map<Numbers, std::uint32_t> known;
  std::size_t steps = 0, loops = 0;
  for (std::size_t i = 0; i < threads.size() && question->paths < PathQuestion::kMostThreads; ++i) {
    const auto& [numbers, path] = threads[i];
    const Numbers parent(numbers.begin(), numbers.end() - 1);
    if (parent.empty() ? i != 0 : !known.contains(parent)) continue;
    const std::size_t share = (PathQuestion::kMostSteps - steps) / (threads.size() - i);
    ShortPath own = shortened(*path, std::max<std::size_t>(share, 1));
    own.steps.resize(std::min<std::size_t>(own.steps.size(), PathQuestion::kMostSteps - steps));
    const auto fits = [&](const PathQuestion::Loop& loop) { return loop.end <= own.steps.size(); };
    own.loops.erase(std::find_if_not(own.loops.begin(), own.loops.end(), fits), own.loops.end());
    own.loops.resize(std::min<std::size_t>(own.loops.size(), PathQuestion::kMostLoops - loops));
    PathQuestion::Path& to = question->path[question->paths];
    to.parent = parent.empty() ? 0 : known.at(parent);
    to.child = numbers.back() == 0 ? 0 : numbers.back() - 1;
    to.first_step = static_cast<std::uint32_t>(steps);
    to.steps = static_cast<std::uint32_t>(own.steps.size());
    to.first_loop = static_cast<std::uint32_t>(loops);
    to.loops = static_cast<std::uint32_t>(own.loops.size());
    std::copy(own.steps.begin(), own.steps.end(), question->step + steps);
    std::copy(own.loops.begin(), own.loops.end(), question->loop + loops);
    steps += own.steps.size();
    loops += own.loops.size();
    known[numbers] = question->paths++;
  }
  return question;
}

}  // namespace heddle::search
