#include "tool/report/first_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tool/report/escape.h"
#include "tool/report/headline.h"
#include "tool/report/places.h"
#include "tool/report/shell_word.h"
#include "tool/report/style.h"
#include "tool/report/wrapped.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostSentenceLines = 3;
constexpr std::size_t kWidestName = 32;

class Block {
 public:
  Block(const Trace& trace, const TraceFinding& finding, const TextOptions& options, Names& names)
      : trace_(trace),
        finding_(finding),
        options_(options),
        paths_(trace, options.strip_path_prefix),
        style_(options.color),
        names_(names) {}

  std::string write() {
    const Headline head = headline(trace_, finding_, names_);
    add(style_.red(fmt::format("WARNING: heddle: {} (pid={})", to_string(finding_.kind), trace_.pid)));
    std::vector<std::string> sentence = wrapped(head.sentence, options_.width - 2);
    if (sentence.size() > kMostSentenceLines) {
      sentence.resize(kMostSentenceLines);
      sentence.back() = clipped(sentence.back() + " …", options_.width - 2);
    }
    for (const std::string& text : sentence) add("  " + style_.bold(text));
    const std::vector<std::string> commands = closing();
    places(head.places, kFirstBlockLines - lines_ - commands.size());
    for (const std::string& text : commands) add(text);
    return out_;
  }

 private:
  void add(const std::string& text) {
    out_ += text + "\n";
    ++lines_;
  }

  std::vector<std::string> closing() const {
    std::vector<std::string> lines;
    for (const std::string& text : options_.leads_to) lines.push_back("  " + style_.red(text));
    lines.push_back(style_.bold("SUMMARY: heddle: " + finding_summary(trace_, finding_, paths_)));
    if (options_.artifact.empty()) return lines;
    lines.push_back("reproduce: " + style_.bold("heddle replay " + path_word(options_.artifact)));
    lines.push_back("explain:   " + style_.bold("heddle explain " + path_word(options_.artifact)));
    const std::size_t slash = options_.artifact.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : options_.artifact.substr(0, slash);
    lines.push_back("page:      " + style_.bold("heddle report " + path_word(folder)));
    return lines;
  }

  // A line each, and carets as far as there is room: those of the places that come first.
  void places(const std::vector<CitedPlace>& all, std::size_t room) {
    const std::size_t shown = std::min(all.size(), room);
    std::size_t carets = std::min(room - shown, shown);
    std::size_t width = 0;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shown; ++i) {
      names.push_back(name_of(all[i].frame));
      width = std::max(width, width_of(names.back()));
    }
    for (std::size_t i = 0; i < shown; ++i) place(all[i], padded(names[i], width), carets);
  }

  // Below the working directory with its folders, where these are short; else the file alone. SUMMARY has it all.
  std::string name_of(const Frame& frame) const {
    std::string shown = fmt::format("{}:{}", paths_.shown(frame.file), frame.line);
    if (!shown.starts_with('/') && width_of(shown) <= kWidestName) return shown;
    return clipped_front(fmt::format("{}:{}", escaped(base_name(frame.file)), frame.line), kWidestName);
  }

  void place(const CitedPlace& cited, const std::string& name, std::size_t& carets) {
    const std::string lead = fmt::format("  {} | ", style_.bold(name));
    const std::string below = fmt::format("  {} | ", std::string(width_of(name), ' '));
    const std::string* text =
        options_.source_lines ? trace_.symbols.source_line(cited.frame.file, cited.frame.line) : nullptr;
    const std::size_t room = options_.width - std::min(options_.width - 20, width_of(name) + 5);
    if (text == nullptr) return add(fmt::format("  {} | {}", style_.bold(name), clipped(cited.label, room)));
    const std::size_t indent = std::min(text->find_first_not_of(" \t"), text->size());
    const std::size_t column = cited.frame.column > indent ? cited.frame.column - indent : 0;
    const std::string_view source = std::string_view(*text).substr(indent);
    if (carets == 0) {
      // The label stands behind the source, which gives way to it.
      const std::string label = "  ← " + cited.label;
      const std::size_t left = room > width_of(label) + 20 ? room - width_of(label) : 20;
      return add(lead + clipped_around(source, column, left).text + style_.cyan(clipped(label, room - 20)));
    }
    --carets;
    const ClippedLine line = clipped_around(source, column, room);
    add(lead + line.text);
    const std::size_t caret = line.caret.value_or(0);
    const std::string label = clipped(cited.label, room - 2);
    // To the right of the caret, or to its left where there is no room for it.
    const bool fits = caret + 2 + width_of(label) <= room;
    const bool fits_left = caret >= width_of(label) + 1;
    if (fits || !fits_left) {
      add(below + std::string(caret, ' ') +
          style_.cyan("^ " + clipped(label, room - std::min(room - 8, caret + 2))));
    } else {
      add(below + std::string(caret - width_of(label) - 1, ' ') + style_.cyan(label + " ^"));
    }
  }

  const Trace& trace_;
  const TraceFinding& finding_;
  const TextOptions& options_;
  PathStyle paths_;
  Style style_;
  Names& names_;
  std::size_t lines_ = 0;
  std::string out_;
};

}  // namespace

std::string first_block(const Trace& trace, const TraceFinding& finding, const TextOptions& options,
                        Names& names) {
  return Block(trace, finding, options, names).write();
}

}  // namespace heddle::report
