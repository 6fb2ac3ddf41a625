// header: concurrentqueue/concurrentqueue.h
// flags: -Wno-error
// case: queue
// case: blocking_queue
// moodycamel::ConcurrentQueue: headers only, every atomic is seen.
#include <concurrentqueue/blockingconcurrentqueue.h>
#include <concurrentqueue/concurrentqueue.h>

#include <thread>

#include "../conformance/cases.h"

namespace {

void queue() {
  moodycamel::ConcurrentQueue<int> queue(8);
  std::thread a([&] { queue.enqueue(1); }), b([&] { queue.enqueue(2); });
  int sum = 0, item = 0;
  for (int taken = 0; taken < 2;) {
    if (!queue.try_dequeue(item)) continue;
    sum += item;
    ++taken;
  }
  assert(sum == 3 && !queue.try_dequeue(item));
  a.join();
  b.join();
}

void blocking_queue() {
  moodycamel::BlockingConcurrentQueue<int> queue(8);
  std::thread producer([&] { queue.enqueue(1); });
  int item = 0;
  queue.wait_dequeue(item);
  assert(item == 1);
  producer.join();
}

}  // namespace

RUN_CASES({"queue", queue}, {"blocking_queue", blocking_queue})
