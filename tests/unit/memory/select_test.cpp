#include "runtime/memory/select.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace heddle::memory {
namespace {

void expect_all_selected(std::uint64_t word) {
  std::uint32_t rank = 0;
  for (std::uint32_t i = 64; i-- > 0;) {
    if ((word >> i & 1) == 0) continue;
    EXPECT_EQ(select_by_sums(word, rank), i) << std::hex << word;
    EXPECT_EQ(select_from_top(word, rank++), i) << std::hex << word;
  }
  EXPECT_EQ(count_by_sums(word), rank) << std::hex << word;
  EXPECT_EQ(count_bits(word), rank) << std::hex << word;
}

TEST(SelectTest, FindsEachBitByItsRankFromTheTop) {
  find_processor_abilities();  // the other way is for processors without
  for (std::uint32_t i = 0; i < 64; ++i) expect_all_selected(1ull << i);
  for (const std::uint64_t word :
       {~0ull, 0x8000000000000001ull, 0x5555555555555555ull, 0xffffffff00000000ull})
    expect_all_selected(word);
  Random random(1);
  for (int i = 0; i < 2000; ++i) expect_all_selected(random.next() & random.next());
}

}  // namespace
}  // namespace heddle::memory
