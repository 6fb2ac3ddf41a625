// case: heard
// case: harmless_signal_before
// case: counts_itself_out
// case: wait_without_condition => lost wake-up: the signal came before it waited
// case: flag_outside_lock => lost wake-up: the signal came before it waited
// case: flag_outside_lock_any => lost wake-up: the signal came before it waited
// case: stop_of_a_pool => lost wake-up: the signal came before it waited
// case: signal_missing => deadlock: nobody has signalled its condition variable since
// case: signal_missing_after_harmless_one => deadlock: nobody has signalled its condition variable since
// case: others_starve => deadlock: waits for a signal of condition variable 'not_empty'
// case: baton_dropped => deadlock: went to another one
// case: wrong_waiter_of_an_atomic => deadlock: the wake-up went to another one
// case: lock_kept_from_signaller => deadlock: holds a lock that the thread which would give it waits for
// case: lock_kept_from_poster => deadlock: waits for a post and holds a lock
// case: lock_kept_and_idle_workers => deadlock: holds a lock that the thread which would give it waits for
// case: nobody_ever => deadlock: nothing can wake
// The kind of a wait that never ends: docs/design/kinds-wake-ups.md.
#include <semaphore.h>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "cases.h"

namespace {

std::mutex mutex, other_mutex;
std::condition_variable changed, not_empty, not_full;
std::condition_variable_any changed_any;
std::atomic<bool> flag{false};
int items = 0, waiting = 0;

void wait_for_item() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [] { return items != 0; });
  --items;
}

void add_item(bool signal) {
  {
    std::lock_guard lock(mutex);
    ++items;
  }
  if (signal) changed.notify_one();  // after the unlock: just as right
}

void heard() {
  std::thread other([] { add_item(true); });
  wait_for_item();
  other.join();
}

void harmless_signal_before() {
  add_item(true);
  wait_for_item();
  heard();
}

void counts_itself_out() {
  std::thread other([] { add_item(true); });
  {
    std::unique_lock lock(mutex);
    while (items == 0) {
      ++waiting;
      changed.wait(lock);
      --waiting;
    }
  }
  other.join();
}

void wait_without_condition() {
  std::thread other([] {
    std::lock_guard lock(mutex);
    changed.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock);
  }
  other.join();
}

void flag_outside_lock() {
  std::thread worker([] {
    std::unique_lock lock(mutex);
    while (!flag.load()) changed.wait(lock);
  });
  flag.store(true);
  changed.notify_one();
  worker.join();
}

void flag_outside_lock_any() {
  std::thread worker([] {
    std::unique_lock lock(mutex);
    while (!flag.load()) changed_any.wait(lock);
  });
  flag.store(true);
  changed_any.notify_one();
  worker.join();
}

// The signal to all is heard by one worker, and comes too early for the other.
void stop_of_a_pool() {
  const auto work = [] {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [] { return flag.load() || items != 0; });
      if (items == 0) return;
      --items;
    }
  };
  std::thread first(work), second(work);
  add_item(true);
  flag.store(true);
  changed.notify_all();
  first.join();
  second.join();
}

void signal_missing() {
  std::thread other([] { add_item(false); });
  wait_for_item();
  other.join();
}

void signal_missing_after_harmless_one() {
  add_item(true);
  wait_for_item();
  signal_missing();
}

// Producers wait for room because nobody takes; nobody takes because `put` does not signal.
void others_starve() {
  const auto put = [] {
    std::unique_lock lock(mutex);
    not_full.wait(lock, [] { return items < 1; });
    ++items;
  };
  std::thread producer([&] {
    put();
    put();
  });
  {
    std::unique_lock lock(mutex);
    not_empty.wait(lock, [] { return items != 0; });
    --items;
    not_full.notify_one();
  }
  {
    std::unique_lock lock(mutex);
    not_empty.wait(lock, [] { return items != 0; });
    --items;
    not_full.notify_one();
  }
  producer.join();
}

// One signal for two items.
void baton_dropped() {
  std::thread first(wait_for_item), second(wait_for_item);
  {
    std::lock_guard lock(mutex);
    items += 2;
  }
  changed.notify_one();
  first.join();
  second.join();
}

void wrong_waiter_of_an_atomic() {
  static std::atomic<int> turn{0};
  const auto wait_for = [](int mine) {
    for (int now = turn.load(); now < mine; now = turn.load()) turn.wait(now);
  };
  std::thread first(wait_for, 1), second(wait_for, 2);
  for (int i = 0; i < 200; ++i) turn.load(std::memory_order_relaxed);  // until both have stopped to spin
  turn.store(1);
  turn.notify_one();
  first.join();
  turn.store(2);
  turn.notify_all();
  second.join();
}

void lock_kept_from_signaller() {
  add_item(true);
  wait_for_item();
  std::thread waiter([] {
    std::lock_guard outer(other_mutex);
    wait_for_item();
  });
  {
    std::lock_guard outer(other_mutex);
    add_item(true);
  }
  waiter.join();
}

void lock_kept_from_poster() {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::thread waiter([] {
    std::lock_guard outer(other_mutex);
    while (sem_wait(&semaphore) != 0) {
    }
  });
  {
    std::lock_guard outer(other_mutex);
    sem_post(&semaphore);
  }
  waiter.join();
}

// Workers that wait for work have no part in it.
void lock_kept_and_idle_workers() {
  static bool stop = false;
  std::thread idle([] {
    std::unique_lock lock(mutex);
    not_empty.wait(lock, [] { return stop; });
  });
  lock_kept_from_signaller();
  {
    std::lock_guard lock(mutex);
    stop = true;
  }
  not_empty.notify_all();
  idle.join();
}

void nobody_ever() {
  std::thread waiter([] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [] { return items != 0; });
  });
  waiter.join();
}

}  // namespace

#define CASE(name) {#name, name}
RUN_CASES(CASE(heard), CASE(harmless_signal_before), CASE(counts_itself_out), CASE(wait_without_condition),
          CASE(flag_outside_lock), CASE(flag_outside_lock_any), CASE(stop_of_a_pool), CASE(signal_missing),
          CASE(signal_missing_after_harmless_one), CASE(others_starve), CASE(baton_dropped),
          CASE(wrong_waiter_of_an_atomic), CASE(lock_kept_from_signaller), CASE(lock_kept_from_poster),
          CASE(lock_kept_and_idle_workers), CASE(nobody_ever))
