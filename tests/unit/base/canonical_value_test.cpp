#include "core/trace/canonical_value.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

struct Placed {
  std::uint64_t base, begin, end;
};

// A program and a library, moved by this much.
std::vector<Placed> modules(std::uint64_t program, std::uint64_t library) {
  return {{program, program, program + 0x5000}, {library, library + 0x1000, library + 0x9000}};
}

std::uint64_t canonical(std::uint64_t value, const std::vector<Placed>& where) {
  return canonical_value(value, std::span(where));
}

TEST(CanonicalValue, AddressesInModulesMoveWithThem) {
  const auto a = modules(0x5555'5555'4000, 0x7fff'f7c0'0000), b = modules(0x5633'1234'5000, 0x7f12'3456'7000);
  EXPECT_EQ(canonical(0x5555'5555'4123, a), canonical(0x5633'1234'5123, b));
  EXPECT_EQ(canonical(0x7fff'f7c0'1008, a), canonical(0x7f12'3456'8008, b));
  EXPECT_NE(canonical(0x5555'5555'4123, a), canonical(0x5633'1234'5124, b));
  EXPECT_NE(canonical(0x5555'5555'4123, a), canonical(0x7fff'f7c0'0123 + 0x1000, a));
}

TEST(CanonicalValue, OtherMemoryOfTheKernelKeepsItsOffsetInThePage) {
  const auto a = modules(0x5555'5555'4000, 0x7fff'f7c0'0000);
  EXPECT_EQ(canonical(0x7ffd'1111'1238, a), canonical(0x7ffe'2222'2238, a));
  EXPECT_NE(canonical(0x7ffd'1111'1238, a), canonical(0x7ffd'1111'1240, a));
}

TEST(CanonicalValue, NumbersAndFixedMemoryStayAsTheyAre) {
  const auto a = modules(0x5555'5555'4000, 0x7fff'f7c0'0000);
  for (const std::uint64_t value :
       {0ull, 1ull, 42ull, 0xffff'ffffull, ~0ull, 0x6018'2419'0000ull, 0x40'1136ull})
    EXPECT_EQ(canonical(value, a), value);
}

}  // namespace
}  // namespace heddle
