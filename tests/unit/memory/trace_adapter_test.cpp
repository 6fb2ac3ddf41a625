// The adapter from a trace's events to the axiom checker, on hand-made traces.
#include "tests/oracle/trace_adapter.h"

#include <gtest/gtest.h>

namespace oracle {
namespace {

using heddle::EventId;
using heddle::MemoryOrder;
using heddle::ThreadId;

heddle::Event event(std::uint16_t thread, heddle::EventKind kind, heddle::Address address,
                    MemoryOrder order = MemoryOrder::kRelaxed) {
  heddle::Event e;
  e.thread = ThreadId{thread};
  e.kind = kind;
  e.address = address;
  if (kind >= heddle::EventKind::kAtomicLoad && kind <= heddle::EventKind::kCasFailed)
    e.location = static_cast<std::uint32_t>(address);
  e.order = order;
  return e;
}

// x = 1; unlock  |  lock; reads x = 0: forbidden, but allowed without the mutex.
std::vector<heddle::Event> stale_read(bool locks) {
  using K = heddle::EventKind;
  std::vector<heddle::Event> trace;
  trace.push_back(event(0, K::kAtomicStore, 0x10));
  trace.back().mo_position = 1;
  if (locks) trace.push_back(event(0, K::kMutexUnlock, 0x99));
  if (locks) trace.push_back(event(1, K::kMutexLock, 0x99));
  trace.push_back(event(1, K::kAtomicLoad, 0x10));
  trace.back().flags = heddle::event_flags::kInitial;
  return trace;
}

TEST(TraceAdapter, MutexesOrder) {
  EXPECT_EQ(violated_axiom(execution_of(stale_read(false))), "");
  EXPECT_NE(violated_axiom(execution_of(stale_read(true))), "");
}

TEST(TraceAdapter, CreationAndJoinOrder) {
  using K = heddle::EventKind;
  std::vector<heddle::Event> trace;
  trace.push_back(event(0, K::kThreadCreate, 0));
  trace.back().other = ThreadId{1};
  trace.push_back(event(1, K::kThreadStart, 0));
  trace.push_back(event(1, K::kAtomicUpdate, 0x10));
  trace.back().mo_position = 1;
  trace.push_back(event(1, K::kThreadEnd, 0));
  trace.push_back(event(0, K::kThreadJoin, 0));
  trace.back().other = ThreadId{1};
  trace.push_back(event(0, K::kAtomicLoad, 0x10));
  trace.back().reads_from = EventId{2};
  EXPECT_EQ(violated_axiom(execution_of(trace)), "");
  trace.back().reads_from = heddle::kNoEvent;
  EXPECT_NE(violated_axiom(execution_of(trace)).find("coherence"), std::string::npos);
}

TEST(TraceAdapter, FindsBrokenAtomicity) {
  using K = heddle::EventKind;
  std::vector<heddle::Event> trace = {event(0, K::kAtomicUpdate, 0x10), event(1, K::kAtomicUpdate, 0x10)};
  trace[0].mo_position = 1;
  trace[1].mo_position = 2;  // but read the initial store too
  EXPECT_NE(violated_axiom(execution_of(trace)), "");
}

TEST(TraceAdapter, FindsSeqCstViolations) {
  using K = heddle::EventKind;
  constexpr MemoryOrder kSc = MemoryOrder::kSeqCst;
  std::vector<heddle::Event> trace = {
      event(0, K::kAtomicStore, 0x10, kSc), event(1, K::kAtomicStore, 0x20, kSc),
      event(0, K::kAtomicLoad, 0x20, kSc), event(1, K::kAtomicLoad, 0x10, kSc)};
  trace[0].mo_position = trace[1].mo_position = 1;
  EXPECT_NE(violated_axiom(execution_of(trace)).find("seq_cst"), std::string::npos);
  trace[2].reads_from = EventId{1};
  EXPECT_EQ(violated_axiom(execution_of(trace)), "");
}

// Memory that was initialised anew holds another atomic: what was stored before says nothing about it.
TEST(TraceAdapter, AnotherLocationAtTheSameAddressHasItsOwnModificationOrder) {
  using K = heddle::EventKind;
  std::vector<heddle::Event> trace = {event(0, K::kAtomicStore, 0x10), event(0, K::kAtomicLoad, 0x10)};
  trace[0].mo_position = 1;
  trace[1].flags = heddle::event_flags::kInitial;
  EXPECT_NE(violated_axiom(execution_of(trace)), "");
  trace[1].location = 0x11;
  EXPECT_EQ(violated_axiom(execution_of(trace)), "");
}

// A post does not acquire: what one thread posted is not known to another that posts.
TEST(TraceAdapter, PostsDoNotOrderOneAnother) {
  using K = heddle::EventKind;
  std::vector<heddle::Event> trace = {event(0, K::kAtomicStore, 0x10),   event(0, K::kSemaphorePost, 0x99),
                                      event(1, K::kSemaphorePost, 0x99), event(1, K::kAtomicLoad, 0x10),
                                      event(2, K::kSemaphoreWait, 0x99), event(2, K::kAtomicLoad, 0x10)};
  trace[0].mo_position = 1;
  trace[3].flags = heddle::event_flags::kInitial;
  trace[5].reads_from = EventId{0};
  EXPECT_EQ(violated_axiom(execution_of(trace)), "");
  trace[5].reads_from = heddle::kNoEvent;
  EXPECT_NE(violated_axiom(execution_of(trace)), "");
}

TEST(TraceAdapter, NamesWhatIsWrongWithATrace) {
  using K = heddle::EventKind;
  std::vector<heddle::Event> trace = {event(0, K::kAtomicStore, 0x10), event(1, K::kAtomicLoad, 0x10)};
  trace[0].value2 = 7;
  EXPECT_EQ(malformed(trace), "");  // a location whose order was forgotten is not judged
  trace[0].mo_position = 1;
  EXPECT_NE(malformed(trace).find("from nothing"), std::string::npos);
  trace[1].reads_from = EventId{0};
  EXPECT_NE(malformed(trace).find("another value"), std::string::npos);
  trace[1].value = 7;
  EXPECT_EQ(malformed(trace), "");
}

}  // namespace
}  // namespace oracle
