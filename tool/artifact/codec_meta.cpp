// Sections that are records: meta (what was run, and how it ended), modules, findings, output.
#include <cstring>

#include "tool/artifact/codec.h"
#include "tool/base/bytes.h"

namespace heddle::codec {
namespace {

// A new value at the end of these enumerations is a new minor version; any other change is a new major one.
// Kinds of findings are numbered by their table, and need none.
static_assert(static_cast<int>(kLastPartRole) == 16 && static_cast<int>(kLastAccessKind) == 9 &&
                  static_cast<int>(Ending::kInternalError) == 8 && offsetof(RunSpec, plain_events) == 4880,
              "core/trace has changed: see docs/design/trace-format.md, \"Versions\"");

constexpr const char* kNoRecord = "is not a list of fields";

// Reads an enumeration's value; remembers the first that is out of range.
class Checked {
 public:
  template <typename E>
  void read(E& to, const Field& field, E last, const char* what) {
    if (field.number > static_cast<std::uint64_t>(last)) return nested(Flaw::unknown(what, field.number));
    to = static_cast<E>(field.number);
  }
  void check(bool good, const char* what) {
    if (!good) nested(what);
  }
  // Damage counts for more than what is new: a file with both is damaged.
  void nested(const Flaw& wrong) {
    if (wrong_.empty() || (wrong_.is_newer && !wrong.empty() && !wrong.is_newer)) wrong_ = wrong;
  }
  Flaw answer(bool is_record) const { return is_record ? wrong_ : Flaw(kNoRecord); }

