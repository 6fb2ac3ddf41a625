#include "core/base/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace heddle {
namespace {

TEST(Arena, BlocksAreAlignedAndDistinct) {
  Arena arena;
  std::set<char*> seen;
  for (std::size_t bytes : {1u, 16u, 17u, 200u, 256u, 257u, 5000u, 100'000u, 3'000'000u}) {
    for (int i = 0; i < 4; ++i) {
      auto* block = static_cast<char*>(arena.allocate(bytes));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0u);
      std::memset(block, 1, bytes);
      EXPECT_TRUE(seen.insert(block).second);
    }
  }
}

TEST(Arena, BlocksAreAtMostAQuarterLargerThanWhatIsAskedFor) {
  Arena arena;
  for (std::size_t bytes = 241; bytes < 100'000; ++bytes) {
    void* block = arena.allocate(bytes);
    ASSERT_GE(arena.used(), bytes);
    ASSERT_LE(arena.used(), bytes + bytes / 4 + 16);
    arena.release(block, bytes);
  }
}

TEST(Arena, ReleasedBlocksAreUsedAgain) {
  Arena arena;
  void* first = arena.allocate(100);
  const std::size_t used = arena.used();
  arena.release(first, 100);
  EXPECT_EQ(arena.used(), 0u);
  EXPECT_EQ(arena.allocate(100), first);
  EXPECT_EQ(arena.used(), used);
}

TEST(Arena, ResetKeepsItsChunks) {
  Arena arena;
  std::size_t mapped = 0;
  for (int round = 0; round < 5; ++round) {
    arena.reset();
    for (int i = 0; i < 10'000; ++i) std::memset(arena.allocate(200), 2, 200);
    std::memset(arena.allocate(1 << 20), 3, 1 << 20);
    if (round == 0) mapped = arena.mapped();
    EXPECT_EQ(arena.mapped(), mapped);
  }
}

}  // namespace
}  // namespace heddle
