// expect: std::terminate
// A thread object dies before it was joined.
#include <atomic>
#include <thread>

int main() {
  std::atomic<bool> done{false};
  std::thread thread([&] { done.store(true); });
  if (done.load()) thread.join();
}
