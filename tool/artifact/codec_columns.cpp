// Sections that are long: choices, stacks, texts and events. One field of all entries after the other, as
// small differences, which compresses several times better than entry after entry.
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "tool/artifact/codec.h"
#include "tool/base/bytes.h"

namespace heddle::codec {
namespace {

static_assert(static_cast<int>(EventKind::kCount) == 43 && sizeof(Event) == 64 && kChoiceKinds == 8,
              "core/trace has changed: see docs/design/trace-format.md, \"Versions\"");

constexpr const char* kTooShort = "ends too early";
constexpr const char* kTooLong = "has bytes left over";

Flaw ended(const ByteReader& r) {
  if (r.failed()) return kTooShort;
  return r.at_end() ? "" : kTooLong;
}

// The part of an event that is the same every time the program comes by the same place.
using Site = std::tuple<std::uint64_t, std::uint32_t, std::uint8_t, std::uint8_t, std::uint8_t>;

Site site_of(const Event& e) {
  return {e.pc, index_of(e.stack), static_cast<std::uint8_t>(e.kind), static_cast<std::uint8_t>(e.order),
          e.size};
}

// Numbers values in the order of their first appearance.
template <typename T, typename Map>
struct Dictionary {
  Map numbers;
  std::vector<T> values;
  std::uint64_t number_of(const T& value) {
    const auto [at, is_new] = numbers.try_emplace(value, values.size());
    if (is_new) values.push_back(value);
    return at->second;
  }
};

std::int64_t difference(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); }

template <typename Get>
void put_column(ByteWriter& w, const std::vector<TraceEvent>& events, Get get) {
  for (const TraceEvent& e : events) w.varint(get(e));
}

template <typename Set>
void get_column(ByteReader& r, std::vector<TraceEvent>& events, Set set) {
  for (TraceEvent& e : events) set(e, r.varint());
}

Flaw read_sites(ByteReader& r, const Trace& trace, std::vector<Event>& sites) {
  const std::uint64_t count = r.count(5);
  sites.reserve(count);
  std::uint64_t pc = 0;
  for (std::uint64_t i = 0; i < count && !r.failed(); ++i) {
    Event site;
    pc += static_cast<std::uint64_t>(r.signed_varint());
    site.pc = pc;
    const std::uint64_t stack = r.varint(), kind = r.varint(), order = r.varint();
    site.size = static_cast<std::uint8_t>(r.varint());
    if (r.failed()) return kTooShort;
    if (stack >= trace.stacks.size()) return "names a stack that is not there";
    if (kind >= static_cast<std::uint64_t>(EventKind::kCount)) return Flaw::unknown("event kind", kind);
    if (order > static_cast<std::uint64_t>(MemoryOrder::kSeqCst)) return "has an unknown memory order";
    site.stack = StackId{static_cast<std::uint32_t>(stack)};
    site.kind = static_cast<EventKind>(kind);
    site.order = static_cast<MemoryOrder>(order);
    sites.push_back(site);
  }
  return {};
}

}  // namespace

std::string encode_choices(const Trace& trace) {
  ByteWriter w;
  w.varint(trace.choices.size());
  for (const Choice c : trace.choices) w.varint(static_cast<std::uint64_t>(c.kind()));
  std::array<std::uint64_t, 16> previous{};  // pick of the same kind
  for (const Choice c : trace.choices) {
    std::uint64_t& before = previous[static_cast<std::size_t>(c.kind())];
    w.signed_varint(difference(c.picked().bits, before));
    before = c.picked().bits;
  }
  for (const Choice c : trace.choices) w.varint(c.alternatives_hash());
  return w.take();
}

Flaw decode_choices(std::string_view payload, Trace& trace) {
  ByteReader r(payload);
  const std::uint64_t count = r.count(3);
  std::vector<ChoiceKind> kinds(count);
  for (ChoiceKind& kind : kinds) {
    const std::uint64_t number = r.varint();
    if (number >= kChoiceKinds) return Flaw::unknown("choice kind", number);
    kind = static_cast<ChoiceKind>(number);
  }
  std::vector<std::uint64_t> picks(count);
  std::array<std::uint64_t, 16> previous{};
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t& before = previous[static_cast<std::size_t>(kinds[i])];
    picks[i] = before += static_cast<std::uint64_t>(r.signed_varint());
  }
  trace.choices.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t hash = r.varint();
    if (picks[i] > ChoiceKey::kMask || hash > 0xfffff) return "has a pick or a hash that is too large";
    trace.choices.push_back(Choice::make(kinds[i], static_cast<std::uint32_t>(hash), {picks[i]}));
  }
  return ended(r);
}

