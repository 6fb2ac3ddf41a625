// Plain accesses of memory that several threads touch, as a section.
#include "tool/artifact/codec.h"
#include "tool/base/bytes.h"

namespace heddle::codec {
namespace {

std::string encode_access(const TraceAccess& a) {
  ByteWriter w;
  w.number(1, a.after == kNoEvent ? 0 : index_of(a.after) + std::uint64_t{1});
  w.number(2, index_of(a.thread));
  w.number(3, a.writes ? 1 : 0);
  w.number(4, a.size);
  w.number(5, a.pc);
  w.number(6, index_of(a.stack));
  w.number(7, a.address);
  w.number(8, a.value);
  return w.take();
}

bool decode_access(std::string_view bytes, const Trace& trace, TraceAccess& a) {
  bool good = true;
  const bool is_record = read_record(bytes, [&](const Field& f) {
    switch (f.tag) {
      case 1:
        good = good && f.number <= index_of(kNoEvent);
        a.after = EventId{static_cast<std::uint32_t>(f.number - 1)};
        break;
      case 2:
        good = good && f.number < index_of(kNoThread);
        a.thread = ThreadId{static_cast<std::uint16_t>(f.number)};
        break;
      case 3:
        a.writes = f.number != 0;
        break;
      case 4:
        good = good && f.number <= UINT8_MAX;
        a.size = static_cast<std::uint8_t>(f.number);
        break;
      case 5:
        a.pc = f.number;
        break;
      case 6:
        good = good && f.number < trace.stacks.size();
        a.stack = StackId{static_cast<std::uint32_t>(f.number)};
        break;
      case 7:
        a.address = f.number;
        break;
      case 8:
        a.value = f.number;
        break;
      default:
        break;
    }
  });
  return is_record && good;
}

}  // namespace

std::string encode_accesses(const Trace& trace) {
  ByteWriter w;
  for (const TraceAccess& access : trace.accesses) w.element(1, encode_access(access));
  return w.take();
}

Flaw decode_accesses(std::string_view payload, Trace& trace) {
  bool good = true;
  std::uint64_t before = 0;  // one more than the last event's number; 0: there was none
  const bool is_record = read_record(payload, [&](const Field& f) {
    if (f.tag != 1 || !good) return;
    TraceAccess& access = trace.accesses.emplace_back();
    good = decode_access(f.bytes, trace, access);
    const std::uint64_t after = access.after == kNoEvent ? 0 : index_of(access.after) + std::uint64_t{1};
    good = good && after >= before;
    before = after;
  });
  return is_record && good ? Flaw() : Flaw("is not a list of accesses");
}

}  // namespace heddle::codec
