#include "tool/report/missed_store.h"

#include <fmt/format.h>

#include <optional>

#include "core/trace/event_kinds.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"

namespace heddle::report {
namespace {

// The stores of one atomic object up to some event.
struct Stores {
  const TraceEvent* last = nullptr;    // in the order of execution
  const TraceEvent* newest = nullptr;  // in modification order

  void add(const TraceEvent& store) {
    last = &store;
    if (newest == nullptr || store.mo_position > newest->mo_position) newest = &store;
  }
};

std::string tag_of(const TraceEvent& event) {
  return fmt::format("{} #{}", thread_tag(event.thread), index_of(event.id));
}

// `from`: the store that was read, nullptr for the initial value, which comes before all stores in either order.
std::optional<MissedStore> missed_by(const TraceEvent& read, const TraceEvent* from, const Stores& stores) {
  using How = MissedStore::How;
  const bool is_stale = (read.flags & event_flags::kStale) != 0;
  const std::uint32_t position = from == nullptr ? 0 : from->mo_position;
  const auto is_later = [&](const TraceEvent* store) { return from == nullptr || store->id > from->id; };
  if (stores.newest != nullptr && stores.newest->mo_position > position) {
    if (!is_later(stores.newest)) return MissedStore{stores.newest, How::kOrderedAfter};
    if (is_stale) return MissedStore{stores.newest, How::kNewer};
    return std::nullopt;  // the library was to read the newest value only, or events were left out
  }
  if (stores.last != nullptr && stores.last != from && is_later(stores.last))
    return MissedStore{stores.last, How::kOrderedBefore};
  return std::nullopt;
}

bool stores(const TraceEvent& event) { return stores_atomically(event.kind) && event.mo_position != 0; }

// Memory that is used anew is another object. Old traces have no numbers for objects.
std::uint64_t object_of(const TraceEvent& event) {
  return event.location != 0 ? event.location : event.address;
}

// `object`: the stores before the read. Nothing for an event that reads nothing known.
std::optional<MissedStore> missed_by(const Trace& trace, const TraceEvent& read, const Stores& object) {
  if (!loads_atomically(read.kind) || (read.flags & event_flags::kLatestOnly) != 0) return std::nullopt;
  if ((read.flags & event_flags::kInitial) != 0) return missed_by(read, nullptr, object);
  const TraceEvent* from = read.reads_from == kNoEvent ? nullptr : trace.find_event(read.reads_from);
  if (from == nullptr || from->mo_position == 0) return std::nullopt;
  return missed_by(read, from, object);
}

}  // namespace

std::unordered_map<std::uint32_t, MissedStore> missed_stores(const Trace& trace) {
  std::unordered_map<std::uint32_t, MissedStore> missed;
  std::unordered_map<std::uint64_t, Stores> objects;
  for (const TraceEvent& event : trace.events) {
    if (!stores(event) && !loads_atomically(event.kind)) continue;
    Stores& object = objects[object_of(event)];
    if (const auto found = missed_by(trace, event, object)) missed[index_of(event.id)] = *found;
    if (stores(event)) object.add(event);
  }
  return missed;
}

std::optional<MissedStore> missed_store(const Trace& trace, const TraceEvent& read) {
  Stores object;
  for (const TraceEvent& event : trace.events) {
    if (event.id >= read.id) break;
    if (stores(event) && object_of(event) == object_of(read)) object.add(event);
  }
  return missed_by(trace, read, object);
}

std::string read_words(const Trace& trace, const TraceEvent& read, const MissedStore* missed, Names& names) {
  const bool is_initial = (read.flags & event_flags::kInitial) != 0;
  if (!reads_memory(read.kind) || (read.reads_from == kNoEvent && !is_initial)) return {};
  const TraceEvent* from = is_initial ? nullptr : trace.find_event(read.reads_from);
  std::string words = "← ";
  if (is_initial) {
    words += "initial";
  } else {
    words += from != nullptr ? tag_of(*from) : fmt::format("#{}", index_of(read.reads_from));
  }
  if (missed == nullptr) return words;
  const std::string other = tag_of(*missed->store);
  switch (missed->how) {
    case MissedStore::How::kNewer:
      return fmt::format("{}, missed {}, which wrote {}", words, other,
                         names.value(value_written(*missed->store), missed->store->size, missed->store->id));
    case MissedStore::How::kOrderedAfter:
      return fmt::format("{}, though {} was executed earlier and lies after it in modification order", words,
                         other);
    case MissedStore::How::kOrderedBefore:
      return fmt::format("{}, though {} was executed later and lies before it in modification order", words,
                         other);
  }
  return words;
}

std::string stale_words(const MissedStore& missed, Names& names) {
  const std::string store = tag_of(*missed.store);
  switch (missed.how) {
    case MissedStore::How::kNewer:
    case MissedStore::How::kOrderedAfter:
      return fmt::format("STALE: {} wrote {}", store,
                         names.value(value_written(*missed.store), missed.store->size, missed.store->id));
    case MissedStore::How::kOrderedBefore:
      return fmt::format("though {} was executed later, it lies before in modification order", store);
  }
  return "STALE";
}

}  // namespace heddle::report
