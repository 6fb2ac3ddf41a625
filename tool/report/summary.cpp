#include "tool/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tool/report/escape.h"
#include "tool/report/places.h"
#include "tool/report/shell_word.h"
#include "tool/report/style.h"
#include "tool/report/text.h"

namespace heddle::report {
namespace {

std::string count_of(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
}

std::string rate_text(double per_second) {
  return per_second >= 10 ? grouped(static_cast<std::uint64_t>(std::llround(per_second)))
                          : fmt::format("{:.1f}", per_second);
}

class Summary {
 public:
  Summary(const CampaignReport& report, const SummaryOptions& options)
      : report_(report), options_(options), style_(options.color) {}

  std::string write() {
    head();
    findings(Severity::kBug);
    findings(Severity::kWarning);
    out_ += known_text(report_);
    suppressed();
    hidden();
    outcomes();
    pruning();
    out_ += "  left: " + what_is_left(report_) + "\n";
    not_explored();
    if (options_.verbose && !report_.repetition.empty())
      out_ += "  repetition: " + escaped(report_.repetition) + "\n";
    for (const std::string& warning : report_.warnings) note(warning);
    return out_;
  }

 private:
  void head() {
    out_ +=
        style_.bold(fmt::format("heddle: {} in {}", count_of(report_.executions, "execution", "executions"),
                                duration_text(report_.seconds)));
    out_ += fmt::format(" ({} per second, {})", rate_text(report_.executions_per_second()),
                        count_of(report_.workers, "worker", "workers"));
    if (const std::string text = unfinished(); !text.empty()) out_ += ", not run to the end: " + text;
    if (!report_.stopped_because.empty()) out_ += "; " + escaped(report_.stopped_because);
    out_ += fmt::format("\n  seed: {}\n", report_.seed);
    if (report_.strategies.empty()) return;
    if (report_.strategies.size() == 1) {
      out_ += fmt::format("  strategy: {}\n", escaped(report_.strategies[0].name));
      return;
    }
    strategies();
  }

  // The members of a portfolio: what each was given, and what it found.
  void strategies() {
    if (!options_.verbose) {
      out_ += fmt::format("  strategy: auto, which used {} (-v lists them)\n",
                          count_of(report_.strategies.size(), "strategy", "strategies"));
      return;
    }
    out_ += "  strategies:\n";
    for (const StrategyShare& share : report_.strategies) {
      out_ += fmt::format("    {:<16}{:>12}", escaped(share.name),
                          count_of(share.executions, "execution", "executions"));
      if (share.buggy_executions != 0)
        out_ += fmt::format(", {} with a bug", grouped(share.buggy_executions));
      out_ += "\n";
    }
  }

  void note(std::string_view text) {
    std::string_view lead = "  note: ";
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      out_ += fmt::format("{}{}\n", lead, escaped(std::string(text.substr(0, end))));
      text.remove_prefix(std::min(end + 1, text.size()));
      lead = "        ";
    }
  }

  void findings(Severity severity) {
    std::vector<const CampaignFinding*> list;
    for (const CampaignFinding& found : report_.findings) {
      if (found.get().severity == severity) list.push_back(&found);
    }
    const bool bugs = severity == Severity::kBug;
    if (bugs && list.empty()) out_ += "  bugs: none found\n";
    if (list.empty()) return;
    if (bugs) {
      out_ += style_.red(
          fmt::format("  bugs: {} distinct, in {} of {} executions ({})", grouped(list.size()),
                      grouped(report_.buggy_executions), grouped(report_.executions),
                      percent_text(report_.executions == 0 ? 0
                                                           : static_cast<double>(report_.buggy_executions) /
                                                                 static_cast<double>(report_.executions))));
      if (list.size() == 1) out_ += fmt::format(", first in execution {}", grouped(list[0]->first_execution));
      out_ += "\n";
    } else {
      out_ += style_.yellow(fmt::format("  warnings: {}", grouped(list.size()))) + "\n";
    }
    if (bugs && list.size() == 1 && list[0]->known.empty() && !options_.lists_all) return;
    std::size_t number = 0;
    for (const CampaignFinding* found : list) {
      const Trace& trace = *found->trace;
      const std::string times = found->count == 1
                                    ? fmt::format("once, in execution {}", grouped(found->first_execution))
                                    : fmt::format("{} times, first in execution {}", grouped(found->count),
                                                  grouped(found->first_execution));
      out_ += fmt::format("    {}. {} ({})\n", ++number,
                          finding_summary(trace, found->get(), PathStyle(trace)), times);
      if (!found->artifact.empty()) out_ += "       heddle replay " + path_word(found->artifact) + "\n";
      for (const std::string& line : consequence_lines(found->follow_up))
        out_ += "       leads to: " + line + "\n";
      if (!found->known.empty()) out_ += "       known: " + shell_word(found->known) + "\n";
    }
  }

