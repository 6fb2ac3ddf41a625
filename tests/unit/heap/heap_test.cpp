#include "runtime/heap/heap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <vector>

#include "core/base/random.h"

namespace heddle::heap {
namespace {

// The heap has one fixed address, so tests take turns: each gives the range back at its end.
class HeapTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(heap_->start()); }
  void TearDown() override {
    constexpr std::size_t kBytes = address_map::kHeapEnd - address_map::kHeap;
    munmap(reinterpret_cast<void*>(address_map::kHeap), kBytes);
    munmap(reinterpret_cast<void*>(address_map::kFreedBits), kBytes >> 7);
  }
  Block* allocate(std::size_t size, std::size_t alignment = 16, bool reuse = true, std::uint32_t part = 0) {
    return heap_->allocate(part, size, alignment, reuse, {ThreadId{static_cast<std::uint16_t>(part)}});
  }
  void release(Block* block, std::uint32_t part = 0) { heap_->release(part, block, {}); }

  std::unique_ptr<Heap> heap_ = std::make_unique<Heap>();
};

TEST_F(HeapTest, CannotStartWhereTheAddressIsTaken) {
  const auto second = std::make_unique<Heap>();
  EXPECT_FALSE(second->start());
  EXPECT_FALSE(second->started());
}

TEST_F(HeapTest, ARetiredBlockIsNotHandedOutAgain) {
  Block* first = allocate(40);
  Block* second = allocate(40);
  release(first);
  release(second);
  heap_->retire(0, 40, 16);
  Block* third = allocate(40);
  EXPECT_EQ(third, first) << "the other one, which was freed before it";
  EXPECT_FALSE(heap_->has_reusable(0, 40, 16));
  EXPECT_EQ(heap_->resting_bytes(0), 0u);
  EXPECT_TRUE(Heap::is_freed(second->begin()));
}

TEST_F(HeapTest, EverySizeGetsItsBytesAndNoOthers) {
  std::vector<Block*> blocks;
  for (std::size_t size = 0; size < 5000; size += size < 1100 ? 1 : 97) {
    Block* block = allocate(size);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(block->size, size);
    EXPECT_EQ(block->begin() % 16, 0u);
    EXPECT_TRUE(Heap::fits(*block, size));
    std::memset(block->user(), static_cast<int>(blocks.size()), size);
    blocks.push_back(block);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto* bytes = static_cast<const unsigned char*>(blocks[i]->user());
    for (std::size_t at = 0; at < blocks[i]->size; ++at) ASSERT_EQ(bytes[at], i & 0xff) << blocks[i]->size;
  }
}

// A size class wastes at most a quarter of the block above 1 KB and 15 bytes below.
TEST_F(HeapTest, SizeClassesAreTight) {
  for (std::size_t size = 1; size < (64u << 20); size += 1 + size / 7) {
    const Block* block = allocate(size);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(Heap::fits(*block, size)) << size;
    const std::size_t most = size <= 1024 ? size + 15 : size + size / 4;
    EXPECT_FALSE(Heap::fits(*block, most + 1)) << size;
  }
}

TEST_F(HeapTest, BoundariesOfClassesFit) {
  for (int exponent = 10; exponent < 30; ++exponent) {
    for (std::size_t quarter = 4; quarter < 8; ++quarter) {
      const std::size_t size = quarter << (exponent - 2);
      for (const std::size_t near : {size - 1, size, size + 1}) {
        const Block* block = allocate(near);
        ASSERT_NE(block, nullptr) << near;
        EXPECT_TRUE(Heap::fits(*block, near)) << near;
      }
    }
  }
}

TEST_F(HeapTest, ImpossibleSizesAreRefused) {
  for (const std::size_t size : {std::size_t{1} << 40, ~std::size_t{0}, ~std::size_t{0} - 63}) {
    EXPECT_EQ(allocate(size), nullptr) << size;
    EXPECT_FALSE(heap_->has_reusable(0, size, 16));
  }
  EXPECT_NE(allocate(1), nullptr);  // and nothing was broken by asking
}

