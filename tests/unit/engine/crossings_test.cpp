#include "runtime/engine/crossings.h"

#include <gtest/gtest.h>

#include "tests/unit/engine/main_alone.h"

namespace heddle::engine {
namespace {

constexpr LibrarySet kLibrary = 1;  // the first of those that --trust-library names

class CrossingsTest : public ::testing::Test {
 protected:
  CrossingsTest() {
    crossing.take_entered();
    crossing.pending = 0;
    edges_.start();
    static bool watched = false;  // the names are kept for the whole process
    if (!watched) crossings_.start("libtrusted.so", false, &stamp_);
    watched = true;
    memory_.thread_created(kMainThread, other_.id = ThreadId{1});
  }
  ~CrossingsTest() override { crossing.pending = 0; }
  sched::Thread& main() { return alone_.main(); }

  testing::MainAlone alone_;
  memory::MemoryModel memory_;
  race::RaceDetector race_;
  HappensBefore edges_{alone_.scheduler(), memory_, race_};
  Crossings crossings_{edges_};
  sched::Thread other_;
  std::uint64_t stamp_ = 0;
};

TEST_F(CrossingsTest, WhoComesFromALibraryKnowsWhatOthersDidBeforeTheyWentIn) {
  const std::uint32_t before = memory_.epoch(kMainThread).time;
  crossing.enter(kLibrary);
  crossings_.cross(main(), true, kNoEvent);
  EXPECT_LT(memory_.clock(other_.id).at(kMainThread), before);
  crossing.enter(kLibrary);
  crossings_.cross(other_, true, kNoEvent);
  EXPECT_GE(memory_.clock(other_.id).at(kMainThread), before);
}

TEST_F(CrossingsTest, ThreadStaysInsideUntilTheProgramActs) {
  crossing.enter(kLibrary);
  EXPECT_NE(crossing.pending, 0);
  crossings_.cross(main(), false, kNoEvent);  // an operation that the library makes
  EXPECT_EQ(main().libraries, kLibrary);
  EXPECT_NE(crossing.pending, 0);
  crossings_.cross(main(), true, kNoEvent);
  EXPECT_EQ(main().libraries, 0u);
  EXPECT_EQ(crossing.pending, 0);
}

TEST_F(CrossingsTest, ThreadTakesItsLibrariesWithIt) {
  crossing.enter(kLibrary);
  crossings_.before_switch(main(), kNoEvent);
  EXPECT_EQ(crossing.pending, 0);
  crossings_.after_switch(other_);
  EXPECT_EQ(crossing.pending, 0);
  crossings_.after_switch(main());
  EXPECT_NE(crossing.pending, 0);
}

TEST_F(CrossingsTest, FunctionThatALibraryCallsIsOutOfIt) {
  main().depth = 3;
  crossing.enter(kLibrary);
  crossings_.call_back(main(), kNoEvent);
  EXPECT_EQ(main().libraries, 0u);
  EXPECT_EQ(main().callback_libraries, kLibrary);
  EXPECT_EQ(main().callback_depth, 4u);
  EXPECT_EQ(crossing.pending, 0);
}

TEST_F(CrossingsTest, LibraryExplainsARaceIfBothThreadsWentThroughItSince) {
  constexpr std::uint32_t kUntrusted = 5;
  sched::Thread earlier, later;
  race::Race race;
  race.previous.event = EventId{10};
  EXPECT_FALSE(Crossings::explains(kUntrusted, race, earlier, later));
  earlier.entered_library[kUntrusted] = 12;
  later.left_library[kUntrusted] = 13;
  EXPECT_TRUE(Crossings::explains(kUntrusted, race, earlier, later));
  earlier.entered_library[kUntrusted] = 10;  // before the access
  EXPECT_FALSE(Crossings::explains(kUntrusted, race, earlier, later));
}

}  // namespace
}  // namespace heddle::engine
