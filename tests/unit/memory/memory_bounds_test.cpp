// What the model forgets, and what must survive that: windows, pruning, memory limits, final positions.
#include <algorithm>
#include <vector>

#include "core/base/random.h"
#include "tests/unit/memory/memory_model_fixture.h"

namespace heddle::memory {
namespace {

TEST_F(MemoryModelTest, WindowBoundsCandidatesAndSaysSo) {
  Options options;
  options.window = 8;
  start(options);
  for (std::uint64_t i = 1; i <= 8; ++i) store(kA, kX, i);
  EXPECT_TRUE(model.pruned());  // the initial store had to go
  EXPECT_LE(values(kB, kX).size(), 8u);
  EXPECT_GE(values(kB, kX).size(), 6u);
  EXPECT_EQ(values(kB, kX).front(), 8u);
  start(Options{});
  for (std::uint64_t i = 1; i <= 20; ++i) store(kA, kX, i);
  EXPECT_FALSE(model.pruned());
  EXPECT_EQ(values(kB, kX).size(), 21u);
}

// By default memory is flat, whether the threads synchronise or not.
TEST_F(MemoryModelTest, MemoryIsFlatInLongRuns) {
  for (const MemoryOrder order : {kRlx, kSc}) {
    start(Options{});
    Random random(1);
    std::size_t early = 0;
    for (int i = 0; i < 300'000; ++i) {
      const ThreadId t = random.below(2) == 0 ? kA : kB;
      const Address a = kX + 8 * random.below(16);
      switch (random.below(4)) {
        case 0:
          store(t, a, random.next(), order == kSc ? kSc : kRlx);
          break;
        case 1:
          add_to_newest(t, a, order);
          break;
        case 2: {
          const auto candidates = model.readable_load(t, place(a), order);
          memory[a] = model.commit_load(random.below(static_cast<std::uint32_t>(candidates.size())));
          break;
        }
        default:
          if (random.below(8) == 0) model.fence(t, order == kSc ? kSc : kAcqRel);
      }
      if (i == 30'000) early = model.memory_used();
    }
    EXPECT_LT(model.memory_used(), early + early / 4);
  }
}

// Conservative pruning is flat while the running threads synchronise, though main only waits for them.
TEST_F(MemoryModelTest, ConservativePruningForgetsWhatNobodyCanRead) {
  Options options;
  options.prune = PruneKind::kConservative;
  start(options);
  model.thread_waits_for(kMain, kA);
  std::size_t early = 0;
  for (int i = 0; i < 50'000; ++i) {
    const ThreadId t = i % 2 == 0 ? kA : kB;
    add_to_newest(t, kX, kAcqRel);
    store(t, kY, static_cast<std::uint64_t>(i), kRlx);
    if (i % 16 == 0) model.fence(t, kSc);
    if (i == 5'000) early = model.memory_used();
  }
  EXPECT_LT(model.memory_used(), early + early / 4);
  EXPECT_FALSE(model.pruned());
}

TEST_F(MemoryModelTest, MemoryLimitStopsTheGrowth) {
  Options options;
  options.prune = PruneKind::kNever;
  options.memory_limit = 1 << 20;
  start(options);
  for (std::uint64_t i = 0; i < 20'000; ++i) store(i % 2 == 0 ? kA : kB, kX, i);
  EXPECT_TRUE(model.pruned());
  EXPECT_LT(model.memory_used(), 4u << 20);
}

TEST_F(MemoryModelTest, ResetLeavesNothingBehind) {
  for (int i = 0; i < 100; ++i) {
    start(Options{});
    const std::size_t fresh = model.memory_used();
    for (Address a = kX; a < kX + 8000; a += 8) store(kA, a, 1, kRel);
    EXPECT_GT(model.memory_used(), fresh);
    start(Options{});
    EXPECT_EQ(model.memory_used(), fresh);
    EXPECT_EQ(model.location_count(), 0u);
    EXPECT_EQ(values(kB, kX), Values{0});
  }
  EXPECT_LT(model.memory_mapped(), 8u << 20);
}

TEST_F(MemoryModelTest, PositionsFollowTheModificationOrder) {
  Options options;
  options.record = true;
  start(options);
  memory[kX] = model.store(kA, place(kX), kRlx, {1, 0}, EventId{10});
  memory[kX] = model.store(kB, place(kX), kRlx, {2, 0}, EventId{11});
  load(kMain, kX, 2);
  load(kMain, kX, 1);
  std::map<std::uint32_t, std::uint32_t> position;
  for (const MoPosition& p : model.modification_order_positions()) position[index_of(p.event)] = p.position;
  EXPECT_EQ(position, (std::map<std::uint32_t, std::uint32_t>{{10, 2}, {11, 1}}));
}

// Many operations with a tiny window: every store still gets its place, each place once.
TEST_F(MemoryModelTest, PositionsSurvivePruning) {
  for (const std::uint64_t window : {1, 3, 5}) {
    Options options;
    options.record = true;
    options.window = window;
    start(options, {kA, kB, kC});
    Random random(window);
    std::uint32_t events = 0;
    for (int i = 0; i < 2000; ++i) {
      const ThreadId t{static_cast<std::uint16_t>(1 + random.below(3))};
      if (random.below(2) == 0) {
        memory[kX] = model.store(t, place(kX), kRlx, {random.next(), 0}, EventId{events++});
      } else {
        const auto candidates = model.readable_update(t, place(kX), kRlx);
        const std::uint32_t pick = random.below(static_cast<std::uint32_t>(candidates.size()));
        memory[kX] = model.commit_update(pick, {random.next(), 0}, EventId{events++});
      }
    }
    std::vector<std::uint32_t> places;
    for (const MoPosition& p : model.modification_order_positions()) places.push_back(p.position);
    std::sort(places.begin(), places.end());
    ASSERT_EQ(places.size(), events);
    for (std::uint32_t i = 0; i < events; ++i) ASSERT_EQ(places[i], i + 1);
  }
}

}  // namespace
}  // namespace heddle::memory