TEST_F(HeapTest, Alignment) {
  for (std::size_t alignment = 1; alignment <= 1u << 21; alignment *= 2) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
      Block* block = allocate(size, alignment);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(block->begin() % alignment, 0u);
      EXPECT_EQ(heap_->block_at(block->user()), block);
      EXPECT_EQ(heap_->block_containing(block->begin() + size - 1), block);
    }
  }
}

TEST_F(HeapTest, AddressesDependOnTheThreadAlone) {
  std::vector<Address> alone;
  for (std::size_t size : {8u, 100u, 3000u}) alone.push_back(allocate(size, 16, true, 1)->begin());
  TearDown();
  heap_ = std::make_unique<Heap>();
  SetUp();
  std::vector<Address> among_others;
  for (std::size_t size : {8u, 100u, 3000u}) {
    allocate(size + 1, 16, true, 0);
    among_others.push_back(allocate(size, 16, true, 1)->begin());
    allocate(size * 2, 16, true, 2);
  }
  EXPECT_EQ(alone, among_others);
}

TEST_F(HeapTest, OrdinalsCountPerThread) {
  EXPECT_EQ(allocate(1, 16, true, 3)->ordinal, 0u);
  EXPECT_EQ(allocate(1, 16, true, 4)->ordinal, 0u);
  EXPECT_EQ(allocate(1, 16, true, 3)->ordinal, 1u);
}

TEST_F(HeapTest, ReuseIsTheCallersChoice) {
  Block* first = allocate(40);
  release(first);
  EXPECT_TRUE(heap_->has_reusable(0, 40, 16));
  EXPECT_TRUE(heap_->has_reusable(0, 33, 16));   // the same class
  EXPECT_FALSE(heap_->has_reusable(0, 64, 16));  // another
  EXPECT_FALSE(heap_->has_reusable(1, 40, 16));  // another thread's
  EXPECT_NE(allocate(40, 16, false), first);
  EXPECT_EQ(allocate(40, 16, true), first);
  EXPECT_FALSE(heap_->has_reusable(0, 40, 16));
}

TEST_F(HeapTest, ReuseTakesTheLatestFreedBlockThatIsAligned) {
  Block* plain = allocate(64);
  Block* aligned = allocate(64, 4096);
  Block* last = allocate(64);
  release(plain);
  release(aligned);
  release(last);
  EXPECT_TRUE(heap_->has_reusable(0, 64, 4096));
  EXPECT_EQ(allocate(64, 4096), aligned);
  EXPECT_EQ(allocate(64), last);
  EXPECT_EQ(allocate(64), plain);
}

TEST_F(HeapTest, FreedBlocksRestWithTheThreadThatFreedThem) {
  Block* block = allocate(100, 16, true, 1);
  heap_->release(2, block, {ThreadId{2}, 0x1234});
  EXPECT_EQ(block->state, BlockState::kFreed);
  EXPECT_EQ(block->allocated_by, ThreadId{1});
  EXPECT_EQ(block->freed_by, ThreadId{2});
  EXPECT_EQ(block->freed_pc, 0x1234u);
  EXPECT_FALSE(heap_->has_reusable(1, 100, 16));
  EXPECT_TRUE(heap_->has_reusable(2, 100, 16));
  EXPECT_GE(heap_->resting_bytes(2), 100u);
}

TEST_F(HeapTest, FreedBytesAreKnownAndForgottenOnReuse) {
  Block* before = allocate(100);
  Block* block = allocate(1000);
  Block* after = allocate(100);
  release(block);
  for (Address a = block->begin(); a < block->end(); ++a) ASSERT_TRUE(Heap::is_freed(a));
  EXPECT_FALSE(Heap::is_freed(before->end() - 1));
  EXPECT_FALSE(Heap::is_freed(after->begin()));
  EXPECT_EQ(allocate(1000), block);
  for (Address a = block->begin(); a < block->end(); ++a) ASSERT_FALSE(Heap::is_freed(a));
  EXPECT_FALSE(Heap::is_freed(0));
  EXPECT_FALSE(Heap::is_freed(address_map::kHeapEnd));
  EXPECT_FALSE(Heap::is_freed(~0ull));
}

