// What minimising has found out about an execution, as a section.
#include "tool/artifact/codec.h"
#include "tool/base/bytes.h"

namespace heddle::codec {
namespace {

std::string encode_size(const TraceSize& size) {
  ByteWriter w;
  w.number(1, size.events);
  w.number(2, size.switches);
  w.number(3, size.preemptions);
  w.number(4, size.stale_reads);
  w.number(5, size.departures);
  return w.take();
}

bool decode_size(std::string_view bytes, TraceSize& size) {
  return read_record(bytes, [&](const Field& f) {
    if (f.tag == 1) size.events = f.number;
    if (f.tag == 2) size.switches = f.number;
    if (f.tag == 3) size.preemptions = f.number;
    if (f.tag == 4) size.stale_reads = f.number;
    if (f.tag == 5) size.departures = f.number;
  });
}

std::string encode_departure(const TraceDeparture& d) {
  ByteWriter w;
  w.number(1, static_cast<std::uint64_t>(d.kind));
  w.number(2, d.preempts ? 1 : 0);
  w.number(3, d.critical ? 1 : 0);
  w.number(4, index_of(d.thread));
  w.number(5, d.to == kNoThread ? 0 : index_of(d.to) + 1u);
  w.number(6, d.choice);
  w.number(7, d.event == kNoEvent ? 0 : index_of(d.event) + std::uint64_t{1});
  return w.take();
}

ThreadId thread_of(std::uint64_t number) { return ThreadId{static_cast<std::uint16_t>(number)}; }

bool decode_departure(std::string_view bytes, const Trace& trace, TraceDeparture& d) {
  bool good = true;
  const bool is_record = read_record(bytes, [&](const Field& f) {
    switch (f.tag) {
      case 1:
        good = good && f.number < kChoiceKinds;
        d.kind = static_cast<ChoiceKind>(f.number);
        break;
      case 2:
        d.preempts = f.number != 0;
        break;
      case 3:
        d.critical = f.number != 0;
        break;
      case 4:
        d.thread = thread_of(f.number);
        break;
      case 5:
        d.to = thread_of(f.number - 1);
        break;
      case 6:
        good = good && f.number < trace.choices.size();
        d.choice = static_cast<std::uint32_t>(f.number);
        break;
      case 7:
        d.event = EventId{static_cast<std::uint32_t>(f.number - 1)};
        break;
      default:
        break;
    }
  });
  return is_record && good;
}

}  // namespace

std::string encode_minimal(const Trace& trace) {
  if (!trace.minimised) return {};
  ByteWriter w;
  w.text(1, encode_size(trace.minimised->before));
  w.text(2, encode_size(trace.minimised->after));
  w.number(3, trace.minimised->candidates);
  w.number(4, trace.minimised->milliseconds);
  w.number(5, trace.minimised->complete ? 1 : 0);
  for (const TraceDeparture& d : trace.departures) w.element(6, encode_departure(d));
  return w.take();
}

Flaw decode_minimal(std::string_view payload, Trace& trace) {
  if (payload.empty()) return {};
  Minimisation minimised;
  bool good = true;
  const bool is_record = read_record(payload, [&](const Field& f) {
    switch (f.tag) {
      case 1:
        good = good && decode_size(f.bytes, minimised.before);
        break;
      case 2:
        good = good && decode_size(f.bytes, minimised.after);
        break;
      case 3:
        minimised.candidates = f.number;
        break;
      case 4:
        minimised.milliseconds = f.number;
        break;
      case 5:
        minimised.complete = f.number != 0;
        break;
      case 6:
        good = good && decode_departure(f.bytes, trace, trace.departures.emplace_back());
        break;
      default:
        break;
    }
  });
  if (!is_record || !good) return "is not a list of departures";
  trace.minimised = minimised;
  return {};
}

}  // namespace heddle::codec
