#include "tool/report/columns.h"

#include <gtest/gtest.h>

#include <sstream>

#include "golden.h"
#include "samples.h"
#include "tool/report/escape.h"
#include "tool/report/show.h"
#include "trace_builder.h"

namespace heddle::report {
namespace {

using At = TraceBuilder::At;

void expect_fits(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width_of(line), width) << line;
}

TEST(Columns, MessagePassingWithAStaleRead) {
  const Trace trace = message_passing();
  const std::string text = columns(trace);
  EXPECT_NE(text.find("STALE: T1 #4"), std::string::npos) << text;
  EXPECT_NE(text.find("← T1 #5"), std::string::npos);
  expect_fits(text, 100);
  expect_golden("columns_message_passing", text);
}

// T1 executes x = 2, then T2 executes x = 1, and modification order has x = 1 first. A load that reads 2 has not missed
// the store that it read ([intro.races]p4: modification order is not the order of execution).
TEST(Columns, TheStoreThatWasReadIsNeverTheOneThatWasMissed) {
  TraceBuilder b;
  const Address x = b.global("x", 4);
  const EventId read_from = b.access(EventKind::kAtomicStore, 1, x, 2, MemoryOrder::kRelaxed).id;
  b.trace.events.back().mo_position = 2;
  const EventId later = b.access(EventKind::kAtomicStore, 2, x, 1, MemoryOrder::kRelaxed).id;
  b.trace.events.back().mo_position = 1;
  TraceEvent& load = b.access(EventKind::kAtomicLoad, 3, x, 2, MemoryOrder::kRelaxed);
  load.reads_from = read_from;
  load.flags |= event_flags::kStale;
  const std::string text = columns(b.trace);
  EXPECT_EQ(text.find("STALE: T1"), std::string::npos) << text;
  EXPECT_NE(text.find("T2 #" + std::to_string(index_of(later))), std::string::npos) << text;
}

TEST(Columns, NoEventsNoTable) { EXPECT_EQ(columns(Trace{}), ""); }

// Eight threads that each add to a counter: too many for columns.
Trace many_threads(unsigned threads) {
  TraceBuilder b;
  const Address counter = b.global("statistics", 8, ".requests_that_were_answered", 0);
  for (unsigned t = 1; t <= threads; ++t)
    b.event(EventKind::kThreadCreate, 0).other = ThreadId{static_cast<std::uint16_t>(t)};
  for (unsigned t = 1; t <= threads; ++t) {
    TraceEvent& e =
        b.access(EventKind::kAtomicUpdate, t, counter, t - 1, MemoryOrder::kAcqRel,
                 {{"answer(Request const&)", "/home/ada/work/a_rather_long_file_name.cpp", 100 + t, 3}});
    e.value2 = t;
    e.mo_position = t;
    if (t > 1) e.reads_from = EventId{index_of(e.id) - 1};
  }
  return b.trace;
}

TEST(Columns, ManyThreadsShareOneColumn) {
  const std::string text = columns(many_threads(8));
  expect_fits(text, 100);
  expect_golden("columns_many_threads", text);
}

// With three threads there is no room for names of files beside their columns: the lines stay.
TEST(Columns, LinesStayWhereFilesDoNotFit) {
  const std::string text = columns(many_threads(2));
  EXPECT_NE(text.find("│ 101"), std::string::npos) << text;
  EXPECT_NE(text.find("line: of a_rather_long_file_name.cpp"), std::string::npos) << text;
  expect_fits(text, 100);
}

TEST(Columns, WhatTheBugGoesAwayWithoutIsMarked) {
  Trace trace = message_passing();
  EXPECT_EQ(columns(trace).find("◆"), std::string::npos);
  TraceDeparture departure;
  departure.critical = true;
  departure.event = trace.events[3].id;
  trace.departures.push_back(departure);
  const std::string text = columns(trace);
  EXPECT_NE(text.find("◆"), std::string::npos) << text;
  EXPECT_NE(text.find("without it the bug goes away"), std::string::npos) << text;
}

TEST(Columns, FitAnyWidth) {
  for (const unsigned threads : {1u, 2u, 3u, 4u, 30u}) {
    for (const std::size_t width : {40, 60, 80, 100, 140, 200}) {
      ColumnOptions options;
      options.width = width;
      expect_fits(columns(many_threads(threads), options), width);
    }
  }
}

TEST(Columns, LoopsAndDullStretchesAreFolded) {
  TraceBuilder b;
  const Address flag = b.global("flag", 4), other = b.global("other", 4), raced = b.global("raced", 4);
  const std::vector<At> spin = {{"spin()", "/home/ada/work/spin.cpp", 7, 3}};
  b.access(EventKind::kAtomicStore, 0, flag, 0, MemoryOrder::kRelaxed);
  const TraceEvent first = b.access(EventKind::kAtomicLoad, 1, flag, 0, MemoryOrder::kAcquire, spin);
  for (int i = 0; i < 500; ++i) {
    TraceEvent& again = b.access(EventKind::kAtomicLoad, 1, flag, 0, MemoryOrder::kAcquire, spin);
    again.pc = first.pc;
  }
  for (int i = 0; i < 400; ++i) {
    b.access(EventKind::kAtomicStore, 1 + i % 2, other, static_cast<unsigned>(i), MemoryOrder::kRelaxed);
  }
  const EventId cited = b.access(EventKind::kPlainWrite, 2, raced, 1, MemoryOrder::kRelaxed).id;
  b.finding(FindingKind::kDataRace).event = cited;
  ColumnOptions options;
  options.max_rows = 20;
  const std::string text = columns(b.trace, options);
  EXPECT_NE(text.find("write raced = 1"), std::string::npos);
  EXPECT_NE(text.find("#902!"), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40);
  expect_fits(text, 100);
  options.max_rows = 2000;
  EXPECT_NE(columns(b.trace, options).find("… the same 499 more times"), std::string::npos);
  expect_golden("columns_folded", text);
}

TEST(Columns, HeapBlocksAreNamedByTheTimeOfTheAccess) {
  TraceBuilder b;
  const auto allocate = [&] {
    TraceEvent& e = b.event(EventKind::kAllocate, 0, {{"make()", "/home/ada/work/m.cpp", 3, 1}});
    e.address = 0x600000000040;
    e.value = 32;
  };
  allocate();
  b.access(EventKind::kAtomicStore, 0, 0x600000000048, 1, MemoryOrder::kRelaxed);
  allocate();  // the same block again
  b.access(EventKind::kAtomicStore, 0, 0x600000000048, 2, MemoryOrder::kRelaxed);
  TraceEvent& pointer =
      b.access(EventKind::kAtomicStore, 0, b.global("head", 8), 0x600000000040, MemoryOrder::kRelease);
  pointer.size = 8;
  b.access(EventKind::kAtomicLoad, 1, 0x7ffd00001000, 5, MemoryOrder::kRelaxed);
  const std::string text = columns(b.trace);
  EXPECT_NE(text.find("store heap#1+8 = 1"), std::string::npos) << text;
  EXPECT_NE(text.find("store heap#2+8 = 2"), std::string::npos);
  EXPECT_NE(text.find("store head = &heap#2 release"), std::string::npos);
  EXPECT_NE(text.find("load mem#1 → 5"), std::string::npos);
  EXPECT_NE(text.find("heap#1: 32 bytes at 0x600000000040, allocated by T0 at m.cpp:3:1"), std::string::npos);
}

// They are no events: the table has them from the finding, each after the last event before it.
TEST(Columns, ThePlainAccessesOfARaceAreShownInTheirPlaces) {
  TraceBuilder b;
  const Address data = b.global("data", 4);
  b.event(EventKind::kThreadStart, 1);
  b.event(EventKind::kYield, 1);
  b.event(EventKind::kThreadStart, 2);
  b.finding(FindingKind::kDataRace);
  const auto access = [&](PartRole role, unsigned thread, AccessKind kind, std::uint32_t after) {
    TracePart& part = b.part(role, thread, {{"work()", "/home/ada/work/m.cpp", 3, 1}});
    part.access = kind;
    part.address = data;
    part.size = 4;
    part.event = EventId{after};
  };
  access(PartRole::kAccess, 2, AccessKind::kRead, 2);
  access(PartRole::kPreviousAccess, 1, AccessKind::kWrite, 0);
  const std::string text = columns(b.trace);
  const auto at = [&](const char* what) { return text.find(what); };
  ASSERT_NE(at("read data (4 bytes)"), std::string::npos) << text;
  EXPECT_LT(at("#0"), at("write data (4 bytes)")) << text;
  EXPECT_LT(at("write data (4 bytes)"), at("#1")) << text;
  EXPECT_LT(at("#2"), at("read data (4 bytes)")) << text;
}

TEST(Columns, EventsThatWereNotKeptAreCounted) {
  TraceBuilder b;
  b.event(EventKind::kYield, 0).id = EventId{10};
  b.event(EventKind::kYield, 0).id = EventId{5000};
  b.trace.total_events = 6000;
  const std::string text = columns(b.trace);
  EXPECT_NE(text.find("… 10 events that were not kept"), std::string::npos) << text;
  EXPECT_NE(text.find("… 4,989 events that were not kept"), std::string::npos);
  EXPECT_NE(text.find("… 999 events that were not kept"), std::string::npos);
}

TEST(Columns, NamesAndNotesAreEscaped) {
  TraceBuilder b;
  const std::string evil = "\x1b[2J\n\xff";
  b.trace.texts.push_back(evil);
  b.event(EventKind::kNote, 1, {{evil, evil, 3, 1, evil}}).text = 1;
  b.access(EventKind::kAtomicStore, 1, b.global(evil, 4), 1, MemoryOrder::kRelaxed,
           {{evil, evil, 3, 1, evil}});
  const std::string text = columns(b.trace);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST(Show, DumpsAnArtifact) {
  ShowOptions options;
  options.path = "heddle-out/bug-1.heddle";
  expect_golden("show", show_text(message_passing(), options));
}

}  // namespace
}  // namespace heddle::report
