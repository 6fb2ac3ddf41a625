// header: boost/thread.hpp
// flags: -Wno-error -DBOOST_THREAD_VERSION=4 -lboost_thread -lboost_system -lboost_chrono
// case: mutex
// case: condition
// case: shared_mutex
// case: future
// case: interruption
// case: inversion => warning lock-order inversion: different orders
// Boost.Thread: a shared library over pthreads, all of whose calls are seen.
#include <atomic>
#include <boost/thread.hpp>
#include <boost/thread/future.hpp>
#include <boost/thread/shared_mutex.hpp>

#include "../conformance/cases.h"

namespace {

int shared = 0;

void mutex() {
  boost::mutex mutex;
  const auto add = [&] {
    const boost::lock_guard<boost::mutex> guard(mutex);
    ++shared;
  };
  boost::thread other(add);
  add();
  other.join();
  assert(shared == 2);
}

void condition() {
  boost::mutex mutex;
  boost::condition_variable condition;
  bool ready = false;
  boost::thread other([&] {
    const boost::lock_guard<boost::mutex> guard(mutex);
    ready = true;
    condition.notify_one();
  });
  {
    boost::unique_lock<boost::mutex> lock(mutex);
    condition.wait(lock, [&] { return ready; });
  }
  other.join();
}

void shared_mutex() {
  boost::shared_mutex mutex;
  int data = 0;
  boost::thread writer([&] {
    const boost::unique_lock<boost::shared_mutex> lock(mutex);
    ++data;
  });
  {
    const boost::shared_lock<boost::shared_mutex> lock(mutex);
    assert(data == 0 || data == 1);
  }
  {
    boost::upgrade_lock<boost::shared_mutex> lock(mutex);
    const boost::upgrade_to_unique_lock<boost::shared_mutex> unique(lock);
    ++data;
  }
  writer.join();
  assert(data == 2);
}

void future() {
  boost::promise<int> promise;
  boost::future<int> future = promise.get_future();
  boost::thread other([&] { promise.set_value(4); });
  assert(future.get() == 4);
  other.join();
}

void interruption() {
  bool interrupted = false;
  boost::thread other([&] {
    try {
      boost::this_thread::sleep_for(boost::chrono::hours(1));
    } catch (const boost::thread_interrupted&) {
      interrupted = true;
    }
  });
  other.interrupt();
  other.join();
  assert(interrupted);
}

void inversion() {
  static boost::mutex a, b;
  std::atomic<bool> done(false);
  boost::thread other([&] {
    {
      const boost::lock_guard<boost::mutex> first(a), second(b);
    }
    done = true;
  });
  while (!done) {
  }
  {
    const boost::lock_guard<boost::mutex> first(b), second(a);
  }
  other.join();
}

}  // namespace

RUN_CASES({"mutex", mutex}, {"condition", condition}, {"shared_mutex", shared_mutex}, {"future", future},
          {"interruption", interruption}, {"inversion", inversion})
