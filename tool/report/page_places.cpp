#include "tool/report/page_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/report/escape.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

std::int64_t code_points(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

}  // namespace

std::int64_t PagePlaces::stack_of(std::uint64_t pc, StackId stack) {
  const auto [at, is_new] = stack_numbers_.try_emplace({pc, index_of(stack)}, -1);
  if (!is_new) return at->second;
  const std::vector<Frame> frames = visible_frames(trace_, pc, stack);
  const Frame* deciding = deciding_frame(frames);
  // Where only heddle ran, such as at the exit, there is no place that a user could look at.
  if (deciding == nullptr) return -1;
  Json list = Json::array();
  for (const Frame& frame : frames) list.push_back(frame_number(frame));
  at->second = static_cast<std::int64_t>(stacks_.size());
  stacks_.push_back({{"frames", std::move(list)}, {"at", deciding - frames.data()}});
  return at->second;
}

std::int64_t PagePlaces::stack_of(const Frame& frame) {
  stacks_.push_back({{"frames", Json::array({frame_number(frame)})}, {"at", 0}});
  return static_cast<std::int64_t>(stacks_.size()) - 1;
}

std::size_t PagePlaces::frame_number(const Frame& frame) {
  const std::string place = place_text(frame, paths_);
  const std::string module =
      frame.module.empty() ? "" : fmt::format("{}+{:#x}", base_name(frame.module), frame.offset);
  const auto key = std::make_tuple(frame.function, place, module, frame.inlined);
  const auto [at, is_new] = frame_numbers_.try_emplace(key, frame_numbers_.size());
  if (is_new) {
    frames_.push_back({utf8(escaped(frame.function)), utf8(place), utf8(escaped(module)),
                       frame.file.empty() ? Json(-1) : Json(file_numbers_.number_of(frame.file)), frame.line,
                       caret_of(frame), is_own_code(frame)});
  }
  return at->second;
}

// Debug information counts bytes of the source. What is shown may have more characters than that, where some are
// escaped, or fewer.
std::int64_t PagePlaces::caret_of(const Frame& frame) const {
  const std::string* line = trace_.symbols.source_line(frame.file, frame.line);
  if (line == nullptr || frame.column == 0 || frame.column > line->size() + 1) return -1;
  return code_points(utf8(escaped_lines(std::string_view(*line).substr(0, frame.column - 1))));
}

void PagePlaces::write(Json& json) {
  json["stacks"] = std::move(stacks_);
  json["frames"] = std::move(frames_);
  json["files"] = files();
}

Json PagePlaces::files() const {
  Json list = Json::array();
  for (const std::string& file : file_numbers_.list()) {
    Json lines = Json::array();
    const auto kept = trace_.symbols.sources.find(file);
    if (kept != trace_.symbols.sources.end()) {
      for (const auto& [line, text] : kept->second) lines.push_back({line, utf8(escaped_lines(text))});
    }
    list.push_back({{"path", utf8(paths_.shown(file))}, {"lines", std::move(lines)}});
  }
  return list;
}

}  // namespace heddle::report
