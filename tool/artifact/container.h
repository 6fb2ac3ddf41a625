// The outer shape of a .heddle file: a header, then sections with type, length and checksum, then an end mark
// that covers them all (docs/design/trace-format.md). Knows nothing of what the sections mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace heddle {

inline constexpr std::string_view kArtifactMagic{"\x89HEDDLE\n", 8};
// The major number changes when an older reader would misunderstand the file; the minor one when it would
// only miss something.
inline constexpr std::uint16_t kFormatMajor = 1;
inline constexpr std::uint16_t kFormatMinor = 8;

struct ArtifactSection {
  std::uint32_t type = 0;
  bool critical = false;  // a reader that does not know the type must refuse the file
  std::string payload;    // as the writer of the section made it, not compressed
};

// What a reader is willing to spend on a file that it does not trust.
struct ReadLimits {
  std::uint64_t file_bytes = 512ull << 20;
  std::uint64_t payload_bytes = 1ull << 30;  // of all sections together, after decompression
  std::uint32_t sections = 256;
};

std::string write_container(const std::vector<ArtifactSection>& sections);

// All sections in the order of the file; an error names what is wrong and at which byte.
Result<std::vector<ArtifactSection>> read_container(std::string_view file, const ReadLimits& limits = {});

}  // namespace heddle