  void suppressed() {
    for (const UsedSuppression& used : report_.suppressed) {
      out_ += fmt::format("  suppressed: {} by {}{}\n", count_of(used.count, "finding", "findings"),
                          escaped(used.text), used.built_in ? " (built in)" : "");
    }
  }

  // The campaign stopped at a race, and whatever a race leads to is undefined.
  void hidden() {
    if (report_.stopped_because != "a bug was found" || report_.findings.empty()) return;
    for (const CampaignFinding& found : report_.findings) {
      if (found.get().kind != FindingKind::kDataRace) continue;
      out_ += "  next: a race can hide other bugs. Mend it first, or go on with --max-failures 10\n";
      return;
    }
  }

  // How executions ended that were not run to their end: "2 cut, 1 timed out".
  std::string unfinished() const {
    std::string text;
    for (const Ending ending : CampaignReport::kUnfinished) {
      const std::uint64_t count = report_.endings[static_cast<std::size_t>(ending)];
      if (count == 0) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count), ending_name(ending));
    }
    return text;
  }

  void not_explored() {
    if (report_.search_ended) return;  // what_is_left() says it
    for (const std::string& reason : report_.not_explored)
      out_ += "  not explored: " + escaped(reason) + "\n";
  }

  void pruning() {
    if (report_.pruned_executions == 0) return;
    out_ += fmt::format(
        "  pruned: in {} of {} executions old stores were forgotten that a load could still have read "
        "(--prune)\n",
        grouped(report_.pruned_executions), grouped(report_.executions));
  }

  void outcomes() {
    if (!report_.histogram) return;
    std::vector<std::pair<std::string, std::uint64_t>> sorted(report_.outcomes.begin(),
                                                              report_.outcomes.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    out_ += fmt::format("  outcomes: {} distinct\n", grouped(sorted.size()));
    std::size_t width = 0;
    for (const auto& [outcome, count] : sorted) width = std::max(width, grouped(count).size());
    for (std::size_t i = 0; i < std::min(sorted.size(), options_.max_outcomes); ++i) {
      out_ += fmt::format("    {:>{}}  {}\n", grouped(sorted[i].second), width, escaped(sorted[i].first));
    }
    if (sorted.size() > options_.max_outcomes) {
      out_ +=
          fmt::format("    {} more are in the JSON report\n", grouped(sorted.size() - options_.max_outcomes));
    }
  }

  const CampaignReport& report_;
  const SummaryOptions& options_;
  Style style_;
  std::string out_;
};

