// header: absl/synchronization/mutex.h
// flags: -Wno-error -labsl_synchronization -labsl_base -labsl_time -labsl_strings
// executions: 50
// case: mutex => data race: --trust-library absl_synchronization
// case: mutex [--trust-library absl]
// case: condition
// case: condition [--trust-library absl]
// case: notification => data race: --trust-library absl_synchronization
// case: notification [--trust-library absl]
// case: race [--trust-library absl] => data race: absl.cpp
// Abseil: absl::Mutex lives in a shared library that was built without instrumentation; what it orders is
// seen with --trust-library only.
#include <absl/synchronization/mutex.h>
#include <absl/synchronization/notification.h>

#include <thread>

#include "../conformance/cases.h"

namespace {

int shared = 0;

void mutex() {
  absl::Mutex mutex;
  const auto add = [&] {
    absl::MutexLock lock(&mutex);
    ++shared;
  };
  std::thread other(add);
  add();
  other.join();
  assert(shared == 2);
}

void condition() {
  absl::Mutex mutex;
  bool ready = false;
  std::thread other([&] {
    absl::MutexLock lock(&mutex);
    ready = true;
  });
  {
    absl::MutexLock lock(&mutex);
    mutex.Await(absl::Condition(&ready));
  }
  other.join();
}

void notification() {
  absl::Notification notification;
  int data = 0;
  std::thread other([&] {
    data = 1;
    notification.Notify();
  });
  notification.WaitForNotification();
  assert(data == 1);
  other.join();
}

// The count lies outside of the lock.
void race() {
  absl::Mutex mutex;
  int inside = 0;
  const auto add = [&] {
    {
      absl::MutexLock lock(&mutex);
      ++inside;
    }
    ++shared;
  };
  std::thread other(add);
  add();
  other.join();
}

}  // namespace

RUN_CASES({"mutex", mutex}, {"condition", condition}, {"notification", notification}, {"race", race})
