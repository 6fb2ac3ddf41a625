// expect: assertion failure
// The count is decremented and read again: both owners may see zero, and both destroy.
#include <atomic>
#include <cassert>
#include <thread>

struct Object {
  std::atomic<int> references{2};
  std::atomic<int> destroyed{0};
  void release() {
    references.fetch_sub(1);
    if (references.load() == 0) destroyed.fetch_add(1);
  }
};

int main() {
  Object object;
  std::thread first([&] { object.release(); });
  std::thread second([&] { object.release(); });
  first.join();
  second.join();
  assert(object.destroyed.load() == 1);
}
