#include "core/base/arena.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>

#include "core/base/check.h"

namespace heddle {
namespace {

constexpr std::size_t kFirstChunk = 256 << 10;
constexpr std::size_t kLargestChunk = 32 << 20;

// mmap and munmap of libc may be interposed by the runtime itself.
long raw_syscall6(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

void* map_pages(std::size_t bytes) {
  const long address = raw_syscall6(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return address < 0 && address > -4096 ? nullptr : reinterpret_cast<void*>(address);
}

}  // namespace

void* Arena::carve_from_new_chunk(std::size_t bytes) {
  // After a reset the chunks of earlier executions come first; one that is too small for this block is
  // skipped.
  Chunk* chunk = current_ == nullptr ? first_ : current_->next;
  while (chunk != nullptr && chunk->bytes - sizeof(Chunk) < bytes) {
    current_ = chunk;
    chunk = chunk->next;
  }
  if (chunk == nullptr) {
    std::size_t size = std::clamp(mapped_, kFirstChunk, kLargestChunk);
    while (size - sizeof(Chunk) < bytes) size *= 2;
    chunk = static_cast<Chunk*>(map_pages(size));
    HEDDLE_CHECK(chunk != nullptr);
    *chunk = {nullptr, size};
    (current_ == nullptr ? first_ : current_->next) = chunk;
    mapped_ += size;
  }
  current_ = chunk;
  static_assert(sizeof(Chunk) % 16 == 0);
  next_ = reinterpret_cast<char*>(chunk + 1);
  end_ = reinterpret_cast<char*>(chunk) + chunk->bytes;
  void* block = next_;
  next_ += bytes;
  return block;
}

void Arena::reset() {
  next_ = end_ = nullptr;
  current_ = nullptr;
  used_ = 0;
  for (FreeBlock*& list : free_) list = nullptr;
}

void Arena::unmap() {
  for (Chunk* chunk = first_; chunk != nullptr;) {
    Chunk* next = chunk->next;
    raw_syscall6(SYS_munmap, reinterpret_cast<long>(chunk), static_cast<long>(chunk->bytes), 0, 0, 0, 0);
    chunk = next;
  }
  first_ = nullptr;
  mapped_ = 0;
  reset();
}

}  // namespace heddle
