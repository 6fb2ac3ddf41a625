// Piper: seats are handed from producers to consumers; who was woken does not look again whether there is
// one. Nobody has to wait where consumers come late enough.
// In bench/coop only producers look once, in a pipe that is full most of the time.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

constexpr int kSeats = 12, kEach = 3;
std::mutex lock;
std::condition_variable filled, emptied;
int count = 0;

void fill() {
  for (int i = 0; i < kEach; ++i) {
    std::unique_lock<std::mutex> guard(lock);
    if (count == kSeats) emptied.wait(guard);
    ++count;
    filled.notify_all();
  }
}

void empty() {
  for (int i = 0; i < kEach; ++i) {
    std::unique_lock<std::mutex> guard(lock);
    if (count == 0) filled.wait(guard);
    --count;
    assert(count >= 0);
    emptied.notify_all();
  }
}

}  // namespace

int main() {
  std::thread p1(fill), p2(fill);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  std::thread c1(empty), c2(empty);
  p1.join();
  p2.join();
  c1.join();
  c2.join();
  return 0;
}
