#include "tool/artifact/container.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "core/base/check.h"
#include "tool/base/bytes.h"
#include "tool/base/crc32c.h"

namespace heddle {
namespace {

constexpr std::uint32_t kEndType = 0xffffffff;
constexpr std::uint32_t kFlagZstd = 1;
constexpr std::uint32_t kFlagCritical = 2;
constexpr std::size_t kHeaderBytes = 16;         // magic, major, minor, checksum
constexpr std::size_t kSectionHeaderBytes = 32;  // type, flags, stored, payload, two checksums
constexpr int kCompressionLevel = 9;

// What is said where the bytes contradict the format; `at` is the position in the file.
Error damaged(std::size_t at, std::string_view what) {
  return Error{fmt::format("The artifact is damaged: {} (at byte {}).", what, at)};
}

std::string compressed(std::string_view payload) {
  std::string stored(ZSTD_compressBound(payload.size()), '\0');
  const std::size_t size =
      ZSTD_compress(stored.data(), stored.size(), payload.data(), payload.size(), kCompressionLevel);
  HEDDLE_CHECK(!ZSTD_isError(size));
  stored.resize(size);
  return stored;
}

// Streams, so that memory grows with what really comes out and not with what the header promises.
bool decompress(std::string_view stored, std::uint64_t expected, std::string& payload) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  // A window larger than 128 MB would let a small file claim much memory.
  if (!context || ZSTD_isError(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, 27))) return false;
  ZSTD_inBuffer in{stored.data(), stored.size(), 0};
  std::string chunk(ZSTD_DStreamOutSize(), '\0');
  std::size_t left = 1;
  while (left != 0) {
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left) || out.pos > expected - payload.size()) return false;
    payload.append(chunk, 0, out.pos);
    if (left != 0 && out.pos == 0 && in.pos == in.size) return false;  // ends in the middle of a frame
  }
  return in.pos == in.size && payload.size() == expected;
}

void put_section_header(ByteWriter& to, std::uint32_t type, std::uint32_t flags, std::uint64_t payload_size,
                        std::string_view stored) {
  ByteWriter header;
  header.fixed32(type);
  header.fixed32(flags);
  header.fixed64(stored.size());
  header.fixed64(payload_size);
  header.fixed32(crc32c(stored));
  header.fixed32(crc32c(header.bytes()));
  to.raw(header.bytes());
}

}  // namespace

std::string write_container(const std::vector<ArtifactSection>& sections) {
  ByteWriter file;
  file.raw(kArtifactMagic);
  file.fixed32(std::uint32_t{kFormatMajor} | std::uint32_t{kFormatMinor} << 16);
  file.fixed32(crc32c(file.bytes()));
  for (const ArtifactSection& section : sections) {
    std::string stored = compressed(section.payload);
    std::uint32_t flags = section.critical ? kFlagCritical : 0;
    if (stored.size() < section.payload.size()) {
      flags |= kFlagZstd;
    } else {
      stored = section.payload;
    }
    put_section_header(file, section.type, flags, section.payload.size(), stored);
    file.raw(stored);
  }
  ByteWriter end;
  end.varint(sections.size());
  end.fixed32(crc32c(file.bytes()));
  put_section_header(file, kEndType, kFlagCritical, end.bytes().size(), end.bytes());
  file.raw(end.bytes());
  return file.take();
}

Result<std::vector<ArtifactSection>> read_container(std::string_view file, const ReadLimits& limits) {
  if (file.size() > limits.file_bytes) {
    return Error{
        fmt::format("The artifact is {} bytes long; at most {} are read.", file.size(), limits.file_bytes)};
  }
  if (!file.starts_with(kArtifactMagic.substr(0, std::min(file.size(), kArtifactMagic.size()))) ||
      file.empty()) {
    return Error{"The file is not a heddle artifact: it does not begin with the format's mark."};
  }
  if (file.size() < kHeaderBytes) return damaged(file.size(), "it ends inside its header");
  ByteReader reader(file);
  reader.raw(kArtifactMagic.size());
  const std::uint32_t version = reader.fixed32();
  if (reader.fixed32() != crc32c(file.substr(0, kHeaderBytes - 4)))
    return damaged(0, "the header's checksum differs");
  if ((version & 0xffff) != kFormatMajor) {
    return Error{fmt::format(
        "The artifact has format version {}.{}; this heddle reads version {}. Use the heddle that "
        "wrote it.",
        version & 0xffff, version >> 16, kFormatMajor)};
  }

  std::vector<ArtifactSection> sections;
  std::uint64_t payload_total = 0;
  while (true) {
    const std::size_t start = file.size() - reader.remaining();
    if (reader.remaining() < kSectionHeaderBytes) return damaged(start, "it ends before its end mark");
    const std::uint32_t type = reader.fixed32();
    const std::uint32_t flags = reader.fixed32();
    const std::uint64_t stored_size = reader.fixed64();
    const std::uint64_t payload_size = reader.fixed64();
    const std::uint32_t stored_crc = reader.fixed32();
    if (reader.fixed32() != crc32c(file.substr(start, kSectionHeaderBytes - 4))) {
      return damaged(start, "a section header's checksum differs");
    }
    const std::string_view stored = reader.raw(stored_size);
    if (reader.failed()) return damaged(start, fmt::format("section {} is longer than the file", type));
    if (crc32c(stored) != stored_crc)
      return damaged(start, fmt::format("the checksum of section {} differs", type));
    if (payload_size > limits.payload_bytes - payload_total) {
      return Error{fmt::format("Section {} of the artifact would take {} bytes; at most {} are read.", type,
                               payload_size, limits.payload_bytes)};
    }
    payload_total += payload_size;

    if (type == kEndType) {
      ByteReader end(stored);
      const std::uint64_t count = end.varint();
      const std::uint32_t crc = end.fixed32();
      if (end.failed() || count != sections.size() || crc != crc32c(file.substr(0, start))) {
        return damaged(start, "its end mark does not fit its sections");
      }
      if (!reader.at_end())
        return damaged(file.size() - reader.remaining(), "there are bytes after its end mark");
      return sections;
    }

    if (sections.size() == limits.sections) return damaged(start, "it has too many sections");
    ArtifactSection section{type, (flags & kFlagCritical) != 0, {}};
    if (flags & kFlagZstd) {
      if (!decompress(stored, payload_size, section.payload)) {
        return damaged(start, fmt::format("section {} cannot be decompressed", type));
      }
    } else if (stored_size == payload_size) {
      section.payload = stored;
    } else {
      return damaged(start, fmt::format("section {} has two lengths", type));
    }
    sections.push_back(std::move(section));
  }
}

}  // namespace heddle
