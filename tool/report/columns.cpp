#include "tool/report/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tool/report/brief_rows.h"
#include "tool/report/escape.h"
#include "tool/report/names.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"
#include "tool/report/rows.h"
#include "tool/report/style.h"
#include "tool/report/wrapped.h"

namespace heddle::report {
namespace {

constexpr std::size_t kNarrowestColumn = 24;
constexpr std::size_t kWidestPlace = 20;
constexpr std::size_t kBriefLegend = 4;
constexpr std::size_t kIndent = 2;  // of a cell's further lines

// How a thread comes to its event.
enum class Entry { kSame, kSwitch, kCritical };

class Table {
 public:
  Table(const Trace& trace, const ColumnOptions& options)
      : trace_(trace),
        width_(std::max<std::size_t>(options.width, 40)),
        style_(options.color),
        own_names_(trace),
        names_(options.names != nullptr ? *options.names : own_names_),
        finding_(options.finding),
        brief_(options.head != nullptr && options.finding != nullptr),
        rows_(brief_ ? brief_rows(trace, *options.finding, *options.head, options.max_rows)
                     : choose_rows(trace, {std::max<std::size_t>(options.max_rows, 1), options.finding})) {}

  std::string write() {
    if (trace_.events.empty() || rows_.empty()) return {};
    plan();
    header();
    for (const Row& row : rows_) {
      if (row.access != nullptr) {
        access_row(row);
      } else if (row.plain != nullptr) {
        plain_row(row);
      } else if (row.event == nullptr) {
        out_ += std::string(number_width_ + 2, ' ') +
                style_.dim(clipped(row.fold, width_ - number_width_ - 2)) + "\n";
        previous_ = row.fold_end;
      } else {
        event_row(row);
      }
    }
    footer();
    return out_;
  }

 private:
  void plan() {
    for (const Row& row : rows_) {
      if (row.access != nullptr) column_of_.try_emplace(row.access->thread, 0);
      if (row.plain != nullptr) column_of_.try_emplace(row.plain->thread, 0);
      if (row.event == nullptr) continue;
      column_of_.try_emplace(row.event->thread, 0);
      number_width_ = std::max(number_width_, std::to_string(index_of(row.event->id)).size() + 1);
    }
    std::size_t number = 0;
    for (auto& [thread, column] : column_of_) column = number++;
    place_width_ = widest_place();
    // Number and mark, then for each column one place for ▸ and a separator.
    const auto cell_width = [&](std::size_t places) {
      const std::size_t fixed = number_width_ + 2 + (places > 0 ? places + 2 : 0);
      const std::size_t per_column = (width_ - std::min(width_, fixed)) / column_of_.size();
      return per_column > 2 ? per_column - 2 : 0;
    };
    cell_width_ = cell_width(place_width_);
    if (cell_width_ < kNarrowestColumn && cell_width(0) >= kNarrowestColumn) {
      line_numbers_of_ = commonest_file();
      place_width_ = std::max(widest_place(), std::string_view("line").size());
      cell_width_ = cell_width(place_width_);
    }
    if (cell_width_ < kNarrowestColumn && cell_width(0) >= kNarrowestColumn) {
      place_width_ = 0;
      cell_width_ = cell_width(0);
    }
    if (cell_width_ < kNarrowestColumn) {
      one_column_ = true;
      line_numbers_of_.clear();
      place_width_ = widest_place();
      for (const auto& [thread, column] : column_of_) {
        tag_width_ = std::max(tag_width_, thread_tag(thread).size());
      }
      if (width_ < 60) place_width_ = 0;
      cell_width_ =
          width_ - std::min(width_ - 16, number_width_ + 2 + (place_width_ > 0 ? place_width_ + 2 : 0));
    }
  }

  std::string place_of(std::uint64_t pc, StackId stack) const {
    std::string place = short_place(trace_, pc, stack);
    if (line_numbers_of_.empty()) return place;
    return place.starts_with(line_numbers_of_) ? place.substr(line_numbers_of_.size()) : "";
  }

  void for_each_place(const auto& use) const {
    for (const Row& row : rows_) {
      if (row.access != nullptr) use(place_of(row.access->pc, row.access->stack));
      if (row.plain != nullptr) use(place_of(row.plain->pc, row.plain->stack));
      if (row.event != nullptr) use(place_of(row.event->pc, row.event->stack));
    }
  }

  std::size_t widest_place() const {
    std::size_t width = 0;
    for_each_place([&](const std::string& place) { width = std::max(width, width_of(place)); });
    return std::min(width, kWidestPlace);
  }

  // "mp.cpp:"; where there is no room for names of files, the numbers of its lines are what is left.
  std::string commonest_file() const {
    std::map<std::string, std::size_t> counts;
    for_each_place([&](const std::string& place) {
      if (const std::size_t colon = place.rfind(':'); colon != std::string::npos)
        ++counts[place.substr(0, colon + 1)];
    });
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? "" : most->first;
  }

  // One line of the table: `cell` in `column`, or in no column.
  std::string line(std::string_view number, std::string_view mark, std::size_t column, std::string_view cell,
                   Entry entry, std::string_view place, const auto& paint) const {
    std::string text = fmt::format("{:>{}}{}", number, number_width_, mark.empty() ? " " : style_.red(mark));
    const std::size_t columns = one_column_ ? 1 : column_of_.size();
    for (std::size_t c = 0; c < columns; ++c) {
      if (c > 0) text += style_.dim("│");
      const bool here = c == column;
      text += !here || entry == Entry::kSame ? " "
              : entry == Entry::kCritical    ? style_.red("◆")
                                             : style_.yellow("▸");
      text += here ? paint(padded(clipped(cell, cell_width_), cell_width_)) : std::string(cell_width_, ' ');
    }
    if (place_width_ > 0) text += style_.dim("│ ") + style_.dim(clipped_front(place, place_width_));
    const std::size_t end = text.find_last_not_of(' ');
    text.resize(end == std::string::npos ? 0 : end + 1);
    return text + "\n";
  }

