#include "runtime/heap/heap.h"

#include <bit>

namespace heddle::heap {
namespace {

constexpr std::uint32_t kMagic = 0x48454450;
constexpr std::uint64_t kMainPartBytes = 128ull << 30;
constexpr std::uint64_t kThreadPartBytes = 3ull << 29;  // 1.5 GB
// Freed blocks at least this large give their pages back.
constexpr std::uint64_t kReturnPagesFrom = 256 << 10;

// Classes 1..64 are multiples of 16 bytes up to 1 KB; above that four classes per doubling.
std::uint32_t class_of(std::size_t size) {
  if (size <= 1024) return size == 0 ? 1 : static_cast<std::uint32_t>((size + 15) / 16);
  const std::size_t last = size - 1;
  const int exponent = static_cast<int>(std::bit_width(last)) - 1;  // 2^exponent ≤ last
  const auto quarter = static_cast<std::uint32_t>((last >> (exponent - 2)) & 3);
  return 65 + static_cast<std::uint32_t>(exponent - 10) * 4 + quarter;
}

std::size_t class_bytes(std::uint32_t size_class) {
  if (size_class <= 64) return std::size_t{size_class} * 16;
  const std::uint32_t exponent = 10 + (size_class - 65) / 4;
  const std::uint32_t quarter = (size_class - 65) % 4;
  return (std::size_t{1} << exponent) + (std::size_t{quarter} + 1) * (std::size_t{1} << (exponent - 2));
}

constexpr std::uint64_t kMuchMemory = 32u << 20;
constexpr std::uint64_t kHugePage = 2u << 20;

bool aligned_to(Address address, std::size_t alignment) { return (address & (alignment - 1)) == 0; }

}  // namespace

const char* name_of(Allocator allocator) {
  switch (allocator) {
    case Allocator::kMalloc:
      return "malloc";
    case Allocator::kCalloc:
      return "calloc";
    case Allocator::kRealloc:
      return "realloc";
    case Allocator::kAlignedAlloc:
      return "aligned_alloc";
    case Allocator::kPosixMemalign:
      return "posix_memalign";
    case Allocator::kMemalign:
      return "memalign";
    case Allocator::kNew:
      return "operator new";
  }
  return "malloc";
}

bool Heap::start() {
  if (map_pages_at(address_map::kHeap, address_map::kHeapEnd - address_map::kHeap) == nullptr) return false;
  if (map_pages_at(address_map::kFreedBits, (address_map::kHeapEnd - address_map::kHeap) >> 7) == nullptr)
    return false;
  started_ = true;
  return true;
}

void Heap::mark_freed(Address begin, std::uint64_t bytes, bool freed) {
  auto* bits = reinterpret_cast<unsigned char*>(address_map::kFreedBits);
  std::uint64_t first = (begin - address_map::kHeap) >> 4;
  const std::uint64_t last = (begin - address_map::kHeap + bytes + 15) >> 4;
  const auto set = [&](std::uint64_t index) {
    const auto mask = static_cast<unsigned char>(1u << (index & 7));
    bits[index >> 3] = static_cast<unsigned char>(freed ? bits[index >> 3] | mask : bits[index >> 3] & ~mask);
  };
  while (first < last && (first & 7) != 0) set(first++);
  const std::uint64_t whole = (last - first) / 8;
  if (first < last && whole > 0) memset(bits + first / 8, freed ? 0xff : 0, whole);
  for (first += whole * 8; first < last; ++first) set(first);
}

Heap::Part& Heap::open_part(std::uint32_t index) {
  Part& part = parts_[index];
  if (part.begin == 0) {
    part.begin = index == 0 ? address_map::kHeap
                            : address_map::kHeap + kMainPartBytes + (index - 1) * kThreadPartBytes;
    part.end = index == kRuntimePart ? address_map::kHeapEnd
                                     : part.begin + (index == 0 ? kMainPartBytes : kThreadPartBytes);
    part.bump = part.begin;
  }
  return part;
}

bool Heap::has_reusable(std::uint32_t part, std::size_t size, std::size_t alignment) const {
  const std::uint32_t size_class = class_of(size);
  if (size_class >= kSizeClasses) return false;
  for (const Block* b = parts_[part].freed[size_class]; b != nullptr; b = b->next_free) {
    if (alignment <= 16 || aligned_to(b->begin(), alignment)) return true;
  }
  return false;
}

Block* Heap::take_freed(Part& part, std::uint32_t size_class, std::size_t alignment) {
  Block** link = &part.freed[size_class];
  while (*link != nullptr && alignment > 16 && !aligned_to((*link)->begin(), alignment))
    link = &(*link)->next_free;
  Block* block = *link;
  if (block == nullptr) return nullptr;
  *link = block->next_free;
  part.resting_bytes -= class_bytes(size_class);
  return block;
}

// The program uses much memory: a fault for every 4 KB of it would be most of its time.
void Heap::ask_for_huge_pages(const Part& part) {
  allow_huge_pages();
  const Address first = (part.bump + kHugePage - 1) & ~(kHugePage - 1);
  if (first < part.end) raw_syscall(SYS_madvise, first, part.end - first, MADV_HUGEPAGE);
}

Block* Heap::carve(Part& part, std::uint32_t size_class, std::size_t alignment) {
  const std::uint64_t wanted = sizeof(Block) + class_bytes(size_class);
  if (limit_ != 0 && carved_ + wanted > limit_) return nullptr;
  Address at = part.bump;
  if (alignment > 16) {
    // Room for a filler block in front, so that walking still works, or none at all.
    Address user = (at + sizeof(Block) + alignment - 1) & ~(std::uint64_t{alignment} - 1);
    while (user - sizeof(Block) != at && user - sizeof(Block) < at + sizeof(Block)) user += alignment;
    const Address start = user - sizeof(Block);
    if (start != at) {
      if (start > part.end) return nullptr;
      auto* filler = reinterpret_cast<Block*>(at);
      filler->magic = kMagic;
      filler->state = BlockState::kFiller;
      filler->size = start - at - sizeof(Block);
      filler->size_class = 0;
      at = start;
    }
  }
  const Address end = at + sizeof(Block) + class_bytes(size_class);
  if (end > part.end || end < at) return nullptr;
  part.bump = end;
  if ((carved_ ^ (carved_ + wanted)) / kMuchMemory != 0) ask_for_huge_pages(part);
  carved_ += wanted;
  auto* block = reinterpret_cast<Block*>(at);
  block->fresh_pages = true;
  return block;
}

Block* Heap::allocate(std::uint32_t part_index, std::size_t size, std::size_t alignment, bool reuse,
                      const Site& site) {
  const std::uint32_t size_class = class_of(size);
  if (size_class >= kSizeClasses) return nullptr;
  Part& part = open_part(part_index);
  Block* block = reuse ? take_freed(part, size_class, alignment) : nullptr;
  if (block == nullptr) block = carve(part, size_class, alignment);
  if (block == nullptr) block = take_freed(part, size_class, alignment);
  if (block == nullptr && part_index != kRuntimePart)
    block = carve(open_part(kRuntimePart), size_class, alignment);
  if (block == nullptr) return nullptr;
  if (!block->fresh_pages) mark_freed(block->begin(), class_bytes(size_class), false);
  block->size = size;
  block->allocated_pc = site.pc;
  block->allocated_stack = site.stack;
  block->allocated_by = site.thread;
  block->allocator = site.allocator;
  block->was_cut = false;
  block->ordinal = part.allocations++;
  block->size_class = size_class;
  block->magic = kMagic;
  block->state = BlockState::kAllocated;
  return block;
}

void Heap::retire(std::uint32_t part, std::size_t size, std::size_t alignment) {
  take_freed(open_part(part), class_of(size), alignment);
}

Block* Heap::block_at(void* user) const {
  const auto address = reinterpret_cast<Address>(user);
  if (!contains(user) || (address & 15) != 0 || address < address_map::kHeap + sizeof(Block)) return nullptr;
  auto* block = static_cast<Block*>(user) - 1;
  return block->magic == kMagic && block->state != BlockState::kFiller ? block : nullptr;
}

void Heap::release(std::uint32_t part_index, Block* block, const Site& site) {
  Part& part = open_part(part_index);
  block->state = BlockState::kFreed;
  block->freed_pc = site.pc;
  block->freed_stack = site.stack;
  block->freed_by = site.thread;
  block->fresh_pages = false;
  const std::size_t bytes = class_bytes(block->size_class);
  mark_freed(block->begin(), bytes, true);
  if (bytes >= kReturnPagesFrom) {
    const Address first = (block->begin() + kPageSize - 1) & ~(std::uint64_t{kPageSize} - 1);
    const Address last = (block->begin() + bytes) & ~(std::uint64_t{kPageSize} - 1);
    if (last > first) discard_memory(reinterpret_cast<void*>(first), last - first);
  }
  part.resting_bytes += bytes;
  block->next_free = part.freed[block->size_class];
  part.freed[block->size_class] = block;
}

void Heap::resize(Block& block, std::size_t size, const Site& site) {
  const auto rounded = [](std::size_t bytes) { return (bytes + 15) & ~std::size_t{15}; };
  const std::size_t before = rounded(block.size), now = rounded(size);
  if (now < before) {
    mark_freed(block.begin() + now, before - now, true);
    block.was_cut = true;
    block.freed_pc = site.pc;
    block.freed_stack = site.stack;
    block.freed_by = site.thread;
  } else if (block.was_cut) {
    mark_freed(block.begin(), now, false);
  }
  block.size = size;
  block.allocator = site.allocator;
}

bool Heap::fits(const Block& block, std::size_t size) { return size <= class_bytes(block.size_class); }

Block* Heap::block_containing(Address address) const {
  for (const Part& part : parts_) {
    if (address < part.begin || address >= part.bump) continue;
    for (Address at = part.begin; at < part.bump;) {
      auto* block = reinterpret_cast<Block*>(at);
      if (block->magic != kMagic) return nullptr;
      const std::uint64_t bytes =
          block->state == BlockState::kFiller ? block->size : class_bytes(block->size_class);
      const Address next = at + sizeof(Block) + bytes;
      if (address < next) return block->state == BlockState::kFiller ? nullptr : block;
      at = next;
    }
  }
  return nullptr;
}

}  // namespace heddle::heap