// 9,876, 58k, 1.2M: for a line that changes faster than one reads.
std::string about(double number) {
  if (number < 10) return fmt::format("{:.1f}", number);
  if (number < 9'999.5) return grouped(static_cast<std::uint64_t>(std::llround(number)));
  if (number < 999'500) return fmt::format("{:.0f}k", number / 1e3);
  return fmt::format("{:.1f}M", number / 1e6);
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(seconds, 0.0));
  return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                       : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string summary_text(const CampaignReport& report, const SummaryOptions& options) {
  return Summary(report, options).write();
}

std::string known_text(const CampaignReport& report) {
  if (!report.has_known) return {};
  std::size_t fresh = 0;
  for (const CampaignFinding& found : report.findings)
    fresh += found.known.empty() && found.get().severity == Severity::kBug ? 1 : 0;
  std::string text = fmt::format("  new: {}\n", fresh == 0 ? "none" : count_of(fresh, "bug", "bugs"));
  for (const KnownFinding& one : report.known) {
    const std::string name(base_name(one.artifact));
    const std::string bug =
        fmt::format("{} ({})", escaped(name.substr(0, name.rfind('.'))), shell_word(one.artifact));
    const std::string summary =
        finding_summary(*one.trace, one.trace->findings.front(), PathStyle(*one.trace));
    if (one.count != 0) {
      text += fmt::format("  known: {} still there, in {}: {}\n", bug,
                          count_of(one.count, "execution", "executions"), summary);
    } else {
      text += fmt::format("  gone: {} not seen in {}: {}\n", bug,
                          count_of(report.executions, "execution", "executions"), summary);
    }
  }
  return text;
}

std::string what_is_left(const CampaignReport& report) {
  if (report.exhausted) {
    std::string text = report.executions == 1 ? "nothing: there is one execution, and it was explored"
                                              : fmt::format("nothing: all {} executions were explored",
                                                            grouped(report.executions));
    if (report.redundant_executions != 0)
      text += fmt::format(" ({} more were broken off because they only repeat these in another order)",
                          grouped(report.redundant_executions));
    if (report.buffers_loads)
      text += "; outside stays load buffering: that a load reads a store which is executed later";
    return text;
  }
  if (report.search_ended && !report.not_explored.empty()) {
    std::string text = "what heddle does not explore";
    for (const std::string& reason : report.not_explored)
      text += (&reason == &report.not_explored.front() ? ": " : "; ") + escaped(reason);
    return text;
  }
  if (report.estimated_executions > 0) {
    return fmt::format("{} of an estimated {:.3g} executions were explored",
                       percent_text(static_cast<double>(report.executions) / report.estimated_executions),
                       report.estimated_executions);
  }
  const double share = report.share_new();
  if (share < 0) return "not known: executions were not compared";
  std::string seen = fmt::format("{} of {} executions were distinct", grouped(report.distinct_executions),
                                 grouped(report.executions));
  if (report.read_pairs != 0)
    seen += ", with " +
            count_of(report.read_pairs, "pair of a store and its reader", "pairs of a store and its reader");
  const CampaignReport::Range range = report.share_new_interval();
  if (share >= 0.995) return fmt::format("much: {}, nearly every execution still shows something new", seen);
  if (report.executions_seen_once == 0) {
    return fmt::format(
        "little that this strategy would reach: {}, each of them seen more than once; at most {} of further "
        "ones would show something new",
        seen, percent_text(range.high));
  }
  return fmt::format("{}; about {} of further ones would show something new (95 % interval: {} to {})", seen,
                     percent_text(share), percent_text(range.low), percent_text(range.high));
}

std::string progress_line(const Progress& p, std::size_t width) {
  std::string executions = grouped(p.executions);
  if (p.executions_limit != 0) executions += " of " + grouped(p.executions_limit);
  executions += p.executions == 1 && p.executions_limit == 0 ? " execution" : " executions";
  const std::string rate =
      p.seconds > 0 ? fmt::format(", {}/s", about(static_cast<double>(p.executions) / p.seconds)) : "";
  std::string distinct, fresh;
  if (p.behaviours != 0 && p.executions != 0) {
    distinct = (p.behaviours < 10 ? grouped(p.behaviours) : about(static_cast<double>(p.behaviours))) +
               " distinct, ";
    fresh = percent_text(static_cast<double>(p.behaviours_seen_once) / static_cast<double>(p.executions)) +
            " new · ";
  }
  const double left = p.seconds_left();
  const std::string time = left < 0 ? clock_text(p.seconds) : clock_text(std::ceil(left)) + " left";
  const std::string bugs = p.distinct_bugs == 0 ? "no bug yet" : count_of(p.distinct_bugs, "bug", "bugs");
  const std::string hits =
      p.distinct_bugs == 0 ? "" : " in " + count_of(p.buggy_executions, "execution", "executions");
  // What matters least goes first where there is no space for everything.
  std::string text = "heddle: " + executions + rate + " · " + distinct + fresh + time + " · " + bugs + hits;
  for (const std::string& shorter :
       {executions + rate + " · " + distinct + fresh + time + " · " + bugs + hits,
        executions + rate + " · " + distinct + fresh + time + " · " + bugs,
        executions + rate + " · " + fresh + time + " · " + bugs,
        executions + rate + " · " + time + " · " + bugs, executions + " · " + time + " · " + bugs,
        time + " · " + bugs}) {
    if (width_of(text) <= width) break;
    text = shorter;
  }
  return clipped(text, width);
}

std::string duration_text(double seconds) {
  seconds = std::max(seconds, 0.0);
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 119.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  return whole < 3600 ? fmt::format("{} m {:02} s", whole / 60, whole % 60)
                      : fmt::format("{} h {:02} m", whole / 3600, whole / 60 % 60);
}

}  // namespace heddle::report
