// case: caught_in_a_thread
// case: passed_on_to_another_thread
// case: last_of_several_references
#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cases.h"

static void caught_in_a_thread() {
  std::thread thread([] {
    try {
      throw 42;
    } catch (int thrown) {
      assert(thrown == 42);
    }
  });
  try {
    throw std::runtime_error("mine");
  } catch (const std::exception& e) {
    assert(std::string(e.what()) == "mine");
  }
  thread.join();
}

static void passed_on_to_another_thread() {
  std::exception_ptr passed;
  std::thread thrower([&] {
    try {
      throw std::runtime_error("passed on");
    } catch (...) {
      passed = std::current_exception();
    }
  });
  thrower.join();
  try {
    std::rethrow_exception(passed);
  } catch (const std::runtime_error& e) {
    assert(std::string(e.what()) == "passed on");
  }
}

static std::atomic<int> destroyed;
struct Counted {
  int value = 1;
  Counted() = default;
  Counted(const Counted&) = default;
  ~Counted() {
    value = 0;
    ++destroyed;
  }
};

static void last_of_several_references() {
  const std::exception_ptr made = std::make_exception_ptr(Counted{});
  const int before = destroyed;
  {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([mine = made] {
        try {
          std::rethrow_exception(mine);
        } catch (const Counted& c) {
          assert(c.value == 1);
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  assert(destroyed == before);
}

RUN_CASES({"caught_in_a_thread", caught_in_a_thread},
          {"passed_on_to_another_thread", passed_on_to_another_thread},
          {"last_of_several_references", last_of_several_references})
