#include "tool/record/path_bits.h"

#include "core/record/chunk_packing.h"

namespace heddle {

void PathBits::add(std::uint64_t bits, unsigned count) {
  while (count > 0) {
    const unsigned free = 8 - static_cast<unsigned>(size_ % 8);
    if (free == 8) bytes_ += '\0';
    const unsigned taken = count < free ? count : free;
    const std::uint64_t part = bits >> (count - taken) & ((1u << taken) - 1);
    bytes_.back() = static_cast<char>(static_cast<unsigned char>(bytes_.back()) | part << (free - taken));
    size_ += taken;
    count -= taken;
  }
}

bool PathBits::add_packed(std::string_view bytes) {
  if (bytes.empty()) return false;
  const unsigned unused = static_cast<unsigned char>(bytes.back());
  bytes.remove_suffix(1);
  if (unused > 7 || (unused != 0 && bytes.empty())) return false;
  if (size_ % 8 == 0) {
    bytes_ += bytes;
    size_ += 8 * bytes.size() - unused;
    return true;
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const unsigned dropped = i + 1 == bytes.size() ? unused : 0;
    add(byte >> dropped, 8 - dropped);
  }
  return true;
}

void PathBits::add_word(std::uint64_t word) { add(word, record::pending_count(word)); }

std::uint64_t PathBits::take(unsigned count) {
  std::uint64_t bits = 0;
  for (; count > 0; --count, ++position_)
    bits = bits << 1 | (static_cast<unsigned char>(bytes_[position_ / 8]) >> (7 - position_ % 8) & 1);
  return bits;
}

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
