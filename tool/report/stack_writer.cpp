#include "tool/report/stack_writer.h"

#include <algorithm>
#include <vector>

#include "tool/report/escape.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

constexpr std::size_t kFunctionWidth = 110;
constexpr std::size_t kLibraryFunctionWidth = 60;  // of code that is not the user's
constexpr std::size_t kBriefFunctionWidth = 48;
constexpr std::size_t kBriefFrames = 5;

}  // namespace

void StackWriter::paragraph(std::string_view text) {
  line(text);
  if (is_full_) blank_line();
}

void StackWriter::place(const std::string& heading, const TracePart& part) {
  const std::vector<Frame> frames = visible_frames(trace_, part.pc, part.stack);
  line(style_.blue(frames.empty() ? heading + " (no stack)" : heading));
  const Frame* deciding = deciding_frame(frames);
  std::size_t folded = 0, shown = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!is_full_ && &frames[i] != deciding && !is_own_code(frames[i])) {
      ++folded;
      continue;
    }
    if (!is_full_ && shown == kBriefFrames) {
      fold("… {} more", frames.size() - i);
      folded = 0;
      break;
    }
    if (folded != 0) fold("… {} of the library", folded);
    folded = 0;
    frame(i, frames[i]);
    ++shown;
    if (is_full_ && &frames[i] == deciding) source(frames[i]);
  }
  if (folded != 0) fold("… {} of the library", folded);
  if (is_full_) blank_line();
}

void StackWriter::fold(fmt::format_string<std::string> text, std::size_t frames) {
  out_ += "    " + style_.dim(fmt::format(text, fmt::format("{} frame{}", frames, frames == 1 ? "" : "s"))) +
          "\n";
}

void StackWriter::frame(std::size_t number, const Frame& frame) {
  const std::size_t width = !is_full_            ? kBriefFunctionWidth
                            : is_own_code(frame) ? kFunctionWidth
                                                 : kLibraryFunctionWidth;
  out_ += fmt::format("    #{} {}", number,
                      frame.function.empty() ? "??" : short_function(frame.function, width));
  if (const std::string place = place_text(frame, paths_); !place.empty()) out_ += " " + style_.bold(place);
  const std::string where = frame.module.empty() && frame.offset == 0 ? "(libc)"
                            : frame.module.empty()
                                ? fmt::format("({:#x})", frame.offset)
                                : fmt::format("({}+{:#x})", escaped(base_name(frame.module)), frame.offset);
  out_ += " " + style_.dim(where) + "\n";
}

void StackWriter::source(const Frame& frame) {
  const std::string* text =
      options_.source_lines ? trace_.symbols.source_line(frame.file, frame.line) : nullptr;
  if (text == nullptr) return;
  std::string shown = *text;
  std::replace(shown.begin(), shown.end(), '\t', ' ');
  out_ += style_.dim(fmt::format("       {:>4} | ", frame.line)) + clipped(escaped(shown), 86) + "\n";
}

}  // namespace heddle::report
