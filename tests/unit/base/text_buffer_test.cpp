#include "core/base/text_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace heddle {
namespace {

template <std::size_t kCapacity>
std::string text_of(const TextBuffer<kCapacity>& buffer) {
  return {buffer.c_str(), buffer.size()};
}

TEST(TextBuffer, StartsEmptyAndTerminated) {
  const TextBuffer<8> buffer;
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_STREQ(buffer.c_str(), "");
}

TEST(TextBuffer, Appends) {
  TextBuffer<64> buffer;
  buffer << "thread " << 'T';
  buffer.decimal(-7) << ", ";
  buffer.unsigned_decimal(0) << ' ';
  buffer.hex(0xdeadbeef);
  EXPECT_EQ(text_of(buffer), "thread T-7, 0 0xdeadbeef");
}

TEST(TextBuffer, ExtremeNumbers) {
  TextBuffer<128> buffer;
  buffer.decimal(std::numeric_limits<std::int64_t>::min()) << ' ';
  buffer.decimal(std::numeric_limits<std::int64_t>::max()) << ' ';
  buffer.unsigned_decimal(std::numeric_limits<std::uint64_t>::max()) << ' ';
  buffer.hex(0) << ' ';
  buffer.hex(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(text_of(buffer),
            "-9223372036854775808 9223372036854775807 18446744073709551615 0x0 0xffffffffffffffff");
}

TEST(TextBuffer, NullPointerIsNothing) {
  TextBuffer<8> buffer;
  const char* nothing = nullptr;
  buffer << "a" << nothing << "b";
  EXPECT_EQ(text_of(buffer), "ab");
}

TEST(TextBuffer, CutsWhatDoesNotFit) {
  TextBuffer<8> buffer;
  buffer << "1234567890";
  EXPECT_EQ(text_of(buffer), "1234567");
  buffer.decimal(42) << 'x';
  EXPECT_EQ(text_of(buffer), "1234567");
  EXPECT_EQ(buffer.c_str()[7], '\0');
}

}  // namespace
}  // namespace heddle
