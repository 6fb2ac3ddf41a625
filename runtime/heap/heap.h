// The program's malloc: one contiguous range at a fixed address with a part for each thread, so that the
// addresses a thread gets depend on what that thread did and not on the schedule, and so that a snapshot is
// one range.
//
// A block is a 64-byte header and the user's bytes; blocks of a part lie one after the other, so that the
// block of any address can be found by walking. Freed blocks wait on the list of the thread that freed them;
// whether malloc hands one out again is the caller's choice (ABA needs reuse, use-after-free checks need a
// rest).
//
// One kernel thread uses it; nothing here locks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ids.h"
#include "core/base/pages.h"

namespace heddle::heap {

enum class BlockState : std::uint8_t { kFiller = 0, kAllocated = 0xa1, kFreed = 0xf3 };

// What has made a block, as reports name it.
enum class Allocator : std::uint8_t {
  kMalloc = 0,
  kCalloc,
  kRealloc,
  kAlignedAlloc,
  kPosixMemalign,
  kMemalign,
  kNew,
};
const char* name_of(Allocator allocator);

struct Block {
  std::uint64_t size;  // as asked for
  std::uint64_t allocated_pc;
  std::uint64_t freed_pc;
  Block* next_free;
  StackId allocated_stack;
  StackId freed_stack;
  std::uint32_t ordinal;  // n-th allocation of its thread: a name that no schedule changes
  ThreadId allocated_by;
  ThreadId freed_by;
  std::uint32_t size_class;
  std::uint32_t magic;
  BlockState state;
  bool fresh_pages;  // never handed out before: still zero
  Allocator allocator;
  bool was_cut;  // a part of it was freed, by a realloc; see freed_pc
  std::uint8_t reserved[4];

  void* user() { return this + 1; }
  Address begin() const { return reinterpret_cast<Address>(this + 1); }
  Address end() const { return begin() + size; }
};
static_assert(sizeof(Block) == 64);

// Where an allocation or a free happened, for reports.
struct Site {
  ThreadId thread = kMainThread;
  std::uint64_t pc = 0;
  StackId stack = kEmptyStack;
  Allocator allocator = Allocator::kMalloc;
};

inline constexpr std::uint32_t kParts = 513;  // main, 511 threads, the runtime's own
inline constexpr std::uint32_t kRuntimePart = kParts - 1;
inline constexpr std::uint32_t kSizeClasses = 192;

constexpr std::uint32_t part_of(ThreadId thread) {
  const std::uint32_t index = index_of(thread);
  return index < kRuntimePart ? index : 1 + index % (kRuntimePart - 1);
}

// What fresh memory holds until the program writes there, so that the use of uninitialised memory shows, the
// same in every execution. Only the first bytes of large blocks, which the program may never touch.
inline constexpr unsigned char kJunk = 0xbe;
inline constexpr std::size_t kJunkBytes = 4096;
inline void fill_with_junk(void* memory, std::size_t size) {
  __builtin_memset(memory, kJunk, size < kJunkBytes ? size : kJunkBytes);
}
constexpr bool is_junk(std::uint64_t value, std::uint32_t size) {
  return value == (size < 8 ? 0xbebebebebebebebeull & ((1ull << 8 * size) - 1) : 0xbebebebebebebebeull);
}

class Heap {
 public:
  // Reserves the range. False when the address is taken.
  bool start();
  bool started() const { return started_; }

  static bool contains(Address address) {
    return address >= address_map::kHeap && address < address_map::kHeapEnd;
  }
  static bool contains(const void* pointer) { return contains(reinterpret_cast<Address>(pointer)); }

  // Is there a freed block that would do?
  bool has_reusable(std::uint32_t part, std::size_t size, std::size_t alignment) const;
  // nullptr when the part is full. `reuse`: take a freed block where there is one.
  Block* allocate(std::uint32_t part, std::size_t size, std::size_t alignment, bool reuse, const Site& site);
  // The freed block that allocate() would hand out is never handed out again.
  void retire(std::uint32_t part, std::size_t size, std::size_t alignment);
  // The block whose user bytes start here, whatever its state, or nullptr if there is none.
  Block* block_at(void* user) const;
  // REQUIRES: the block is allocated.
  void release(std::uint32_t part, Block* block, const Site& site);
  // The block's size becomes another one, where it is. What is cut off counts as freed. REQUIRES: it fits.
  static void resize(Block& block, std::size_t size, const Site& site);
  // Can the block hold `size` bytes where it is?
  static bool fits(const Block& block, std::size_t size);
  // The block that holds `address`, allocated or freed. Walks; for reports.
  Block* block_containing(Address address) const;

  // The memory that blocks have been carved from.
  AddressRange used_range(std::uint32_t part) const {
    return {parts_[part].begin, parts_[part].bump - parts_[part].begin};
  }

  // Fresh memory is refused beyond this, as a system with so much of it would. 0: no limit.
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }

  // Is the byte part of a block that was freed? One bit for every 16 bytes of the heap, kept beside it.
  static bool is_freed(Address address) {
    const std::uint64_t offset = address - address_map::kHeap;
    if (offset >= address_map::kHeapEnd - address_map::kHeap) return false;
    const auto* bits = reinterpret_cast<const unsigned char*>(address_map::kFreedBits);
    return (bits[offset >> 7] >> (offset >> 4 & 7) & 1) != 0;
  }

  std::uint64_t resting_bytes(std::uint32_t part) const { return parts_[part].resting_bytes; }

 private:
  struct Part {
    Address begin = 0;
    Address bump = 0;
    Address end = 0;
    std::uint64_t resting_bytes = 0;
    std::uint32_t allocations = 0;
    Block* freed[kSizeClasses] = {};  // most recently freed first
  };

  // Parts are laid out when first used: untouched ones cost no memory.
  Part& open_part(std::uint32_t index);
  static void mark_freed(Address begin, std::uint64_t bytes, bool freed);
  Block* take_freed(Part& part, std::uint32_t size_class, std::size_t alignment);
  static void ask_for_huge_pages(const Part& part);
  Block* carve(Part& part, std::uint32_t size_class, std::size_t alignment);

  bool started_ = false;
  std::uint64_t limit_ = 0;
  std::uint64_t carved_ = 0;  // bytes taken from the parts so far
  Part parts_[kParts];
};

}  // namespace heddle::heap
