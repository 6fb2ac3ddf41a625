// CRC-32C (Castagnoli polynomial, as in iSCSI and ext4), the checksum of artifacts.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle {

// `previous` continues the sum of the bytes before.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t previous = 0);

}  // namespace heddle
