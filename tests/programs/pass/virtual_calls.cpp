// Construction, virtual calls and destruction of an object that two threads use one after the other.
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const = 0;
};
struct Triangle : Shape {
  int corners() const override { return 3; }
};
struct Square : Triangle {
  int corners() const override { return Triangle::corners() + 1; }
};

int main() {
  std::mutex mutex;
  std::unique_ptr<Shape> shape;
  const auto work = [&](bool square) {
    std::lock_guard lock(mutex);
    if (square) {
      shape = std::make_unique<Square>();
    } else {
      shape = std::make_unique<Triangle>();
    }
  };
  std::thread first(work, true), second(work, false);
  {
    std::lock_guard lock(mutex);
    if (shape) assert(shape->corners() == 3 || shape->corners() == 4);
  }
  first.join();
  second.join();
  assert(shape->corners() >= 3);
}
