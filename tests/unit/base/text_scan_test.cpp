#include "core/base/text_scan.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace heddle {
namespace {

// Two pages, and behind them one that nobody may touch.
class Pages {
 public:
  static constexpr std::size_t kBytes = 2 * 4096;
  Pages()
      : begin_(static_cast<char*>(
            mmap(nullptr, kBytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    EXPECT_NE(begin_, MAP_FAILED);
    EXPECT_EQ(mprotect(begin_ + kBytes, 4096, PROT_NONE), 0);
    std::memset(begin_, 'x', kBytes);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(begin_, kBytes + 4096); }
  char* end() const { return begin_ + kBytes; }

 private:
  char* begin_;
};

template <typename Char>
void expect_lengths(std::size_t step) {
  const Pages pages;
  for (std::size_t bytes = sizeof(Char); bytes <= 80 * sizeof(Char); bytes += step) {
    auto* text = reinterpret_cast<Char*>(pages.end() - bytes);
    const std::size_t room = bytes / sizeof(Char);
    for (std::size_t length = 0; length < room; ++length) {
      const Char kept = text[length];
      text[length] = 0;
      for (const std::size_t most : {std::size_t{0}, length / 2, length, length + 1, room, ~std::size_t{0}})
        ASSERT_EQ(length_within(text, most), std::min(length, most)) << bytes << " " << length << " " << most;
      text[length] = kept;
    }
    // Without an end, all that is allowed is looked at and no more.
    ASSERT_EQ(length_within(text, room), room);
  }
}

TEST(TextScan, FindsTheEndOfEachText) {
  expect_lengths<char>(1);
  expect_lengths<wchar_t>(sizeof(wchar_t));
}

std::size_t compared_one_by_one(const char* a, const char* b, std::size_t most) {
  for (std::size_t i = 0; i < most; ++i)
    if (a[i] != b[i] || a[i] == '\0') return i + 1;
  return most;
}

TEST(TextScan, FindsWhereTwoTextsDiffer) {
  const Pages first, second;
  for (const std::size_t bytes : {1u, 2u, 15u, 16u, 17u, 31u, 33u, 60u}) {
    for (std::size_t other = bytes; other <= bytes + 17; ++other) {
      char* a = first.end() - bytes;
      char* b = second.end() - other;
      for (std::size_t at = 0; at < bytes; ++at) {
        for (const char c : {'\0', 'y'}) {
          for (const bool both : {false, true}) {
            a[at] = c;
            if (both) b[at] = c;
            for (const std::size_t most : {std::size_t{0}, at / 2, at, at + 1, bytes})
              ASSERT_EQ(compared_within(a, b, most), compared_one_by_one(a, b, most));
            if (!both || c == '\0') {
              ASSERT_EQ(compared_within(a, b, ~std::size_t{0}), at + 1);
            }
            a[at] = b[at] = 'x';
          }
        }
      }
    }
  }
}

// In the middle of pages, where blocks of sixteen bytes cross from one to the next.
TEST(TextScan, CrossesPages) {
  const Pages first, second;
  for (std::size_t from = 0; from < 40; ++from) {
    char* a = first.end() - 4096 - 20 - from;
    char* b = second.end() - 4096 - 20;
    a[70] = b[70] = '\0';
    EXPECT_EQ(length_within(a, ~std::size_t{0}), 70u);
    EXPECT_EQ(compared_within(a, b, ~std::size_t{0}), 71u);
    a[70] = b[70] = 'x';
  }
}

}  // namespace
}  // namespace heddle
