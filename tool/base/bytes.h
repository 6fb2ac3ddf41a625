// Writing and reading little byte strings: variable-length integers and records of tagged fields. The
// encoding of numbers and records is that of Protocol Buffers, so that `protoc --decode_raw` can show a
// section without us.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace heddle {

constexpr std::uint64_t zigzag(std::int64_t n) {
  return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t n) {
  return static_cast<std::int64_t>(n >> 1) ^ -static_cast<std::int64_t>(n & 1);
}

class ByteWriter {
 public:
  void varint(std::uint64_t n);
  void signed_varint(std::int64_t n) { varint(zigzag(n)); }
  void raw(std::string_view bytes) { bytes_ += bytes; }
  void fixed32(std::uint32_t n);
  void fixed64(std::uint64_t n);
  // Length, then bytes.
  void string(std::string_view bytes) {
    varint(bytes.size());
    raw(bytes);
  }
  // Fields of a record; zero and empty ones are left out, as a missing field reads as that.
  void number(std::uint32_t tag, std::uint64_t n);
  void signed_number(std::uint32_t tag, std::int64_t n) { number(tag, zigzag(n)); }
  void text(std::uint32_t tag, std::string_view bytes);
  // A field that is written even when empty: an element of a repeated field.
  void element(std::uint32_t tag, std::string_view bytes);

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// A failed read answers zero and makes the reader fail for good, so that callers check once at the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }
  std::size_t remaining() const { return rest_.size(); }
  bool at_end() const { return rest_.empty(); }

  std::uint64_t varint();
  std::int64_t signed_varint() { return unzigzag(varint()); }
  std::uint32_t fixed32();
  std::uint64_t fixed64();
  std::string_view raw(std::uint64_t length);
  std::string_view string() { return raw(varint()); }
  // A count of things that take at least `bytes_each` bytes each: fails where the rest cannot hold them.
  std::uint64_t count(std::size_t bytes_each);
  void fail() {
    failed_ = true;
    rest_ = {};
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

// One field of a record: its tag, and a number or bytes.
struct Field {
  std::uint32_t tag = 0;
  std::uint64_t number = 0;
  std::string_view bytes;

  std::int64_t signed_number() const { return unzigzag(number); }
  std::string str() const { return std::string(bytes); }
};

// Calls `visit(const Field&)` for each field, in order; visit ignores tags that it does not know. False where
// the bytes are no record.
template <typename Visit>
bool read_record(std::string_view bytes, Visit visit);
bool next_field(ByteReader& reader, Field& field);

template <typename Visit>
bool read_record(std::string_view bytes, Visit visit) {
  ByteReader reader(bytes);
  Field field;
  while (!reader.at_end()) {
    if (!next_field(reader, field)) return false;
    visit(static_cast<const Field&>(field));
  }
  return !reader.failed();
}

}  // namespace heddle
