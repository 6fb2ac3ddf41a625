// The test of every queue.
#pragma once

#include <heddle/lin.hpp>

#define QUEUE_TEST(QUEUE)                                                           \
  HEDDLE_LIN_TEST(QUEUE, heddle::lin::QueueSpec) {                                  \
    test.clients(2, 3);                                                             \
    test.operation("enq", [](QUEUE& q, int v) { q.enq(v); }, heddle::lin::fresh()); \
    test.operation("deq", [](QUEUE& q) { return q.deq(); });                        \
  }
