// case: jthread
// case: stop_source
// case: stop_callback
// case: interruptible_wait
// case: interruptible_timed_wait
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "cases.h"

namespace {

using namespace std::chrono_literals;

void jthread() {
  std::atomic<int> rounds = 0;
  {
    std::jthread thread([&](const std::stop_token& token) {
      do ++rounds;
      while (!token.stop_requested());
    });
    assert(thread.joinable());
  }  // stops and joins
  assert(rounds >= 1);
}

void stop_source() {
  std::stop_source source;
  std::thread other([token = source.get_token()] {
    while (!token.stop_requested()) std::this_thread::yield();
  });
  assert(source.stop_possible() && source.request_stop());
  assert(!source.request_stop());
  other.join();
}

void stop_callback() {
  std::stop_source source;
  int called = 0;
  std::thread other([&] { source.request_stop(); });
  {
    // The destructor waits for a call that is under way.
    const std::stop_callback callback(source.get_token(), [&] { ++called; });
  }
  assert(called == 0 || called == 1);
  other.join();
  const std::stop_callback late(source.get_token(), [&] { called = 5; });
  assert(called == 5);
}

void interruptible_wait() {
  std::mutex mutex;
  std::condition_variable_any condition;
  std::jthread waiter([&](const std::stop_token& token) {
    std::unique_lock lock(mutex);
    assert(!condition.wait(lock, token, [] { return false; }));
    assert(token.stop_requested());
  });
  waiter.request_stop();
}

void interruptible_timed_wait() {
  std::mutex mutex;
  std::condition_variable_any condition;
  bool ready = false;
  std::jthread waiter([&](const std::stop_token& token) {
    std::unique_lock lock(mutex);
    assert(condition.wait_for(lock, token, 60s, [&] { return ready; }));
    assert(!condition.wait_for(lock, token, 1ms, [] { return false; }));
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  condition.notify_all();
  waiter.join();
}

}  // namespace

#define CASE(name) {#name, name}
RUN_CASES(CASE(jthread), CASE(stop_source), CASE(stop_callback), CASE(interruptible_wait),
          CASE(interruptible_timed_wait))
