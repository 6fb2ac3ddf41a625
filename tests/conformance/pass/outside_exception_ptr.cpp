// executions: 200
// An exception that two threads hold: its count lives in the C++ library, which is not instrumented, and
// whoever drops it last destroys it. No race with what the other read before.
#include <cassert>
#include <exception>
#include <future>
#include <string>
#include <thread>

struct Error {
  explicit Error(int number)
      : text("a text that is too long to be stored inside the string itself"), code(number) {}
  ~Error() { code = -1; }
  Error(const Error&) = default;
  std::string text;
  int code;
};

void look(std::exception_ptr pointer) {
  try {
    std::rethrow_exception(std::move(pointer));
  } catch (const Error& error) {
    assert(error.code == 7 && !error.text.empty());
  }
}

int main() {
  std::exception_ptr pointer = std::make_exception_ptr(Error(7));
  std::thread one(look, pointer);
  std::thread two(look, pointer);
  pointer = nullptr;
  one.join();
  two.join();

  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  const auto wait = [](std::shared_future<int> mine) {
    try {
      mine.get();
    } catch (const Error& error) {
      assert(error.code == 8);
    }
  };
  std::thread three(wait, future);
  std::thread four(wait, future);
  future = {};
  promise.set_exception(std::make_exception_ptr(Error(8)));
  three.join();
  four.join();
}
