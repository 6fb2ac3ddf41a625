// The bits of one stream of a path log, put together from its chunks. Private to this room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

class PathBits {
 public:
  // The latest `count` bits of a word; at most 64.
  void add(std::uint64_t bits, unsigned count);
  // Of a chunk of kind kBits. False: it makes no sense.
  [[nodiscard]] bool add_packed(std::string_view bytes);
  // A word as PathState::pending has it.
  void add_word(std::uint64_t word);

  std::uint64_t size() const { return size_; }
  std::uint64_t position() const { return position_; }
  bool has(std::uint64_t count) const { return size_ - position_ >= count; }
  // The next ones. REQUIRES: has(count), and count is at most 64.
  std::uint64_t peek(unsigned count) const {
    if (count == 0) return 0;
    const std::uint64_t* const word = words_.data() + position_ / 64;
    const unsigned before = position_ % 64;
    std::uint64_t bits = *word << before;
    if (before + count > 64) bits |= word[1] >> (64 - before);
    return bits >> (64 - count);
  }
  // REQUIRES: has(1).
  std::uint64_t take_one() {
    const std::uint64_t bit = words_[position_ / 64] >> (63 - position_ % 64) & 1;
    ++position_;
    return bit;
  }
  std::uint64_t take(unsigned count) {
    const std::uint64_t bits = peek(count);
    position_ += count;
    return bits;
  }

 private:
  std::vector<std::uint64_t> words_;  // the oldest in the highest bit of the first; zeros behind the latest
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

// What a chunk of kind kPackedBits stands for (core/record/chunk_packing.h); nothing where it makes no sense.
std::optional<std::string> unpacked_bytes(std::string_view packed);

}  // namespace heddle
