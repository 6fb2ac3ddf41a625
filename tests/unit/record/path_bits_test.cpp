// What the recorder makes of full chunks (core/record/chunk_packing.h) is what the reader takes apart.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/record/chunk_packing.h"
#include "core/record/log_format.h"
#include "core/record/path_table.h"
#include "tool/record/path_bits.h"

namespace heddle {
namespace {

using record::pack_words;
using record::PathState;

std::uint64_t word_of(std::uint64_t bits, unsigned count) {
  return PathState::kNonePending << count | (bits & ((std::uint64_t{1} << count) - 1));
}

std::string packed(const std::vector<std::uint64_t>& words, std::uint64_t& bits) {
  std::vector<unsigned char> out(8 * words.size() + record::kPackedWordsMore);
  const auto result = pack_words(words.data(), words.data() + words.size(), out.data());
  bits = result.bits;
  return {reinterpret_cast<const char*>(out.data()), result.bytes};
}

std::string as_text(PathBits bits) {
  std::string text;
  while (bits.has(1)) text += bits.take(1) != 0 ? '1' : '0';
  return text;
}

TEST(PackedWords, HaveTheWordsBitsOneAfterTheOther) {
  std::mt19937_64 random(1);
  for (const unsigned least : {0u, 1u, 51u}) {
    std::vector<std::uint64_t> words;
    PathBits expected;
    for (int i = 0; i < 300; ++i) {
      const auto count = static_cast<unsigned>(least + random() % (63 - least));
      words.push_back(word_of(random(), count));
      expected.add_word(words.back());
    }
    std::uint64_t bits = 0;
    const std::string bytes = packed(words, bits);
    EXPECT_EQ(bits, expected.size());
    // Behind whole bytes, and behind some that are not.
    for (const unsigned before : {0u, 3u}) {
      PathBits read;
      read.add(0x5, before);
      ASSERT_TRUE(read.add_packed(bytes));
      EXPECT_EQ(as_text(read).substr(before), as_text(expected));
    }
  }
}

TEST(PackedWords, OfNothingAreNone) {
  std::uint64_t bits = 1;
  PathBits read;
  EXPECT_TRUE(read.add_packed(packed({}, bits)));
  EXPECT_EQ(bits, 0u);
  EXPECT_EQ(read.size(), 0u);
}

TEST(PackedWords, ThatMakeNoSenseAreRefused) {
  PathBits read;
  EXPECT_FALSE(read.add_packed(""));
  EXPECT_FALSE(read.add_packed(std::string("\x01", 1)));
  EXPECT_FALSE(read.add_packed(std::string("a\x08", 2)));
}

std::string smaller(const std::string& bytes, std::size_t room) {
  record::BytePacker packer;
  std::string out(room, '\0');
  const auto used = packer.pack(
      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<std::uint32_t>(bytes.size()),
      reinterpret_cast<unsigned char*>(out.data()), static_cast<std::uint32_t>(room));
  return out.substr(0, used);
}

TEST(BytePacker, ComesBackToWhatItWas) {
  std::mt19937 random(2);
  std::string period, noise;
  for (int i = 0; i < 37; ++i) period += static_cast<char>(random());
  std::string text;
  while (text.size() < 14000) {
    text += period;
    if (random() % 20 == 0) text += static_cast<char>(random());
  }
  for (const std::string& one : {text, std::string(9000, 'x'), period + period + period + period + period}) {
    const std::string small = smaller(one, one.size() / 2);
    ASSERT_FALSE(small.empty());
    EXPECT_EQ(unpacked_bytes(small), one);
  }
  EXPECT_LT(smaller(text, text.size() / 4).size(), text.size() / 4);
}

TEST(BytePacker, GivesUpOnWhatDoesNotRepeat) {
  std::mt19937 random(3);
  std::string noise;
  for (int i = 0; i < 14000; ++i) noise += static_cast<char>(random());
  EXPECT_EQ(smaller(noise, noise.size() / 4), "");
  EXPECT_EQ(smaller("short", 4), "");
}

TEST(UnpackedBytes, RefuseWhatMakesNoSense) {
  const auto text = [](std::initializer_list<int> bytes) { return std::string(bytes.begin(), bytes.end()); };
  EXPECT_EQ(unpacked_bytes(text({1, 'a', 8, 1})), "aaaaaaaaa");
  EXPECT_FALSE(unpacked_bytes(text({5, 'a'})));                             // fewer than it says
  EXPECT_FALSE(unpacked_bytes(text({1, 'a', 8, 2})));                       // from before the beginning
  EXPECT_FALSE(unpacked_bytes(text({1, 'a', 8, 0})));                       // from nowhere
  EXPECT_FALSE(unpacked_bytes(text({1, 'a', 8})));                          // cut off
  EXPECT_FALSE(unpacked_bytes(text({1, 'a', 0xff, 0xff, 0xff, 0x7f, 1})));  // too much
  EXPECT_FALSE(unpacked_bytes(text({0xff, 0xff, 0xff, 0xff, 0xff, 0xff})));
}

TEST(SwitchCodes, EachStandForOneSuccessor) {
  for (std::uint32_t count = 2; count < 70; ++count) {
    std::vector<std::string> codes;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto [bits, code] = record::switch_code(count, i);
      ASSERT_LE(bits, record::most_switch_bits(count));
      PathBits one;
      one.add(code, bits);
      codes.push_back(as_text(one));
    }
    for (std::size_t a = 0; a < codes.size(); ++a) {
      for (std::size_t b = 0; b < codes.size(); ++b) EXPECT_TRUE(a == b || !codes[b].starts_with(codes[a]));
    }
  }
}

TEST(Checksums, OfKeptChunksSeeEveryBit) {
  std::vector<unsigned char> bytes(100, 7);
  const auto sum = [&] { return record::checksum_of(record::ChunkKind::kParts, bytes.data(), bytes.size()); };
  const std::uint64_t before = sum();
  for (unsigned char& byte : bytes) {
    byte ^= 0x10;
    EXPECT_NE(sum(), before);
    byte ^= 0x10;
  }
}

}  // namespace
}  // namespace heddle
