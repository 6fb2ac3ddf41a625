// header: tbb/concurrent_hash_map.h
// flags: -Wno-error -ltbb
// executions: 50
// case: queue
// case: vector
// case: hash_map
// case: bounded_queue [--trust-library tbb]
// case: parallel_for => data race: --trust-library tbb
// case: parallel_for [--trust-library tbb]
// case: task_group [--trust-library tbb]
// case: exception [--trust-library tbb]
// case: race [--trust-library tbb] => data race: tbb.cpp
// oneTBB: containers in headers; concurrent_bounded_queue, the task arena and parallel algorithms live in
// libtbb, which was built without instrumentation.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_vector.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <stdexcept>
#include <thread>

#include "../conformance/cases.h"

namespace {

void queue() {
  tbb::concurrent_queue<int> queue;
  std::thread producer([&] { queue.push(1); });
  int item = 0;
  while (!queue.try_pop(item)) {
  }
  assert(item == 1);
  producer.join();
}

void vector() {
  tbb::concurrent_vector<int> vector;
  std::thread other([&] { vector.push_back(1); });
  vector.push_back(2);
  other.join();
  assert(vector.size() == 2 && vector[0] + vector[1] == 3);
}

void hash_map() {
  using Map = tbb::concurrent_hash_map<int, int>;
  Map map;
  const auto add = [&] {
    Map::accessor entry;
    map.insert(entry, 5);
    ++entry->second;
  };
  std::thread other(add);
  add();
  other.join();
  Map::const_accessor entry;
  assert(map.find(entry, 5) && entry->second == 2);
}

void bounded_queue() {
  tbb::concurrent_bounded_queue<int*> queue;
  queue.set_capacity(1);
  std::thread producer([&] {
    queue.push(new int(1));
    queue.push(new int(2));
  });
  int sum = 0;
  for (int i = 0; i < 2; ++i) {
    int* item = nullptr;
    queue.pop(item);
    sum += *item;
    delete item;
  }
  assert(sum == 3);
  producer.join();
}

// One worker beside the main thread, which ends before the program does.
struct TwoThreads {
  tbb::task_scheduler_handle handle{tbb::attach{}};
  tbb::global_control control{tbb::global_control::max_allowed_parallelism, 2};
  ~TwoThreads() { tbb::finalize(handle, std::nothrow); }
};

void parallel_for() {
  TwoThreads scheduler;
  int squares[6] = {};
  tbb::parallel_for(0, 6, [&](int i) { squares[i] = i * i; });
  int sum = 0;
  for (const int square : squares) sum += square;
  assert(sum == 55);
}

void task_group() {
  TwoThreads scheduler;
  int left = 0;
  int right = 0;
  tbb::task_group group;
  group.run([&] { left = 1; });
  group.run([&] { right = 2; });
  group.wait();
  assert(left + right == 3);
}

void exception() {
  TwoThreads scheduler;
  int thrown = 0;
  tbb::task_group group;
  group.run([&] {
    thrown = 1;
    throw std::runtime_error("in a task");
  });
  try {
    group.wait();
    assert(false);
  } catch (const std::runtime_error&) {
    assert(thrown == 1);
  }
}

void race() {
  TwoThreads scheduler;
  int sum = 0;
  tbb::parallel_for(0, 6, [&](int i) { sum += i; });
}

}  // namespace

RUN_CASES({"queue", queue}, {"vector", vector}, {"hash_map", hash_map}, {"bounded_queue", bounded_queue},
          {"parallel_for", parallel_for}, {"task_group", task_group}, {"exception", exception},
          {"race", race})
