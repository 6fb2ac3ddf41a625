#include "tool/report/minimised.h"

#include <fmt/format.h>

#include "tool/report/names.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostShown = 20;

std::string counted(std::uint64_t n, const char* one, const char* more) {
  return fmt::format("{} {}", grouped(n), n == 1 ? one : more);
}

std::string what(const TraceDeparture& d) {
  switch (d.kind) {
    case ChoiceKind::kThread:
      return fmt::format("{} {}{}", d.preempts ? "switch to" : "goes on with", thread_text(d.to),
                         d.preempts ? fmt::format(", away from {}", thread_text(d.thread)) : "");
    case ChoiceKind::kReadsFrom:
      return fmt::format("{} reads an older store", thread_text(d.thread));
    case ChoiceKind::kWakeUp:
      return fmt::format("{} wakes another waiter than the first", thread_text(d.thread));
    case ChoiceKind::kTimeout:
      return fmt::format("the wait of {} times out", thread_text(d.thread));
    case ChoiceKind::kSpurious:
      return fmt::format("{} fails or wakes up without a reason", thread_text(d.thread));
    case ChoiceKind::kBlockReuse:
      return fmt::format("malloc gives {} a freed block again", thread_text(d.thread));
    case ChoiceKind::kOvertakes:
      return fmt::format("the seq_cst operation of {} comes before one that was executed earlier",
                         thread_text(d.thread));
    case ChoiceKind::kValue:
      return fmt::format("heddle_choose of {}", thread_text(d.thread));
  }
  return {};
}

}  // namespace

std::string size_text(const TraceSize& size) {
  return fmt::format("{} ({}), {}, {}", counted(size.switches, "switch", "switches"),
                     counted(size.preemptions, "preemption", "preemptions"),
                     counted(size.stale_reads, "stale read", "stale reads"),
                     counted(size.events, "event", "events"));
}

std::string minimised_text(const Trace& trace, Names& names) {
  if (!trace.minimised) return {};
  const Minimisation& m = *trace.minimised;
  std::string text =
      fmt::format("  Minimised from {}\n         to   {}: {} tried in {:.1f} s.\n", size_text(m.before),
                  size_text(m.after), counted(m.candidates, "execution", "executions"),
                  static_cast<double>(m.milliseconds) / 1000);
  if (trace.departures.empty()) {
    return text + "  It needs nothing unusual: threads that run one after the other show it, too.\n";
  }
  text += m.complete ? "  The bug goes away without any one of these:\n"
                     : "  What is left of the unusual; [critical]: the bug goes away without it:\n";
  for (std::size_t i = 0; i < trace.departures.size() && i < kMostShown; ++i) {
    const TraceDeparture& d = trace.departures[i];
    text += "    " + what(d);
    if (const TraceEvent* event = trace.find_event(d.event))
      text += fmt::format(" (event {}: {})", index_of(event->id), describe(trace, *event, names).line());
    text += d.critical ? " [critical]\n" : "\n";
  }
  if (trace.departures.size() > kMostShown)
    text += fmt::format("    … and {} more\n", trace.departures.size() - kMostShown);
  return text;
}

std::string minimised_text(const Trace& trace) {
  Names names(trace);
  return minimised_text(trace, names);
}

}  // namespace heddle::report