std::string encode_stacks(const Trace& trace) {
  ByteWriter w;
  w.varint(trace.stacks.size() - 1);
  std::uint64_t pc = 0;
  for (std::size_t i = 1; i < trace.stacks.size(); ++i) {
    w.signed_varint(difference(trace.stacks[i].pc, pc));
    w.varint(index_of(trace.stacks[i].caller));
    pc = trace.stacks[i].pc;
  }
  return w.take();
}

Flaw decode_stacks(std::string_view payload, Trace& trace) {
  ByteReader r(payload);
  const std::uint64_t count = r.count(2);
  trace.stacks.reserve(count + 1);
  std::uint64_t pc = 0;
  for (std::uint64_t i = 1; i <= count; ++i) {
    pc += static_cast<std::uint64_t>(r.signed_varint());
    const std::uint64_t caller = r.varint();
    if (caller >= i) return "has a stack that calls itself";
    trace.stacks.push_back({pc, StackId{static_cast<std::uint32_t>(caller)}});
  }
  return ended(r);
}

std::string encode_texts(const Trace& trace) {
  ByteWriter w;
  w.varint(trace.texts.size() - 1);
  for (std::size_t i = 1; i < trace.texts.size(); ++i) w.string(trace.texts[i]);
  return w.take();
}

Flaw decode_texts(std::string_view payload, Trace& trace) {
  ByteReader r(payload);
  const std::uint64_t count = r.count(1);
  for (std::uint64_t i = 0; i < count; ++i) trace.texts.emplace_back(r.string());
  return ended(r);
}

std::string encode_events(const Trace& trace) {
  const auto& events = trace.events;
  Dictionary<Site, std::map<Site, std::uint64_t>> sites;
  Dictionary<Address, std::unordered_map<Address, std::uint64_t>> addresses;
  for (const TraceEvent& e : events) {
    sites.number_of(site_of(e));
    addresses.number_of(e.address);
  }
  ByteWriter w;
  w.varint(sites.values.size());
  std::uint64_t pc = 0;
  for (const auto& [site_pc, stack, kind, order, size] : sites.values) {
    w.signed_varint(difference(site_pc, pc));
    pc = site_pc;
    for (const std::uint64_t n :
         {std::uint64_t{stack}, std::uint64_t{kind}, std::uint64_t{order}, std::uint64_t{size}}) {
      w.varint(n);
    }
  }
  w.varint(addresses.values.size());
  Address address = 0;
  for (const Address a : addresses.values) {
    w.signed_varint(difference(a, address));
    address = a;
  }
  w.varint(events.size());
  std::uint64_t id = ~0ull;
  put_column(w, events, [&](const TraceEvent& e) {
    const std::uint64_t gap = index_of(e.id) - id - 1;
    id = index_of(e.id);
    return gap;
  });
  put_column(w, events, [&](const TraceEvent& e) { return sites.number_of(site_of(e)); });
  put_column(w, events, [&](const TraceEvent& e) { return addresses.number_of(e.address); });
  put_column(w, events, [](const TraceEvent& e) { return std::uint64_t{index_of(e.thread)}; });
  put_column(w, events, [](const TraceEvent& e) { return std::uint64_t{(index_of(e.other) + 1) & 0xffff}; });
  put_column(w, events, [](const TraceEvent& e) { return e.value; });
  put_column(w, events, [](const TraceEvent& e) { return e.value2; });
  // A store that was read is usually a little earlier: the distance, and 0 for "none".
  put_column(w, events, [](const TraceEvent& e) {
    return e.reads_from == kNoEvent
               ? 0
               : 1 + zigzag(std::int64_t{index_of(e.id)} - std::int64_t{index_of(e.reads_from)});
  });
  std::unordered_map<Address, std::uint32_t> last;
  put_column(w, events, [&](const TraceEvent& e) {
    std::uint32_t& before = last[e.address];
    const std::uint64_t step = zigzag(std::int64_t{e.mo_position} - std::int64_t{before});
    if (e.mo_position != 0) before = e.mo_position;
    return step;
  });
  put_column(w, events, [](const TraceEvent& e) { return std::uint64_t{e.text}; });
  put_column(w, events, [](const TraceEvent& e) { return e.candidates | std::uint64_t{e.overtaken} << 16; });
  put_column(w, events, [](const TraceEvent& e) { return std::uint64_t{e.flags}; });
  return w.take();
}

