// Copies of a shared_ptr in several threads: the last one to go destroys the object, once.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

std::atomic<int> destroyed{0};

struct Object {
  ~Object() {
    assert(value == 42);
    value = 0;
    destroyed.fetch_add(1);
  }
  int value = 42;
};

int main() {
  auto object = std::make_shared<Object>();
  std::weak_ptr<Object> weak = object;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([copy = object]() mutable {
      assert(copy->value == 42);
      copy.reset();
    });
  }
  object.reset();
  if (const auto locked = weak.lock()) assert(locked->value == 42);
  for (auto& thread : threads) thread.join();
  threads.clear();
  assert(destroyed.load() == 1 && weak.expired());
}
