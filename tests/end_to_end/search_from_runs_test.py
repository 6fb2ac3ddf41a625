#!/usr/bin/env python3
"""What users rely on in `heddle search`: from runs that passed, a bug that was executed, and how it was derived."""
import os
import re
import unittest

from heddle_driver import BAD_INPUT, BUG, INCONCLUSIVE, NO_BUG, TESTS, HeddleTest
from sources import NATIVE

PROGRAMS = os.path.join(TESTS, "..", "bench", "search")
ARTIFACT = "heddle-out/bug-1.heddle"

# On every path and in every order, x is 1 or 2.
CORRECT = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x = 1, y;
static void* first(void* p) { if (atomic_load(&y)) atomic_store(&x, 2); return p; }
static void* second(void* p) { atomic_store(&y, 1); assert(atomic_load(&x) < 3); return p; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""

# Both orders are taken one after the other, which is warned of, and then at once.
BOTH_ORDERS = """
#include <pthread.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void* ab(void* p) {
  pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
  return p;
}
static void* ba(void* p) {
  pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);
  return p;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, ab, 0);
  pthread_join(threads[0], 0);
  pthread_create(&threads[0], 0, ba, 0);
  pthread_join(threads[0], 0);
  pthread_create(&threads[0], 0, ab, 0);
  pthread_create(&threads[1], 0, ba, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
"""

CIRCLE = """
#include <pthread.h>
pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void* eat(void* p) {
  const long i = (long)p;
  pthread_mutex_lock(&forks[i]); pthread_mutex_lock(&forks[(i + 1) % 3]);
  pthread_mutex_unlock(&forks[(i + 1) % 3]); pthread_mutex_unlock(&forks[i]);
  return p;
}
int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], 0, eat, (void*)i);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
"""

# The same, decided in a function that gets a structure by value, called by one with computed goto.
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

# Whether there is enough is asked under the lock, and what is taken is taken under it later on.
WITHDRAW = """
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;
static void* withdraw(void* p) {
  pthread_mutex_lock(&lock);
  if (balance < 60) {
    pthread_mutex_unlock(&lock);
    return p;
  }
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  balance -= 60;
  pthread_mutex_unlock(&lock);
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, withdraw, 0);
  pthread_create(&b, 0, withdraw, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(balance >= 0);
  return 0;
}
"""

# Passes natively, and races in every execution.
RACE = """
#include <pthread.h>
int count;
static void* add(void* p) { if (count < 5) count++; return p; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""

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

# Fails where the second thread finds the first one in the middle: another case of the same block than where it comes later.
SWITCHED = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int state;
static void* first(void* p) {
  if (atomic_load(&state) == 0) { atomic_store(&state, 1); assert(atomic_load(&state) == 1); atomic_store(&state, 2); }
  return p;
}
static void* second(void* p) {
  switch (atomic_load(&state)) {
    case 0: atomic_store(&state, 4); break;
    case 1:
    case 2: atomic_store(&state, 3); break;
    default: atomic_fetch_add(&state, 1);
  }
  return p;
}
int main(int count, char** words) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  if (count > 1) pthread_join(a, 0);
  pthread_create(&b, 0, second, 0);
  if (count <= 1) pthread_join(a, 0);
  pthread_join(b, 0);
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


def paths_of(line):
    """"… 0.1:10 (run 3) 0.2:1 …" → {"0.1": "10", "0.2": "1"}"""
    return dict(re.findall(r" (0[.0-9]*):([01]+)", line))


class SearchFromRuns(HeddleTest):
    def heddle(self, *arguments, code=None, **options):
        answer = super().heddle(*arguments, **options)
        if code is not None:
            self.assertEqual(answer.code, code, answer.errors)
        return answer

    def build(self, name):
        source = os.path.join(PROGRAMS, name + ".cpp")
        self.heddle("c++", "--full", "-g", "-O1", source, "-o", name, code=0)
        return "./" + name

    def test_follows_the_run_sequence_of_the_running_example(self):
        """Fig. 5.5d: from the run 10/0, flips A, B, C, A and B find nothing; A and C fails."""
        program = self.build("fig_5_1")
        listed = self.heddle("search", "-v", "--runs", "12", "--order", "thesis", "-n", "1", "--", program)
        runs = dict(re.findall(r"^run (\d+): 0:- (0\.1:[01]+ 0\.2:[01]+)$", listed.errors, re.MULTILINE))
        base = next(number for number, paths in runs.items() if paths == "0.1:10 0.2:0")
        answer = self.heddle("search", "-v", "--runs", "12", "--order", "thesis", "--depth", "3", "--traces", "1",
                             "--base", base, "--", program, code=BUG)
        flipped = [line for line in answer.errors.splitlines() if line.startswith(f"run {base}, flipped")]
        asked = [(re.findall(r"(0\.\d) branch (\d)", line), paths_of(line), line.split(": ")[-1]) for line in flipped]
        self.assertEqual(asked, [
            ([("0.1", "2")], {"0.1": "11", "0.2": "0"}, "no schedule"),
            ([("0.1", "1")], {"0.1": "00", "0.2": "0"}, "no schedule"),
            ([("0.2", "1")], {"0.1": "10", "0.2": "1"}, "no schedule"),
            ([("0.1", "2"), ("0.1", "1")], {"0.1": "01", "0.2": "0"}, "no schedule"),
            ([("0.1", "2"), ("0.2", "1")], {"0.1": "11", "0.2": "1"}, "fails when executed"),
        ])
        self.assertIn(f"derived from run {base} by flipping 0.1 branch 2 (fig_5_1.cpp:", answer.errors)
        self.heddle("replay", ARTIFACT, code=BUG)
        # No schedule of the same paths passes: another path explains it.
        explained = self.heddle("explain", "--no-remedy", ARTIFACT, code=0)
        self.assertIn("on other paths (⑂)", explained.output)

    def test_what_fails_is_reported_and_not_what_was_warned_of(self):
        program = self.compile(BOTH_ORDERS, flags=["--full", "-pthread"])
        answer = self.heddle("search", "--runs", "1", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertIn("SUMMARY: heddle: deadlock", answer.errors)

    def test_a_circle_of_three_threads_deadlocks(self):
        program = self.compile(CIRCLE, flags=["--full", "-pthread"])
        answer = self.heddle("search", "--runs", "1", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertRegex(answer.errors.replace("\n ", ""), r"T1 holds .*; T2 holds .*; T3 holds .* None of them can go on")

    def test_says_when_nothing_is_left_to_ask(self):
        self.write("correct.c", CORRECT)
        self.heddle("cc", "--full", "-g", "correct.c", "-o", "correct", code=0)
        answer = self.heddle("search", "--runs", "6", "--", "./correct", code=NO_BUG)
        self.assertIn("no bug was found;", answer.errors)

    def test_a_pass_that_comes_too_early_needs_no_more_executions_than_model_checking(self):
        """Table 5.3: MCR needs 4 for BubbleSort. Who sleeps is followed, and who fails needs nobody to finish."""
        answer = self.heddle("search", "-v", "--runs", "1", "--", self.build("bubble_sort"), code=BUG)
        executed = [line for line in answer.errors.splitlines() if line.endswith("when executed")]
        self.assertLessEqual(len(executed), 4, answer.errors)
        self.assertIn("fails when executed", executed[-1])

    def test_a_branch_in_a_critical_section_is_flipped_while_others_wait_outside(self):
        self.compile(WITHDRAW, flags=["--full"])
        answer = self.heddle("search", "--runs", "1", "--", "./program", code=BUG)
        self.assertRegex(answer.errors, r"derived from run 1 by flipping 0\.\d branch")

    def test_a_bug_on_the_way_to_a_run_that_passed_is_reported(self):
        self.compile(RACE, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", code=NO_BUG)
        answer = self.heddle("search", "--from", "logs", "--", "./program", code=BUG)
        self.assertIn("data race", answer.errors)

    def test_says_what_to_record_where_no_log_is_of_use(self):
        self.compile(RACE, flags=["--full"])
        os.mkdir(self.path("logs"))
        self.write("logs/garbage.hlog", "nothing of the kind")
        answer = self.heddle("search", "--from", "logs", "--", "./program", code=INCONCLUSIVE)
        self.assertIn("1 logs were left out", answer.errors)
        self.assertIn("heddle record -d logs", answer.errors)

    def test_refuses_other_builds(self):
        self.write("correct.c", CORRECT)
        self.heddle("cc", "correct.c", "-o", "correct", code=0)
        answer = self.heddle("search", "--", "./correct", code=BAD_INPUT)
        self.assertIn("heddle c++ --full", answer.errors)

    def test_a_failing_run_is_reconstructed_from_its_paths(self):
        self.compile(NATIVE, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", "1", "joined")
        (log,) = os.listdir(self.path("logs"))
        answer = self.heddle("reconstruct", os.path.join("logs", log), "-o", "out", "--", "./program", "1", "joined", code=BUG)
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
        answer = self.heddle("search", "--from", "logs", "--any-input", "--", "./program", "0", code=BUG)
        self.assertRegex(answer.errors, r"derived from run 1 by flipping 0\.2 branch")

    def reconstruct_failing(self, *arguments):
        self.heddle("record", "-d", "logs", "--", "./program", *arguments)
        (log,) = os.listdir(self.path("logs"))
        answer = self.heddle("reconstruct", os.path.join("logs", log), "-o", "out", "--", "./program", *arguments, code=BUG)
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

    def test_cases_that_lead_to_the_same_place_are_one_path(self):
        self.compile(SWITCHED, flags=["--full", "-O2"])
        self.heddle("record", "-d", "logs", "--", "./program", "joined", code=NO_BUG)
        answer = self.heddle("search", "--from", "logs", "--any-input", "--", "./program", code=BUG)
        self.assertIn("Assertion", answer.errors)

    def test_a_switch_is_made_to_go_the_way_of_the_log(self):
        self.compile(ONE_STATE, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", "2")
        (log,) = os.listdir(self.path("logs"))
        answer = self.heddle("reconstruct", os.path.join("logs", log), "--", "./program", "1", code=BUG)
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
        answer = self.heddle("reconstruct", os.path.join("logs", log), "--", "./program", code=BUG)
        self.assertIn("SUMMARY: heddle: deadlock", answer.errors)
        self.heddle("replay", ARTIFACT, code=BUG)

    def test_native_runs_that_passed_lead_to_one_that_fails(self):
        self.compile(NATIVE, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", "0", "joined", code=NO_BUG)
        (log,) = os.listdir(self.path("logs"))
        # Without the join in between it is another run: named, and only looked at if asked for.
        answer = self.heddle("search", "--from", "logs", "--", "./program", "0", code=INCONCLUSIVE)
        self.assertIn(f"left out: {log}", answer.errors)
        answer = self.heddle("search", "--from", "logs", "--any-input", "--", "./program", "0", code=BUG)
        self.assertIn("derived from run", answer.errors)
        answer = self.heddle("search", "--from", "logs", "--", "./program", "0", "joined", code=NO_BUG)
        self.assertNotIn("left out", answer.errors)


if __name__ == "__main__":
    unittest.main()
