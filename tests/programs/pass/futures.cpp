// Values and exceptions through futures of every kind.
#include <cassert>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main() {
  std::promise<std::string> promise;
  std::shared_future<std::string> future = promise.get_future().share();
  std::thread setter([&] { promise.set_value("a value long enough to live on the heap"); });
  std::thread reader([future] { assert(future.get().size() > 20); });
  assert(future.get().front() == 'a');
  setter.join();
  reader.join();

  std::packaged_task<std::vector<int>(int)> task(
      [](int n) { return std::vector<int>(static_cast<std::size_t>(n), n); });
  std::future<std::vector<int>> numbers = task.get_future();
  std::thread runner(std::move(task), 5);
  assert(numbers.get().back() == 5);
  runner.join();

  auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("no number"); });
  auto lazy = std::async(std::launch::deferred, [] { return std::string("later"); });
  try {
    failing.get();
    assert(false);
  } catch (const std::runtime_error& error) {
    assert(std::string(error.what()) == "no number");
  }
  assert(lazy.get() == "later");
}
