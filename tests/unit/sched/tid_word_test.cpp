// The thread's id in libc's control block, where other words hold the same number.
#include "runtime/sched/tid_word.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace heddle::sched {
namespace {

class Block {
 public:
  void set(std::uint32_t offset, std::uint32_t value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  const char* data() const { return bytes_.data(); }

 private:
  alignas(8) std::array<char, 0x900> bytes_ = {};
};

// 0x7fff is the upper half of the addresses of a stack and of libraries: the words before the id hold it,
// too.
TEST(TidWord, IsTheOneThatTheKernelClears) {
  Block block;
  constexpr std::uint32_t kTid = 0x7fff;
  block.set(0x2c4, kTid);
  block.set(0x2cc, kTid);
  block.set(0x2d0, kTid);
  block.set(0x6f4, kTid);
  TidWord word;
  ASSERT_TRUE(word.note(block.data(), kTid));
  EXPECT_EQ(word.cleared(block.data()), 0u);  // the thread lives
  block.set(0x2d0, 0);
  EXPECT_EQ(word.cleared(block.data()), 0x2d0u);
}

TEST(TidWord, IsNotAWordThatWasZeroBefore) {
  Block block;
  block.set(0x2d0, 4711);
  TidWord word;
  ASSERT_TRUE(word.note(block.data(), 4711));
  EXPECT_EQ(word.cleared(block.data()), 0u);
  EXPECT_FALSE(word.note(block.data(), 4712));
}

}  // namespace
}  // namespace heddle::sched
