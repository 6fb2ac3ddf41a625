// expect: fatal signal
// message: SIGSEGV
// A pointer is looked at and then read again: it is gone by then.
#include <atomic>
#include <thread>

int main() {
  int value = 1;
  std::atomic<int*> shared{&value};
  std::thread thread([&] { shared.store(nullptr); });
  volatile int sink = 0;
  if (shared.load() != nullptr) sink = *shared.load();
  (void)sink;
  thread.join();
}
