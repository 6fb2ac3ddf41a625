// flags: -fopenmp
// skip: clang++-19 slow: libomp spins in taskwait (tests/programs/pass/openmp_taskwait.cpp)
// case: tasks
// case: task_dependences
// case: taskloop
// case: taskgroup
// case: race_of_tasks => data race: openmp_tasks.cpp
#include <omp.h>

#include "cases.h"

namespace {

constexpr int kThreads = 3;
constexpr int kItems = 6;

int fibonacci(int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

void tasks() {
  int result = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  result = fibonacci(4);
  assert(result == 3);
}

void task_dependences() {
  int value = 0;
  int seen[2] = {};
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
#pragma omp task depend(out : value) shared(value)
    value = 1;
#pragma omp task depend(in : value) shared(value, seen)
    seen[0] = value;
#pragma omp task depend(in : value) shared(value, seen)
    seen[1] = value;
#pragma omp task depend(inout : value) shared(value)
    value = 2;
  }
  assert(value == 2 && seen[0] == 1 && seen[1] == 1);
}

void taskloop() {
  int items[kItems] = {};
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
#pragma omp taskloop grainsize(2) shared(items)
    for (int i = 0; i < kItems; ++i) items[i] = i;
    assert(items[kItems - 1] == kItems - 1);
  }
}

void taskgroup() {
  int value = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task shared(value)
      {
#pragma omp task shared(value)
        value = 3;
      }
    }
    assert(value == 3);
  }
}

void race_of_tasks() {
  int value = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
  {
#pragma omp task shared(value)
    value = 1;
#pragma omp task shared(value)
    value = 2;
  }
  assert(value != 0);
}

}  // namespace

RUN_CASES({"tasks", tasks}, {"task_dependences", task_dependences}, {"taskloop", taskloop},
          {"taskgroup", taskgroup}, {"race_of_tasks", race_of_tasks})
