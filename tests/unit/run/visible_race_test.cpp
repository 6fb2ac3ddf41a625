#include "tool/run/visible_race.h"

#include <gtest/gtest.h>

namespace heddle::run {
namespace {

TEST(VisiblePlaces, joins_what_touches_and_stays_sorted) {
  VisiblePlaces places;
  EXPECT_FALSE(places.any());
  EXPECT_TRUE(places.add({40, 48}));
  EXPECT_TRUE(places.add({8, 16}));
  EXPECT_TRUE(places.add({24, 32}));
  EXPECT_EQ(places.count, 3u);
  EXPECT_TRUE(places.add({12, 26})) << "joins two";
  ASSERT_EQ(places.count, 2u);
  EXPECT_EQ(places.places[0], (VisiblePlace{8, 32}));
  EXPECT_EQ(places.places[1], (VisiblePlace{40, 48}));
  EXPECT_TRUE(places.add({0, 100})) << "swallows all";
  EXPECT_EQ(places.count, 1u);
  EXPECT_FALSE(places.add({5, 5})) << "there is nothing in it";
}

TEST(VisiblePlaces, answers_for_code_and_for_memory) {
  VisiblePlaces places;
  ASSERT_TRUE(places.add_code(0x1000));
  ASSERT_TRUE(places.add({0x8000, 0x8008}));
  EXPECT_TRUE(places.has(0x1000, 0x9000, 4));
  EXPECT_FALSE(places.has(0x1001, 0x9000, 4)) << "a place is one return address";
  EXPECT_FALSE(places.has(0xfff, 0x9000, 4));
  EXPECT_TRUE(places.has(1, 0x7ffd, 4)) << "its last byte";
  EXPECT_FALSE(places.has(1, 0x7ffc, 4));
  EXPECT_FALSE(places.has(1, 0x8008, 4));
  places.all = 1;
  EXPECT_TRUE(places.has(1, 0x8008, 4));
}

TEST(VisiblePlaces, refuses_more_than_there_is_room_for) {
  VisiblePlaces places;
  for (std::uint32_t i = 0; i < VisiblePlaces::kMost; ++i) ASSERT_TRUE(places.add_code(16 * i + 16));
  EXPECT_FALSE(places.add_code(8));
  EXPECT_TRUE(places.add_code(16)) << "it is there already";
  EXPECT_EQ(places.count, VisiblePlaces::kMost);
}

TracePart access_part(PartRole role, AccessKind access, MemoryKind memory) {
  TracePart part;
  part.role = role;
  part.access = access;
  part.memory = memory;
  part.pc = role == PartRole::kAccess ? 0x1000 : 0x2000;
  part.address = 0x8000;
  part.size = 8;
  return part;
}

TEST(VisibleRace, has_the_code_of_plain_accesses_and_memory_that_is_one_variable) {
  TraceFinding race;
  race.kind = FindingKind::kDataRace;
  race.parts = {access_part(PartRole::kAccess, AccessKind::kRead, MemoryKind::kHeap),
                access_part(PartRole::kPreviousAccess, AccessKind::kAtomicWrite, MemoryKind::kHeap)};
  VisiblePlaces places;
  EXPECT_TRUE(add_race(race, places));
  EXPECT_TRUE(places.has(0x1000, 0, 1));
  EXPECT_FALSE(places.has(0x2000, 0, 1)) << "an atomic access is a choice anyway";
  EXPECT_TRUE(places.has(0x3000, 0x8004, 4));
  EXPECT_FALSE(add_race(race, places)) << "nothing is new";
}

TEST(VisibleRace, leaves_memory_of_stacks_out) {
  TraceFinding race;
  race.kind = FindingKind::kDataRace;
  race.parts = {access_part(PartRole::kAccess, AccessKind::kWrite, MemoryKind::kStack)};
  VisiblePlaces places;
  EXPECT_TRUE(add_race(race, places));
  EXPECT_TRUE(places.has(0x1000, 0, 1));
  EXPECT_FALSE(places.has(0x3000, 0x8000, 8));
}

TEST(VisibleRace, is_nothing_of_other_findings) {
  TraceFinding finding;
  finding.kind = FindingKind::kAssertion;
  finding.parts = {access_part(PartRole::kHere, AccessKind::kNone, MemoryKind::kUnknown)};
  VisiblePlaces places;
  EXPECT_FALSE(add_race(finding, places));
  EXPECT_FALSE(places.any());
}

}  // namespace
}  // namespace heddle::run
