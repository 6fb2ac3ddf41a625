#include "tool/base/crc32c.h"

#include <array>

namespace heddle {
namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82f63b78;

// table[k][b]: the remainder of byte b followed by k zero bytes, so that eight bytes need eight lookups and
// no loop over bits ("slicing by 8").
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t remainder = b;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ (remainder & 1 ? kReversedPolynomial : 0);
    tables[0][b] = remainder;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t previous) {
  std::uint32_t crc = ~previous;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const std::uint32_t low = crc ^ (std::uint32_t{byte(i)} | std::uint32_t{byte(i + 1)} << 8 |
                                     std::uint32_t{byte(i + 2)} << 16 | std::uint32_t{byte(i + 3)} << 24);
    crc = kTables[7][low & 0xff] ^ kTables[6][low >> 8 & 0xff] ^ kTables[5][low >> 16 & 0xff] ^
          kTables[4][low >> 24] ^ kTables[3][byte(i + 4)] ^ kTables[2][byte(i + 5)] ^
          kTables[1][byte(i + 6)] ^ kTables[0][byte(i + 7)];
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8) ^ kTables[0][(crc ^ byte(i)) & 0xff];
  return ~crc;
}

}  // namespace heddle
