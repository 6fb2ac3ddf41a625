#include "tool/report/headline.h"

#include <gtest/gtest.h>

#include "tool/report/brief_rows.h"
#include "tool/report/columns.h"
#include "tool/report/interference.h"
#include "trace_builder.h"

namespace heddle::report {
namespace {

using At = TraceBuilder::At;

constexpr const char* kFile = "/home/ada/work/bank.cpp";

std::vector<At> at(std::uint32_t line) { return {{"pay()", kFile, line, 3}}; }

class Bank : public ::testing::Test {
 protected:
  void plain(unsigned thread, bool writes, Address address, std::uint64_t value, std::uint32_t line) {
    TraceAccess access;
    access.after = b.trace.events.empty() ? kNoEvent : b.trace.events.back().id;
    access.thread = ThreadId{static_cast<std::uint16_t>(thread)};
    access.writes = writes;
    access.size = 4;
    access.address = address;
    access.value = value;
    std::tie(access.pc, access.stack) = b.place(at(line));
    b.trace.accesses.push_back(access);
  }
  void lock(unsigned thread, std::uint32_t line) {
    b.event(EventKind::kMutexLock, thread, at(line)).address = mutex;
  }
  void unlock(unsigned thread, std::uint32_t line) {
    b.event(EventKind::kMutexUnlock, thread, at(line)).address = mutex;
  }
  // Two threads that look whether there is money, and then take it, each under the lock; T2 comes between.
  void overdraw() {
    b.event(EventKind::kThreadCreate, 0).other = ThreadId{1};
    b.event(EventKind::kThreadCreate, 0).other = ThreadId{2};
    lock(1, 10);
    plain(1, false, balance, 100, 11);
    unlock(1, 12);
    lock(2, 10);
    plain(2, false, balance, 100, 11);
    unlock(2, 12);
    lock(2, 14);
    plain(2, true, balance, 0, 15);
    unlock(2, 16);
    lock(1, 14);
    plain(1, true, balance, 0xffffff9c, 15);
    unlock(1, 16);
    b.trace.result.threads = 3;
    b.trace.total_events = b.trace.events.size();
  }

