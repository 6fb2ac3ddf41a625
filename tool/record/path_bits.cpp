#include "tool/record/path_bits.h"

#include <cstring>

#include "core/record/chunk_packing.h"

namespace heddle {

void PathBits::add(std::uint64_t bits, unsigned count) {
  if (count == 0) return;
  bits <<= 64 - count;
  const unsigned filled = size_ % 64;
  if (filled == 0) {
    words_.push_back(bits);
  } else {
    words_.back() |= bits >> filled;
    if (filled + count > 64) words_.push_back(bits << (64 - filled));
  }
  size_ += count;
}

bool PathBits::add_packed(std::string_view bytes) {
  if (bytes.empty()) return false;
  const unsigned unused = static_cast<unsigned char>(bytes.back());
  bytes.remove_suffix(1);
  if (unused > 7 || (unused != 0 && bytes.empty())) return false;
  for (; bytes.size() > sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    add(__builtin_bswap64(word), 64);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned dropped = i + 1 == bytes.size() ? unused : 0;
    add(static_cast<unsigned char>(bytes[i]) >> dropped, 8 - dropped);
  }
  return true;
}

void PathBits::add_word(std::uint64_t word) { add(word, record::pending_count(word)); }

std::optional<std::string> unpacked_bytes(std::string_view packed) {
  std::string bytes;
  std::size_t at = 0;
  bool fits = true;
  const auto number = [&] {
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 32; shift += 7) {
      if (at == packed.size()) break;
      const auto byte = static_cast<unsigned char>(packed[at++]);
      n |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return n;
    }
    fits = false;
    return n;
  };
  while (fits && at < packed.size()) {
    const std::uint64_t literals = number();
    if (!fits || literals > packed.size() - at || bytes.size() + literals > record::kMostUnpacked)
      return std::nullopt;
    bytes += packed.substr(at, literals);
    at += literals;
    if (at == packed.size()) break;
    const std::uint64_t length = number();
    const std::uint64_t distance = number();
    if (!fits || distance == 0 || distance > bytes.size() || bytes.size() + length > record::kMostUnpacked)
      return std::nullopt;
    for (std::uint64_t i = 0; i < length; ++i) bytes += bytes[bytes.size() - distance];
  }
  if (!fits) return std::nullopt;
  return bytes;
}

}  // namespace heddle
