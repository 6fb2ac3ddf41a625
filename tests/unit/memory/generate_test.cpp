// The generated programs are as varied as what is claimed of them.
#include "tests/oracle/generate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace oracle {
namespace {

struct Shares {
  int programs = 0, three_threads = 0, updates = 0, mixed = 0, fences = 0;
  std::set<std::size_t> threads, locations;
  std::set<std::pair<OpKind, Order>> kinds;
};

Shares shares_of(const GenerateLimits& limits) {
  Shares s;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Program p = generated_program(1, i, limits);
    bool updates = false, seq_cst = false, weaker = false, fences = false;
    for (const auto& thread : p.threads) {
      EXPECT_FALSE(thread.empty());
      for (const Op& op : thread) {
        updates = updates || op.is_update() || op.is_cas();
        fences = fences || op.kind == OpKind::kFence;
        (op.order == Order::kSeqCst ? seq_cst : weaker) = true;
        s.kinds.emplace(op.kind, op.order);
      }
    }
    EXPECT_LE(interleavings(p), limits.max_interleavings);
    ++s.programs;
    s.three_threads += p.threads.size() >= 3;
    s.updates += updates;
    s.mixed += seq_cst && weaker;
    s.fences += fences;
    s.threads.insert(p.threads.size());
    s.locations.insert(p.initial.size());
  }
  return s;
}

class Generator : public testing::TestWithParam<GenerateLimits> {};

TEST_P(Generator, MeetsItsShares) {
  const Shares s = shares_of(GetParam());
  EXPECT_GE(s.three_threads * 10, s.programs * 3);
  EXPECT_GE(s.updates * 10, s.programs * 3);
  EXPECT_GE(s.mixed * 10, s.programs * 3);
  EXPECT_GE(s.fences * 10, s.programs * 2);
  EXPECT_EQ(s.threads, (std::set<std::size_t>{2, 3, 4}));
  EXPECT_EQ(s.locations, (std::set<std::size_t>{1, 2, 3}));
  // Every operation with every order that it may have.
  std::map<OpKind, int> orders;
  for (const auto& [kind, order] : s.kinds) ++orders[kind];
  EXPECT_EQ(orders[OpKind::kLoad], 4);
  EXPECT_EQ(orders[OpKind::kStore], 3);
  EXPECT_EQ(orders[OpKind::kFence], 4);
  for (const OpKind update : {OpKind::kAdd, OpKind::kExchange, OpKind::kCas, OpKind::kWeakCas})
    EXPECT_EQ(orders[update], 5);
}

INSTANTIATE_TEST_SUITE_P(Limits, Generator, testing::Values(GenerateLimits{}, kSmallPrograms));

TEST(Generator, AProgramIsWhatItsTextSays) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Program p = generated_program(7, i);
    Program again = parse_program(to_string(p));
    again.name = p.name;
    EXPECT_EQ(to_string(again), to_string(p));
    EXPECT_EQ(again.initial, p.initial);
  }
}

}  // namespace
}  // namespace oracle
