#!/usr/bin/env python3
"""What users rely on in `heddle search`: from runs that passed, a bug that was executed, and how it was derived."""
import os
import re
import unittest

from heddle_driver import BAD_INPUT, BUG, INCONCLUSIVE, NO_BUG, TESTS, HeddleTest
from sources import NATIVE

# Which way it goes the system decides: all executions of a search are variants of one, and draw the same.
DRAWN = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
atomic_int turns;
static void* work(void* p) { atomic_fetch_add(&turns, 1); return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  atomic_fetch_add(&turns, 1);
  unsigned char drawn = 0;
  if (getrandom(&drawn, 1, 0) != 1) return 2;
  pthread_join(t, NULL);
  if (drawn % 16 == 3) abort();
  return 0;
}
"""
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


def paths_of(line):
    """"… 0.1:10 (run 3) 0.2:1 …" → {"0.1": "10", "0.2": "1"}"""
    return dict(re.findall(r" (0[.0-9]*):([01]+)", line))


class SearchFromRuns(HeddleTest):
    def build(self, name):
        source = os.path.join(PROGRAMS, name + ".cpp")
        self.heddle("c++", "--full", "-g", "-O1", source, "-o", name, code=0)
        return "./" + name

    def test_follows_the_run_sequence_of_the_running_example(self):
        """Fig. 5.5d: from the run 10/0, flips A, B, C, A and B find nothing; A and C fails."""
        program = self.build("fig_5_1")
        listed = self.heddle("search", "--only-near-runs", "-v", "--runs", "12", "--order", "thesis", "-n", "1", "--", program)
        runs = dict(re.findall(r"^run (\d+): 0:- (0\.1:[01]+ 0\.2:[01]+)$", listed.errors, re.MULTILINE))
        base = next(number for number, paths in runs.items() if paths == "0.1:10 0.2:0")
        answer = self.heddle("search", "--only-near-runs", "-v", "--runs", "12", "--order", "thesis", "--depth", "3", "--traces", "1",
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
        answer = self.heddle("search", "--only-near-runs", "--runs", "1", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertIn("SUMMARY: heddle: deadlock", answer.errors)

    def test_a_circle_of_three_threads_deadlocks(self):
        program = self.compile(CIRCLE, flags=["--full", "-pthread"])
        answer = self.heddle("search", "--only-near-runs", "--runs", "1", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertRegex(answer.errors.replace("\n ", ""), r"T1 holds .*; T2 holds .*; T3 holds .* None of them can go on")

    def test_says_when_nothing_is_left_to_ask(self):
        self.write("correct.c", CORRECT)
        self.heddle("cc", "--full", "-g", "correct.c", "-o", "correct", code=0)
        answer = self.heddle("search", "--runs", "6", "--", "./correct", code=NO_BUG)
        self.assertIn("no bug was found;", answer.errors)

    def test_a_pass_that_comes_too_early_needs_no_more_executions_than_model_checking(self):
        """Table 5.3: MCR needs 4 for BubbleSort. Who sleeps is followed, and who fails needs nobody to finish."""
        answer = self.heddle("search", "--only-near-runs", "-v", "--runs", "1", "--", self.build("bubble_sort"), code=BUG)
        executed = [line for line in answer.errors.splitlines() if line.endswith("when executed")]
        self.assertLessEqual(len(executed), 4, answer.errors)
        self.assertIn("fails when executed", executed[-1])

    def test_a_branch_in_a_critical_section_is_flipped_while_others_wait_outside(self):
        self.compile(WITHDRAW, flags=["--full"])
        answer = self.heddle("search", "--only-near-runs", "--runs", "1", "--", "./program", code=BUG)
        self.assertRegex(answer.errors, r"derived from run 1 by flipping 0\.\d branch")

    def test_a_bug_stays_a_bug_where_it_cannot_be_kept(self):
        self.compile(WITHDRAW, flags=["--full"])
        self.write("file", "in the way")
        answer = self.heddle("search", "--only-near-runs", "--runs", "1", "-o", "file", "--", "./program", code=BUG)
        self.assertIn("This execution could not be kept", answer.errors)
        self.assertIn("SUMMARY: heddle: ", answer.errors)
        self.assertNotIn("reproduce:", answer.errors)
        with open(self.path("file"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "in the way")

    def test_a_bug_on_the_way_to_a_run_that_passed_is_reported(self):
        self.compile(RACE, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", code=NO_BUG)
        answer = self.heddle("search", "--only-near-runs", "--from", "logs", "--", "./program", code=BUG)
        self.assertIn("data race", answer.errors)

    def test_executions_are_tried_besides(self):
        # One execution in 16 aborts; that none of 10,000 does has probability (15/16)^10,000 < 1e-280.
        self.compile(DRAWN, flags=("--full",))
        answer = self.heddle("search", "-t", "60s", "--", "./program", code=BUG)
        self.assertIn("SUMMARY: heddle: abort", answer.errors)
        self.assertRegex(answer.errors, r"[1-9][0-9,]* executions tried besides")
        self.heddle("search", "--only-near-runs", "-t", "60s", "-o", "near", "--", "./program", code=NO_BUG)

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

    def test_cases_that_lead_to_the_same_place_are_one_path(self):
        self.compile(SWITCHED, flags=["--full", "-O2"])
        self.heddle("record", "-d", "logs", "--", "./program", "joined", code=NO_BUG)
        answer = self.heddle("search", "--only-near-runs", "--from", "logs", "--any-input", "--", "./program", code=BUG)
        self.assertIn("Assertion", answer.errors)

    def test_native_runs_that_passed_lead_to_one_that_fails(self):
        self.compile(NATIVE, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", "0", "joined", code=NO_BUG)
        (log,) = os.listdir(self.path("logs"))
        # Without the join in between it is another run: named, and only looked at if asked for.
        answer = self.heddle("search", "--from", "logs", "--", "./program", "0", code=INCONCLUSIVE)
        self.assertIn(f"left out: {log}", answer.errors)
        answer = self.heddle("search", "--only-near-runs", "--from", "logs", "--any-input", "--", "./program", "0", code=BUG)
        self.assertIn("derived from run", answer.errors)
        answer = self.heddle("search", "--only-near-runs", "--from", "logs", "--", "./program", "0", "joined", code=NO_BUG)
        self.assertNotIn("left out", answer.errors)


if __name__ == "__main__":
    unittest.main()