Flaw decode_events(std::string_view payload, Trace& trace) {
  ByteReader r(payload);
  std::vector<Event> sites;
  if (Flaw wrong = read_sites(r, trace, sites); !wrong.empty()) return wrong;
  std::vector<Address> addresses(r.count(1));
  Address address = 0;
  for (Address& a : addresses) a = address += static_cast<std::uint64_t>(r.signed_varint());
  auto& events = trace.events;
  events.resize(r.count(12));
  if (r.failed()) return kTooShort;

  const char* wrong = nullptr;
  const auto require = [&](bool good, const char* what) {
    if (!good && wrong == nullptr) wrong = what;
    return good;
  };
  std::uint64_t id = ~0ull;
  get_column(r, events, [&](TraceEvent& e, std::uint64_t gap) {
    id += gap + 1;
    require(gap < index_of(kNoEvent) && id < index_of(kNoEvent), "has an event number that is too large");
    e.id = EventId{static_cast<std::uint32_t>(id)};
  });
  get_column(r, events, [&](TraceEvent& e, std::uint64_t n) {
    const EventId number = e.id;
    if (require(n < sites.size(), "names a site that is not there")) e = TraceEvent{sites[n], number};
  });
  get_column(r, events, [&](TraceEvent& e, std::uint64_t n) {
    if (require(n < addresses.size(), "names an address that is not there")) e.address = addresses[n];
  });
  get_column(r, events,
             [](TraceEvent& e, std::uint64_t n) { e.thread = ThreadId{static_cast<std::uint16_t>(n)}; });
  get_column(r, events,
             [](TraceEvent& e, std::uint64_t n) { e.other = ThreadId{static_cast<std::uint16_t>(n - 1)}; });
  get_column(r, events, [](TraceEvent& e, std::uint64_t n) { e.value = n; });
  get_column(r, events, [](TraceEvent& e, std::uint64_t n) { e.value2 = n; });
  get_column(r, events, [](TraceEvent& e, std::uint64_t n) {
    const std::uint64_t from = index_of(e.id) - static_cast<std::uint64_t>(unzigzag(n - 1));
    e.reads_from = n == 0 ? kNoEvent : EventId{static_cast<std::uint32_t>(from)};
  });
  std::unordered_map<Address, std::uint32_t> last;
  get_column(r, events, [&](TraceEvent& e, std::uint64_t step) {
    std::uint32_t& before = last[e.address];
    e.mo_position = before + static_cast<std::uint32_t>(unzigzag(step));
    if (e.mo_position != 0) before = e.mo_position;
  });
  get_column(r, events, [&](TraceEvent& e, std::uint64_t n) {
    if (require(n < trace.texts.size(), "names a text that is not there"))
      e.text = static_cast<std::uint32_t>(n);
  });
  get_column(r, events, [](TraceEvent& e, std::uint64_t n) {
    e.candidates = static_cast<std::uint16_t>(n);
    e.overtaken = static_cast<std::uint16_t>(n >> 16);
  });
  get_column(r, events, [](TraceEvent& e, std::uint64_t n) { e.flags = static_cast<std::uint8_t>(n); });
  if (r.failed()) return kTooShort;
  return wrong != nullptr ? Flaw(wrong) : ended(r);
}

// A section of its own, which readers of version 1.0 skip.
std::string encode_locations(const Trace& trace) {
  ByteWriter w;
  w.varint(trace.events.size());
  put_column(w, trace.events, [](const TraceEvent& e) { return std::uint64_t{e.location}; });
  return w.take();
}

Flaw decode_locations(std::string_view payload, Trace& trace) {
  ByteReader r(payload);
  if (r.count(1) != trace.events.size()) return "does not fit the events";
  get_column(r, trace.events,
             [](TraceEvent& e, std::uint64_t n) { e.location = static_cast<std::uint32_t>(n); });
  return ended(r);
}

}  // namespace heddle::codec
