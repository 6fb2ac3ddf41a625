// header: boost/lockfree/queue.hpp
// flags: -Wno-error
// case: queue => data race: boost/lockfree
// case: spsc_queue
// case: stack => data race: boost/lockfree
// The free list of queue and stack reads the link of a node that another thread may have taken already and
// writes again, by plain accesses: a race by the standard, if one whose outcome is thrown away.
// Boost.Lockfree: headers only, over Boost.Atomic, whose default back end on x86 is inline assembly. With
// BOOST_ATOMIC_FORCE_FALLBACK it would lock; BOOST_LOCKFREE_FORCE_STD_ATOMIC uses std::atomic, which is seen.
#define BOOST_LOCKFREE_FORCE_STD_ATOMIC
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>
#include <thread>

#include "../conformance/cases.h"

namespace {

void queue() {
  boost::lockfree::queue<int> queue(8);
  std::thread a([&] { queue.push(1); }), b([&] { queue.push(2); });
  int sum = 0, item = 0;
  for (int taken = 0; taken < 2;) {
    if (!queue.pop(item)) continue;
    sum += item;
    ++taken;
  }
  assert(sum == 3);
  a.join();
  b.join();
}

void spsc_queue() {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<4>> queue;
  std::thread producer([&] {
    for (int i = 1; i <= 2; ++i) queue.push(i);
  });
  int item = 0;
  for (int i = 1; i <= 2; ++i) {
    while (!queue.pop(item)) {
    }
    assert(item == i);
  }
  producer.join();
}

void stack() {
  boost::lockfree::stack<int> stack(8);
  std::thread other([&] { stack.push(1); });
  stack.push(2);
  int sum = 0, item = 0;
  for (int taken = 0; taken < 2;) {
    if (!stack.pop(item)) continue;
    sum += item;
    ++taken;
  }
  assert(sum == 3);
  other.join();
}

}  // namespace

RUN_CASES({"queue", queue}, {"spsc_queue", spsc_queue}, {"stack", stack})
