// The program's heap under the engine.
#include <cerrno>

#include "core/base/pages.h"
#include "core/trace/event.h"
#include "runtime/engine/callers.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/finding_builder.h"

namespace heddle::engine {

using heap::Block;
using heap::BlockState;
using heap::Heap;

Heap& program_heap() {
  alignas(kPageSize) static Heap heap;  // large: not between what changes in every execution
  return heap;
}

namespace {

// A thread's freed blocks rest until this much has gathered; then they are used again without asking.
constexpr std::uint64_t kRestingBytes = 64u << 20;

}  // namespace

// What a library allocates it may hand to other threads by means that cannot be seen; so it is no write of
// the program's. operator new and the members of std::string allocate for their callers (callers.h).
void Execution::note_allocated(const Block& block, std::uint64_t pc) {
  if (!plain_.detecting()) return;
  if (!is_program_call(pc)) return race_.reset_range(block.begin(), block.size);
  before_call(pc);
  race_.on_allocate(block.begin(), block.size, pc, access_stack(pc));
}

void* Execution::allocate(std::size_t size, std::size_t alignment, heap::Allocator allocator,
                          std::uint64_t pc) {
  Heap& heap = program_heap();
  sched::Thread& t = self();
  const std::uint32_t part = heap::part_of(t.id);
  bool reuse = false;
  if (heap.has_reusable(part, size, alignment)) {
    // With one thread there is nobody to be surprised by an old address.
    const bool one_thread = scheduler_.unfinished_count() == 1;
    reuse = one_thread || heap.resting_bytes(part) > kRestingBytes ||
            choices_.choose(ChoiceKind::kBlockReuse, 2, 1) == 1;
  }
  if (reuse && spec().fresh_memory != 0) {
    // The choice stays what it was, and so do those that come after it.
    heap.retire(part, size, alignment);
    reuse = false;
  }
  const heap::Site site{t.id, pc, events_.is_on() ? stack_of(t) : kEmptyStack, allocator};
  Block* block = heap.allocate(part, size, alignment, reuse, site);
  if (block == nullptr) return nullptr;
  if (allocator == heap::Allocator::kCalloc) {
    if (!block->fresh_pages) memset(block->user(), 0, size);
  } else {
    heap::fill_with_junk(block->user(), size);
  }
  block->fresh_pages = false;
  note_allocated(*block, pc);
  if (Event* e = record(EventKind::kAllocate, pc)) {
    e->address = block->begin();
    e->value = size;
  }
  if (probe_.is_active()) probe_.note_fresh(block->begin(), size);
  return block->user();
}

void Execution::free(void* pointer, std::uint64_t pc) {
  before_call(pc);
  if (enforcing_ && rules_.keeps(self(), pc)) return;
  Heap& heap = program_heap();
  if (spec().visible.any()) {
    if (const Block* freed = heap.block_at(pointer); freed != nullptr)
      announce_plain_access(race::AccessOp::kWrite, freed->begin(), freed->size, pc);
  }
  Block* block = heap.block_at(pointer);
  sched::Thread& t = self();
  if (block == nullptr) fatal(FindingKind::kInvalidFree, "free of an address that malloc did not return", pc);
  if (block->state == BlockState::kFreed) {
    t.last_pc = pc;
    {
      FindingBuilder finding(scene_, FindingKind::kDoubleFree, "free of a block that was already freed");
      FindingPart& here = finding.part(PartRole::kHere, t, pc);
      here.address = here.block = block->begin();
      here.block_size = block->size;
      FindingPart& freed =
          finding.part(PartRole::kFreed, scheduler_.thread(block->freed_by), block->freed_pc);
      freed.stack = block->freed_stack;
      FindingPart& made =
          finding.part(PartRole::kAllocated, scheduler_.thread(block->allocated_by), block->allocated_pc);
      made.stack = block->allocated_stack;
      made.block = freed.block = block->begin();
      made.block_size = freed.block_size = block->size;
      finding.cite_creations();
    }
    finish(Ending::kFinding, 0);
  }
  const bool holds_objects = sync_.visit_range(block->begin(), block->end(), [&](sched::SyncObject& object) {
    check_unused(object, "free of the memory of", pc);
  });
  if (Event* e = record(EventKind::kFree, pc)) e->address = block->begin();
  const race::Race* race =
      plain_.detecting() ? race_.on_free(block->begin(), block->size, pc, access_stack(pc)) : nullptr;
  if (race != nullptr) report_race(*race);
  if (holds_objects) {
    sync_.drop_range(block->begin(), block->end(), [&](sched::SyncObject& object) {
      if (race == nullptr) check_last_unlock(object, race::Deed::kFree, pc);
    });
  }
  memory_.drop_range(block->begin(), block->end());
  heap.release(heap::part_of(t.id), block, {t.id, pc, events_.is_on() ? stack_of(t) : kEmptyStack});
}

void Execution::forget_memory(Address begin, std::uint64_t size) {
  sync_.drop_range(begin, begin + size, [](sched::SyncObject& object) { object.serial = 0; });
  if (plain_.detecting()) race_.reset_range(begin, size);
  memory_.drop_range(begin, begin + size);
}

void Execution::memory_mapped(Address begin, std::uint64_t size, std::uint64_t pc) {
  forget_memory(begin, size);
  if (!plain_.detecting() || !is_program_call(pc)) return;
  before_call(pc);
  race_.on_allocate(begin, size, pc, access_stack(pc));
}

void Execution::memory_unmapped(Address begin, std::uint64_t size, std::uint64_t pc) {
  if (plain_.detecting() && is_program_call(pc)) {
    before_call(pc);
    if (const race::Race* race = race_.on_free(begin, size, pc, access_stack(pc))) report_race(*race);
  }
  forget_memory(begin, size);
}

void* Execution::reallocate(void* pointer, std::size_t size, std::uint64_t pc) {
  if (pointer == nullptr) return allocate(size, 16, heap::Allocator::kRealloc, pc);
  before_call(pc);
  Block* block = program_heap().block_at(pointer);
  if (block == nullptr || block->state != BlockState::kAllocated) {
    this->free(pointer, pc);  // reports what is wrong with it
    return nullptr;
  }
  if (Heap::fits(*block, size) && size * 2 >= block->size) {
    // The old object ends and a new one begins, here as well (C11 7.22.3.5).
    if (plain_.detecting()) {
      if (const race::Race* race = race_.on_free(block->begin(), block->size, pc, access_stack(pc)))
        report_race(*race);
    }
    if (size > block->size) heap::fill_with_junk(reinterpret_cast<void*>(block->end()), size - block->size);
    Heap::resize(
        *block, size,
        {self().id, pc, events_.is_on() ? stack_of(self()) : kEmptyStack, heap::Allocator::kRealloc});
    note_allocated(*block, pc);
    return pointer;
  }
  void* moved = allocate(size, 16, heap::Allocator::kRealloc, pc);
  if (moved == nullptr) return nullptr;
  memcpy(moved, pointer, block->size < size ? block->size : size);
  this->free(pointer, pc);
  return moved;
}

}  // namespace heddle::engine
