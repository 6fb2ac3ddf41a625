#include "core/base/arena.h"

#include <algorithm>

#include "core/base/pages.h"

namespace heddle {
namespace {

constexpr std::size_t kFirstChunk = 256 << 10;
constexpr std::size_t kLargestChunk = 32 << 20;

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
    unmap_memory(chunk, chunk->bytes);
    chunk = next;
  }
  first_ = nullptr;
  mapped_ = 0;
  reset();
}

}  // namespace heddle