TEST_F(HeapTest, WhatIsCutOffABlockIsFreed) {
  Block* block = heap_->allocate(0, 112, 16, false, {});
  Heap::resize(*block, 70, {ThreadId{3}, 0x77, kEmptyStack, Allocator::kRealloc});
  EXPECT_EQ(block->size, 70u);
  EXPECT_EQ(block->freed_pc, 0x77u);
  EXPECT_FALSE(Heap::is_freed(block->begin() + 79)) << "the last 16 bytes that hold a part of it";
  EXPECT_TRUE(Heap::is_freed(block->begin() + 80));
  EXPECT_TRUE(Heap::is_freed(block->begin() + 111));
  Heap::resize(*block, 100, {});
  EXPECT_FALSE(Heap::is_freed(block->begin() + 99));
}

TEST_F(HeapTest, NewBlocksAreZeroAndSayWhetherTheyWereUsed) {
  Block* block = allocate(256);
  EXPECT_TRUE(block->fresh_pages);
  const auto* bytes = static_cast<const unsigned char*>(block->user());
  for (int i = 0; i < 256; ++i) ASSERT_EQ(bytes[i], 0);
  release(block);
  EXPECT_FALSE(allocate(256)->fresh_pages);
}

TEST_F(HeapTest, BlockAtKnowsStartsOnly) {
  Block* block = allocate(100);
  char* user = static_cast<char*>(block->user());
  EXPECT_EQ(heap_->block_at(user), block);
  EXPECT_EQ(heap_->block_at(user + 1), nullptr);
  EXPECT_EQ(heap_->block_at(user + 16), nullptr);
  EXPECT_EQ(heap_->block_at(nullptr), nullptr);
  EXPECT_EQ(heap_->block_at(reinterpret_cast<void*>(address_map::kHeap)), nullptr);
  int on_the_stack = 0;
  EXPECT_EQ(heap_->block_at(&on_the_stack), nullptr);
  release(block);
  EXPECT_EQ(heap_->block_at(user), block);  // so that a double free can be told
}

// Every byte of every block leads back to it, through fillers, parts and reuse.
TEST_F(HeapTest, BlockContainingFindsEveryBlock) {
  Random random(1);
  std::vector<Block*> blocks;
  for (int i = 0; i < 500; ++i) {
    const std::uint32_t part = random.below(3);
    if (random.below(3) == 0 && !blocks.empty()) {
      Block* victim = blocks[random.below(static_cast<std::uint32_t>(blocks.size()))];
      if (victim->state == BlockState::kAllocated) release(victim, part);
    }
    Block* block =
        allocate(random.below(4000), std::size_t{16} << random.below(8), random.below(2) == 0, part);
    ASSERT_NE(block, nullptr);
    blocks.push_back(block);
  }
  for (Block* block : blocks) {
    EXPECT_EQ(heap_->block_containing(block->begin()), block);
    EXPECT_EQ(heap_->block_containing(block->begin() + (block->size > 0 ? block->size - 1 : 0)), block);
  }
  EXPECT_EQ(heap_->block_containing(0), nullptr);
  EXPECT_EQ(heap_->block_containing(address_map::kHeapEnd - 1), nullptr);
}

TEST(HeapParts, OfThreadsStayInRange) {
  EXPECT_EQ(part_of(kMainThread), 0u);
  for (std::uint32_t t = 1; t < kMaxThreads; ++t) {
    const std::uint32_t part = part_of(ThreadId{static_cast<std::uint16_t>(t)});
    EXPECT_GT(part, 0u);
    EXPECT_LT(part, kRuntimePart);
  }
}

}  // namespace
}  // namespace heddle::heap