  void header() {
    const auto bold = [&](const std::string& text) { return style_.bold(text); };
    if (one_column_) {
      for (const auto& [thread, column] : column_of_) {
        if (column < 16)
          out_ +=
              fmt::format("{}{}\n", std::string(number_width_ + 2, ' '), bold(thread_title(trace_, thread)));
      }
      if (column_of_.size() > 16) out_ += fmt::format("  … and {} more threads\n", column_of_.size() - 16);
      return;
    }
    std::string text(number_width_ + 1, ' ');
    for (const auto& [thread, column] : column_of_) {
      if (column > 0) text += style_.dim("│");
      text += " " + bold(padded(clipped(thread_title(trace_, thread), cell_width_), cell_width_));
    }
    if (place_width_ > 0) text += style_.dim("│ ") + bold(line_numbers_of_.empty() ? "where" : "line");
    const std::size_t end = text.find_last_not_of(' ');
    out_ += text.substr(0, end + 1) + "\n";
  }

  void event_row(const Row& row) {
    const TraceEvent& event = *row.event;
    Operation operation = describe(trace_, event, names_);
    // The head of the report has the message.
    if (brief_ && event.kind == EventKind::kFinding)
      operation.text = fmt::format("*** {}", to_string(finding_->kind));
    any_stale_ |= operation.is_stale;
    const auto paint = [&](const std::string& cell) {
      if (event.kind == EventKind::kFinding || row.cited) return style_.red(cell);
      if (operation.is_stale) return style_.magenta(cell);
      if (event.kind == EventKind::kNote || event.kind == EventKind::kOutcome) return style_.cyan(cell);
      return cell;
    };
    cell(event.thread, fmt::format("#{}", index_of(event.id)), {row.cited, is_critical(event.id)},
         operation.line(kNoBreak), place_of(event.pc, event.stack), paint);
  }

  bool is_critical(EventId event) const {
    const TraceDeparture* departure = trace_.departure_at(event);
    return departure != nullptr && departure->critical;
  }

  // Plain accesses are no events and have no number; those of a race are known by its finding.
  void access_row(const Row& row) {
    const TracePart& part = *row.access;
    const std::string text = describe_access(part, names_);
    cell(part.thread, "", {true, false}, text, place_of(part.pc, part.stack),
         [&](const std::string& words) { return style_.red(words); });
  }

  // A plain access that is known with its value.
  void plain_row(const Row& row) {
    const TraceAccess& access = *row.plain;
    cell(access.thread, "", {row.cited, false}, describe_access(access, names_),
         place_of(access.pc, access.stack),
         [&](const std::string& words) { return row.cited ? style_.red(words) : words; });
  }

  // What a thread did, in its column.
  struct Marks {
    bool cited, critical;
  };
  void cell(ThreadId thread, std::string_view number, Marks marks, std::string text, const std::string& place,
            const auto& paint) {
    Entry entry = thread != previous_ ? Entry::kSwitch : Entry::kSame;
    if (marks.critical) entry = Entry::kCritical;
    any_critical_ |= marks.critical;
    previous_ = thread;
    any_cited_ |= marks.cited;
    if (one_column_) text = padded(thread_tag(thread), tag_width_) + kNoBreak + text;
    bool first = true;
    for (const std::string& part : wrapped(text, cell_width_, kIndent)) {
      out_ +=
          line(first ? number : "", first && marks.cited ? "!" : "", one_column_ ? 0 : column_of_.at(thread),
               part, first ? entry : Entry::kSame, first ? place : "", paint);
      first = false;
    }
  }

  void footer() {
    const std::string indent(number_width_ + 2, ' ');
    std::vector<std::string> legend = names_.legend();
    if (brief_ && legend.size() > kBriefLegend) legend.resize(kBriefLegend);
    for (const std::string& entry : legend) out_ += style_.dim(clipped(indent + entry, width_)) + "\n";
    if (!line_numbers_of_.empty() && place_width_ > 0)
      out_ += style_.dim(clipped(
                  indent + "line: of " + line_numbers_of_.substr(0, line_numbers_of_.size() - 1), width_)) +
              "\n";
    std::string key = "▸ another thread runs · ← the store that was read";
    if (any_stale_) key += " · STALE: a newer store existed";
    if (any_cited_) key += " · ! cited by the report";
    if (any_critical_) key += " · ◆ critical: without it the bug goes away";
    for (const std::string& part : wrapped(key, width_ - indent.size(), kIndent))
      out_ += style_.dim(indent + part) + "\n";
  }

  const Trace& trace_;
  std::size_t width_;
  Style style_;
  Names own_names_;
  Names& names_;
  const TraceFinding* finding_;
  bool brief_;
  std::vector<Row> rows_;
  std::map<ThreadId, std::size_t> column_of_;
  std::size_t number_width_ = 3, cell_width_ = 0, place_width_ = 0, tag_width_ = 0;
  std::string line_numbers_of_;  // a file and a colon: of places only its line numbers are shown
  bool one_column_ = false;
  ThreadId previous_ = kNoThread;
  bool any_stale_ = false, any_cited_ = false, any_critical_ = false;
  std::string out_;
};

}  // namespace

std::string columns(const Trace& trace, const ColumnOptions& options) {
  return Table(trace, options).write();
}

}  // namespace heddle::report
