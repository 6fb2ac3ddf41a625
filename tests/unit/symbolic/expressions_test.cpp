#include "core/base/random.h"
#include "core/trace/symbolic_value.h"
#include "tests/unit/symbolic/fixture.h"

namespace heddle::symbolic {
namespace {

class Expressions : public TracedTest {};

TEST_F(Expressions, TheSameIsKeptOnce) {
  const ExpressionId x = read(0x1000, 5);
  const ExpressionId a = table().binary(Operator::kAdd, 32, x, 0, kConcrete, 1);
  const ExpressionId b = table().binary(Operator::kAdd, 32, x, 0, kConcrete, 1);
  EXPECT_EQ(a, b);
  EXPECT_EQ(table().value(a), 6u);
  EXPECT_NE(read(0x1000, 5), x) << "each read is a symbol of its own";
}

TEST_F(Expressions, NothingSymbolicIsConcrete) {
  EXPECT_EQ(table().binary(Operator::kAdd, 32, kConcrete, 1, kConcrete, 2), kConcrete);
  EXPECT_EQ(table().extract(kConcrete, 0, 8), kConcrete);
  EXPECT_EQ(table().select(32, kConcrete, 1, kConcrete, 7, kConcrete, 8), kConcrete);
}

TEST_F(Expressions, OperationsThatChangeNothingAreLeftOut) {
  const ExpressionId x = read(0x1000, 5);
  EXPECT_EQ(table().binary(Operator::kAdd, 32, x, 0, kConcrete, 0), x);
  EXPECT_EQ(table().binary(Operator::kMultiply, 32, kConcrete, 1, x, 0), x);
  EXPECT_EQ(table().binary(Operator::kAnd, 32, x, 0, kConcrete, 0xffffffff), x);
  EXPECT_EQ(table().extract(table().extend(Operator::kZeroExtend, 64, x), 0, 32), x);
  const ExpressionId low = table().extract(x, 0, 16);
  const ExpressionId high = table().extract(x, 16, 16);
  EXPECT_EQ(table().concatenate(high, low), x);
}

TEST_F(Expressions, ASelectOfAKnownConditionIsOneOfBoth) {
  const ExpressionId x = read(0x1000, 5);
  EXPECT_EQ(table().select(32, kConcrete, 1, x, 5, kConcrete, 0), x);
  EXPECT_EQ(table().select(32, kConcrete, 0, x, 5, kConcrete, 0), kConcrete);
}

// Whatever is built, in whatever simplified form, is worth what the plain computation is.
TEST_F(Expressions, RandomOnesAreWorthWhatTheyCompute) {
  Random random(7);
  const auto width = [&] { return 1u << (3 + random.below(4)); };
  for (int round = 0; round < 300; ++round) {
    const unsigned bits = width();
    const std::uint64_t a = low_bits(random.next(), bits);
    const std::uint64_t b = low_bits(random.below(3) == 0 ? random.below(4) : random.next(), bits);
    const ExpressionId x = read(0x1000, a, bits / 8);
    const ExpressionId y = random.below(2) != 0 ? read(0x2000, b, bits / 8) : kConcrete;
    const auto op = static_cast<Operator>(static_cast<unsigned>(Operator::kAdd) +
                                          random.below(static_cast<unsigned>(Operator::kZeroExtend) - 2));
    const ExpressionId e = table().binary(op, bits, x, a, y, b);
    const unsigned result_bits = is_comparison(op) ? 1 : bits;
    ASSERT_EQ(table().value(e), value_of(op, result_bits, 0, {a, b, 0, bits}));
    const ExpressionId wide =
        table().extend(random.below(2) != 0 ? Operator::kSignExtend : Operator::kZeroExtend, 64, e);
    const unsigned low = static_cast<unsigned>(random.below(57));
    ASSERT_EQ(table().value(table().extract(wide, low, 8)), table().value(wide) >> low & 0xff);
  }
  expect_right();
}

// The C++ operators agree with the model of them, on widths that C++ has.
TEST(SymbolicValue, IsWhatTheProcessorComputes) {
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    const auto a = static_cast<std::int32_t>(random.next());
    const auto b = static_cast<std::int32_t>(random.below(2) != 0 ? random.next() : random.below(5) + 1);
    const auto ua = static_cast<std::uint32_t>(a);
    const auto ub = static_cast<std::uint32_t>(b);
    const Operands of{ua, ub, 0, 32};
    const auto value = [&](Operator op, unsigned bits) {
      return static_cast<std::uint32_t>(value_of(op, bits, 0, of));
    };
    EXPECT_EQ(value(Operator::kAdd, 32), ua + ub);
    EXPECT_EQ(value(Operator::kMultiply, 32), ua * ub);
    if (b != 0) {
      EXPECT_EQ(value(Operator::kDivideUnsigned, 32), ua / ub);
    }
    if (b != 0 && b != -1) {
      EXPECT_EQ(value(Operator::kDivideSigned, 32), static_cast<std::uint32_t>(a / b));
      EXPECT_EQ(value(Operator::kRemainderSigned, 32), static_cast<std::uint32_t>(a % b));
    }
    EXPECT_EQ(value(Operator::kLessSigned, 1), a < b ? 1u : 0u);
    EXPECT_EQ(value(Operator::kLessUnsigned, 1), ua < ub ? 1u : 0u);
    EXPECT_EQ(value_of(Operator::kSignExtend, 64, 0, of), static_cast<std::uint64_t>(std::int64_t{a}));
    const Operands shift{ua, ub % 32, 0, 32};
    EXPECT_EQ(static_cast<std::int32_t>(value_of(Operator::kShiftRightArithmetic, 32, 0, shift)),
              a >> (ub % 32));
  }
}

}  // namespace
}  // namespace heddle::symbolic
