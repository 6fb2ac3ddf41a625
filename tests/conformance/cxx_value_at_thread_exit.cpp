// case: value_at_thread_exit
#include <future>
#include <thread>

#include "cases.h"

namespace {

void value_at_thread_exit() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread other([&] { promise.set_value_at_thread_exit(2); });
  assert(future.get() == 2);
  other.join();
}

}  // namespace

RUN_CASES({"value_at_thread_exit", value_at_thread_exit})
