#include "tool/replay/carry_over.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "core/trace/event_kinds.h"
#include "tool/findings/carried_lines.h"
#include "tool/findings/kept_bug.h"
#include "tool/findings/same_bug.h"
#include "tool/run/time_limit.h"
#include "tool/trace/stack_view.h"

namespace heddle::replay {
namespace {

constexpr std::size_t kMostCarried = 200;

// What a thread did, as both builds know it.
using Deed = std::tuple<ThreadId, EventKind, std::string /* file */, std::uint32_t /* line */>;

// Deeds of an execution, each with the number of equal ones before it.
class Deeds {
 public:
  using LineOf = std::function<LinesNow::Line(const Frame&)>;
  explicit Deeds(
      const Trace& trace,
      const LineOf& line_of =
          [](const Frame& frame) { return LinesNow::Line{file_name(frame.file), frame.line}; })
      : trace_(trace) {
    for (const TraceEvent& event : trace.events) {
      deeds_.push_back(deed_of(event, line_of));
      occurrence_.push_back(events_[deeds_.back()].size());
      events_[deeds_.back()].push_back(index_of(event.id));
    }
  }
  std::pair<Deed, std::size_t> at(std::size_t position) const {
    return {deeds_[position], occurrence_[position]};
  }
  std::optional<std::uint32_t> find(const std::pair<Deed, std::size_t>& named) const {
    const auto found = events_.find(named.first);
    if (found == events_.end() || named.second >= found->second.size()) return std::nullopt;
    return found->second[named.second];
  }

 private:
  Deed deed_of(const TraceEvent& event, const LineOf& line_of) const {
    const auto frames = visible_frames(trace_, event.pc, event.stack);
    const Frame* frame = deciding_frame(frames);
    // Failed and successful exchanges are one operation of the source.
    const EventKind kind = event.kind == EventKind::kCasFailed ? EventKind::kAtomicUpdate : event.kind;
    if (frame == nullptr) return {event.thread, kind, {}, 0};
    LinesNow::Line line = line_of(*frame);
    return {event.thread, kind, std::move(line.file), line.number};
  }

  const Trace& trace_;
  std::map<Deed, std::vector<std::uint32_t>> events_;
  std::vector<Deed> deeds_;
  std::vector<std::size_t> occurrence_;
};

// How many atomic stores its thread had made before this event.
std::uint32_t store_number(const Trace& trace, std::uint32_t event) {
  const ThreadId thread = trace.events[event].thread;
  return static_cast<std::uint32_t>(
      std::count_if(trace.events.begin(), trace.events.begin() + event,
                    [&](const TraceEvent& e) { return e.thread == thread && stores_atomically(e.kind); }));
}

class Carrier {
 public:
  Carrier(const Trace& original, Candidates candidates)
      : original_(original), candidates_(std::move(candidates)) {
    candidates_.keep_logs();
  }

  Result<Carried> run() {
    auto last = execute();
    for (const TraceDeparture& departure : original_.departures) {
      if (!last) return last.error();
      if (run::time_is_up() || put_same_first(last->run.trace, original_)) break;
      if (add(departure, *last)) last = execute();
    }
    if (!last) return last.error();
    const bool shows_bug = put_same_first(last->run.trace, original_);
    last->run.trace.execution = original_.execution;
    last->run.trace.spec = original_.spec;
    return Carried{std::move(candidates_), std::move(plan_), std::move(*last), shows_bug};
  }

 private:
  Result<Candidates::Explained> execute() {
    auto outcome = candidates_.follow(plan_);
    if (!outcome) return outcome.error();
    if (outcome->cut) return Error{"The execution is too long to be carried over.", ExitCode::kInconclusive};
    auto explained = candidates_.explain(original_.spec, outcome->choices, Candidates::Others::kList);
    if (explained && explained->run.trace.events.size() != explained->run.trace.total_events)
      return Error{"The execution is too long to be carried over.", ExitCode::kInconclusive};
    return explained;
  }

  // False: it is not there.
  bool add(const TraceDeparture& departure, const Candidates::Explained& so_far) {
    const Trace& now = so_far.run.trace;
    const Deeds deeds(now);
    if (!deeds_) deeds_.emplace(original_, LinesNow(original_, now));
    const auto position_of = [&](EventId id) -> std::optional<std::size_t> {
      const TraceEvent* event = id == kNoEvent ? nullptr : original_.find_event(id);
      if (event == nullptr) return std::nullopt;
      return static_cast<std::size_t>(event - original_.events.data());
    };
    const auto shown = position_of(departure.event);
    if (!shown) return false;
    // The last thing that the departing thread had done, or, of a load, the load itself.
    std::uint32_t from = 0;
    std::uint32_t to = ~0u;
    ChoiceKey pick = original_.choices[departure.choice].picked();
    if (departure.kind == ChoiceKind::kReadsFrom) {
      const auto load = deeds.find(deeds_->at(*shown));
      if (!load) return false;
      from = to = *load;
      const auto writer = position_of(original_.events[*shown].reads_from);
      if (writer) {
        const auto store = deeds.find(deeds_->at(*writer));
        if (!store) return false;
        pick = ChoiceKey::store(now.events[*store].thread, store_number(now, *store));
      }
    } else {
      for (std::size_t i = *shown; i-- > 0;) {
        if (original_.events[i].thread != departure.thread) continue;
        const auto before = deeds.find(deeds_->at(i));
        if (!before) return false;
        from = *before + 1;
        break;
      }
      const auto next = std::find_if(now.events.begin() + from, now.events.end(),
                                     [&](const TraceEvent& e) { return e.thread == departure.thread; });
      if (next != now.events.end()) to = index_of(next->id);
    }
    for (const DepartureMade& other : so_far.others) {
      if (other.departure.place.thread() != departure.thread || other.event < from || other.event > to ||
          other.departure.place.kind() != departure.kind || other.departure.pick != pick)
        continue;
      plan_.push_back(other.departure);
      return true;
    }
    return false;
  }

  const Trace& original_;
  std::optional<Deeds> deeds_;  // of the original, with the lines that the other build has for them
  Candidates candidates_;
  std::vector<Departure> plan_;
};

}  // namespace

bool put_same_first(Trace& trace, const Trace& original) {
  const SameBug bug(original);
  for (std::size_t i = 0; i < trace.findings.size(); ++i) {
    if (!bug.is(trace, trace.findings[i])) continue;
    put_first(trace, i);
    return true;
  }
  return false;
}

Result<Carried> carry_plan(const run::Target& other_build, const Trace& original) {
  if (!original.minimised || original.departures.size() > kMostCarried ||
      original.events.size() != original.total_events)
    return Error{
        "Only a minimised execution can be carried over to another build: run `heddle minimize` with the "
        "build that the artifact was made with.",
        ExitCode::kInconclusive};
  auto candidates = Candidates::start(other_build, original.spec, original);
  if (!candidates) return candidates.error();
  return Carrier(original, std::move(*candidates)).run();
}

Result<Trace> carry_over(const run::Target& other_build, const Trace& original) {
  auto carried = carry_plan(other_build, original);
  if (!carried) return carried.error();
  if (!carried->shows_bug)
    return Error{fmt::format("This build does not come to the same bug by the {} departures of the artifact.",
                             original.departures.size()),
                 ExitCode::kInconclusive};
  return std::move(carried->last.run.trace);
}

}  // namespace heddle::replay
