#include "tool/cause/truncation.h"

#include <map>

namespace heddle::cause {
namespace {

using symbolic::Record;
using symbolic::RecordKind;

class Cuts {
 public:
  explicit Cuts(const std::vector<Event>& events) : events_(events) {}

  void cut(ThreadId thread, std::uint32_t from) {
    const auto [at, is_new] = from_.emplace(thread, from);
    if (!is_new && at->second <= from) return;
    at->second = from;
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const Event& e = events_[i];
      if (e.kind == EventKind::kThreadJoin && e.other == thread) cut(e.thread, i);
      if (e.kind == EventKind::kThreadCreate && e.thread == thread && i >= from) cut(e.other, 0);
    }
  }
  bool has(ThreadId thread, std::uint32_t event) const {
    const auto at = from_.find(thread);
    return at != from_.end() && event >= at->second;
  }
  bool touches(ThreadId thread) const { return from_.contains(thread); }

 private:
  const std::vector<Event>& events_;
  std::map<ThreadId, std::uint32_t> from_;
};

}  // namespace

std::optional<TraceTables> truncated(TraceTables tables, ThreadId thread, EventId from, ThreadId failed) {
  Cuts cuts(tables.events);
  cuts.cut(thread, index_of(from));
  if (cuts.touches(failed)) return std::nullopt;
  for (Record& record : tables.records) {
    if (record.event == kNoEvent || !cuts.has(record.thread, index_of(record.event))) continue;
    // A condition that was tested after the thread's last event before the cut stays: it follows from what
    // was read.
    for (const symbolic::ExpressionId symbol : {record.expression, record.symbol}) {
      symbolic::Expression& e = tables.expressions[index_of(symbol)];
      if (e.op != symbolic::Operator::kSymbol) continue;
      e.op = symbolic::Operator::kConstant;
      e.operands[0] = symbolic::kConcrete;
    }
    record.kind = RecordKind::kFolded;
    record.expression = record.symbol = record.pointer = symbolic::kConcrete;
  }
  for (std::uint32_t i = 0; i < tables.events.size(); ++i) {
    Event& event = tables.events[i];
    if (cuts.has(event.thread, i)) {
      const ThreadId owner = event.thread;
      event = Event{};
      event.thread = owner;
    }
  }
  for (std::uint32_t i = 0; i < tables.events.size(); ++i) {
    Event& event = tables.events[i];
    const std::uint32_t source = index_of(event.reads_from);
    if (event.reads_from != kNoEvent && source < i && tables.events[source].kind == EventKind::kNone)
      event.reads_from = kNoEvent;
  }
  return tables;
}

}  // namespace heddle::cause
