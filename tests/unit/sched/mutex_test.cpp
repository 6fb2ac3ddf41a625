// What a mutex means (POSIX.1-2017 pthread_mutex_lock), for every type.
#include "runtime/sched/mutex.h"

#include <gtest/gtest.h>

namespace heddle::sched {
namespace {

constexpr ThreadId kOne{1};
constexpr ThreadId kTwo{2};

SyncObject mutex_of(MutexType type) {
  SyncObject mutex;
  mutex.kind = SyncKind::kMutex;
  mutex.type = type;
  return mutex;
}

class EveryMutex : public testing::TestWithParam<MutexType> {};

TEST_P(EveryMutex, IsHeldByOneThread) {
  SyncObject mutex = mutex_of(GetParam());
  EXPECT_EQ(try_lock(mutex, kOne), LockOutcome::kAcquired);
  EXPECT_EQ(mutex.owner, kOne);
  EXPECT_EQ(try_lock(mutex, kTwo), LockOutcome::kHeldByOther);
  EXPECT_EQ(unlock(mutex, kOne), UnlockOutcome::kReleased);
  EXPECT_EQ(mutex.owner, kNoThread);
  EXPECT_EQ(try_lock(mutex, kTwo), LockOutcome::kAcquired);
}

TEST_P(EveryMutex, MisuseIsToldAndChangesNothing) {
  SyncObject mutex = mutex_of(GetParam());
  EXPECT_EQ(unlock(mutex, kOne), UnlockOutcome::kNotLocked);
  ASSERT_EQ(try_lock(mutex, kOne), LockOutcome::kAcquired);
  EXPECT_EQ(unlock(mutex, kTwo), UnlockOutcome::kNotOwner);
  EXPECT_EQ(mutex.owner, kOne);
  EXPECT_EQ(unlock(mutex, kOne), UnlockOutcome::kReleased);
}

INSTANTIATE_TEST_SUITE_P(Types, EveryMutex,
                         testing::Values(MutexType::kNormal, MutexType::kRecursive, MutexType::kErrorCheck,
                                         MutexType::kAdaptive));

TEST(Mutex, LockedTwiceByItsOwner) {
  for (const auto& [type, outcome] : {std::pair{MutexType::kNormal, LockOutcome::kHeldBySelf},
                                      {MutexType::kAdaptive, LockOutcome::kHeldBySelf},
                                      {MutexType::kErrorCheck, LockOutcome::kWouldDeadlock},
                                      {MutexType::kRecursive, LockOutcome::kAcquired}}) {
    SyncObject mutex = mutex_of(type);
    ASSERT_EQ(try_lock(mutex, kOne), LockOutcome::kAcquired);
    EXPECT_EQ(try_lock(mutex, kOne), outcome);
  }
}

TEST(Mutex, RecursiveIsReleasedByTheLastUnlock) {
  SyncObject mutex = mutex_of(MutexType::kRecursive);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(try_lock(mutex, kOne), LockOutcome::kAcquired);
  EXPECT_EQ(unlock(mutex, kOne), UnlockOutcome::kStillHeld);
  EXPECT_EQ(unlock(mutex, kOne), UnlockOutcome::kStillHeld);
  EXPECT_EQ(try_lock(mutex, kTwo), LockOutcome::kHeldByOther);
  EXPECT_EQ(unlock(mutex, kOne), UnlockOutcome::kReleased);
  EXPECT_EQ(try_lock(mutex, kTwo), LockOutcome::kAcquired);
}

// POSIX: unlocked without pthread_mutex_consistent, a robust mutex is of no more use.
TEST(Mutex, RobustAfterItsOwnerDied) {
  SyncObject mutex = mutex_of(MutexType::kNormal);
  mutex.robust = true;
  mutex.inconsistent = true;
  EXPECT_EQ(try_lock(mutex, kOne), LockOutcome::kOwnerDied);
  EXPECT_EQ(unlock(mutex, kOne), UnlockOutcome::kReleased);
  EXPECT_EQ(try_lock(mutex, kTwo), LockOutcome::kNotRecoverable);
}

TEST(Mutex, RobustMadeConsistentGoesOn) {
  SyncObject mutex = mutex_of(MutexType::kNormal);
  mutex.robust = true;
  mutex.inconsistent = true;
  ASSERT_EQ(try_lock(mutex, kOne), LockOutcome::kOwnerDied);
  mutex.inconsistent = false;  // pthread_mutex_consistent
  EXPECT_EQ(unlock(mutex, kOne), UnlockOutcome::kReleased);
  EXPECT_EQ(try_lock(mutex, kTwo), LockOutcome::kAcquired);
}

}  // namespace
}  // namespace heddle::sched
