#include "tool/base/bytes.h"

namespace heddle {
namespace {

// Wire types of Protocol Buffers; the two that we write, and the two fixed ones so that they can be skipped.
enum WireType : std::uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

}  // namespace

void ByteWriter::varint(std::uint64_t n) {
  while (n >= 0x80) {
    bytes_ += static_cast<char>(n | 0x80);
    n >>= 7;
  }
  bytes_ += static_cast<char>(n);
}

void ByteWriter::fixed32(std::uint32_t n) {
  for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(n >> shift);
}

void ByteWriter::fixed64(std::uint64_t n) {
  for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(n >> shift);
}

void ByteWriter::number(std::uint32_t tag, std::uint64_t n) {
  if (n == 0) return;
  varint(std::uint64_t{tag} << 3 | kVarint);
  varint(n);
}

void ByteWriter::text(std::uint32_t tag, std::string_view bytes) {
  if (!bytes.empty()) element(tag, bytes);
}

void ByteWriter::element(std::uint32_t tag, std::string_view bytes) {
  varint(std::uint64_t{tag} << 3 | kBytes);
  string(bytes);
}

std::uint64_t ByteReader::varint() {
  std::uint64_t n = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    if (shift == 63 && byte > 1) break;  // more than 64 bits
    n |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return n;
  }
  fail();
  return 0;
}

std::string_view ByteReader::raw(std::uint64_t length) {
  if (length > rest_.size()) {
    fail();
    return {};
  }
  const std::string_view bytes = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return bytes;
}

std::uint32_t ByteReader::fixed32() {
  const std::string_view bytes = raw(4);
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    n |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  return n;
}

std::uint64_t ByteReader::fixed64() {
  const std::string_view bytes = raw(8);
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    n |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  return n;
}

std::uint64_t ByteReader::count(std::size_t bytes_each) {
  const std::uint64_t n = varint();
  if (n > rest_.size() / bytes_each) {
    fail();
    return 0;
  }
  return n;
}

bool next_field(ByteReader& reader, Field& field) {
  const std::uint64_t key = reader.varint();
  if (reader.failed() || key >> 35 != 0) return false;
  field = {};
  field.tag = static_cast<std::uint32_t>(key >> 3);
  switch (key & 7) {
    case kVarint:
      field.number = reader.varint();
      break;
    case kFixed64:
      field.number = reader.fixed64();
      break;
    case kBytes:
      field.bytes = reader.string();
      break;
    case kFixed32:
      field.number = reader.fixed32();
      break;
    default:
      return false;
  }
  return !reader.failed();
}

}  // namespace heddle
