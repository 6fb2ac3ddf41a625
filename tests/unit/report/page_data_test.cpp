// What the page of the HTML report is made from: cards, rows, reads and what is kept of an explanation.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "samples.h"
#include "tool/findings/fingerprint.h"
#include "tool/report/headline.h"
#include "tool/report/kept_explanation.h"
#include "tool/report/missed_store.h"
#include "tool/report/page_data.h"
#include "tool/report/page_events.h"
#include "trace_builder.h"

namespace heddle::report {
namespace {

Json page_of(const Trace& trace, const std::string& explanation = {}) {
  return page_bug({&trace, 0, 1, 0, "heddle-out/bug-1.heddle", {}, explanation}, 20'000);
}

// "T1 wrote data", for each deed of each card; those of one card are joined by "; ".
std::vector<std::string> cards_of(const Json& page, bool main) {
  std::vector<std::string> cards;
  for (const Json& card : page["cards"]) {
    if (card["main"] != main) continue;
    std::string words;
    for (const Json& deed : card["deeds"]) {
      if (!words.empty()) words += "; ";
      if (deed["thread"] != -1) words += "T" + std::to_string(deed["thread"].get<int>()) + " ";
      words += deed["words"].get<std::string>();
      if (deed["object"] != "") words += " " + deed["object"].get<std::string>();
    }
    cards.push_back(words);
  }
  return cards;
}

// "bank.cpp:11", the place of a card.
std::string place_of(const Json& page, const Json& card) {
  const Json& stack = page["stacks"][card["stack"].get<std::size_t>()];
  const Json& frame = page["frames"][stack["frames"][stack["at"].get<std::size_t>()].get<std::size_t>()];
  return page["files"][frame[3].get<std::size_t>()]["path"].get<std::string>() + ":" +
         std::to_string(frame[4].get<int>());
}

std::string text(const Json& page, const Json& number) { return page["strings"][number.get<std::size_t>()]; }

using Cards = std::vector<std::string>;

TEST(PageCards, SayWhatEachCitedPlaceIs) {
  EXPECT_EQ(cards_of(page_of(sample_finding(FindingKind::kDataRace)), true),
            (Cards{"T0 read queue.size", "T1 wrote queue.size"}));
  EXPECT_EQ(cards_of(page_of(sample_finding(FindingKind::kDataRace)), false),
            (Cards{"T1 created here by T0"}));
  EXPECT_EQ(cards_of(page_of(sample_finding(FindingKind::kDeadlock)), true),
            (Cards{"T1 waits for second, held by T2", "T2 waits for first, held by T1", "T2 took second",
                   "T1 took first"}));
  EXPECT_EQ(cards_of(page_of(sample_finding(FindingKind::kHeapUseAfterFree)), true),
            (Cards{"T2 uses it", "T1 freed it"}));
  EXPECT_EQ(cards_of(page_of(sample_finding(FindingKind::kHeapUseAfterFree)), false),
            (Cards{"T0 allocated here heap#1"}));
  EXPECT_EQ(cards_of(page_of(sample_finding(FindingKind::kLostWakeUp)), true), (Cards{"T1 waits for ever"}));
}

TEST(PageCards, ASignalThatCameTooEarlyHasACard) {
  Trace trace = sample_finding(FindingKind::kLostWakeUp);
  TracePart notified = trace.findings[0].parts[0];
  notified.role = PartRole::kNotified;
  notified.thread = ThreadId{2};
  trace.findings[0].parts.push_back(notified);
  EXPECT_EQ(cards_of(page_of(trace), true), (Cards{"T1 waits for ever; T2 signalled before T1 waited"}));
}

// A thread that waits for a lock has no event of that: the page has a row of its own for it.
TEST(PageCards, AThreadThatWaitsForALockHasARow) {
  const Json page = page_of(sample_finding(FindingKind::kDeadlock));
  std::set<int> rows;
  for (const Json& card : page["cards"]) {
    if (card["main"] != true) continue;
    for (const Json& deed : card["deeds"]) {
      if (deed["words"].get<std::string>().starts_with("waits for")) rows.insert(deed["row"].get<int>());
    }
  }
  ASSERT_EQ(rows.size(), 2u);
  for (const int row : rows) {
    ASSERT_GE(row, 0);
    EXPECT_EQ(page["rows"][static_cast<std::size_t>(row)][0], -1);
    EXPECT_EQ(text(page, page["rows"][static_cast<std::size_t>(row)][3]).find("waits for "), 0u);
  }
}

// The page and the terminal cite the same lines, and nothing twice.
TEST(PageCards, BeginWithThePlacesOfTheHeadline) {
  for (const FindingKind kind :
       {FindingKind::kDataRace, FindingKind::kDeadlock, FindingKind::kHeapUseAfterFree,
        FindingKind::kLostWakeUp, FindingKind::kAssertion}) {
    const Trace trace = sample_finding(kind);
    const Json page = page_of(trace);
    const Headline head = headline(trace, trace.findings[0]);
    ASSERT_GE(page["cards"].size(), head.places.size());
    std::set<std::string> seen;
    for (std::size_t i = 0; i < page["cards"].size(); ++i) {
      const Json& card = page["cards"][i];
      const std::string place = place_of(page, card);
      EXPECT_TRUE(seen.insert(place).second) << to_string(kind) << ": " << place;
      if (i >= head.places.size()) continue;
      const Frame& frame = head.places[i].frame;
      EXPECT_EQ(place, PathStyle(trace).shown(frame.file) + ":" + std::to_string(frame.line));
      EXPECT_EQ(card["main"], true);
    }
  }
}

// What a framework says of a failed check is a place, too, though no event happened there.
TEST(PageCards, AFailedCheckHasACardWithItsSource) {
  TraceBuilder b;
  const std::string file = "/home/ada/work/queue_test.cpp";
  b.source(file, 9, "  EXPECT_EQ(queue.size(), 2);");
  b.event(EventKind::kThreadStart, 0, {{"main", file, 20, 1}});
  b.trace.output = "[ RUN      ] Queue.Keeps\nqueue_test.cpp:9: Failure\nExpected equality\n";
  b.finding(FindingKind::kTestFailure, "it failed");
  const Json page = page_of(b.trace);
  EXPECT_EQ(cards_of(page, true), (Cards{"failed"}));
  EXPECT_EQ(place_of(page, page["cards"][0]), "queue_test.cpp:9");
  EXPECT_EQ(page["files"][0]["lines"][0], Json::parse("[9, \"  EXPECT_EQ(queue.size(), 2);\"]"));
}

// The caret stands below the column, which debug information counts in bytes.
TEST(PageCards, TheCaretCountsCharactersAsTheyAreShown) {
  TraceBuilder b;
  const std::string file = "/home/ada/work/umlaut.cpp";
  const std::string line = "\t/* gr\xc3\xbc\xc3\x9f\x01 */ x = 1;";
  b.source(file, 3, line);
  b.finding(FindingKind::kAssertion, "it failed");
  const auto column = static_cast<std::uint32_t>(line.find("x = 1") + 1);
  b.part(PartRole::kHere, 0, {{"main", file, 3, column}});
  const Json page = page_of(b.trace);
  // The control character is shown as \x01.
  EXPECT_EQ(page["frames"][0][5], 16);
  EXPECT_EQ(page["files"][0]["lines"][0][1], "\t/* gr\xc3\xbc\xc3\x9f\\x01 */ x = 1;");
  b.trace.symbols.sources.clear();
  EXPECT_EQ(page_of(b.trace)["frames"][0][5], -1);
}

// Two stores by T1 and T2, and a load by T0 that reads one of them.
struct Reads {
  TraceBuilder b;
  Address x = b.global("x", 4);

  void store(unsigned thread, std::uint64_t value, std::uint32_t position) {
    TraceEvent& e = b.access(EventKind::kAtomicStore, thread, x, value, MemoryOrder::kRelaxed);
    e.mo_position = position;
    e.location = 1;
  }
  std::string load(std::uint32_t from, std::uint8_t flags) {
    TraceEvent& e = b.access(EventKind::kAtomicLoad, 0, x, 1, MemoryOrder::kRelaxed);
    e.reads_from = flags & event_flags::kInitial ? kNoEvent : EventId{from};
    e.flags = flags;
    e.location = 1;
    const auto missed = missed_stores(b.trace);
    const auto found = missed.find(index_of(b.trace.events.back().id));
    Names names(b.trace);
    return read_words(b.trace, b.trace.events.back(), found == missed.end() ? nullptr : &found->second,
                      names);
  }
};

TEST(MissedStores, AreToldByTimeAndByModificationOrder) {
  Reads later;
  later.store(1, 1, 1);
  later.store(2, 2, 2);
  EXPECT_EQ(later.load(0, event_flags::kStale), "← T1 #0, missed T2 #1, which wrote 2");
  EXPECT_EQ(later.load(1, 0), "← T2 #1");
  EXPECT_EQ(later.load(0, event_flags::kStale | event_flags::kInitial),
            "← initial, missed T2 #1, which wrote 2");

  Reads turned;
  turned.store(1, 1, 2);
  turned.store(2, 2, 1);
  EXPECT_EQ(turned.load(0, event_flags::kStale),
            "← T1 #0, though T2 #1 was executed later and lies before it in modification order");
  EXPECT_EQ(turned.load(0, 0),
            "← T1 #0, though T2 #1 was executed later and lies before it in modification order");
  EXPECT_EQ(turned.load(1, event_flags::kStale),
            "← T2 #1, though T1 #0 was executed earlier and lies after it in modification order");
}

TEST(MissedStores, AreThoseOfTheSameObject) {
  Reads reused;
  reused.store(1, 1, 1);
  reused.b.trace.events.back().location = 7;  // the memory was another object before
  reused.store(2, 2, 1);
  EXPECT_EQ(reused.load(1, 0), "← T2 #1");
}

TEST(PageRows, HaveTheReadAndItsStore) {
  const Json page = page_of(message_passing());
  std::vector<std::string> remarks;
  for (const Json& row : page["rows"]) remarks.push_back(text(page, row[4]));
  EXPECT_NE(std::find(remarks.begin(), remarks.end(), "← initial, missed T1 #4, which wrote 42"),
            remarks.end());
  EXPECT_EQ(page["missed"], Json::parse("[[8,4,0]]"));
  EXPECT_EQ(page["start"], 10);
}

TraceAccess plain(TraceBuilder& b, unsigned thread, bool writes, Address address, std::uint64_t value) {
  TraceAccess access;
  access.after = b.trace.events.empty() ? kNoEvent : b.trace.events.back().id;
  access.thread = ThreadId{static_cast<std::uint16_t>(thread)};
  access.writes = writes;
  access.size = 4;
  access.address = address;
  access.value = value;
  std::tie(access.pc, access.stack) = b.place({{"pay()", "/home/ada/work/bank.cpp", 11, 3}});
  return access;
}

TEST(PageRows, HavePlainAccessesWhereTheyHappened) {
  TraceBuilder b;
  const Address balance = b.global("balance", 4);
  b.trace.accesses.push_back(plain(b, 0, true, balance, 100));
  b.event(EventKind::kThreadStart, 1);
  b.trace.accesses.push_back(plain(b, 1, false, balance, 100));
  b.trace.accesses.push_back(plain(b, 1, true, balance, 0));
  b.event(EventKind::kThreadEnd, 1);
  b.finding(FindingKind::kReported, "it failed");
  const Json page = page_of(b.trace);
  std::vector<std::string> rows;
  for (const Json& row : page["rows"])
    rows.push_back(std::to_string(row[0].get<int>()) + " T" + std::to_string(row[1].get<int>()) + " " +
                   text(page, row[3]));
  EXPECT_EQ(rows,
            (std::vector<std::string>{"-1 T0 write balance = 100", "0 T1 starts", "-1 T1 read balance → 100",
                                      "-1 T1 write balance = 0", "1 T1 ends"}));
}

// An access of a race is one row, whether it was seen once more or not.
TEST(PageRows, AnAccessOfARaceIsOneRow) {
  Trace trace = sample_finding(FindingKind::kDataRace);
  const std::size_t before = page_of(trace)["rows"].size();
  for (const TracePart& part : trace.findings[0].parts) {
    if (part.role != PartRole::kPreviousAccess) continue;
    trace.accesses.push_back({part.event, part.thread, part.access == AccessKind::kWrite, part.size, part.pc,
                              part.stack, part.address, 7});
  }
  ASSERT_EQ(trace.accesses.size(), 1u);
  const Json page = page_of(trace);
  EXPECT_EQ(page["rows"].size(), before);
  EXPECT_EQ(page["links"].size(), 1u);
}

// However many plain accesses there are, the page has about as many rows as it may have.
TEST(PageRows, AreNotTooMany) {
  TraceBuilder b;
  const Address balance = b.global("balance", 4);
  b.event(EventKind::kThreadStart, 1);
  for (int i = 0; i < 5'000; ++i) b.trace.accesses.push_back(plain(b, 1, true, balance, 1));
  b.event(EventKind::kThreadEnd, 1);
  b.finding(FindingKind::kReported, "it failed");
  const Json page = page_bug({&b.trace, 0, 1, 0, "bug-1.heddle", {}, {}}, 1'000);
  EXPECT_LE(page["rows"].size(), 1'050u);
  EXPECT_GE(page["rows"].size(), 900u);
}

// The exit is heddle's doing: its source is nothing that a user could mend.
TEST(PageRows, HaveNoSourceOfHeddle) {
  TraceBuilder b;
  b.event(EventKind::kExit, 0,
          {{"exit_now()", "/opt/heddle/runtime/startup.cpp", 70, 3, "/opt/lib/libheddle.so.0"}});
  b.finding(FindingKind::kNonZeroExit, "it failed");
  const Json page = page_of(b.trace);
  EXPECT_EQ(page["rows"][0][6], -1);
  EXPECT_EQ(text(page, page["rows"][0][5]), "");
  EXPECT_EQ(page.dump().find("startup.cpp"), std::string::npos);
}

// heap#1 is the same block in the words, the cards, the rows and the text.
TEST(PageNames, AreTheSameEverywhere) {
  TraceBuilder b;
  const Address blocks[] = {0x600000000020, 0x600000000060};
  for (const Address block : blocks) {
    TraceEvent& e = b.event(EventKind::kAllocate, 0);
    e.address = block;
    e.value = 16;
  }
  const std::vector<TraceBuilder::At> at = {{"use()", "/home/ada/work/a.cpp", 5, 3}};
  b.event(EventKind::kFree, 1, at).address = blocks[0];
  const EventId freed = b.event(EventKind::kFree, 1, at).id;
  b.trace.events.back().address = blocks[1];
  b.finding(FindingKind::kHeapUseAfterFree, "it failed");
  TracePart& use = b.part(PartRole::kHere, 0, {{"use()", "/home/ada/work/a.cpp", 9, 3}});
  use.address = use.block = blocks[1];
  use.access = AccessKind::kRead;
  use.event = freed;
  TracePart& free = b.part(PartRole::kFreed, 1, at);
  free.address = free.block = blocks[1];
  const Json page = page_of(b.trace);
  const std::string words = page["words"];
  EXPECT_NE(words.find("heap#1"), std::string::npos) << words;
  EXPECT_EQ(text(page, page["rows"][3][3]).substr(0, 11), "free heap#1");
  EXPECT_EQ(text(page, page["rows"][2][3]).substr(0, 11), "free heap#2");
  EXPECT_EQ(page["text"].get<std::string>().find("heap#2"), std::string::npos);
}

// Creation, the end of threads and allocation are told apart from what orders accesses.
TEST(PageRows, CreationAndAllocationAreRelationsOfTheirOwn) {
  TraceBuilder b;
  b.event(EventKind::kThreadCreate, 0).other = ThreadId{1};
  TraceEvent& allocate = b.event(EventKind::kAllocate, 0);
  allocate.address = 0x600000000020;
  allocate.value = 16;
  b.event(EventKind::kThreadStart, 1);
  b.event(EventKind::kFree, 1).address = 0x600000000020;
  b.event(EventKind::kThreadEnd, 1);
  b.event(EventKind::kThreadJoin, 0).other = ThreadId{1};
  b.finding(FindingKind::kReported, "it failed");
  const Json page = page_of(b.trace);
  EXPECT_EQ(page["synchronises"], Json::array());
  EXPECT_EQ(page["life"], Json::parse("[[0,2],[4,5],[1,3]]"));
}

// However many events there are: what the finding cites, what it needs and the stores of its reads are kept.
TEST(PageEvents, CriticalOnesAreKept) {
  TraceBuilder b;
  const Address x = b.global("x", 4);
  b.access(EventKind::kAtomicStore, 1, x, 1, MemoryOrder::kRelaxed).mo_position = 1;
  for (int i = 0; i < 5'000; ++i) b.event(EventKind::kYield, 2);
  TraceEvent& read = b.access(EventKind::kAtomicLoad, 2, x, 1, MemoryOrder::kRelaxed);
  read.reads_from = EventId{0};
  const EventId needed = b.trace.events.back().id;
  for (int i = 0; i < 5'000; ++i) b.event(EventKind::kYield, 0);
  const EventId last = b.event(EventKind::kFinding, 0).id;
  b.trace.total_events = b.trace.events.size();
  TraceDeparture departure;
  departure.critical = true;
  departure.event = needed;
  b.trace.departures = {departure};
  b.finding(FindingKind::kReported, "it failed").event = last;
  const Headline head = headline(b.trace, b.trace.findings[0]);
  const Trace shorter = page_events(b.trace, b.trace.findings[0], head, 500);
  EXPECT_GE(shorter.events.size(), 500u);
  EXPECT_LE(shorter.events.size(), 510u);
  for (const EventId id : {EventId{0}, needed, last})
    EXPECT_NE(shorter.find_event(id), nullptr) << index_of(id);
  const auto critical = page_critical_events(shorter, shorter.findings[0], head);
  for (const EventId id : {EventId{0}, needed, last}) EXPECT_TRUE(critical.contains(id)) << index_of(id);
}

Explanation explained() {
  Explanation e;
  e.failing.trace = message_passing();
  e.failing.kept = {EventId{8}};
  e.failing.flows = {{EventId{8}, kNoEvent}};
  e.passing = e.failing;
  e.passing->flows = {{EventId{8}, EventId{4}}};
  return e;
}

TEST(KeptExplanation, IsShownOnThePageOfItsBug) {
  const Explanation e = explained();
  const Json page = page_of(e.failing.trace, explanation_to_keep(e));
  EXPECT_EQ(page["explanation"], page_explanation(e));
  EXPECT_EQ(page_of(sample_finding(FindingKind::kDataRace), explanation_to_keep(e))["explanation"], nullptr);
  EXPECT_EQ(page_of(e.failing.trace)["explanation"], nullptr);
  EXPECT_EQ(page_of(e.failing.trace)["explain"], "heddle explain heddle-out/bug-1.heddle");
}

TEST(KeptExplanation, LiesBesideTheArtifact) {
  EXPECT_EQ(explanation_path("out/bug-1.heddle"), "out/bug-1.why.json");
  EXPECT_EQ(explanation_path("a"), "a.why.json");
}

// The file may have been written by anybody.
TEST(KeptExplanation, IsNotTrusted) {
  const Explanation e = explained();
  const std::string print = fingerprint(e.failing.trace, e.failing.trace.findings[0]);
  const Json good = Json::parse(explanation_to_keep(e));
  ASSERT_FALSE(kept_explanation(good.dump(), print).is_null());
  const auto with = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return kept_explanation(bad.dump(), print);
  };
  EXPECT_TRUE(with("/explanation/sentence", 7).is_null());
  EXPECT_TRUE(with("/explanation/fails/lines/0/thread", "T1").is_null());
  EXPECT_TRUE(with("/explanation/fails/lines/0/thread", 1e300).is_null());
  EXPECT_TRUE(with("/explanation/fails/flows/0/1", 1).is_null());
  EXPECT_TRUE(with("/explanation/fails/flows/0/0", -2).is_null());
  EXPECT_TRUE(with("/explanation/fails", nullptr).is_null());
  EXPECT_TRUE(with("/version", 99).is_null());
  EXPECT_TRUE(kept_explanation("[[[[", print).is_null());
  EXPECT_TRUE(kept_explanation("\"\xff\"", print).is_null());
  // What is not known to the page does not come into it, and nothing changes the direction of writing.
  Json more = good;
  more["explanation"]["more"] = 1;
  more["explanation"]["how"] =
      "a\xe2\x80\xae"
      "b";
  const Json kept = kept_explanation(more.dump(), print);
  EXPECT_FALSE(kept.contains("more"));
  EXPECT_EQ(kept["how"].get<std::string>().find("\xe2\x80\xae"), std::string::npos);
}

}  // namespace
}  // namespace heddle::report
