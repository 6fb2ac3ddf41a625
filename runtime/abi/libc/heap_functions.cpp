// malloc and its family.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "runtime/abi/libc/heap_functions.h"

// libc's own, exported beside the public names.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* pointer);
}

namespace heddle::abi {
namespace {

using engine::program_heap;
using heap::Allocator;

// A child that the program forked has real threads, which share the one heap. Nobody else ever waits here.
class HeapLock {
 public:
  HeapLock() {
    while (__atomic_exchange_n(&held, true, __ATOMIC_ACQUIRE)) raw_syscall(SYS_sched_yield);
  }
  ~HeapLock() { __atomic_store_n(&held, false, __ATOMIC_RELEASE); }
  HeapLock(const HeapLock&) = delete;
  HeapLock& operator=(const HeapLock&) = delete;

 private:
  static bool held;
};
bool HeapLock::held = false;

// Before the engine runs, and for what libc allocates on the runtime's behalf: never a choice, never an
// event.
void* allocate_quietly(std::size_t size, std::size_t alignment, bool zero) {
  const std::uint32_t part = engine::RuntimeScope::active() ? heap::kRuntimePart : 0;
  const HeapLock lock;
  heap::Block* block = program_heap().allocate(part, size, alignment, true, {});
  if (block == nullptr) return nullptr;
  if (zero && !block->fresh_pages) memset(block->user(), 0, size);
  block->fresh_pages = false;
  return block->user();
}

}  // namespace

void* allocate(std::size_t size, std::size_t alignment, Allocator allocator, std::uint64_t pc) {
  engine::Execution* e = engine();
  void* result = e != nullptr ? e->allocate(size, alignment, allocator, pc)
                              : allocate_quietly(size, alignment, allocator == Allocator::kCalloc);
  if (result == nullptr) errno = ENOMEM;
  return result;
}

void release(void* pointer, std::uint64_t pc) {
  if (pointer == nullptr) return;
  if (!heap::Heap::contains(pointer)) {
    // Allocated by libc before the session was known, or not allocated at all.
    if (!program_heap().started()) __libc_free(pointer);
    return;
  }
  if (engine::Execution* e = engine()) return e->free(pointer, pc);
  const HeapLock lock;
  heap::Block* block = program_heap().block_at(pointer);
  const std::uint32_t part = engine::RuntimeScope::active() ? heap::kRuntimePart : 0;
  if (block != nullptr && block->state == heap::BlockState::kAllocated)
    program_heap().release(part, block, {});
}

namespace {

void* reallocate(void* pointer, std::size_t size, std::uint64_t pc) {
  if (engine::Execution* e = engine()) return e->reallocate(pointer, size, pc);
  if (pointer == nullptr) return allocate_quietly(size, 16, false);
  heap::Block* block = program_heap().block_at(pointer);
  if (block == nullptr) return nullptr;
  if (heap::Heap::fits(*block, size)) {
    block->size = size;
    return pointer;
  }
  void* moved = allocate_quietly(size, 16, false);
  if (moved == nullptr) return nullptr;
  memcpy(moved, pointer, block->size < size ? block->size : size);
  release(pointer, pc);
  return moved;
}

bool power_of_two(std::size_t n) { return n != 0 && (n & (n - 1)) == 0; }

void* aligned(std::size_t alignment, std::size_t size, Allocator allocator, std::uint64_t pc) {
  if (!in_session()) return __libc_memalign(alignment, size);
  if (!power_of_two(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return allocate(size, alignment < 16 ? 16 : alignment, allocator, pc);
}

}  // namespace
}  // namespace heddle::abi

HEDDLE_EXPORT void* malloc(std::size_t size) noexcept {
  if (!heddle::abi::in_session()) return __libc_malloc(size);
  return heddle::abi::allocate(size, 16, heddle::heap::Allocator::kMalloc, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT void* calloc(std::size_t count, std::size_t size) noexcept {
  if (!heddle::abi::in_session()) return __libc_calloc(count, size);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return heddle::abi::allocate(bytes, 16, heddle::heap::Allocator::kCalloc, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT void free(void* pointer) noexcept {
  if (!heddle::abi::in_session()) return __libc_free(pointer);
  const int kept = errno;
  heddle::abi::release(pointer, HEDDLE_CALLER_PC);
  errno = kept;
}

namespace heddle::abi {
namespace {

void* resize(void* pointer, std::size_t size, std::uint64_t pc) {
  if (pointer != nullptr && size == 0) {
    release(pointer, pc);
    return nullptr;
  }
  void* result = reallocate(pointer, size, pc);
  if (result == nullptr) errno = ENOMEM;
  return result;
}

}  // namespace
}  // namespace heddle::abi

HEDDLE_EXPORT void* realloc(void* pointer, std::size_t size) noexcept {
  if (!heddle::abi::in_session()) return __libc_realloc(pointer, size);
  return heddle::abi::resize(pointer, size, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT void* reallocarray(void* pointer, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (!heddle::abi::in_session()) return __libc_realloc(pointer, bytes);
  return heddle::abi::resize(pointer, bytes, HEDDLE_CALLER_PC);
}

HEDDLE_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return heddle::abi::aligned(alignment, size, heddle::heap::Allocator::kMemalign, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return heddle::abi::aligned(alignment, size, heddle::heap::Allocator::kAlignedAlloc, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void* valloc(std::size_t size) noexcept {
  return heddle::abi::aligned(heddle::kPageSize, size, heddle::heap::Allocator::kMemalign, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT void* pvalloc(std::size_t size) noexcept {
  return heddle::abi::aligned(heddle::kPageSize, (size + heddle::kPageSize - 1) & ~(heddle::kPageSize - 1),
                              heddle::heap::Allocator::kMemalign, HEDDLE_CALLER_PC);
}
HEDDLE_EXPORT int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  if (!heddle::abi::power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* memory =
      heddle::abi::aligned(alignment, size, heddle::heap::Allocator::kPosixMemalign, HEDDLE_CALLER_PC);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}
HEDDLE_EXPORT std::size_t malloc_usable_size(void* pointer) noexcept {
  if (pointer == nullptr) return 0;
  if (!heddle::abi::in_session()) return HEDDLE_REAL(malloc_usable_size)(pointer);
  const heddle::heap::Block* block = heddle::engine::program_heap().block_at(pointer);
  return block != nullptr ? block->size : 0;
}
