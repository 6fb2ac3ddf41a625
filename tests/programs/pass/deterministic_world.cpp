// run: --verify-determinism
// executions: 60
// What a program does depends on random numbers, clocks, its pid and addresses; all of them are under
// control.
#include <sys/random.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <unordered_set>

std::uint64_t noise() {
  std::random_device device;
  std::uint32_t kernel = 0;
  assert(getrandom(&kernel, sizeof kernel, 0) == sizeof kernel);
  std::uint32_t file_value = 0;
  std::FILE* file = std::fopen("/dev/urandom", "rb");
  assert(file != nullptr && std::fread(&file_value, sizeof file_value, 1, file) == 1);
  std::fclose(file);
  const auto wall = std::chrono::system_clock::now().time_since_epoch().count();
  const auto steady = std::chrono::steady_clock::now().time_since_epoch().count();
  const auto block = std::make_unique<int>(0);
  return device() ^ kernel ^ file_value ^
         static_cast<std::uint64_t>(wall + steady + std::time(nullptr) + getpid()) ^
         reinterpret_cast<std::uintptr_t>(block.get()) ^
         std::hash<std::thread::id>()(std::this_thread::get_id());
}

int main() {
  std::atomic<std::uint64_t> mixed{0};
  const auto work = [&] {
    // The number of visible operations follows the noise: an uncontrolled source shows as another trace.
    for (std::uint64_t i = noise() % 8; i > 0; --i) mixed.fetch_add(noise());
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}
