#include "tool/report/relations.h"

#include <gtest/gtest.h>

#include "samples.h"
#include "trace_builder.h"

namespace heddle::report {
namespace {

using Edges = std::vector<std::pair<Position, Position>>;

// An atomic access; reads name the event that they read, kNoEvent: the initial value.
TraceEvent& access(TraceBuilder& b, EventKind kind, unsigned thread, Address address, MemoryOrder order,
                   EventId from = kNoEvent) {
  TraceEvent& event = b.access(kind, thread, address, 1, order);
  event.location = static_cast<std::uint32_t>(address & 0xff) + 1;
  event.reads_from = from;
  event.candidates = kind == EventKind::kAtomicStore ? 0 : 2;
  if (from == kNoEvent) event.flags |= event_flags::kInitial;
  return event;
}

TEST(Relations, ReleaseAndAcquireSynchroniseAndRelaxedOnesDoNot) {
  for (const MemoryOrder order : {MemoryOrder::kRelease, MemoryOrder::kRelaxed}) {
    TraceBuilder b;
    const Address flag = b.global("flag", 4);
    const EventId store = access(b, EventKind::kAtomicStore, 1, flag, order).id;
    access(b, EventKind::kAtomicLoad, 2, flag, MemoryOrder::kAcquire, store);
    const Edges expected = order == MemoryOrder::kRelease ? Edges{{0, 1}} : Edges{};
    EXPECT_EQ(relations_of(b.trace).synchronises_with, expected);
  }
}

TEST(Relations, AnUpdateContinuesAReleaseSequence) {
  TraceBuilder b;
  const Address flag = b.global("flag", 4);
  const EventId store = access(b, EventKind::kAtomicStore, 1, flag, MemoryOrder::kRelease).id;
  const EventId update = access(b, EventKind::kAtomicUpdate, 2, flag, MemoryOrder::kRelaxed, store).id;
  access(b, EventKind::kAtomicLoad, 3, flag, MemoryOrder::kAcquire, update);
  EXPECT_EQ(relations_of(b.trace).synchronises_with, (Edges{{0, 2}}));
}

TEST(Relations, FencesSynchroniseThroughRelaxedAccesses) {
  TraceBuilder b;
  const Address flag = b.global("flag", 4);
  b.event(EventKind::kFence, 1).order = MemoryOrder::kRelease;
  const EventId store = access(b, EventKind::kAtomicStore, 1, flag, MemoryOrder::kRelaxed).id;
  access(b, EventKind::kAtomicLoad, 2, flag, MemoryOrder::kRelaxed, store);
  b.event(EventKind::kFence, 2).order = MemoryOrder::kAcquire;
  EXPECT_EQ(relations_of(b.trace).synchronises_with, (Edges{{0, 3}}));
}

TEST(Relations, LocksAndThreadsSynchronise) {
  TraceBuilder b;
  const Address mutex = b.global("mutex", 40);
  b.event(EventKind::kThreadCreate, 0).other = ThreadId{1};
  b.event(EventKind::kThreadStart, 1);
  b.event(EventKind::kMutexLock, 1).address = mutex;
  b.event(EventKind::kMutexUnlock, 1).address = mutex;
  b.event(EventKind::kMutexLock, 0).address = mutex;
  b.event(EventKind::kThreadEnd, 1);
  b.event(EventKind::kThreadJoin, 0).other = ThreadId{1};
  EXPECT_EQ(relations_of(b.trace).synchronises_with, (Edges{{0, 1}, {3, 4}, {5, 6}}));
}

TEST(Relations, AReadMayReturnWhatNothingKnownHasReplaced) {
  TraceBuilder b;
  const Address x = b.global("x", 4);
  const EventId first = access(b, EventKind::kAtomicStore, 1, x, MemoryOrder::kRelaxed).id;
  const EventId second = access(b, EventKind::kAtomicStore, 1, x, MemoryOrder::kRelaxed).id;
  access(b, EventKind::kAtomicLoad, 2, x, MemoryOrder::kRelaxed, first);  // all three
  access(b, EventKind::kAtomicLoad, 2, x, MemoryOrder::kRelaxed,
         second);  // coherence: not the initial one again
  access(b, EventKind::kAtomicLoad, 2, x, MemoryOrder::kRelaxed, second);
  const Relations relations = relations_of(b.trace);
  EXPECT_EQ(relations.readable.at(2), (std::vector<Position>{kInitialStore, 0, 1}));
  EXPECT_EQ(relations.readable.at(3), (std::vector<Position>{0, 1}));
  EXPECT_EQ(relations.readable.at(4), (std::vector<Position>{1}));
}

TEST(Relations, SeqCstReadsSeeSeqCstStores) {
  TraceBuilder b;
  const Address x = b.global("x", 4);
  const EventId store = access(b, EventKind::kAtomicStore, 1, x, MemoryOrder::kSeqCst).id;
  access(b, EventKind::kAtomicLoad, 2, x, MemoryOrder::kSeqCst, store);
  access(b, EventKind::kAtomicLoad, 3, x, MemoryOrder::kAcquire, store);
  const Relations relations = relations_of(b.trace);
  EXPECT_EQ(relations.readable.at(1), (std::vector<Position>{0}));
  EXPECT_EQ(relations.readable.at(2), (std::vector<Position>{kInitialStore, 0}));
}

}  // namespace
}  // namespace heddle::report
