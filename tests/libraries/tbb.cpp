// header: tbb/concurrent_hash_map.h
// flags: -Wno-error -ltbb
// executions: 50
// case: queue
// case: vector
// case: hash_map
// oneTBB: containers in headers; concurrent_bounded_queue, the task arena and parallel algorithms live in
// libtbb, which was built without instrumentation.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_vector.h>

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

}  // namespace

RUN_CASES({"queue", queue}, {"vector", vector}, {"hash_map", hash_map})
