// Time goes forward, a sleep takes at least as long as it says, and an hour's sleep does not take an hour.
#include <cassert>
#include <chrono>
#include <thread>

int main() {
  using namespace std::chrono_literals;
  const auto start = std::chrono::steady_clock::now();
  const auto wall = std::chrono::system_clock::now();
  std::thread sleeper([] { std::this_thread::sleep_for(1h); });
  std::this_thread::sleep_for(30min);
  const auto middle = std::chrono::steady_clock::now();
  assert(middle - start >= 30min);
  sleeper.join();
  assert(std::chrono::steady_clock::now() - start >= 1h);
  assert(std::chrono::system_clock::now() - wall >= 1h);
}
