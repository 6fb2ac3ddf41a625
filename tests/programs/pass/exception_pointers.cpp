// One exception, thrown again in several threads; whoever is last destroys it.
#include <cassert>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

struct Trouble : std::exception {
  explicit Trouble(std::string t) : text(std::move(t)) {}
  const char* what() const noexcept override { return text.c_str(); }
  std::string text;
};

int look(const std::exception_ptr& pointer) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Trouble& trouble) {
    return static_cast<int>(std::string(trouble.what()).size());
  } catch (const std::logic_error& error) {
    return static_cast<int>(std::string(error.what()).size());
  }
}

int main() {
  std::exception_ptr first =
      std::make_exception_ptr(Trouble("trouble that does not fit into a short string"));
  std::exception_ptr second;
  try {
    throw std::logic_error("wrong");
  } catch (...) {
    second = std::current_exception();
  }
  std::thread a([p = first, q = second] { assert(look(p) == 45 && look(q) == 5); });
  std::thread b([p = first, q = second]() mutable {
    assert(look(p) == 45);
    p = nullptr;
    assert(look(q) == 5);
  });
  first = nullptr;
  assert(look(second) == 5);
  second = nullptr;
  a.join();
  b.join();
}
