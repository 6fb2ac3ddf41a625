// header: cds/init.h
// flags: -Wno-error -lcds -mcx16
// executions: 100
// case: treiber_stack
// case: ms_queue
// libcds: containers in headers, hazard pointers in a shared library that was built without instrumentation.
#include <cds/container/msqueue.h>
#include <cds/container/treiber_stack.h>
#include <cds/gc/hp.h>
#include <cds/init.h>

#include <thread>

#include "../conformance/cases.h"

namespace {

template <typename Body>
void with_hazard_pointers(Body body) {
  cds::Initialize();
  {
    cds::gc::HP collector;
    cds::threading::Manager::attachThread();
    body();
    cds::threading::Manager::detachThread();
  }
  cds::Terminate();
}

template <typename Container>
void push_and_pop() {
  with_hazard_pointers([] {
    Container container;
    std::thread other([&] {
      cds::threading::Manager::attachThread();
      container.push(1);
      cds::threading::Manager::detachThread();
    });
    container.push(2);
    int sum = 0, item = 0;
    for (int taken = 0; taken < 2;) {
      if (!container.pop(item)) continue;
      sum += item;
      ++taken;
    }
    assert(sum == 3);
    other.join();
  });
}

void treiber_stack() { push_and_pop<cds::container::TreiberStack<cds::gc::HP, int>>(); }
void ms_queue() { push_and_pop<cds::container::MSQueue<cds::gc::HP, int>>(); }

}  // namespace

RUN_CASES({"treiber_stack", treiber_stack}, {"ms_queue", ms_queue})
