// skip: libc++ libc++ 19 has no std::atomic<std::shared_ptr>
// case: shared_pointer
// case: weak_pointer
#include <atomic>
#include <memory>
#include <thread>

#include "cases.h"

namespace {

void shared_pointer() {
  std::atomic<std::shared_ptr<int>> pointer(std::make_shared<int>(1));
  std::thread other([&] { pointer.store(std::make_shared<int>(2)); });
  const std::shared_ptr<int> seen = pointer.load();
  assert(*seen == 1 || *seen == 2);
  std::shared_ptr<int> expected = seen;
  if (!pointer.compare_exchange_strong(expected, std::make_shared<int>(3))) assert(*expected == 2);
  other.join();
  assert(*pointer.load() == 2 || *pointer.load() == 3);
}

void weak_pointer() {
  auto owner = std::make_shared<int>(1);
  std::atomic<std::weak_ptr<int>> pointer(owner);
  std::thread other([&] { pointer.store(std::weak_ptr<int>()); });
  if (const std::shared_ptr<int> seen = pointer.load().lock()) assert(*seen == 1);
  other.join();
  assert(pointer.load().expired());
}

}  // namespace

RUN_CASES({"shared_pointer", shared_pointer}, {"weak_pointer", weak_pointer})
