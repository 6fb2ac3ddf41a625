#include "tool/edit/source_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tool/base/atomic_file.h"

namespace heddle::edit {
namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;
constexpr std::size_t kAround = 3;

std::string relative(const std::string& file, const std::string& directory) {
  std::string path = file;
  if (!directory.empty() && directory != "/" && file.starts_with(directory + "/"))
    path.erase(0, directory.size() + 1);
  const std::size_t name = path.find_first_not_of('/');
  path.erase(0, name == std::string::npos ? path.size() : name);
  return path;
}

Result<SourceText> edited(const SourceText& text, const std::vector<SourceEdit>& edits) {
  SourceText result = text;
  // From behind, so that columns before stay what they are.
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
    std::string* line =
        edit->line != 0 && edit->line <= result.lines.size() ? &result.lines[edit->line - 1] : nullptr;
    const bool there = line != nullptr && edit->column != 0 && edit->column <= line->size() &&
                       line->compare(edit->column - 1, edit->before.size(), edit->before) == 0;
    if (!there)
      return Error{fmt::format("{}:{} does not have {}; the source has changed since.", edit->file,
                               edit->line, edit->before)};
    line->replace(edit->column - 1, edit->before.size(), edit->after);
  }
  return result;
}

// One hunk for lines that lie near each other.
std::string hunks(const SourceText& text, const SourceText& changed, const std::vector<SourceEdit>& edits) {
  const auto& before = text.lines;
  const auto& after = changed.lines;
  std::string diff;
  const auto row = [&](char mark, const std::vector<std::string>& lines, std::size_t line) {
    std::string written = mark + lines[line - 1] + "\n";
    if (line == lines.size() && !text.last_line_ends) written += "\\ No newline at end of file\n";
    return written;
  };
  for (std::size_t i = 0; i < edits.size();) {
    const std::size_t first = edits[i].line > kAround ? edits[i].line - kAround : 1;
    std::size_t last = edits[i].line;
    while (i < edits.size() && edits[i].line <= last + 2 * kAround + 1) last = edits[i++].line;
    const std::size_t end = std::min(last + kAround, before.size());
    diff += fmt::format("@@ -{0},{1} +{0},{1} @@\n", first, end - first + 1);
    for (std::size_t line = first; line <= end;) {
      if (before[line - 1] == after[line - 1]) {
        diff += row(' ', before, line++);
        continue;
      }
      std::string gone, come;
      for (; line <= end && before[line - 1] != after[line - 1]; ++line) {
        gone += row('-', before, line);
        come += row('+', after, line);
      }
      diff += gone + come;
    }
  }
  return diff;
}

}  // namespace

Result<SourceText> read_source(const std::string& file) {
  auto content = read_whole_file(file, kMostBytes);
  if (!content) return content.error();
  SourceText text;
  text.last_line_ends = content->ends_with('\n');
  for (std::size_t begin = 0; begin < content->size();) {
    const std::size_t end = std::min(content->find('\n', begin), content->size());
    text.lines.push_back(content->substr(begin, end - begin));
    begin = end + 1;
  }
  return text;
}

Result<std::string> unified_diff(std::vector<SourceEdit> edits,
                                 const std::map<std::string, SourceText>& files,
                                 const std::string& directory) {
  std::sort(edits.begin(), edits.end());
  edits.erase(std::unique(edits.begin(), edits.end()), edits.end());
  std::string diff;
  for (auto begin = edits.begin(); begin != edits.end();) {
    const auto end =
        std::find_if(begin, edits.end(), [&](const SourceEdit& e) { return e.file != begin->file; });
    const std::vector<SourceEdit> here(begin, end);
    const auto text = files.find(begin->file);
    if (text == files.end()) return Error{fmt::format("{} has not been read.", begin->file)};
    auto after = edited(text->second, here);
    if (!after) return after.error();
    const std::string name = relative(begin->file, directory);
    diff += fmt::format("--- a/{0}\n+++ b/{0}\n", name) + hunks(text->second, *after, here);
    begin = end;
  }
  return diff;
}

}  // namespace heddle::edit