 private:
  Flaw wrong_;
};

template <typename T>
T narrow(std::uint64_t n) {
  return static_cast<T>(n);
}

std::string encode_spec(const RunSpec& s) {
  ByteWriter w;
  w.number(1, s.seed);
  w.number(2, s.max_steps);
  w.number(3, s.stagnation_steps);
  w.number(4, s.timeout_ns);
  w.number(5, s.memory_limit);
  w.number(6, s.prune_window);
  w.number(7, s.address_space_limit);
  w.number(8, static_cast<std::uint64_t>(s.model));
  w.number(9, static_cast<std::uint64_t>(s.volatile_kind));
  w.number(10, static_cast<std::uint64_t>(s.prune));
  w.number(11, static_cast<std::uint64_t>(s.replay));
  w.number(12, s.record_events);
  w.number(13, s.halt_on_first_race);
  w.number(14, s.verify);
  w.number(15, s.max_spurious);
  w.text(16, {s.strategy, strnlen(s.strategy, sizeof s.strategy)});
  w.text(17, {s.trusted_libraries, strnlen(s.trusted_libraries, sizeof s.trusted_libraries)});
  w.number(18, static_cast<std::uint64_t>(s.sleep));
  w.number(19, s.element_points);
  for (std::uint32_t i = 0; i < s.visible.count; ++i) {
    ByteWriter place;
    place.number(1, s.visible.places[i].begin);
    place.number(2, s.visible.places[i].end);
    w.element(20, place.take());
  }
  w.number(21, s.visible.all);
  w.number(22, s.visible.silence);
  return w.take();
}

Flaw decode_visible_place(std::string_view bytes, VisiblePlaces& places) {
  VisiblePlace place;
  Checked checked;
  const bool is_record = read_record(bytes, [&](const Field& f) {
    if (f.tag == 1) place.begin = f.number;
    if (f.tag == 2) place.end = f.number;
  });
  checked.check(places.add(place), "has visible places that are empty, or too many of them");
  return checked.answer(is_record);
}

Flaw decode_spec(std::string_view bytes, RunSpec& s) {
  s = {};
  s.max_steps = s.stagnation_steps = s.timeout_ns = s.memory_limit = s.max_spurious =
      0;  // left out where zero
  std::memset(s.strategy, 0, sizeof s.strategy);
  Checked checked;
  const bool is_record = read_record(bytes, [&](const Field& f) {
    switch (f.tag) {
      case 1:
        s.seed = f.number;
        break;
      case 2:
        s.max_steps = f.number;
        break;
      case 3:
        s.stagnation_steps = f.number;
        break;
      case 4:
        s.timeout_ns = f.number;
        break;
      case 5:
        s.memory_limit = f.number;
        break;
      case 6:
        s.prune_window = f.number;
        break;
      case 7:
        s.address_space_limit = f.number;
        break;
      case 8:
        checked.read(s.model, f, ModelKind::kCxx20Words, "memory model");
        break;
      case 9:
        checked.read(s.volatile_kind, f, VolatileKind::kPlain, "volatile mode");
        break;
      case 10:
        checked.read(s.prune, f, PruneKind::kNever, "pruning mode");
        break;
      case 11:
        checked.read(s.replay, f, ReplayKind::kPlan, "replay mode");
        break;
      case 12:
        s.record_events = f.number != 0;
        break;
      case 13:
        s.halt_on_first_race = f.number != 0;
        break;
      case 14:
        s.verify = f.number != 0;
        break;
      case 15:
        s.max_spurious = narrow<std::uint32_t>(f.number);
        break;
      case 16:
        checked.check(f.bytes.size() < sizeof s.strategy, "names a strategy that is too long");
        f.bytes.copy(s.strategy, sizeof s.strategy - 1);
        break;
      case 17:
        checked.check(f.bytes.size() < sizeof s.trusted_libraries, "trusts too many libraries");
        f.bytes.copy(s.trusted_libraries, sizeof s.trusted_libraries - 1);
        break;
      case 18:
        checked.read(s.sleep, f, SleepKind::kTimed, "kind of sleep");
        break;
      case 19:
        s.element_points = static_cast<std::uint8_t>(f.number);
        break;
      case 20:
        checked.nested(decode_visible_place(f.bytes, s.visible));
        break;
      case 21:
        s.visible.all = f.number != 0;
        break;
      case 22:
        checked.read(s.visible.silence, f, VisiblePlaces::kAllRaces, "silence of races");
        break;
      default:
        break;
    }
  });
  return checked.answer(is_record);
}

std::string encode_result(const TraceResult& r) {
  ByteWriter w;
  w.number(1, r.trace_hash);
  w.number(2, r.steps);
  w.number(3, r.signature);
  w.number(4, r.duration_us);
  w.signed_number(5, r.status);
  w.number(6, r.threads);
  w.number(7, r.flags);
  w.number(8, r.divergence_choice);
  w.number(9, static_cast<std::uint64_t>(r.ending));
  w.text(10, r.message);
  for (const std::string& outcome : r.outcomes) w.element(11, outcome);
  return w.take();
}

Flaw decode_result(std::string_view bytes, TraceResult& r) {
  Checked checked;
  const bool is_record = read_record(bytes, [&](const Field& f) {
    switch (f.tag) {
      case 1:
        r.trace_hash = f.number;
        break;
      case 2:
        r.steps = f.number;
        break;
      case 3:
        r.signature = f.number;
        break;
      case 4:
        r.duration_us = narrow<std::uint32_t>(f.number);
        break;
      case 5:
        r.status = static_cast<std::int32_t>(f.signed_number());
        break;
      case 6:
        r.threads = narrow<std::uint32_t>(f.number);
        break;
      case 7:
        r.flags = narrow<std::uint32_t>(f.number);
        break;
      case 8:
        r.divergence_choice = narrow<std::uint32_t>(f.number);
        break;
      case 9:
        checked.read(r.ending, f, Ending::kInternalError, "ending");
        break;
      case 10:
        r.message = f.str();
        break;
      case 11:
        r.outcomes.push_back(f.str());
        break;
      default:
        break;
    }
  });
  return checked.answer(is_record);
}

std::string encode_part(const TracePart& p) {
  ByteWriter w;
  w.number(1, static_cast<std::uint64_t>(p.role));
  w.number(2, static_cast<std::uint64_t>(p.access));
  w.number(3, static_cast<std::uint64_t>(p.memory));
  w.number(4, p.size);
  // Plus one, modulo the width, so that "none" is the field that is left out.
  w.number(5, narrow<std::uint16_t>(index_of(p.thread) + 1));
  w.number(6, narrow<std::uint16_t>(index_of(p.other) + 1));
  w.number(7, p.pc);
  w.number(8, index_of(p.stack));
  w.number(9, p.address);
  w.number(10, p.block);
  w.number(11, p.block_size);
  w.number(12, index_of(p.event) + 1);
  w.text(13, p.text);
  return w.take();
}

Flaw decode_part(std::string_view bytes, const Trace& trace, TracePart& p) {
  Checked checked;
  const bool is_record = read_record(bytes, [&](const Field& f) {
    switch (f.tag) {
      case 1:
        checked.read(p.role, f, kLastPartRole, "role");
        break;
      case 2:
        checked.read(p.access, f, kLastAccessKind, "access");
        break;
      case 3:
        checked.read(p.memory, f, MemoryKind::kThreadLocal, "memory kind");
        break;
      case 4:
        p.size = narrow<std::uint8_t>(f.number);
        break;
      case 5:
        p.thread = ThreadId{narrow<std::uint16_t>(f.number - 1)};
        break;
      case 6:
        p.other = ThreadId{narrow<std::uint16_t>(f.number - 1)};
        break;
      case 7:
        p.pc = f.number;
        break;
      case 8:
        checked.check(f.number < trace.stacks.size(), "names a stack that is not there");
        p.stack = StackId{narrow<std::uint32_t>(f.number)};
        break;
      case 9:
        p.address = f.number;
        break;
      case 10:
        p.block = f.number;
        break;
      case 11:
        p.block_size = f.number;
        break;
      case 12:
        p.event = EventId{narrow<std::uint32_t>(f.number - 1)};
        break;
      case 13:
        p.text = f.str();
        break;
      default:
        break;
    }
  });
  return checked.answer(is_record);
}

Flaw decode_finding(std::string_view bytes, const Trace& trace, TraceFinding& to) {
  Checked checked;
  const bool is_record = read_record(bytes, [&](const Field& f) {
    switch (f.tag) {
      case 1:
        checked.read(to.kind, f, static_cast<FindingKind>(static_cast<int>(FindingKind::kCount) - 1),
                     "finding kind");
        break;
      case 2:
        checked.read(to.severity, f, Severity::kWarning, "severity");
        break;
      case 3:
        to.signal = narrow<std::uint8_t>(f.number);
        break;
      case 4:
        to.exit_status = static_cast<std::int32_t>(f.signed_number());
        break;
      case 5:
        to.event = EventId{narrow<std::uint32_t>(f.number - 1)};
        break;
      case 6:
        to.signature = f.number;
        break;
      case 7:
        to.message = f.str();
        break;
      case 8:
        checked.nested(decode_part(f.bytes, trace, to.parts.emplace_back()));
        break;
      default:
        break;
    }
  });
  return checked.answer(is_record);
}

}  // namespace

std::string encode_meta(const Trace& t) {
  ByteWriter w;
  w.text(1, t.tool_version);
  w.element(2, encode_spec(t.spec));
  w.element(3, encode_program(t.program));
  w.element(4, encode_result(t.result));
  w.number(5, t.execution);
  w.number(6, t.pid);
  w.number(7, t.main_stack_address);
  w.number(8, t.heap_address);
  w.number(9, t.program_address);
  w.number(10, t.total_events);
  w.number(11, t.output_cut);
  return w.take();
}

Flaw decode_meta(std::string_view payload, Trace& t) {
  Checked checked;
  const bool is_record = read_record(payload, [&](const Field& f) {
    switch (f.tag) {
      case 1:
        t.tool_version = f.str();
        break;
      case 2:
        checked.nested(decode_spec(f.bytes, t.spec));
        break;
      case 3:
        checked.check(decode_program(f.bytes, t.program), kNoRecord);
        break;
      case 4:
        checked.nested(decode_result(f.bytes, t.result));
        break;
      case 5:
        t.execution = f.number;
        break;
      case 6:
        t.pid = narrow<std::uint32_t>(f.number);
        break;
      case 7:
        t.main_stack_address = f.number;
        break;
      case 8:
        t.heap_address = f.number;
        break;
      case 9:
        t.program_address = f.number;
        break;
      case 10:
        t.total_events = f.number;
        break;
      case 11:
        t.output_cut = f.number != 0;
        break;
      default:
        break;
    }
  });
  return checked.answer(is_record);
}

std::string encode_modules(const Trace& trace) {
  ByteWriter w;
  for (const TraceModule& m : trace.modules) {
    ByteWriter module;
    module.number(1, m.base);
    module.number(2, m.begin);
    module.number(3, m.end);
    module.text(4, m.path);
    module.text(5, m.build_id);
    w.element(1, module.bytes());
  }
  return w.take();
}

Flaw decode_modules(std::string_view payload, Trace& trace) {
  bool good = true;
  const bool is_record = read_record(payload, [&](const Field& element) {
    if (element.tag != 1) return;
    TraceModule& m = trace.modules.emplace_back();
    good &= read_record(element.bytes, [&](const Field& f) {
      switch (f.tag) {
        case 1:
          m.base = f.number;
          break;
        case 2:
          m.begin = f.number;
          break;
        case 3:
          m.end = f.number;
          break;
        case 4:
          m.path = f.str();
          break;
        case 5:
          m.build_id = f.str();
          break;
        default:
          break;
      }
    });
  });
  return is_record && good ? "" : kNoRecord;
}

std::string encode_findings(const Trace& trace) {
  ByteWriter w;
  for (const TraceFinding& f : trace.findings) {
    ByteWriter finding;
    finding.number(1, static_cast<std::uint64_t>(f.kind));
    finding.number(2, static_cast<std::uint64_t>(f.severity));
    finding.number(3, f.signal);
    finding.signed_number(4, f.exit_status);
    finding.number(5, index_of(f.event) + 1);
    finding.number(6, f.signature);
    finding.text(7, f.message);
    for (const TracePart& part : f.parts) finding.element(8, encode_part(part));
    w.element(1, finding.bytes());
  }
  return w.take();
}

Flaw decode_findings(std::string_view payload, Trace& trace) {
  Checked checked;
  const bool is_record = read_record(payload, [&](const Field& f) {
    if (f.tag == 1) checked.nested(decode_finding(f.bytes, trace, trace.findings.emplace_back()));
  });
  return checked.answer(is_record);
}

std::string encode_input(const Trace& trace) { return trace.input; }

Flaw decode_input(std::string_view payload, Trace& trace) {
  trace.input = payload;
  return {};
}

std::string encode_output(const Trace& trace) { return trace.output; }

Flaw decode_output(std::string_view payload, Trace& trace) {
  trace.output = payload;
  return {};
}

}  // namespace heddle::codec
