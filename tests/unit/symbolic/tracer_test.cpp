#include "tests/unit/symbolic/fixture.h"

namespace heddle::symbolic {
namespace {

class Traced : public TracedTest {
 protected:
  ExpressionId plus_one(ExpressionId x) { return table().binary(Operator::kAdd, 32, x, 0, kConcrete, 1); }
  ExpressionId less_than(ExpressionId x, std::uint64_t bound) {
    return table().binary(Operator::kLessUnsigned, 32, x, 0, kConcrete, bound);
  }
};

TEST_F(Traced, ReadsAreSymbolsAndWritesExpressions) {
  const ExpressionId x = read(0x1000, 5);
  tracer_.store(shared(), 0x1000, 6, 4, plus_one(x));
  const SymbolicTables t = tables();
  ASSERT_EQ(t.records.size(), 2u);
  EXPECT_EQ(t.records[0].kind, RecordKind::kRead);
  EXPECT_EQ(t.records[1].kind, RecordKind::kWrite);
  EXPECT_EQ(t[t.records[1].expression].op, Operator::kAdd);
  expect_right();
}

TEST_F(Traced, PrivateMemoryCarriesExpressions) {
  const ExpressionId x = read(0x1000, 0x01020304);
  tracer_.store(private_access(), 0x5000, 0x01020304, 4, x);
  EXPECT_EQ(tracer_.load(private_access(), 0x5000, 0x01020304, 4), x);
  // In parts, across the border of a page, and in a copy.
  EXPECT_EQ(tracer_.load(private_access(), 0x5001, 0x03, 1), table().extract(x, 8, 8));
  tracer_.copy(0x6ffe, 0x5000, 4);
  EXPECT_EQ(tracer_.load(private_access(), 0x6ffe, 0x01020304, 4), x);
  EXPECT_EQ(tables().records.size(), 1u);
}

TEST_F(Traced, CopiesMayOverlap) {
  const ExpressionId x = read(0x1000, 0x01020304);
  tracer_.store(private_access(), 0x5000, 0x01020304, 4, x);
  tracer_.copy(0x5002, 0x5000, 4);
  EXPECT_EQ(tracer_.load(private_access(), 0x5002, 0x01020304, 4), x);
}

TEST_F(Traced, MemoryThatWasWrittenUnseenIsNotBelieved) {
  const ExpressionId x = read(0x1000, 5);
  tracer_.store(private_access(), 0x5000, 5, 4, x);
  EXPECT_EQ(tracer_.load(private_access(), 0x5000, 7, 4), kConcrete);
}

TEST_F(Traced, AStoreOfTheConcreteForgets) {
  tracer_.store(private_access(), 0x5000, 5, 4, read(0x1000, 5));
  tracer_.store(private_access(), 0x5000, 5, 4, kConcrete);
  EXPECT_EQ(tracer_.load(private_access(), 0x5000, 5, 4), kConcrete);
}

TEST_F(Traced, BranchesOnSymbolsAreRecorded) {
  tracer_.branch(private_access(), less_than(read(0x1000, 5), 3), false);
  tracer_.branch(private_access(), kConcrete, true);
  const SymbolicTables t = tables();
  ASSERT_EQ(t.records.size(), 2u);
  EXPECT_EQ(t.records[1].kind, RecordKind::kBranch);
  EXPECT_EQ(t.records[1].holds, 0);
  expect_right();
}

TEST_F(Traced, ASwitchIsTheWaysThatItDidNotGoAndTheOneThatItWent) {
  const std::uint64_t cases[] = {1, 2, 3};
  const std::uint32_t ways[] = {1, 2, 3};
  tracer_.switch_on(private_access(), read(0x1000, 2), 2, {cases, ways, 3, 0});
  tracer_.switch_on(private_access(), read(0x1000, 9), 9, {cases, ways, 3, 0});
  const SymbolicTables t = tables();
  ASSERT_EQ(t.records.size(), 8u);
  const int holds[] = {0, 0, 1}, leads[] = {1, 3, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(t.records[1 + i].holds, holds[i]);
    EXPECT_EQ(t.records[1 + i].address, 1u + leads[i]);
    EXPECT_EQ(t.records[1 + i].size, i);
    EXPECT_EQ(t.records[5 + i].holds, 0);
  }
  expect_right();
}

TEST_F(Traced, CasesThatLeadToTheSamePlaceAreOneWay) {
  const std::uint64_t cases[] = {1, 2, 3, 4};
  const std::uint32_t ways[] = {1, 1, 0, 2};
  tracer_.switch_on(private_access(), read(0x1000, 2), 2, {cases, ways, 4, 0});
  tracer_.switch_on(private_access(), read(0x1000, 3), 3, {cases, ways, 4, 0});
  const SymbolicTables t = tables();
  ASSERT_EQ(t.records.size(), 6u);
  EXPECT_EQ(t.records[1].holds, 0);  // not 4
  EXPECT_EQ(t.records[2].holds, 1);  // 1 or 2
  EXPECT_EQ(t[t.records[2].expression].op, Operator::kOr);
  EXPECT_EQ(t.records[4].holds, 0);  // neither 1 nor 2
  EXPECT_EQ(t.records[5].holds, 0);
  expect_right();
}

TEST_F(Traced, TheBranchThatFailedIsTheFailureAndNoCondition) {
  const ExpressionId x = read(0x1000, 5);
  tracer_.branch(private_access(), less_than(x, 9), true);
  tracer_.doomed(private_access(), less_than(x, 6), true);
  tracer_.concretise(private_access(), x, 5);  // what is printed about it
  tracer_.failed(private_access(), false, 0);
  const SymbolicTables t = tables();
  EXPECT_EQ(t.records[1].kind, RecordKind::kBranch);
  EXPECT_EQ(t.records[2].kind, RecordKind::kFolded);
  EXPECT_EQ(t.records.back().kind, RecordKind::kFailure);
  EXPECT_EQ(t[t.records.back().expression].operands[0], x);
  expect_right();
}

TEST_F(Traced, AFailureThatNoSymbolDecidedSaysSo) {
  tracer_.branch(private_access(), less_than(read(0x1000, 5), 9), true);
  tracer_.doomed(private_access(), kConcrete, true);
  tracer_.failed(private_access(), false, 0);
  EXPECT_EQ(tables().records.back().expression, kConcrete);
}

TEST_F(Traced, AStatusThatMainReturnedIsTheFailure) {
  const ExpressionId x = read(0x1000, 5);
  tracer_.branch(private_access(), less_than(x, 9), true);
  tracer_.returns(kMainThread, 0xf00);
  tracer_.result(kMainThread, 0, x);
  tracer_.exited(private_access(), 5);
  const SymbolicTables t = tables();
  EXPECT_EQ(t.records.back().kind, RecordKind::kFailure);
  EXPECT_EQ(t[t.records.back().expression].op, Operator::kNotEqual);
  EXPECT_EQ(t.records[1].kind, RecordKind::kBranch);
  expect_right();
}

TEST_F(Traced, WhatWasCaughtIsNoFailure) {
  const ExpressionId x = read(0x1000, 5);
  tracer_.doomed(private_access(), less_than(x, 6), true);
  tracer_.call_ended(private_access(), 0);  // a landing pad
  tracer_.branch(private_access(), less_than(x, 7), true);
  tracer_.failed(private_access(), false, 0);
  const SymbolicTables t = tables();
  EXPECT_EQ(t.records[1].kind, RecordKind::kBranch);
  EXPECT_EQ(t.records.back().expression, less_than(x, 7));
}

TEST_F(Traced, ArgumentsReachTheirCalleeOnly) {
  const ExpressionId x = read(0x1000, 5);
  tracer_.call(kMainThread, 0xf00);
  tracer_.argument(kMainThread, 0, x);
  EXPECT_EQ(handing_over_, 1u);
  tracer_.entered(kMainThread, 0xf00);
  EXPECT_EQ(handing_over_, 0u);
  EXPECT_EQ(tracer_.parameter(kMainThread, 0, 5), x);
  tracer_.call_ended(private_access(), 0xf00);
  EXPECT_EQ(tables().records.size(), 1u);

  tracer_.call(kMainThread, 0xf00);
  tracer_.argument(kMainThread, 0, x);
  tracer_.entered(kMainThread, 0xbaa);
  EXPECT_EQ(tracer_.parameter(kMainThread, 0, 5), kConcrete);
}

TEST_F(Traced, WhatCodeThatCannotBeSeenIntoTookIsConcretised) {
  const ExpressionId x = read(0x1000, 5);
  tracer_.call(kMainThread, 0xf00);
  tracer_.argument(kMainThread, 1, x);
  tracer_.call_ended(private_access(), 0xf00);
  const SymbolicTables t = tables();
  ASSERT_EQ(t.records.size(), 2u);
  EXPECT_EQ(t.records[1].kind, RecordKind::kConcretised);
  EXPECT_EQ(t.records[1].value, 5u);
}

TEST_F(Traced, ResultsReachTheCallerOfTheirFunctionOnly) {
  const ExpressionId x = read(0x1000, 5);
  tracer_.returns(kMainThread, 0xf00);
  tracer_.result(kMainThread, 0, x);
  tracer_.returned(kMainThread, 0xf00);
  EXPECT_EQ(tracer_.result_of(kMainThread, 0, 5), x);
  tracer_.returns(kMainThread, 0xf00);
  tracer_.result(kMainThread, 0, x);
  tracer_.returned(kMainThread, 0xbaa);
  EXPECT_EQ(tracer_.result_of(kMainThread, 0, 5), kConcrete);
}

TEST_F(Traced, StructuresByValueTakeTheirShadowAlong) {
  const ExpressionId x = read(0x1000, 5);
  tracer_.store(private_access(), 0x5000, 5, 4, x);
  tracer_.call(kMainThread, 0xf00);
  tracer_.by_value(kMainThread, 0, 0x5000);
  tracer_.entered(kMainThread, 0xf00);
  tracer_.take_by_value(kMainThread, 0, 0x7000, 32);
  EXPECT_EQ(tracer_.load(private_access(), 0x7000, 5, 4), x);
}

TEST_F(Traced, UpdatesAndExchanges) {
  const ExpressionId old = tracer_.update(shared(), 0x1000, 4, {UpdateKind::kAdd, 5, 2, kConcrete, 7});
  EXPECT_EQ(table()[old].op, Operator::kSymbol);
  Tracer::Exchange success{7, kConcrete, 9, kConcrete, 7, true};
  tracer_.compare_exchange(shared(), 0x1000, 4, success);
  Tracer::Exchange failure{7, kConcrete, 9, kConcrete, 8, false};
  tracer_.compare_exchange(shared(), 0x1000, 4, failure);
  Tracer::Exchange spurious{7, kConcrete, 9, kConcrete, 7, false};
  tracer_.compare_exchange(shared(), 0x1000, 4, spurious);
  std::vector<RecordKind> kinds;
  for (const Record& r : tables().records) kinds.push_back(r.kind);
  // A failure for no reason has no condition.
  EXPECT_EQ(kinds, (std::vector{RecordKind::kUpdate, RecordKind::kUpdate, RecordKind::kBranch,
                                RecordKind::kCasFailed, RecordKind::kBranch, RecordKind::kCasFailed}));
  expect_right();
}

TEST_F(Traced, AddressesThatDependOnSymbols) {
  const ExpressionId index = read(0x1000, 2, 8);
  const ExpressionId pointer = table().binary(Operator::kAdd, 64, index, 0, kConcrete, 0x2000);
  tracer_.pointer(kMainThread, pointer);
  tracer_.store(shared(), 0x2002, 1, 1, kConcrete);
  tracer_.pointer(kMainThread, pointer);
  tracer_.store(private_access(), 0x2002, 1, 1, kConcrete);
  const SymbolicTables t = tables();
  ASSERT_EQ(t.records.size(), 3u);
  EXPECT_EQ(t.records[1].pointer, pointer);
  EXPECT_EQ(t.records[2].kind, RecordKind::kConcretised);
  expect_right();
}

}  // namespace
}  // namespace heddle::symbolic
