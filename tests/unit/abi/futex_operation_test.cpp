// FUTEX_WAKE_OP on its second word, against what the kernel does with the same one.
#include "runtime/abi/pthread/futex_operation.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace heddle::abi {
namespace {

std::uint32_t code_of(unsigned operation, unsigned operand, unsigned comparison, unsigned argument) {
  return operation << 28 | comparison << 24 | (operand & 0xfff) << 12 | (argument & 0xfff);
}

// 0, or -errno; nobody waits.
long by_kernel(std::uint32_t code, std::uint32_t& word) {
  std::uint32_t first = 0;
  const long result = syscall(SYS_futex, &first, FUTEX_WAKE_OP_PRIVATE, 1, 1L, &word, code);
  return result < 0 ? -errno : result;
}

constexpr std::uint32_t kWords[] = {0, 1, 10, 0xff, 0x7ff, 0x800, 0x7fff'ffff, 0x8000'0000, 0xffff'fffe, ~0u};

TEST(FutexOperation, IsTheKernels) {
  for (unsigned operation = 0; operation < 16; ++operation) {
    if ((operation & 7) > FUTEX_OP_XOR) continue;
    for (const unsigned operand : {0u, 1u, 5u, 31u, 0x7ffu}) {
      if ((operation & FUTEX_OP_OPARG_SHIFT) != 0 && operand > 31) continue;
      for (const std::uint32_t word : kWords) {
        const std::uint32_t code = code_of(operation, operand, FUTEX_OP_CMP_EQ, 0);
        std::uint32_t kernels = word;
        ASSERT_EQ(by_kernel(code, kernels), 0);
        EXPECT_EQ(futex_apply(code, word), kernels) << std::hex << code << " on " << word;
      }
    }
  }
}

TEST(FutexOperation, HasAnOperandWithASign) {
  for (const unsigned operation : {FUTEX_OP_SET, FUTEX_OP_ADD, FUTEX_OP_OR, FUTEX_OP_ANDN, FUTEX_OP_XOR}) {
    for (const unsigned operand : {0xfffu, 0xffeu, 0x800u}) {
      for (const std::uint32_t word : kWords) {
        const std::uint32_t code = code_of(operation, operand, FUTEX_OP_CMP_EQ, 0);
        std::uint32_t kernels = word;
        ASSERT_EQ(by_kernel(code, kernels), 0);
        EXPECT_EQ(futex_apply(code, word), kernels) << std::hex << code << " on " << word;
      }
    }
  }
}

TEST(FutexOperation, IsRefusedWhereTheKernelDoes) {
  for (unsigned number = 0; number < 16; ++number) {
    std::uint32_t word = 10;
    const std::uint32_t operation = code_of(number, 1, FUTEX_OP_CMP_EQ, 0);
    EXPECT_EQ(is_futex_operation(operation), by_kernel(operation, word) != -ENOSYS) << number;
    const std::uint32_t comparison = code_of(FUTEX_OP_ADD, 1, number, 0);
    EXPECT_EQ(is_futex_comparison(comparison), by_kernel(comparison, word) != -ENOSYS) << number;
  }
}

TEST(FutexComparison, TakesBothForSigned) {
  struct Case {
    std::uint32_t word;
    unsigned argument;  // 12 bits
    int order;          // of the word to the argument
  };
  for (const auto& [word, argument, order] :
       {Case{5, 5, 0}, Case{4, 5, -1}, Case{6, 5, 1}, Case{0, 0xfff, 1}, Case{~0u, 0xfff, 0},
        Case{~0u, 0, -1}, Case{0xffff'f7ff, 0x800, -1}, Case{0x8000'0000, 0x7ff, -1}}) {
    const auto holds = [&](unsigned comparison) {
      return futex_compares(code_of(FUTEX_OP_ADD, 0, comparison, argument), word);
    };
    EXPECT_EQ(holds(FUTEX_OP_CMP_EQ), order == 0) << word;
    EXPECT_EQ(holds(FUTEX_OP_CMP_NE), order != 0) << word;
    EXPECT_EQ(holds(FUTEX_OP_CMP_LT), order < 0) << word;
    EXPECT_EQ(holds(FUTEX_OP_CMP_LE), order <= 0) << word;
    EXPECT_EQ(holds(FUTEX_OP_CMP_GT), order > 0) << word;
    EXPECT_EQ(holds(FUTEX_OP_CMP_GE), order >= 0) << word;
  }
}

}  // namespace
}  // namespace heddle::abi
