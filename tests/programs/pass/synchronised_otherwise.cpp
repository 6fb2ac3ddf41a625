// Barriers, semaphores, call_once, statics, thread_local destructors: each hands plain data over.
#include <atomic>
#include <barrier>
#include <cassert>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>

std::string text;
std::once_flag once;
std::atomic<int> destroyed;

const std::string& shared_static() {
  static const std::string value(40, 's');
  return value;
}

struct Own {
  std::string value = std::string(30, 'o');
  ~Own() { destroyed.fetch_add(static_cast<int>(value.size()) / 30); }
};
thread_local Own own;

int main() {
  int slots[2] = {};
  std::barrier barrier(2, []() noexcept { text += "."; });
  std::binary_semaphore ready(0);
  std::string passed;
  std::shared_mutex shared;
  const auto work = [&](int me) {
    own.value[0] = 'x';
    std::call_once(once, [] { text = "once"; });
    assert(shared_static().size() == 40);
    slots[me] = me + 1;
    barrier.arrive_and_wait();
    assert(slots[1 - me] == 2 - me && text == "once.");
    barrier.arrive_and_wait();
    if (me == 0) {
      passed = "handed over by a semaphore";
      ready.release();
    } else {
      ready.acquire();
      assert(passed.size() == 26);
    }
    if (me == 0) {
      std::unique_lock lock(shared);
      slots[0] = 7;
    } else {
      std::shared_lock lock(shared);
      assert(slots[0] == 1 || slots[0] == 7);
    }
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  assert(destroyed.load() == 2);
}
