#include "tests/oracle/check_trace.h"

#include <algorithm>

#include "tests/oracle/trace_adapter.h"

namespace oracle {
namespace {

using heddle::Ending;

std::string why_not_judged(const heddle::Trace& trace) {
  if (trace.spec.model == heddle::ModelKind::kC11Tester) return "the model c11tester has other axioms";
  if (trace.events.size() != trace.total_events) return "the trace keeps only some of the events";
  // Places in modification order are written at the end of an execution.
  switch (trace.result.ending) {
    case Ending::kExited:
    case Ending::kFinding:
    case Ending::kCut:
      break;
    default:
      return "the program did not come to its end";
  }
  const bool any = std::any_of(trace.events.begin(), trace.events.end(),
                               [](const heddle::TraceEvent& e) { return e.mo_position != 0; });
  const bool stores = std::any_of(trace.events.begin(), trace.events.end(), [](const heddle::TraceEvent& e) {
    return e.kind == heddle::EventKind::kAtomicStore || e.kind == heddle::EventKind::kAtomicUpdate;
  });
  return stores && !any ? "the program ended without its exit handlers" : "";
}

}  // namespace

TraceVerdict check_trace(const heddle::Trace& trace, std::size_t most_events) {
  TraceVerdict verdict;
  verdict.not_judged = why_not_judged(trace);
  if (!verdict.not_judged.empty()) return verdict;
  const std::size_t count = std::min(most_events, trace.events.size());
  const std::vector<heddle::Event> events(trace.events.begin(),
                                          trace.events.begin() + static_cast<std::ptrdiff_t>(count));
  verdict.events = count;
  verdict.error = malformed(events);
  if (!verdict.error.empty()) return verdict;
  const Execution execution = execution_of(events);
  for (const Event& e : execution.events) {
    verdict.atomics += e.kind != EventKind::kInitial && e.kind != EventKind::kOther ? 1 : 0;
  }
  const bool by_words = trace.spec.model == heddle::ModelKind::kCxx20Words;
  verdict.error = violated_axiom(execution, by_words ? SeqCst::kWords : SeqCst::kRepaired);
  return verdict;
}

}  // namespace oracle