  TraceBuilder b;
  Address balance = b.global("balance", 4);
  Address mutex = b.global("mutex", 40);
  Address surplus = b.global("surplus", 4);
};

TEST_F(Bank, TheOneThatCameBetweenIsNamed) {
  overdraw();
  b.finding(FindingKind::kAssertion, "balance >= 0");
  b.part(PartRole::kHere, 1, at(17));
  const auto found = interference(b.trace, b.trace.findings[0]);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first.thread, ThreadId{1});
  EXPECT_EQ(found->between.thread, ThreadId{2});
  EXPECT_TRUE(found->between.writes);
  EXPECT_TRUE(found->second.writes);
  EXPECT_EQ(found->released, mutex);
  const Headline head = headline(b.trace, b.trace.findings[0]);
  EXPECT_NE(
      head.sentence.find("T2 wrote balance at bank.cpp:15 between T1's read at bank.cpp:11 and its write at "
                         "bank.cpp:15. T1 gave up mutex in between."),
      std::string::npos)
      << head.sentence;
  ASSERT_GE(head.places.size(), 3u);
  EXPECT_EQ(head.places[0].frame.line, 17u);
  EXPECT_EQ(head.places[1].frame.line, 11u);
  EXPECT_EQ(head.places[2].frame.line, 15u);
}

// What happens before a thread is there and after it has ended is no step that it could break.
TEST_F(Bank, AThreadThatWasCreatedLaterBreaksNothing) {
  plain(0, true, balance, 100, 5);
  b.event(EventKind::kThreadCreate, 0, at(6)).other = ThreadId{1};
  plain(1, true, balance, 50, 15);
  b.event(EventKind::kThreadJoin, 0, at(7)).other = ThreadId{1};
  plain(0, false, balance, 50, 8);
  b.trace.result.threads = 2;
  b.finding(FindingKind::kAssertion, "balance == 100");
  b.part(PartRole::kHere, 0, at(8));
  EXPECT_FALSE(interference(b.trace, b.trace.findings[0]));
}

TEST_F(Bank, TheVariableShowsInTheTableAndNothingElse) {
  for (int i = 0; i < 30; ++i) b.event(EventKind::kAllocate, 0, at(1)).address = 0x600000001000;
  overdraw();
  plain(2, true, surplus, 7, 30);
  b.finding(FindingKind::kAssertion, "balance >= 0");
  b.part(PartRole::kHere, 1, at(17));
  const Headline head = headline(b.trace, b.trace.findings[0]);
  ColumnOptions options;
  options.finding = b.trace.findings.data();
  options.head = &head;
  options.max_rows = 40;
  const std::string text = columns(b.trace, options);
  EXPECT_NE(text.find("read balance → 100"), std::string::npos) << text;
  EXPECT_NE(text.find("write balance = 0"), std::string::npos) << text;
  EXPECT_EQ(text.find("surplus"), std::string::npos) << text;
  EXPECT_EQ(text.find("allocate"), std::string::npos) << text;
}

TEST_F(Bank, RowsKeepTheirLimit) {
  overdraw();
  for (unsigned i = 0; i < 500; ++i) {
    lock(1 + i % 2, 14);
    plain(1 + i % 2, true, balance, i, 15);
    unlock(1 + i % 2, 16);
  }
  b.finding(FindingKind::kAssertion, "balance >= 0");
  b.part(PartRole::kHere, 1, at(17));
  const Headline head = headline(b.trace, b.trace.findings[0]);
  for (const std::size_t most : {1, 2, 8, 40}) {
    const std::vector<Row> rows = brief_rows(b.trace, b.trace.findings[0], head, most);
    EXPECT_FALSE(rows.empty());
    EXPECT_LE(rows.size(), most + 1);
  }
}

TEST_F(Bank, AProgramThatFailsAloneIsAskedWhatItNeeds) {
  b.trace.result.threads = 1;
  b.finding(FindingKind::kNonZeroExit).exit_status = 2;
  EXPECT_NE(headline(b.trace, b.trace.findings[0]).sentence.find("does the program need arguments"),
            std::string::npos);
  b.trace.result.threads = 2;
  EXPECT_EQ(headline(b.trace, b.trace.findings[0]).sentence.find("arguments"), std::string::npos);
}

TEST_F(Bank, AFailedCheckIsTheHeadline) {
  b.event(EventKind::kThreadCreate, 0, {{"Bank_Pays_Test::TestBody()", kFile, 29, 3}}).other = ThreadId{1};
  b.source(kFile, 30, "  EXPECT_EQ(balance, 0) << \"after paying\";");
  b.trace.output =
      "[ RUN      ] Bank.Pays\nbank.cpp:30: Failure\nExpected equality of these values:\n  balance\n"
      "    Which is: -100\n  0\nafter paying\n[  FAILED  ] Bank.Pays (0 ms)\n";
  b.trace.result.threads = 2;
  b.finding(FindingKind::kTestFailure).exit_status = 1;
  const Headline head = headline(b.trace, b.trace.findings[0]);
  EXPECT_TRUE(head.sentence.starts_with(
      "EXPECT_EQ(balance, 0) failed at bank.cpp:30 in Bank.Pays: Expected equality of these values: balance "
      "(which is -100), 0, after paying."))
      << head.sentence;
  ASSERT_FALSE(head.places.empty());
  EXPECT_EQ(head.places[0].frame.line, 30u);
}

// The waiter had looked at the condition, which another thread then changed without the lock.
TEST_F(Bank, ALostWakeUpNamesTheWriteWithoutALock) {
  const Address condition = b.global("condition", 48);
  b.event(EventKind::kThreadCreate, 0).other = ThreadId{1};
  lock(1, 20);
  plain(1, false, balance, 0, 21);
  plain(0, true, balance, 1, 40);
  b.event(EventKind::kCondSignal, 0, at(41)).address = condition;
  b.event(EventKind::kCondWait, 1, at(21)).address = condition;
  b.trace.result.threads = 2;
  b.finding(FindingKind::kLostWakeUp, "the signal came before it waited");
  b.part(PartRole::kHere, 1, at(21)).address = condition;
  b.part(PartRole::kNotified, 0, at(41)).address = condition;
  const Headline head = headline(b.trace, b.trace.findings[0]);
  EXPECT_NE(head.sentence.find("T0 had written balance at bank.cpp:40 without a lock."), std::string::npos)
      << head.sentence;
  ASSERT_EQ(head.places.size(), 3u);
  EXPECT_EQ(head.places[2].frame.line, 40u);
}

// Where modification order is not the order of time, the store that was read is not called old, and both are shown.
TEST(Headline, TellsModificationOrderFromTime) {
  TraceBuilder b;
  const Address x = b.global("x", 4);
  const auto store = [&](unsigned thread, std::uint64_t value, std::uint32_t position, std::uint32_t line) {
    TraceEvent& e = b.access(EventKind::kAtomicStore, thread, x, value, MemoryOrder::kRelaxed, at(line));
    e.mo_position = position;
    e.location = 1;
  };
  store(1, 1, 2, 17);
  store(2, 2, 1, 22);
  TraceEvent& read = b.access(EventKind::kAtomicLoad, 0, x, 1, MemoryOrder::kRelaxed, at(26));
  read.reads_from = EventId{0};
  read.flags = event_flags::kStale;
  read.location = 1;
  b.trace.result.threads = 3;
  b.finding(FindingKind::kAssertion, "a == 1");
  b.part(PartRole::kHere, 0, at(28));
  const Headline head = headline(b.trace, b.trace.findings[0]);
  EXPECT_NE(head.sentence.find(
                "T0 read x at bank.cpp:26: 1, stored by T1. T2 stored 2 at bank.cpp:22 later, but that "
                "lies before it in modification order."),
            std::string::npos)
      << head.sentence;
  std::vector<std::string> labels;
  for (const CitedPlace& place : head.places) labels.push_back(place.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"T0 fails", "T0 read x, relaxed",
                                              "T1 had stored what was read, relaxed",
                                              "T2 stored x later, relaxed: ordered before that"}));
}

}  // namespace
}  // namespace heddle::report
