#include "sample_trace.h"

#include <cstring>

#include "core/base/random.h"

namespace heddle {
namespace {

TraceEvent event(std::uint32_t id, EventKind kind, unsigned thread, std::uint64_t pc, Address address,
                 std::uint64_t value) {
  TraceEvent e;
  e.id = EventId{id};
  e.kind = kind;
  e.thread = ThreadId{static_cast<std::uint16_t>(thread)};
  e.pc = pc;
  e.address = address;
  e.value = value;
  e.size = 4;
  e.order = MemoryOrder::kAcquire;
  return e;
}

}  // namespace

Trace sample_trace() {
  Trace t;
  t.tool_version = "1.2.3";
  t.spec.seed = 0xdeadbeefcafef00d;
  t.spec.model = ModelKind::kC11Tester;
  t.spec.replay = ReplayKind::kExact;
  t.spec.max_spurious = 0;
  t.spec.sleep = SleepKind::kTimed;
  std::strcpy(t.spec.strategy, "pct:d=3");
  t.execution = 41;
  t.pid = 4711;
  t.program = {"/home/u/race",
               "00ff10",
               {"./race", "", "a b\n"},
               "/home/u",
               {{"HOME", "/home/u"}, {"X", "\xff\x01"}},
               {"ABSENT", "\x01"}};
  t.main_stack_address = 0x7ffc00000000;
  t.heap_address = 0x600000000000;
  t.program_address = 0x555555554000;
  t.modules = {{0x555555554000, 0x555555554000, 0x555555560000, "/home/u/race", "00ff10"},
               {0x7f0000000000, 0x7f0000000000, 0x7f0000100000, "/lib/libc.so.6", ""}};
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    t.choices.push_back(Choice::make(
        static_cast<ChoiceKind>(random.below(kChoiceKinds)), random.below(1 << 20),
        ChoiceKey::store(ThreadId{static_cast<std::uint16_t>(random.below(9))}, random.below(1 << 26))));
  }
  t.stacks.push_back({0x555555555100, kEmptyStack});
  t.stacks.push_back({0x555555555200, StackId{1}});
  t.texts.push_back("a note with \x01 and \xc3\xa9");
  for (std::uint32_t i = 0; i < 300; ++i) {
    TraceEvent e =
        event(i < 150 ? i : i * 7, static_cast<EventKind>(1 + random.below(5)), random.below(3),
              0x555555555000 + random.below(64), 0x555555558000 + 8 * random.below(5), random.next());
    e.stack = StackId{random.below(3)};
    e.mo_position = random.below(9);
    e.reads_from = random.below(2) != 0 ? EventId{random.below(5000)} : kNoEvent;
    e.other = random.below(2) != 0 ? kNoThread : ThreadId{2};
    e.text = random.below(2);
    e.flags = event_flags::kStale;
    e.candidates = random.below(4);
    e.location = random.below(3);
    e.value2 = random.next();
    t.events.push_back(e);
  }
  t.total_events = 1'000'000;
  TraceFinding f;
  f.kind = FindingKind::kDataRace;
  f.event = EventId{149};
  f.signature = 99;
  f.message = "both \"write\"";
  f.exit_status = -3;
  f.signal = 11;
  TracePart part;
  part.role = PartRole::kAccess;
  part.access = AccessKind::kAtomicWrite;
  part.memory = MemoryKind::kHeap;
  part.size = 8;
  part.thread = ThreadId{0};
  part.pc = 0x555555555010;
  part.stack = StackId{2};
  part.address = 0x555555558008;
  part.block = 0x555555558000;
  part.block_size = 64;
  part.event = EventId{0};
  part.text = "part";
  f.parts = {part, TracePart{}};
  t.findings = {f};
  t.minimised = Minimisation{{9, 8, 7, 6, 5}, {4, 3, 2, 1, 0}, 42, 17, true};
  t.accesses = {{kNoEvent, kMainThread, true, 4, 0x555555555234, kEmptyStack, 0x555555558040, 7},
                {EventId{1}, ThreadId{1}, false, 8, 0x555555555240, StackId{1}, 0x555555558048, ~0ull}};
  t.departures = {
      {ChoiceKind::kThread, true, true, kMainThread, ThreadId{1}, 0, EventId{1}},
      {ChoiceKind::kReadsFrom, false, false, ThreadId{1}, kNoThread, 1, kNoEvent},
  };
  t.result = {1, 2, 3, 4, -5, 6, 7, 8, Ending::kFinding, "why", {"x=1", ""}};
  t.input = "to be read";
  t.output = std::string("hello\n\0world", 12);
  t.output_cut = true;
  t.symbols.frames[0x555555555010] = {{"inner()", "/s/a.cpp", 3, 9, 2, "/home/u/race", 0x1010, 5, true},
                                      {"outer()", "/s/a.cpp", 8, 1, 6, "/home/u/race", 0x1010, 5, false}};
  t.symbols.data[0x555555558008] = {"q.head", "q", 0x555555558000, 64, "/home/u/race", 0x4008, "/s/a.cpp", 1};
  t.symbols.sources["/s/a.cpp"] = {{2, "void inner() {"}, {3, "  x = 1;"}};
  return t;
}

}  // namespace heddle
