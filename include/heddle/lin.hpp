// Linearizability tests of concurrent objects, for C++17 and later. A whole test:
//
//   #include <heddle/lin.hpp>
//   #include "my_queue.h"
//
//   HEDDLE_LIN_TEST(MyQueue, heddle::lin::QueueSpec) {
//     test.operation("enq", [](MyQueue& q, int v) { q.enqueue(v); }, heddle::lin::fresh());
//     test.operation("deq", [](MyQueue& q) { return q.dequeue(); });  // std::optional<int>
//   }
//
//   heddle c++ -g -O1 test.cpp -o test && heddle lin run ./test
//
// The specification is one of heddle/lin/specs.hpp or a copyable type with equality, hash() and a step
// function over Invocation and Reply (core/linearize/specification.h). docs/guide/linearizability.md says more.
#pragma once

#include "heddle/lin/client.hpp"
#include "heddle/lin/recorder.hpp"
#include "heddle/lin/specs.hpp"
#include "heddle/lin/test.hpp"

// Defines main; what follows the macro is the body of a function that describes `test`. A file that defines
// HEDDLE_LIN_OWN_MAIN before it includes such a test gets heddle_lin_run(client) in place of main.
#define HEDDLE_LIN_TEST(OBJECT, SPEC)                                     \
  static void heddle_lin_describe(heddle::lin::Test<OBJECT, SPEC>& test); \
  HEDDLE_LIN_ENTRY_ {                                                     \
    heddle::lin::Test<OBJECT, SPEC> test(#OBJECT, __FILE__);              \
    heddle_lin_describe(test);                                            \
    return HEDDLE_LIN_START_;                                             \
  }                                                                       \
  static void heddle_lin_describe(heddle::lin::Test<OBJECT, SPEC>& test)

#ifdef HEDDLE_LIN_OWN_MAIN
#define HEDDLE_LIN_ENTRY_ static int heddle_lin_run(const heddle::lin::Client& client)
#define HEDDLE_LIN_START_ test.run(client)
#else
#define HEDDLE_LIN_ENTRY_ int main(int argc, char** argv)
#define HEDDLE_LIN_START_ test.main(argc, argv)
#endif
