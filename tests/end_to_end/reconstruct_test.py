#!/usr/bin/env python3
"""heddle reconstruct: a run from its log of paths; and where that is not reached, what was found on the way is not lost."""
import os
import unittest

from heddle_driver import BAD_INPUT, BUG, INCONCLUSIVE, NO_BUG, HeddleTest, needs_full_builds
from sources import NATIVE

ARTIFACT = "heddle-out/bug-1.heddle"

# The second thread goes one way for each argument.
WAYS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int way, done;
static void* go(void* p) {
  if (atomic_load(&way) == 1) abort();
  if (atomic_load(&way) == 2) exit(3);
  atomic_store(&done, 1);
  return p;
}
int main(int count, char** words) {
  pthread_t thread;
  atomic_store(&way, count > 1 ? atoi(words[1]) : 0);
  pthread_create(&thread, 0, go, 0);
  pthread_join(thread, 0);
  return 0;
}
"""

# NATIVE, but decided in a function that gets a structure by value, called by one with computed goto.
INTERPRETED = NATIVE.replace("static void* second(void* p) { if (atomic_load(&ready)) atomic_store(&seen, 1); else atomic_store(&seen, 2); return p; }", """
struct large { long parts[4]; int ready; };
static __attribute__((noinline)) int pick(struct large l) { if (l.ready) { l.parts[0] = 1; return (int)l.parts[0]; } return 2; }
static __attribute__((noinline)) int run(const unsigned char* code) {
  static const void* const ways[] = {&&load, &&store, &&stop};
  struct large l = {{0, 1, 2, 3}, 0};
  goto *ways[*code++];
load: l.ready = atomic_load(&ready); goto *ways[*code++];
store: atomic_store(&seen, pick(l)); goto *ways[*code++];
stop: return 0;
}
static void* second(void* p) { static const unsigned char code[] = {0, 1, 2}; run(code); return p; }
""")

# Three wait, of whom one is woken, and fails; main has handed out 20 things by then, which nobody waits for.
ONE_IS_WOKEN = """
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER, nobody = PTHREAD_COND_INITIALIZER;
sem_t waiting;
int given, others;
static void* take(void* p) {
  pthread_mutex_lock(&lock);
  sem_post(&waiting);
  while (given == 0) pthread_cond_wait(&changed, &lock);
  abort();
  return p;
}
int main(void) {
  pthread_t threads[3];
  sem_init(&waiting, 0, 0);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, take, 0);
  for (int i = 0; i < 3; ++i) sem_wait(&waiting);
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&lock);
    ++others;
    pthread_cond_signal(&nobody);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_lock(&lock);
  given = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
"""

# Whoever comes second fails, in the way that the first argument says; the second one keeps them apart.
WAYS_TO_FAIL = """
#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
std::atomic<int> came{0};
std::atomic<int*> pointer{nullptr};
void come(const std::string& way) {
  if (came.fetch_add(1) == 0) return;
  if (way == "abort") std::abort();
  if (way == "exception") throw std::runtime_error("second");
  if (way == "exit") std::exit(3);
  if (way == "signal") *pointer.load() = 1;
}
int main(int, char** words) {
  std::thread first(come, words[1]);
  first.join();
  std::thread second(come, words[1]);
  second.join();
  return 0;
}
"""

# What decides is in a library, which calls back.
GATE = """
#include <stdatomic.h>
atomic_int ready;
void pass(int writes, void (*seen)(int)) { if (writes) atomic_store(&ready, 1); else seen(atomic_load(&ready) ? 1 : 2); }
"""

GATE_USER = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
void pass(int writes, void (*seen)(int));
atomic_int seen;
static void see(int value) { atomic_store(&seen, value); }
static void* first(void* p) { pass(1, see); return p; }
static void* second(void* p) { pass(0, see); return p; }
int main(int count, char** words) {
  pthread_t a, b;
  pthread_create(&a, 0, count > 1 ? second : first, 0);
  pthread_join(a, 0);
  pthread_create(&b, 0, count > 1 ? first : second, 0);
  pthread_join(b, 0);
  assert(atomic_load(&seen) == 1);
  return 0;
}
"""

# Two threads that wait for each other in every order; who has the second lock says so.
STUCK = """
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
atomic_int held;
static void both(pthread_mutex_t* one, pthread_mutex_t* other) {
  pthread_mutex_lock(one);
  if (atomic_fetch_add(&held, 1) == 1) puts("stuck");
  fflush(stdout);
  while (atomic_load(&held) < 2) sched_yield();
  pthread_mutex_lock(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
}
static void* ab(void* p) { both(&a, &b); return p; }
static void* ba(void* p) { both(&b, &a); return p; }
int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, ab, 0);
  pthread_create(&other, 0, ba, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  return 0;
}
"""

