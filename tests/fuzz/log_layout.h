// A log of a native run (core/record/log_format.h) without its padding and checksums, which would stop every
// mutation: the header, and then for each chunk its fields and its content. To be mutated it is short; to be
// read it is laid out.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "core/record/log_format.h"
#include "tool/base/bytes.h"
#include "tool/record/log_reader.h"

namespace heddle::fuzz {

inline constexpr std::uint32_t kOpenChunk = 1;
// A chunk is as long as its content needs, and up to so many pages longer: the zeros after the content say no
// more if they are more, and cost most of the time.
inline constexpr std::uint64_t kMostSparePages = 2;
inline constexpr std::uint64_t kMostLogPages = 24;

inline std::string laid_out(ByteReader& input) {
  record::LogHeader header;
  const std::string_view given = input.string();
  given.copy(reinterpret_cast<char*>(&header), sizeof header);
  header.magic = record::kLogMagic;
  header.version = record::kLogVersion;
  std::string file(record::kLogPage, '\0');
  while (!input.at_end() && !input.failed() && file.size() < kMostLogPages * record::kLogPage) {
    record::ChunkHeader chunk;
    chunk.magic = record::ChunkHeader::kMagic;
    chunk.thread = static_cast<std::uint32_t>(input.varint());
    chunk.kind = static_cast<record::ChunkKind>(input.varint());
    chunk.stream = static_cast<std::uint16_t>(input.varint());
    chunk.sequence = static_cast<std::uint32_t>(input.varint());
    const std::uint64_t flags = input.varint();
    const std::uint64_t spare = input.varint() % (kMostSparePages + 1);
    const std::string_view content = input.string();
    const std::uint64_t bytes = sizeof chunk + content.size();
    const std::uint64_t whole =
        ((bytes + record::kLogPage - 1) / record::kLogPage + spare) * record::kLogPage;
    chunk.bytes = static_cast<std::uint32_t>(whole);
    chunk.used =
        (flags & kOpenChunk) != 0 ? record::ChunkHeader::kOpen : static_cast<std::uint32_t>(content.size());
    chunk.checksum = record::checksum_of(chunk.kind, reinterpret_cast<const unsigned char*>(content.data()),
                                         content.size());
    const std::size_t at = file.size();
    file.resize(at + whole);
    std::memcpy(file.data() + at, &chunk, sizeof chunk);
    content.copy(file.data() + at + sizeof chunk, content.size());
  }
  header.end = file.size();
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

inline std::string_view without_zeros(std::string_view bytes) {
  const std::size_t last = bytes.find_last_not_of('\0');
  return bytes.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// The way back, for seeds. An open chunk's content ends with its last byte that is not zero.
inline std::string taken_apart(const RawLog& log) {
  ByteWriter out;
  out.string(without_zeros({reinterpret_cast<const char*>(&log.header), sizeof log.header}));
  for (const LogChunk& chunk : log.chunks) {
    out.varint(chunk.header.thread);
    out.varint(static_cast<std::uint64_t>(chunk.header.kind));
    out.varint(chunk.header.stream);
    out.varint(chunk.header.sequence);
    out.varint(chunk.is_open ? kOpenChunk : 0);
    out.varint(1);  // spare pages
    out.string(chunk.is_open ? without_zeros(chunk.bytes) : chunk.bytes);
  }
  return out.take();
}

}  // namespace heddle::fuzz
