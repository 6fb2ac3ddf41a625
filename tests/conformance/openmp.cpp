// flags: -fopenmp
// case: loop
// case: dynamic_loop
// case: runtime_loop
// case: reduction
// case: critical
// case: atomic
// case: barrier
// case: single
// case: copyprivate
// case: sections
// case: ordered
// case: lock
// case: nest_lock
// case: nested
// case: many_regions
// case: race_in_loop => data race: openmp.cpp
// case: race_after_nowait => data race: openmp.cpp
// case: race_of_single => data race: openmp.cpp
// case: race_past_critical => data race: openmp.cpp
// case: lock_twice => deadlock: mutex
// case: locks_crossed => deadlock: mutex
#include <omp.h>

#include "cases.h"

namespace {

constexpr int kThreads = 3;
constexpr int kItems = 6;

void loop() {
  int items[kItems] = {};
  int sum = 0;
#pragma omp parallel for num_threads(kThreads)
  for (int i = 0; i < kItems; ++i) items[i] = i;
  for (const int item : items) sum += item;
  assert(sum == 15);
}

void dynamic_loop() {
  int items[kItems] = {};
  int takers[kItems] = {};
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < kItems; ++i) {
      items[i] += i;
      takers[i] = omp_get_thread_num();
    }
    // What the others did is known after the loop.
    int sum = 0;
    for (const int item : items) sum += item;
    assert(sum == 15 && takers[0] < kThreads);
  }
}

void runtime_loop() {
  omp_set_schedule(omp_sched_guided, 1);
  long sum = 0;
#pragma omp parallel for num_threads(kThreads) schedule(runtime) reduction(+ : sum)
  for (unsigned long i = 0; i < kItems; ++i) sum += static_cast<long>(i);
  assert(sum == 15);
}

void reduction() {
  int sum = 0;
  double product = 1;
#pragma omp parallel for num_threads(kThreads) reduction(+ : sum) reduction(* : product)
  for (int i = 1; i <= 4; ++i) {
    sum += i;
    product *= i;
  }
  assert(sum == 10 && product == 24);
}

void critical() {
  int plain = 0;
  int named = 0;
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp critical
    ++plain;
#pragma omp critical(name)
    ++named;
  }
  assert(plain == kThreads && named == kThreads);
}

void atomic() {
  int count = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp atomic
  ++count;
  assert(count == kThreads);
}

void barrier() {
  int values[kThreads] = {};
#pragma omp parallel num_threads(kThreads)
  {
    const int own = omp_get_thread_num();
    for (int round = 1; round <= 3; ++round) {
      values[own] = round;
#pragma omp barrier
      assert(values[(own + 1) % kThreads] == round);
#pragma omp barrier
    }
  }
}

void single() {
  int value = 0;
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp single
    value = 7;
    assert(value == 7);
#pragma omp barrier
#pragma omp master
    value = 8;
#pragma omp barrier
    assert(value == 8);
  }
}

void copyprivate() {
  int own = 0;
#pragma omp parallel num_threads(kThreads) firstprivate(own)
  {
#pragma omp single copyprivate(own)
    own = 5;
    assert(own == 5);
  }
}

void sections() {
  int a = 0;
  int b = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    a = 1;
#pragma omp section
    b = 2;
  }
  assert(a + b == 3);
}

void ordered() {
  int next = 0;
#pragma omp parallel for num_threads(kThreads) ordered schedule(dynamic)
  for (int i = 0; i < 4; ++i) {
#pragma omp ordered
    {
      assert(next == i);
      next = i + 1;
    }
  }
}

void lock() {
  omp_lock_t mutex;
  omp_init_lock(&mutex);
  int count = 0;
#pragma omp parallel num_threads(kThreads)
  {
    omp_set_lock(&mutex);
    ++count;
    omp_unset_lock(&mutex);
    if (omp_test_lock(&mutex)) {
      ++count;
      omp_unset_lock(&mutex);
    }
  }
  omp_destroy_lock(&mutex);
  assert(count >= kThreads);
}

void nest_lock() {
  omp_nest_lock_t mutex;
  omp_init_nest_lock(&mutex);
  int count = 0;
#pragma omp parallel num_threads(2)
  {
    omp_set_nest_lock(&mutex);
    assert(omp_test_nest_lock(&mutex) == 2);
    ++count;
    omp_unset_nest_lock(&mutex);
    omp_unset_nest_lock(&mutex);
  }
  omp_destroy_nest_lock(&mutex);
  assert(count == 2);
}

void nested() {
  omp_set_max_active_levels(2);
  int count = 0;
#pragma omp parallel num_threads(2)
  {
    int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
    inner += 1;
#pragma omp atomic
    count += inner;
  }
  assert(count == 4);
}

void many_regions() {
  int value = 0;
  for (int i = 0; i < 4; ++i) {
#pragma omp parallel num_threads(2 + i % 2)
#pragma omp single
    value += i;
  }
  assert(value == 6);
}

void race_in_loop() {
  int sum = 0;
#pragma omp parallel for num_threads(kThreads)
  for (int i = 0; i < kItems; ++i) sum += i;
}

void race_after_nowait() {
  int items[kItems] = {};
  int sums[kThreads] = {};
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp for nowait
    for (int i = 0; i < kItems; ++i) items[i] = i;
    for (const int item : items) sums[omp_get_thread_num()] += item;
  }
}

void race_of_single() {
  int value = 0;
  int seen[kThreads] = {};
#pragma omp parallel num_threads(kThreads)
  {
#pragma omp single nowait
    value = 1;
    seen[omp_get_thread_num()] = value;
  }
  assert(seen[0] <= 2);
}

void race_past_critical() {
  int value = 0;
  int seen[kThreads] = {};
#pragma omp parallel num_threads(2)
  {
#pragma omp critical(writers)
    ++value;
#pragma omp critical(readers)
    seen[omp_get_thread_num()] = value;
  }
  assert(seen[0] <= 2);
}

void lock_twice() {
#pragma omp parallel num_threads(2)
  {
    omp_lock_t mutex;
    omp_init_lock(&mutex);
    omp_set_lock(&mutex);
    omp_set_lock(&mutex);
  }
}

void locks_crossed() {
  omp_lock_t a;
  omp_lock_t b;
  omp_init_lock(&a);
  omp_init_lock(&b);
#pragma omp parallel num_threads(2)
  {
    omp_lock_t* first = omp_get_thread_num() == 0 ? &a : &b;
    omp_lock_t* second = omp_get_thread_num() == 0 ? &b : &a;
    omp_set_lock(first);
    omp_set_lock(second);
    omp_unset_lock(second);
    omp_unset_lock(first);
  }
}

}  // namespace

RUN_CASES({"loop", loop}, {"dynamic_loop", dynamic_loop}, {"runtime_loop", runtime_loop},
          {"reduction", reduction}, {"critical", critical}, {"atomic", atomic}, {"barrier", barrier},
          {"single", single}, {"copyprivate", copyprivate}, {"sections", sections}, {"ordered", ordered},
          {"lock", lock}, {"nest_lock", nest_lock}, {"nested", nested}, {"many_regions", many_regions},
          {"race_in_loop", race_in_loop}, {"race_after_nowait", race_after_nowait},
          {"race_of_single", race_of_single}, {"race_past_critical", race_past_critical},
          {"lock_twice", lock_twice}, {"locks_crossed", locks_crossed})
