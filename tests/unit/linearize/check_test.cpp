// Known histories, and specifications of a user's own.
#include "tests/unit/linearize/compare.h"

namespace heddle::linearize::oracle {
namespace {

// A public implementation accepts this one.
TEST(Queue, EmptyAfterAnInsertionThatNobodyRemovedIsWrong) {
  CallHistory history;
  history.give_back(history.call(0, {Name::kEnq, 3}), Reply::nothing());
  history.give_back(history.call(0, {Name::kDeq}), Reply::empty());
  const Answer answer = check(QueueSpec{}, history);
  EXPECT_EQ(answer.verdict, Verdict::kNotLinearizable);
  EXPECT_EQ(answer.violation.pattern, Pattern::kNotEmpty);
  EXPECT_EQ(answer.violation.prefix, 4u);
  EXPECT_EQ(answer.violation.operations, (std::vector<OperationIndex>{1, 0}));
}

TEST(Queue, OvertakingIsNamed) {
  CallHistory history;
  for (const Value value : {1, 2}) history.give_back(history.call(0, {Name::kEnq, value}), Reply::nothing());
  for (const Value value : {2, 1}) history.give_back(history.call(0, {Name::kDeq}), Reply::of(value));
  const Answer answer = check(QueueSpec{}, history);
  EXPECT_EQ(answer.method, Method::kQueueOrder);
  EXPECT_EQ(answer.violation.pattern, Pattern::kOvertaken);
  EXPECT_EQ(answer.violation.operations, (std::vector<OperationIndex>{0, 1, 2}));
}

TEST(Stack, DeepNestingIsNoProblem) {
  CallHistory history;
  constexpr Value kDepth = 20000;
  for (Value i = 0; i < kDepth; ++i) history.give_back(history.call(0, {Name::kPush, i}), Reply::nothing());
  for (Value i = kDepth; i-- > 0;) history.give_back(history.call(0, {Name::kPop}), Reply::of(i));
  const Answer answer = check(StackSpec{}, history);
  EXPECT_EQ(answer.method, Method::kStackNesting);
  EXPECT_EQ(answer.verdict, Verdict::kLinearizable);
  EXPECT_EQ(answer.order.size(), 2u * kDepth);
}

TEST(Check, AnEmptyHistoryIsLinearizable) {
  EXPECT_EQ(check(QueueSpec{}, CallHistory{}).verdict, Verdict::kLinearizable);
  EXPECT_EQ(check(SetSpec{}, CallHistory{}).verdict, Verdict::kLinearizable);
}

TEST(Check, GivesUpAtTheMemoryLimit) {
  CallHistory history;
  for (Value i = 0; i < 10; ++i) history.call(0, {Name::kWrite, i});
  history.give_back(history.call(1, {Name::kRead}), Reply::of(99));
  EXPECT_EQ(check(RegisterSpec{}, history, {.memory_limit = 4000}).verdict, Verdict::kUnknown);
  EXPECT_EQ(check(RegisterSpec{}, history).verdict, Verdict::kNotLinearizable);
}

// A lock that may be refused for no reason: several right results.
struct TryLock {
  using Input = bool;  // lock, or unlock
  using Output = bool;
  bool locked = false;

  std::vector<TryLock> steps(const bool& lock, const bool* seen) const {
    std::vector<TryLock> result;
    if (!lock) return {TryLock{false}};
    if (!locked && (seen == nullptr || *seen)) result.push_back({true});
    if (seen == nullptr || !*seen) result.push_back(*this);
    return result;
  }
  bool operator==(const TryLock&) const = default;
  std::size_t hash() const { return locked ? 1 : 0; }
};

TEST(OwnSpecification, WithSeveralRightResults) {
  History<bool, bool> fine;
  fine.give_back(fine.call(0, true), false);
  fine.give_back(fine.call(1, true), true);
  EXPECT_EQ(check(TryLock{}, fine).verdict, Verdict::kLinearizable);
  fine.give_back(fine.call(0, true), true);
  EXPECT_EQ(check(TryLock{}, fine).verdict, Verdict::kNotLinearizable);
}

}  // namespace
}  // namespace heddle::linearize::oracle
