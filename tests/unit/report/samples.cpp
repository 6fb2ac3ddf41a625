#include "samples.h"

#include <csignal>

#include "trace_builder.h"

namespace heddle::report {
namespace {

using At = TraceBuilder::At;
const std::string kSource = "/home/ada/work/src/queue.cpp";
const At kMain{"main", "/home/ada/work/src/main.cpp", 30, 3};
const At kStart{"execute_native_thread_routine", "", 0, 0, "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"};
const At kFiber{"heddle::fiber_entry", "", 0, 0, "/opt/heddle/lib/libheddle.so"};

std::vector<At> in_thread(std::vector<At> frames) {
  frames.push_back({"void std::__invoke_impl<void, void (*)(Queue&), std::reference_wrapper<Queue> >(...)",
                    "/usr/include/c++/12/bits/invoke.h", 61, 36});
  frames.push_back(kStart);
  frames.push_back(kFiber);
  return frames;
}

void created(TraceBuilder& b, unsigned thread) {
  TracePart& p = b.part(PartRole::kThreadCreated, thread,
                        {{"std::thread::thread<void (&)(Queue&), std::reference_wrapper<Queue>, void>(...)",
                          "/usr/include/c++/12/bits/std_thread.h", 143, 17},
                         kMain});
  p.other = kMainThread;
}

const At kPush{"Queue::push(int)", kSource, 12, 11};
const At kPop{"Queue::pop()", kSource, 21, 9};

void race(TraceBuilder& b) {
  const Address size = b.global("queue", 48, ".size", 8);
  b.source(kSource, 12, "\t  size++;");
  b.source(kSource, 21, "  if (size == 0) return {};");
  b.event(EventKind::kThreadStart, 1, in_thread({{"producer(Queue&)", "/home/ada/work/src/main.cpp", 9, 1}}));
  b.finding(FindingKind::kDataRace);
  TracePart& now = b.part(PartRole::kAccess, 1,
                          in_thread({kPush, {"producer(Queue&)", "/home/ada/work/src/main.cpp", 11, 5}}));
  now.access = AccessKind::kWrite;
  now.size = 4;
  now.address = size;
  now.memory = MemoryKind::kGlobal;
  TracePart& before = b.part(PartRole::kPreviousAccess, 0, {kPop, kMain});
  before.access = AccessKind::kRead;
  before.size = 4;
  before.address = size;
  created(b, 1);
}

void deadlock(TraceBuilder& b) {
  const Address first = b.global("first", 40), second = b.global("second", 40);
  b.finding(FindingKind::kDeadlock);
  const auto wait = [&](unsigned thread, unsigned holder, Address mutex, const At& waits, const At& took) {
    TracePart& p = b.part(PartRole::kBlockedThread, thread, in_thread({waits}));
    p.address = mutex;
    p.other = ThreadId{static_cast<std::uint16_t>(holder)};
    p.text = "mutex";
    TracePart& h = b.part(PartRole::kHolds, holder, in_thread({took}));
    h.address = mutex;
    h.text = "mutex";
  };
  wait(1, 2, second, {"transfer(int)", kSource, 15, 3}, {"refund(int)", kSource, 24, 3});
  wait(2, 1, first, {"refund(int)", kSource, 25, 3}, {"transfer(int)", kSource, 14, 3});
  TracePart& joiner = b.part(PartRole::kWaits, 0, {kMain});
  joiner.other = ThreadId{1};
  created(b, 1);
  created(b, 2);
}

void heap_misuse(TraceBuilder& b, FindingKind kind, const std::string& message) {
  b.finding(kind, message);
  TracePart& here = b.part(kind == FindingKind::kHeapUseAfterFree ? PartRole::kAccess : PartRole::kHere, 2,
                           in_thread({kPop}));
  here.address = 0x600000000028;
  here.memory = MemoryKind::kHeap;
  if (kind == FindingKind::kHeapUseAfterFree) {
    here.access = AccessKind::kRead;
    here.size = 8;
  } else {
    here.text = "block";
  }
  TracePart& allocated = b.part(PartRole::kAllocated, 0, {kPush, kMain});
  allocated.block = 0x600000000020;
  allocated.block_size = 64;
  b.part(PartRole::kFreed, 1, in_thread({{"Queue::clear()", kSource, 33, 5}}));
}

void misuse(TraceBuilder& b, FindingKind kind, const std::string& message) {
  const Address object = b.global("queue", 48, ".lock", 8);
  b.finding(kind, message);
  TracePart& here = b.part(PartRole::kHere, 1, in_thread({kPop}));
  here.address = object;
  here.text = row_of(kind).noun;
  TracePart& holds = b.part(PartRole::kHolds, 2, in_thread({kPush}));
  holds.address = object;
  holds.text = row_of(kind).noun;
}

}  // namespace

Trace sample_finding(FindingKind kind) {
  TraceBuilder b;
  const auto failed = [&](const std::string& message) {
    b.finding(kind, message);
    b.source(kSource, 21, "  if (size == 0) return {};");
    b.part(PartRole::kHere, 1, in_thread({kPop}));
  };
  switch (kind) {
    case FindingKind::kDataRace:
      race(b);
      break;
    case FindingKind::kSignal:
      failed("SIGSEGV at address 0x8");
      b.trace.findings.back().signal = SIGSEGV;
      break;
    case FindingKind::kDeadlock:
      deadlock(b);
      break;
    case FindingKind::kLostWakeUp: {
      const Address cv = b.global("queue", 96, ".not_empty", 48);
      b.finding(kind);
      TracePart& p = b.part(PartRole::kBlockedThread, 1,
                            in_thread({{"std::condition_variable::wait(std::unique_lock<std::mutex>&)",
                                        "/usr/include/c++/12/condition_variable", 103, 2},
                                       kPop}));
      p.address = cv;
      p.text = "condition variable";
      created(b, 1);
      break;
    }
    case FindingKind::kLivelock: {
      const Address flag = b.global("ready", 4);
      b.finding(kind);
      b.part(PartRole::kHere, 1, in_thread({{"spin()", kSource, 40, 10}})).address = flag;
      b.part(PartRole::kHere, 2, in_thread({{"spin()", kSource, 40, 10}})).address = flag;
      break;
    }
    case FindingKind::kHeapUseAfterFree:
      heap_misuse(b, kind, "");
      break;
    case FindingKind::kDoubleFree:
      heap_misuse(b, kind, "the block was already freed");
      break;
    case FindingKind::kInvalidFree:
      heap_misuse(b, kind, "free() of an address inside a block");
      break;
    case FindingKind::kUninitialisedAtomic: {
      failed("load of an atomic that nobody wrote");
      b.trace.findings.back().parts.back().address = b.global("flag", 4);
      b.trace.findings.back().parts.back().text = "atomic";
      break;
    }
    case FindingKind::kMutexMisuse:
      misuse(b, kind, "unlock of a mutex that another thread holds");
      break;
    case FindingKind::kCondMisuse:
      misuse(b, kind, "destroyed while threads wait on it");
      break;
    case FindingKind::kRwlockMisuse:
      misuse(b, kind, "unlock of a rwlock that nobody holds");
      break;
    case FindingKind::kBarrierMisuse:
      misuse(b, kind, "initialised with a count of 0");
      break;
    case FindingKind::kSemaphoreMisuse:
      misuse(b, kind, "post beyond SEM_VALUE_MAX");
      break;
    case FindingKind::kNonZeroExit:
      b.finding(kind).exit_status = 3;
      b.trace.output = "\x1b[31mcannot read the queue\x1b[0m\n";
      break;
    case FindingKind::kTestFailure:
      b.finding(kind).exit_status = 1;
      b.trace.output = "[ RUN      ] Queue.Keeps\nqueue_test.cpp:9: Failure\n\x1b[31mexpected 1\x1b[0m\n";
      break;
    case FindingKind::kNotLinearizable:
      failed("no order of the operations explains deq() → 3");
      break;
    case FindingKind::kStackUseAfterEnd:
    case FindingKind::kThreadLocalUseAfterEnd:
      failed("access of a local variable of a thread that has ended");
      break;
    case FindingKind::kThreadLeak:
      b.finding(kind);
      created(b, 1);
      created(b, 2);
      break;
    case FindingKind::kLockOrderInversion: {
      const Address first = b.global("first", 40), second = b.global("second", 40);
      b.finding(kind, "first is taken before second and second before first");
      b.part(PartRole::kHolds, 1, in_thread({{"transfer(int)", kSource, 15, 3}})).address = second;
      b.part(PartRole::kHolds, 2, in_thread({{"refund(int)", kSource, 25, 3}})).address = first;
      break;
    }
    case FindingKind::kLockHeldAtThreadEnd: {
      const Address lock = b.global("lock", 40);
      b.finding(kind, "a thread ends and still holds a lock: nobody can take it any more");
      b.part(PartRole::kHere, 1, in_thread({{"transfer(int)", kSource, 15, 3}})).address = lock;
      break;
    }
    default:
      failed(kGenericMessage);
      break;
  }
  return b.trace;
}

Trace message_passing() {
  TraceBuilder b;
  const std::string file = "/home/ada/work/mp.cpp";
  const Address data = b.global("data", 4), flag = b.global("flag", 4);
  const At main{"main", file, 20, 3};
  const auto writer = [&](std::uint32_t line) { return in_thread({{"writer()", file, line, 3}}); };
  const auto reader = [&](std::uint32_t line) { return in_thread({{"reader()", file, line, 3}}); };
  b.event(EventKind::kThreadStart, 0);
  b.event(EventKind::kThreadCreate, 0, {main}).other = ThreadId{1};
  b.event(EventKind::kThreadCreate, 0, {main}).other = ThreadId{2};
  b.event(EventKind::kThreadStart, 1);
  b.access(EventKind::kAtomicStore, 1, data, 42, MemoryOrder::kRelaxed, writer(8)).mo_position = 1;
  b.access(EventKind::kAtomicStore, 1, flag, 1, MemoryOrder::kRelaxed, writer(9)).mo_position = 1;
  b.event(EventKind::kThreadStart, 2);
  b.access(EventKind::kAtomicLoad, 2, flag, 1, MemoryOrder::kAcquire, reader(13)).reads_from = EventId{5};
  TraceEvent& stale = b.access(EventKind::kAtomicLoad, 2, data, 0, MemoryOrder::kRelaxed, reader(14));
  stale.flags = event_flags::kStale | event_flags::kInitial;
  stale.candidates = 2;
  b.event(EventKind::kThreadEnd, 1);
  TraceEvent& end = b.event(EventKind::kFinding, 2, reader(15));
  b.trace.texts.push_back("assertion `data == 42' failed");
  end.text = 1;
  TraceFinding& f = b.finding(FindingKind::kAssertion, "assertion `data == 42' failed");
  f.event = EventId{10};
  b.source(file, 15, "  assert(data.load(std::memory_order_relaxed) == 42);");
  b.part(PartRole::kHere, 2, reader(15)).event = EventId{8};
  b.trace.choices = {Choice::make(ChoiceKind::kThread, 1, ChoiceKey::thread(ThreadId{1})),
                     Choice::make(ChoiceKind::kReadsFrom, 2, ChoiceKey::store(ThreadId{0}, 0))};
  b.trace.result.steps = 11;
  b.trace.output = "hello\n";
  return b.trace;
}

}  // namespace heddle::report