# One of two hundred states leads to the failure. How many threads a barrier waits for is no branch: with two of them the main
# thread comes there at the right moment, with one it may come at any.
ONE_STATE = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int state;
static pthread_barrier_t barrier;
static void* count_up(void* p) {
  for (int i = 1; i <= 200; ++i) {
    atomic_store(&state, i);
    if (i == 150) { pthread_barrier_wait(&barrier); pthread_barrier_wait(&barrier); }
  }
  return p;
}
int main(int count, char** words) {
  pthread_barrier_init(&barrier, 0, atoi(words[1]));
  pthread_t a;
  pthread_create(&a, 0, count_up, 0);
  pthread_barrier_wait(&barrier);
  switch (atomic_load(&state)) {
    case 3: atomic_store(&state, 1000); break;
    case 150: abort();
    case 170: atomic_store(&state, 2000); break;
    default: break;
  }
  pthread_barrier_wait(&barrier);
  pthread_join(a, 0);
  return 0;
}
"""

# A handler with branches interrupts the thread that fails.
HANDLED = """
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int ready;
static volatile sig_atomic_t signals;
static void on_signal(int number) { if (number == SIGUSR1) signals = signals + 1; else abort(); }
static void* first(void* p) { atomic_store(&ready, 1); return p; }
static void* second(void* p) {
  raise(SIGUSR1);
  if (signals != 1) return p;
  if (atomic_load(&ready)) abort();
  return p;
}
int main(void) {
  signal(SIGUSR1, on_signal);
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_join(a, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(b, 0);
  return 0;
}
"""


class Reconstruct(HeddleTest):
    def test_a_failing_run_is_reconstructed_from_its_paths(self):
        self.compile(NATIVE, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", "1", "joined")
        (log,) = os.listdir(self.path("logs"))
        answer = self.heddle("reconstruct", "--only-paths", os.path.join("logs", log), "-o", "out", "--", "./program", "1", "joined", code=BUG)
        self.assertRegex(answer.errors, r"thread 0: (\d+) of \1 branches")
        self.heddle("replay", "out/bug-1.heddle", code=BUG)
        self.heddle("reconstruct", os.path.join("logs", log), code=BAD_INPUT)
        self.write("garbage.hlog", "nothing of the kind")
        self.heddle("reconstruct", "garbage.hlog", "--", "./program", code=BAD_INPUT)

    def test_paths_through_computed_goto_and_structures_by_value(self):
        self.compile(INTERPRETED, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", "0", "joined", code=NO_BUG)
        (log,) = os.listdir(self.path("logs"))
        answer = self.heddle("reconstruct", os.path.join("logs", log), "--", "./program", "0", "joined", code=NO_BUG)
        self.assertIn("thread 0.2: 4 of 4 branches", answer.errors + answer.output)
        answer = self.heddle("search", "--only-near-runs", "--from", "logs", "--any-input", "--", "./program", "0", code=BUG)
        self.assertRegex(answer.errors, r"derived from run 1 by flipping 0\.2 branch")

    def reconstruct_failing(self, *arguments):
        self.heddle("record", "-d", "logs", "--", "./program", *arguments)
        (log,) = os.listdir(self.path("logs"))
        answer = self.heddle("reconstruct", "--only-paths", os.path.join("logs", log), "-o", "out", "--", "./program", *arguments, code=BUG)
        os.remove(os.path.join(self.path("logs"), log))
        self.heddle("replay", "out/bug-1.heddle", code=BUG)
        return answer

    def test_a_thread_that_waits_in_the_log_is_woken_as_it_was(self):
        self.compile(ONE_IS_WOKEN, flags=["--full"])
        answer = self.reconstruct_failing()
        self.assertIn("abort", answer.errors)
        self.assertRegex(answer.errors, r"thread 0: (\d+) of \1 branches")

    def test_a_thread_other_than_main_fails_in_any_way(self):
        self.compile(WAYS_TO_FAIL, c=False, flags=["--full"])
        for way, reported in [("abort", "abort"), ("exception", "uncaught exception"), ("exit", "exit status 3"),
                              ("signal", "SIGSEGV")]:
            with self.subTest(way):
                answer = self.reconstruct_failing(way)
                self.assertIn(reported, answer.errors)
                self.assertRegex(answer.errors, r"thread 0\.2: (\d+) of \1 branches")

    def test_a_switch_is_made_to_go_the_way_of_the_log(self):
        self.compile(ONE_STATE, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", "2")
        (log,) = os.listdir(self.path("logs"))
        answer = self.heddle("reconstruct", "--only-paths", os.path.join("logs", log), "--", "./program", "1", code=BUG)
        self.assertRegex(answer.errors, r"thread 0: (\d+) of \1 branches")

    def test_what_signal_handlers_do_is_a_path_of_its_own(self):
        self.compile(HANDLED, flags=["--full"])
        answer = self.reconstruct_failing()
        self.assertIn("thread 0.2!: 1 of 1 branches", answer.errors)

    def test_libraries_have_paths_too(self):
        self.write("gate.c", GATE)
        self.heddle("cc", "--full", "-g", "-O1", "-shared", "-fPIC", "gate.c", "-o", "libgate.so", code=0)
        self.compile(GATE_USER, flags=["--full", "-Wl,-rpath,$ORIGIN", "-Wl,--no-as-needed", "-L.", "-lgate"])
        answer = self.reconstruct_failing("turned")
        self.assertRegex(answer.errors, r"thread 0\.1: ([1-9]\d*) of \1 branches")
        self.heddle("record", "-d", "logs", "--", "./program", code=NO_BUG)
        answer = self.heddle("search", "--from", "logs", "--any-input", "--", "./program", "turned", code=BUG)
        self.assertNotIn("left out", answer.errors)

    def test_a_run_that_hung_and_was_killed_is_reconstructed(self):
        self.compile(STUCK, flags=["--full"])
        child = self.start("./program", env=dict(os.environ, HEDDLE_RECORD="path:" + self.path("logs")))
        self.assertEqual(child.stdout.readline(), b"stuck\n")
        child.kill()
        self.finish(child)
        (log,) = os.listdir(self.path("logs"))
        answer = self.heddle("reconstruct", "--only-paths", os.path.join("logs", log), "--", "./program", code=BUG)
        self.assertIn("SUMMARY: heddle: deadlock", answer.errors)
        self.heddle("replay", ARTIFACT, code=BUG)


class OtherEnds(HeddleTest):
    def reconstruct(self, logged, run):
        """The answer for a log of one way where the program goes another one."""
        self.compile(WAYS, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", logged)
        (log,) = os.listdir(self.path("logs"))
        return self.heddle("reconstruct", "--only-paths", "-n", "5", "-o", "out", os.path.join("logs", log), "--", "./program", run)

    def expect_another_bug(self, answer, reported):
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertIn("was not reached", answer.errors)
        self.assertIn(reported, answer.errors)
        replayed = self.heddle("replay", "out/bug-1.heddle")
        self.assertEqual(replayed.code, BUG, replayed.errors)
        self.assertIn(reported, replayed.errors)

    def test_another_failure_than_that_of_the_log(self):
        answer = self.reconstruct("1", "2")
        self.assertIn('argument 1 is "2" here, and was another one', answer.errors)
        self.expect_another_bug(answer, "exit status 3")

    def test_what_is_other_than_in_the_log_is_named(self):
        self.compile(WAYS, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", "1", env={**os.environ, "TZ": "UTC", "GONE": "1"})
        (log,) = os.listdir(self.path("logs"))
        answer = self.heddle("reconstruct", "-o", "out", os.path.join("logs", log), "--", "./program", "1",
                             env={**os.environ, "TZ": "CET", "COME": "1"})
        for words in ["TZ has another value", "COME is set here, and was not there", "1 variable of the environment is not set here"]:
            self.assertIn(words, answer.errors)

    def test_nothing_is_said_of_the_same_input(self):
        self.assertNotIn("other arguments", self.reconstruct("1", "1").errors)

    def test_a_bug_where_the_run_of_the_log_passed(self):
        self.expect_another_bug(self.reconstruct("0", "1"), "abort")

    def test_no_bug_at_all(self):
        answer = self.reconstruct("1", "0")
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        self.assertFalse(os.path.exists(self.path("out/bug-1.heddle")))



# A worker that is started before what it uses is set. Natively main sleeps, and the worker always fails; to the engine
# sleeping orders nothing, and no lock or atomic operation tells the two orders apart.
STARTED_TOO_EARLY = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
int *config;
static void* work(void* p) { *(int*)p += *config; return p; }
int main(void) {
  int sum = 0;
  pthread_t t;
  pthread_create(&t, NULL, work, &sum);
  usleep(300000);
  config = calloc(1, sizeof *config);
  pthread_join(t, NULL);
  free(config);
  return sum;
}
"""


class Tried(HeddleTest):
    def test_a_failure_that_comes_of_plain_accesses_comes_back(self):
        needs_full_builds()
        self.compile(STARTED_TOO_EARLY, flags=("--full",))
        self.heddle("record", "-d", "logs", "--", "./program", code=128 + 11)
        log = os.path.join("logs", os.listdir(self.path("logs"))[0])
        answer = self.heddle("reconstruct", log, "--", "./program", code=BUG)
        self.assertIn("fatal signal SIGSEGV program.c:6", answer.errors)
        self.heddle("replay", "--times", "3", ARTIFACT, code=BUG)
        # The paths alone lead there as well: memory that is raced for is visible to what follows them.
        answer = self.heddle("reconstruct", "--only-paths", "-o", "along", log, "--", "./program", code=BUG)
        self.assertIn("fatal signal SIGSEGV program.c:6", answer.errors)
        self.heddle("replay", "--times", "3", "along/bug-1.heddle", code=BUG)
        self.heddle("run", "--seed", "1", "--look-for", log, "-o", "control", "--", "./program", code=BUG)


if __name__ == "__main__":
    unittest.main()
