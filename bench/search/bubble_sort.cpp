// BubbleSort: one thread for each pass, each started when the one before should be done. A pass that finds
// that it is not leaves the last place to it, which it has left already.
// Another bug than in bench/coop, where two locks protect one element.
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>
#include <vector>

namespace {

constexpr int kNumbers = 6;
std::atomic<int> number[kNumbers], done_passes{0}, early{0};

void pass(int which) {
  int skipped = 0;
  // (It is the last element that this pass moves to its place.)
  if (done_passes.load() < which) {
    early.store(which);
    skipped = 1;
  }
  for (int i = 0; i + 1 < 4 - skipped; ++i) {
    const int a = number[i].load(), b = number[i + 1].load();
    if (a > b) {
      number[i].store(b);
      number[i + 1].store(a);
    }
  }
  assert(number[2].load() <= number[3].load());
  done_passes.fetch_add(1);
}

}  // namespace

int main() {
  for (int i = 0; i < kNumbers; ++i) number[i].store(kNumbers - i);
  std::vector<std::thread> passes;
  for (int i = 0; i < 5; ++i) {
    passes.emplace_back(pass, i);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // long enough, most of the time
  }
  for (std::thread& t : passes) t.join();
  return early.load() < 0 ? 1 : 0;
}
