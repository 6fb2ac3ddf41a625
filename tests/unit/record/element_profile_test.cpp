#include "runtime/record/element_profile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace heddle::record {
namespace {

std::size_t mapped_pages() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  return pages;
}

// The recorder lives in the program: a profile that it refuses must leave nothing behind.
TEST(ElementProfile, LeavesNothingOfAFileThatIsNotSorted) {
  const std::string path = testing::TempDir() + "/unsorted.spes";
  std::ofstream(path) << "00000000000000ff b\n0000000000000001 a\n" << std::string(1u << 20, '#') << "\n";
  EXPECT_EQ(read_profile(path.c_str()).ids, nullptr);
  const std::size_t before = mapped_pages();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(read_profile(path.c_str()).ids, nullptr);
  // There is room for an id in each 17 bytes, 120 pages: 100 that were left would be 12,000.
  EXPECT_LT(mapped_pages(), before + 100);
}

}  // namespace
}  // namespace heddle::record
