"""Programs that several tests build."""


def two_threads(first, second, after=""):
    return f"""
int main(void) {{
  pthread_t a, b;
  pthread_create(&a, 0, {first}, 0);
  pthread_create(&b, 0, {second}, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  {after}
  return 0;
}}
"""


# Passes where the second thread comes after the first; the first argument turns them around, another keeps them apart.
NATIVE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int ready, seen;
static void* first(void* p) { atomic_store(&ready, 1); return p; }
static void* second(void* p) { if (atomic_load(&ready)) atomic_store(&seen, 1); else atomic_store(&seen, 2); return p; }
int main(int count, char** words) {
  void* (*functions[2])(void*) = {first, second};
  const int turned = count > 1 && atoi(words[1]);
  pthread_t a, b;
  pthread_create(&a, 0, functions[turned], 0);
  if (count > 2) pthread_join(a, 0);
  pthread_create(&b, 0, functions[!turned], 0);
  if (count <= 2) pthread_join(a, 0);
  pthread_join(b, 0);
  assert(atomic_load(&seen) == 1);
  return 0;
}
"""

# The thesis' Fig. 3.3. Natively the sleeps let the reset come between the two counters nearly always; to the engine
# they order nothing.
RESET = """
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
int position, count_write, count_reset, threads;
static void* write_one(void* p) {
  threads = threads + 1;
  position = position + 1;
  usleep(20000);
  count_write = count_write + 1;
  assert(position == count_write);
  return p;
}
static void* reset(void* p) {
  usleep(5000);
  position = 0;
  count_write = 0;
  count_reset = count_reset + 1;
  return p;
}
""" + two_threads("write_one", "reset")

# A test for a new object: its operations, where their arguments come from, and what it should be.
QUEUE_TEST = """
#include <atomic>
#include <heddle/lin.hpp>
#include <optional>

struct Queue {  // nothing keeps two threads from using one slot
  std::atomic<int> items[64] = {}, head{0}, tail{0};
  void enqueue(int v) { int t = tail.load(); items[t].store(v); tail.store(t + 1); }
  std::optional<int> dequeue() {
    int h = head.load();
    if (h == tail.load()) return std::nullopt;
    head.store(h + 1);
    return items[h].load();
  }
};

HEDDLE_LIN_TEST(Queue, heddle::lin::QueueSpec) {
  test.operation("enq", [](Queue& q, int v) { q.enqueue(v); }, heddle::lin::fresh());
  test.operation("deq", [](Queue& q) { return q.dequeue(); });
}
"""
