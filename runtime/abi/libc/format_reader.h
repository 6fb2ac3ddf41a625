// The parts of a format that printf and scanf have in common, and arguments by their types.
#pragma once

#include <stdarg.h>

#include <cstddef>
#include <cstdint>

namespace heddle::abi {

inline constexpr std::uint32_t kMostPositions = 64;

enum class Length : std::uint8_t {
  kNone,
  kChar,
  kShort,
  kLong,
  kLongLong,
  kMax,
  kSize,
  kPtrdiff,
  kLongDouble
};

inline std::size_t size_of_integer(Length length) {
  switch (length) {
    case Length::kChar:
      return sizeof(char);
    case Length::kShort:
      return sizeof(short);
    case Length::kNone:
      return sizeof(int);
    default:
      return sizeof(long);  // all others are as wide on x86-64
  }
}

inline bool is_wide(Length length) { return length == Length::kLong || length == Length::kLongLong; }

// How an argument travels.
enum class Type : std::uint8_t { kUnused, kInt, kLong, kPointer, kDouble, kLongDouble };

union Value {
  long integer;
  const void* pointer;
};

// A format that is read from left to right.
template <typename Char>
class Reader {
 public:
  explicit Reader(const Char* format) : at_(format) {}
  bool at_end() const { return *at_ == 0; }
  Char peek() const { return *at_; }
  Char peek_next() const { return *at_ == 0 ? Char{0} : at_[1]; }
  Char next() { return *at_ == 0 ? Char{0} : *at_++; }
  bool skip(Char c) {
    if (*at_ != c || c == 0) return false;
    ++at_;
    return true;
  }
  bool has_number() const { return *at_ >= Char{'0'} && *at_ <= Char{'9'}; }
  // A number too large for an int counts as that: no such position or width exists.
  std::int64_t number() {
    constexpr std::int64_t kTooLarge = 0x7fffffff;
    std::int64_t value = 0;
    while (has_number()) {
      value = value * 10 + (*at_++ - Char{'0'});
      if (value > kTooLarge) value = kTooLarge;
    }
    return value;
  }
  // "12$": the position, else 0, and nothing is skipped.
  std::int64_t position() {
    const Char* const begin = at_;
    const std::int64_t value = has_number() ? number() : 0;
    if (value != 0 && skip(Char{'$'})) return value;
    at_ = begin;
    return 0;
  }
  Length length() {
    switch (*at_) {
      case 'h':
        ++at_;
        return skip(Char{'h'}) ? Length::kChar : Length::kShort;
      case 'l':
        ++at_;
        return skip(Char{'l'}) ? Length::kLongLong : Length::kLong;
      case 'q':
      case 'L':
        ++at_;
        return Length::kLongDouble;
      case 'j':
        ++at_;
        return Length::kMax;
      case 'z':
      case 'Z':
        ++at_;
        return Length::kSize;
      case 't':
        ++at_;
        return Length::kPtrdiff;
      default:
        return Length::kNone;
    }
  }

 private:
  const Char* at_;
};

class Arguments {
 public:
  explicit Arguments(va_list list) { va_copy(list_, list); }
  ~Arguments() { va_end(list_); }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  Value take(Type type) {
    Value value{};
    [[maybe_unused]] long double passed_over = 0;
    switch (type) {
      case Type::kUnused:  // glibc takes an int for a position that nothing names
      case Type::kInt:
        value.integer = va_arg(list_, int);
        break;
      case Type::kLong:
        value.integer = va_arg(list_, long);
        break;
      case Type::kPointer:
        value.pointer = va_arg(list_, const void*);
        break;
      case Type::kDouble:
        passed_over = va_arg(list_, double);
        break;
      case Type::kLongDouble:
        passed_over = va_arg(list_, long double);
        break;
    }
    return value;
  }

 private:
  va_list list_;
};

}  // namespace heddle::abi
