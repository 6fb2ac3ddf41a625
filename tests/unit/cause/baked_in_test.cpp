#include "tool/cause/baked_in.h"

#include <gtest/gtest.h>

namespace heddle::cause {
namespace {

// Wilson's interval of 95 %, by hand: 5 of 10 is 0.2366 to 0.7634, 0 of 10 ends at 0.2775.
TEST(BakedInTest, AShareHasWilsonsInterval) {
  EXPECT_NEAR(share_of(5, 10).low, 0.2366, 0.0001);
  EXPECT_NEAR(share_of(5, 10).high, 0.7634, 0.0001);
  EXPECT_DOUBLE_EQ(share_of(0, 10).low, 0);
  EXPECT_NEAR(share_of(0, 10).high, 0.2775, 0.0001);
  EXPECT_NEAR(share_of(10, 10).low, 0.7225, 0.0001);
  EXPECT_DOUBLE_EQ(share_of(10, 10).high, 1);
  EXPECT_DOUBLE_EQ(share_of(0, 0).high, 1) << "nothing is known";
}

TraceEvent event(std::uint32_t id, std::uint16_t thread, EventKind kind, std::uint64_t pc) {
  TraceEvent e;
  e.id = EventId{id};
  e.thread = ThreadId{thread};
  e.kind = kind;
  e.pc = pc;
  return e;
}

// The choice before event 1 lets thread 1 run: that it starts is nothing that others could come before.
TEST(BakedInTest, AChoiceDecidesTheNextOperationOfItsThread) {
  Trace failing, shown;
  failing.events = {event(0, 0, EventKind::kAtomicStore, 5), event(1, 1, EventKind::kThreadStart, 0),
                    event(2, 1, EventKind::kAllocate, 6),    event(3, 1, EventKind::kAtomicLoad, 7),
                    event(4, 0, EventKind::kAtomicStore, 5), event(5, 1, EventKind::kAtomicLoad, 7)};
  for (const TraceEvent& e : failing.events) {
    shown.events.push_back(
        event(static_cast<std::uint32_t>(shown.events.size()), 0, EventKind::kPlainRead, 9));
    shown.events.push_back(e);
    shown.events.back().id = EventId{static_cast<std::uint32_t>(shown.events.size() - 1)};
  }
  EXPECT_EQ(decided_by(failing, 1, shown), EventId{7});
  EXPECT_EQ(decided_by(failing, 4, shown), EventId{9}) << "the second store of the two";
  EXPECT_EQ(decided_by(failing, 5, shown), EventId{11});
  EXPECT_EQ(decided_by(failing, 6, shown), kNoEvent);
}

}  // namespace
}  // namespace heddle::cause
