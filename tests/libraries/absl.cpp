// header: absl/synchronization/mutex.h
// flags: -Wno-error -labsl_synchronization -labsl_base -labsl_time -labsl_strings
// executions: 50
// case: mutex => data race: absl.cpp
// case: condition
// case: notification => data race: absl.cpp
// Abseil: absl::Mutex lives in a shared library that was built without instrumentation; what it orders is not
// seen.
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

}  // namespace

RUN_CASES({"mutex", mutex}, {"condition", condition}, {"notification", notification})
