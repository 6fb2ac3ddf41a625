// What readers of artifacts and suppressions do with bytes from anywhere, led by coverage (libFuzzer).
//
// The first byte says which reader. Checksums would stop every mutation at once, so for the sections of an
// artifact the input is a list of payloads, each with its type and length; a whole file is read, too.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/fuzz.h"
#include "tool/artifact/artifact.h"
#include "tool/artifact/codec.h"
#include "tool/base/bytes.h"
#include "tool/findings/suppressions.h"

namespace {

int read_sections(std::string_view bytes) {
  std::vector<heddle::ArtifactSection> sections;
  heddle::ByteReader reader(bytes);
  while (!reader.at_end() && !reader.failed() && sections.size() < 32) {
    const auto type = static_cast<std::uint32_t>(reader.varint());
    const std::string_view payload = reader.string();
    if (!reader.failed()) sections.push_back({type, false, std::string(payload)});
  }
  const auto trace = heddle::decode_trace(sections);
  // What was accepted can be written, and is then read as the same.
  if (trace && !heddle::parse_artifact(heddle::serialise(*trace))) std::abort();
  return heddle::fuzz::judged_result(trace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'S') {
    heddle::Suppressions suppressions;
    return heddle::fuzz::judged_result(suppressions.add(bytes, "file"));
  }
  if (data[0] == 'F') {
    heddle::ReadLimits limits;
    limits.payload_bytes = 1 << 22;
    return heddle::fuzz::judged_result(heddle::parse_artifact(bytes, limits));
  }
  return read_sections(bytes);
}
