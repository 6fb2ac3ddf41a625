// expect: uncaught exception | std::terminate
// An exception meets a noexcept function, which is a terminate and not an unwinding.
#include <atomic>
#include <thread>

std::atomic<int> users{0};

void enter() {
  if (users.fetch_add(1) == 1) throw 1;
}

void use() noexcept {
  enter();
  users.fetch_sub(1);
}

int main() {
  std::thread thread(use);
  use();
  thread.join();
}
