// Builds short messages without libc. Text past the end is cut, never written out of bounds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle {

template <std::size_t kCapacity>
class TextBuffer {
 public:
  TextBuffer& operator<<(const char* text) {
    for (; text != nullptr && *text != '\0'; ++text) put(*text);
    return *this;
  }
  TextBuffer& operator<<(char c) {
    put(c);
    return *this;
  }
  TextBuffer& decimal(std::int64_t value) {
    if (value < 0) put('-');
    return unsigned_decimal(value < 0 ? 0 - static_cast<std::uint64_t>(value)
                                      : static_cast<std::uint64_t>(value));
  }
  TextBuffer& unsigned_decimal(std::uint64_t value) {
    char digits[20];
    int n = 0;
    do digits[n++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    while (n > 0) put(digits[--n]);
    return *this;
  }
  TextBuffer& hex(std::uint64_t value) {
    *this << "0x";
    int shift = 60;
    while (shift > 0 && (value >> shift) == 0) shift -= 4;
    for (; shift >= 0; shift -= 4) put("0123456789abcdef"[(value >> shift) & 15]);
    return *this;
  }

  const char* c_str() const { return text_; }
  std::size_t size() const { return size_; }

 private:
  void put(char c) {
    if (size_ + 1 >= kCapacity) return;
    text_[size_++] = c;
    text_[size_] = '\0';
  }
  std::size_t size_ = 0;
  char text_[kCapacity] = {};
};

}  // namespace heddle
