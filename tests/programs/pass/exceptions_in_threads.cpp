// Exceptions are thrown, in flight and caught in several threads at once; one is carried to main.
#include <cassert>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Yields {
  ~Yields() { std::this_thread::yield(); }  // a switch in the middle of unwinding
};

void fail(int i) {
  Yields yields;
  throw std::runtime_error(std::to_string(i));
}

void nested(int i) {
  try {
    fail(i);
  } catch (...) {
    std::this_thread::yield();
    assert(std::uncaught_exceptions() == 0);
    throw;
  }
}

int main() {
  std::vector<std::exception_ptr> carried(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&carried, i] {
      try {
        nested(i);
        assert(false);
      } catch (const std::runtime_error& error) {
        std::this_thread::yield();
        assert(error.what() == std::to_string(i));
        carried[i] = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 3; ++i) {
    try {
      std::rethrow_exception(carried[i]);
    } catch (const std::runtime_error& error) {
      assert(error.what() == std::to_string(i));
    }
  }
}
