#include "tool/findings/carried_lines.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tool/trace/stack_view.h"

namespace heddle {
namespace {

constexpr std::size_t kMostBytes = 16 << 20;
constexpr std::size_t kMostLineBytes = 400;  // as artifacts keep them

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return lines;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  for (std::size_t bytes = 0; bytes < kMostBytes && std::getline(file, line);) {
    bytes += line.size() + 1;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.size() > kMostLineBytes) line.resize(kMostLineBytes);
    lines.push_back(line);
  }
  return lines;
}

// Does the statement go on behind this line?
bool goes_on(const std::string& line) {
  std::string text = squeezed(line.substr(0, line.find("//")));
  return !text.empty() && text.front() != '#' &&
         std::string_view(";{}:").find(text.back()) == std::string::npos;
}

}  // namespace

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string CarriedLines::text_before(const std::string& file, std::uint32_t line) const {
  const auto kept = before_.find(file);
  if (kept == before_.end()) return {};
  const auto at = kept->second.find(line);
  return at == kept->second.end() ? std::string() : at->second;
}

const std::vector<std::string>& CarriedLines::text_now(const std::string& path) {
  const auto [at, is_new] = now_.try_emplace(path);
  if (is_new) at->second = read_lines(path);
  return at->second;
}

const MovedLines& CarriedLines::between(const std::string& before, const std::string& now) {
  const auto [at, is_new] = moved_.try_emplace({before, now});
  const auto kept = before_.find(before);
  if (is_new && kept != before_.end()) at->second = MovedLines(kept->second, text_now(now));
  return at->second;
}

LinesNow::LinesNow(const Trace& before, const Trace& now) : lines_(before.symbols) {
  for (const auto& [pc, frames] : now.symbols.frames) {
    for (const Frame& frame : frames) {
      if (is_own_code(frame) && !frame.file.empty()) files_.insert(frame.file);
    }
  }
}

const std::string& LinesNow::file_now(const std::string& before) {
  const auto [at, is_new] = found_.try_emplace(before);
  if (!is_new) return at->second;
  std::size_t most = 0;
  for (const std::string& file : files_) {
    if (file_name(file) == file_name(before)) return at->second = file;
    const std::size_t lines = lines_.between(before, file).landmarks();
    if (lines > most) at->second = file;
    most = std::max(most, lines);
  }
  return at->second;
}

LinesNow::Line LinesNow::operator()(const Frame& frame) {
  const std::string& file = file_now(frame.file);
  if (file.empty()) return {file_name(frame.file), frame.line};
  return {file_name(file), lines_.between(frame.file, file).about(frame.line)};
}

std::uint32_t statement_of(const std::vector<std::string>& text, std::uint32_t line) {
  constexpr std::uint32_t kMostLines = 20;
  if (line == 0 || line > text.size()) return line;
  const std::uint32_t last = line > kMostLines ? line - kMostLines : 1;
  while (line > last && goes_on(text[line - 2])) --line;
  return line;
}

}  // namespace heddle
