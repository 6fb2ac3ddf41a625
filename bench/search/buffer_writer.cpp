// BufWriter: writers put records into one buffer and count them in a variable that no lock protects.
// Another bug than in bench/coop, where who empties the buffer takes no lock.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kWriters = 4, kRecords = 30;
std::mutex lock;
int position = 0;
int buffer[kWriters * kRecords];
std::atomic<int> written{0};

void write(int value) {
  for (int i = 0; i < kRecords; ++i) {
    {
      const std::lock_guard<std::mutex> guard(lock);
      if (position < kWriters * kRecords) buffer[position++] = value;
    }
    written.store(written.load() + 1);
  }
}

}  // namespace

int main() {
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) writers.emplace_back(write, i + 1);
  for (std::thread& t : writers) t.join();
  assert(written.load() == position);
  return 0;
}
