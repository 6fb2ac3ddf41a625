// expect: uncaught exception
// message: std::out_of_range
// An exception leaves a thread's function.
#include <atomic>
#include <thread>
#include <vector>

int main() {
  const std::vector<int> values{1, 2, 3};
  std::atomic<unsigned> next{0};
  const auto take = [&] {
    while (next.load() < values.size()) (void)values.at(next.fetch_add(1));
  };
  std::thread first(take), second(take);
  first.join();
  second.join();
}
