#include "tool/report/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/report/columns.h"
#include "tool/report/escape.h"
#include "tool/report/first_block.h"
#include "tool/report/headline.h"
#include "tool/report/minimised.h"
#include "tool/report/places.h"
#include "tool/report/stacks.h"
#include "tool/report/style.h"

namespace heddle::report {
namespace {

constexpr std::size_t kRows = 40;            // of the trace in a default report
constexpr std::size_t kClosingLines = 10;    // what a campaign says at its end
constexpr std::size_t kMostStackLines = 22;  // in a default report
constexpr std::size_t kFewestRows = 8;
constexpr std::size_t kOutputLines = 8;  // the end of the output, in a default report

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// The first lines of a text, and how many are left out.
std::string first_lines(const std::string& text, std::size_t most) {
  const std::size_t all = lines_in(text);
  if (all <= most) return text;
  std::size_t end = 0;
  for (std::size_t i = 0; i + 1 < most; ++i) end = text.find('\n', end) + 1;
  return text.substr(0, end) + fmt::format("  … {} more lines (-v shows them)\n", all - most + 1);
}

class Report {
 public:
  Report(const Trace& trace, const TraceFinding& finding, const TextOptions& options, Names& names)
      : trace_(trace), finding_(finding), options_(options), style_(options.color), names_(names) {}

  std::string write() {
    out_ = first_block(trace_, finding_, options_, names_);
    if (options_.detail == Detail::kAll) all();
    if (options_.detail == Detail::kDefault) brief();
    return out_;
  }

 private:
  bool is_first() const { return &finding_ == trace_.findings.data(); }
  bool has_trace() const { return !options_.stacks_only && finding_.severity == Severity::kBug; }

  void title(std::string_view text) { out_ += "\n" + style_.bold(text) + "\n"; }

  void all() {
    if (has_trace()) {
      ColumnOptions table;
      table.color = options_.color;
      table.finding = &finding_;
      table.width = options_.width;
      table.names = &names_;
      if (const std::string text = columns(trace_, table); !text.empty()) {
        title("How it came about:");
        if (is_first()) out_ += minimised_text(trace_, names_);
        out_ += text;
      }
    }
    title("Where:");
    out_ += stacks_text(trace_, finding_, options_, names_);
    output(~std::size_t{0});
  }

  void brief() {
    const std::string stacks = first_lines(stacks_text(trace_, finding_, options_, names_), kMostStackLines);
    const std::string said = output_text(kOutputLines);
    if (has_trace()) table(lines_in(stacks) + lines_in(said) + 4);
    if (!stacks.empty()) title("Where:");
    out_ += stacks;
    out_ += said;
  }

  // As many rows as leave the report its length.
  void table(std::size_t others) {
    const Headline head = headline(trace_, finding_, names_);
    const std::size_t used = lines_in(out_) + others + kClosingLines;
    const std::size_t room = std::max(kFewestRows, kDefaultLines - std::min(used, kDefaultLines));
    ColumnOptions table;
    table.color = options_.color;
    table.finding = &finding_;
    table.head = &head;
    table.width = options_.width;
    table.names = &names_;
    table.max_rows = std::min(kRows, room);
    std::string text = columns(trace_, table);
    while (lines_in(text) > room && table.max_rows > 4) {
      table.max_rows -= std::min(table.max_rows - 4, std::max<std::size_t>((lines_in(text) - room) / 2, 1));
      text = columns(trace_, table);
    }
    if (text.empty()) return;
    title(how());
    out_ += text;
  }

  std::string how() const {
    if (!trace_.minimised || !is_first()) return "How it came about:";
    if (trace_.departures.empty())
      return "How it came about (threads that run one after the other show it, too):";
    const TraceSize& size = trace_.minimised->after;
    return fmt::format("How it came about, made small: {} switch{}, {} stale read{}, {} event{}",
                       grouped(size.switches), size.switches == 1 ? "" : "es", grouped(size.stale_reads),
                       size.stale_reads == 1 ? "" : "s", grouped(size.events), size.events == 1 ? "" : "s");
  }

  // What the program wrote, where that can say why: it ended by its own will.
  std::string output_text(std::size_t most) const {
    const Manner manner = manner_of(finding_.kind);
    const bool tells = manner == Manner::kExit || manner == Manner::kAbort || manner == Manner::kFault;
    if (finding_.severity != Severity::kBug || trace_.output.empty() || options_.stacks_only) return {};
    // A framework's own account of the failed check is in the first block.
    const bool is_told = finding_.kind == FindingKind::kTestFailure;
    if (options_.detail == Detail::kDefault && (!tells || is_told)) return {};
    std::string text = escaped_lines(trace_.output);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::size_t start = text.size();
    for (std::size_t lines = 0; start != std::string::npos && start > 0 && lines < most; ++lines)
      start = text.rfind('\n', start - 1);
    if (start == std::string::npos) start = 0;
    std::string out = "\n" +
                      style_.bold(start == 0 && !trace_.output_cut ? "The program's output:"
                                                                   : "The end of the program's output:") +
                      "\n";
    if (start > 0) ++start;
    while (start < text.size()) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      out += "    | " + text.substr(start, end - start) + "\n";
      start = end + 1;
    }
    return out;
  }
  void output(std::size_t most) { out_ += output_text(most); }

  const Trace& trace_;
  const TraceFinding& finding_;
  const TextOptions& options_;
  Style style_;
  Names& names_;
  std::string out_;
};

}  // namespace

std::string text_report(const Trace& trace, const TraceFinding& finding, const TextOptions& options,
                        Names& names) {
  return Report(trace, finding, options, names).write();
}

std::string text_report(const Trace& trace, const TraceFinding& finding, const TextOptions& options) {
  Names names(trace);
  return text_report(trace, finding, options, names);
}

}  // namespace heddle::report
