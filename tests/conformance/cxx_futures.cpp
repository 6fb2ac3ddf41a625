// case: promise
// case: promise_exception
// case: broken_promise
// case: shared_future
// case: async
// case: deferred
// case: wait_for
// case: packaged_task
// case: never_set => deadlock: nothing can wake
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

#include "cases.h"

namespace {

using namespace std::chrono_literals;

void promise() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  int beside = 0;
  std::thread other([&] {
    beside = 3;
    promise.set_value(4);
  });
  assert(future.get() == 4);
  assert(beside == 3);
  other.join();
}

void promise_exception() {
  std::promise<void> promise;
  std::future<void> future = promise.get_future();
  std::thread other([&] { promise.set_exception(std::make_exception_ptr(std::runtime_error("no"))); });
  try {
    future.get();
    assert(false);
  } catch (const std::runtime_error& error) {
    assert(strcmp(error.what(), "no") == 0);
  }
  other.join();
}

void broken_promise() {
  std::future<int> future;
  {
    std::promise<int> promise;
    future = promise.get_future();
    std::thread([promise = std::move(promise)] {}).join();
  }
  try {
    future.get();
    assert(false);
  } catch (const std::future_error& error) {
    assert(error.code() == std::future_errc::broken_promise);
  }
}

void shared_future() {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  std::thread a([future] { assert(future.get() == 6); }), b([future] {
    future.wait();
    assert(future.get() == 6);
  });
  promise.set_value(6);
  a.join();
  b.join();
}

void async() {
  int local = 0;
  std::future<int> future = std::async(std::launch::async, [&] { return ++local; });
  assert(future.get() == 1);
  assert(local == 1);
}

void deferred() {
  const std::thread::id here = std::this_thread::get_id();
  std::future<bool> future =
      std::async(std::launch::deferred, [here] { return std::this_thread::get_id() == here; });
  assert(future.wait_for(0s) == std::future_status::deferred);
  std::thread([] {}).join();
  assert(future.get());
}

void wait_for() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread other([&] { promise.set_value(1); });
  const std::future_status early = future.wait_for(1ms);
  assert(early == std::future_status::ready || early == std::future_status::timeout);
  assert(future.wait_until(std::chrono::steady_clock::now() + 60s) == std::future_status::ready);
  assert(future.wait_until(std::chrono::system_clock::now() + 60s) == std::future_status::ready);
  assert(future.get() == 1);
  other.join();
}

void packaged_task() {
  std::packaged_task<int(int)> task([](int i) { return 2 * i; });
  std::future<int> future = task.get_future();
  std::thread other(std::move(task), 21);
  assert(future.get() == 42);
  other.join();
}

void never_set() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread([] {}).join();
  future.wait();
}

}  // namespace

#define CASE(name) {#name, name}
RUN_CASES(CASE(promise), CASE(promise_exception), CASE(broken_promise), CASE(shared_future), CASE(async),
          CASE(deferred), CASE(wait_for), CASE(packaged_task), CASE(never_set))
