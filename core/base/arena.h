// Memory for the runtime's own data: bump allocation from chunks that come straight from mmap, with a free
// list per size class. Never touches the program's heap and needs no libc.
//
// reset() forgets everything at once and costs nothing per block; chunks are kept for the next execution, so
// that a reset costs neither system calls nor page faults. Blocks are not zeroed: after a reset they hold old
// contents.
//
// Not thread-safe: one execution, one arena.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heddle {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { unmap(); }

  // A block of at least `bytes`, aligned to 16. Stops the process where the system has no memory left.
  void* allocate(std::size_t bytes) {
    const std::uint32_t c = class_of(bytes);
    used_ += class_bytes(c);
    if (FreeBlock* block = free_[c]; block != nullptr) {
      free_[c] = block->next;
      return block;
    }
    return carve(class_bytes(c));
  }

  // REQUIRES: `block` came from allocate(bytes) since the last reset.
  void release(void* block, std::size_t bytes) {
    const std::uint32_t c = class_of(bytes);
    used_ -= class_bytes(c);
    auto* freed = static_cast<FreeBlock*>(block);
    freed->next = free_[c];
    free_[c] = freed;
  }

  template <typename T>
  T* allocate_array(std::size_t count) {
    return static_cast<T*>(allocate(count * sizeof(T)));
  }
  template <typename T>
  void release_array(T* array, std::size_t count) {
    release(array, count * sizeof(T));
  }

  void reset();
  void unmap();

  // Where blocks will be carved next: what lies there now, nobody will read.
  char* unused_begin() const { return next_; }
  char* unused_end() const { return end_; }

  // Bytes handed out and not released, and bytes mapped.
  std::size_t used() const { return used_; }
  std::size_t mapped() const { return mapped_; }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };
  struct Chunk {
    Chunk* next;
    std::size_t bytes;
  };

  // Multiples of 16 up to 256, then four for each power of two: arrays double, and what they need beside
  // their elements must not cost them half a block.
  static constexpr std::uint32_t kSmallClasses = 16;
  static constexpr std::uint32_t kClasses = kSmallClasses + 4 * 32;
  static constexpr std::uint32_t class_of(std::size_t bytes) {
    if (bytes <= 256) return bytes == 0 ? 0 : static_cast<std::uint32_t>((bytes - 1) / 16);
    const auto width = static_cast<std::uint32_t>(std::bit_width(bytes - 1));
    return kSmallClasses + (width - 9) * 4 + static_cast<std::uint32_t>((bytes - 1) >> (width - 3) & 3);
  }
  static constexpr std::size_t class_bytes(std::uint32_t c) {
    if (c < kSmallClasses) return (c + 1) * 16ull;
    const std::uint32_t quarter = c - kSmallClasses;
    return (quarter % 4 + 5ull) << (quarter / 4 + 6);
  }

  void* carve(std::size_t bytes) {
    if (bytes <= static_cast<std::size_t>(end_ - next_)) {
      void* block = next_;
      next_ += bytes;
      return block;
    }
    return carve_from_new_chunk(bytes);
  }
  void* carve_from_new_chunk(std::size_t bytes);

  char* next_ = nullptr;
  char* end_ = nullptr;
  Chunk* first_ = nullptr;
  Chunk* current_ = nullptr;
  std::size_t used_ = 0;
  std::size_t mapped_ = 0;
  FreeBlock* free_[kClasses] = {};
};

}  // namespace heddle
