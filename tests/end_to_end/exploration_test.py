#!/usr/bin/env python3
"""Exhaustive exploration, pruning, what the report shows of a stale read, and `heddle bench litmus`."""
import json
import unittest

from heddle_driver import BAD_INPUT, BUG, NO_BUG, HeddleTest

INCONCLUSIVE, OWN_ERROR = 1, 3

# The flag is seen, the data are not. WEAK and STRONG differ in the orders on the flag alone.
MESSAGE_PASSING = """
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int data, ready;
static void* produce(void* nothing) {
  atomic_store_explicit(&data, 42, memory_order_relaxed);
  atomic_store_explicit(&ready, 1, STORE_ORDER);
  return nothing;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, produce, NULL);
  int seen = atomic_load_explicit(&ready, LOAD_ORDER);
  int value = atomic_load_explicit(&data, memory_order_relaxed);
  heddle_outcome(seen ? (value == 42 ? "new" : "stale") : "early");
  assert(!seen || value == 42);
  pthread_join(thread, NULL);
  return 0;
}
"""
WEAK = ("-DSTORE_ORDER=memory_order_relaxed", "-DLOAD_ORDER=memory_order_relaxed")
STRONG = ("-DSTORE_ORDER=memory_order_release", "-DLOAD_ORDER=memory_order_acquire")

# One thread stores, the other reads whatever is still to be read.
MANY_STORES = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void* store(void* nothing) {
  for (int i = 1; i <= 8; ++i) atomic_store_explicit(&x, i, memory_order_relaxed);
  return nothing;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, store, NULL);
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += atomic_load_explicit(&x, memory_order_relaxed);
  pthread_join(thread, NULL);
  return sum < 0;
}
"""

# Two recorded operations without a common location: one may be over before the other, or they overlap.
OPERATIONS = """
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, z;
static struct heddle_moment calls[2], returns[2];
static void* store_twice(void* nothing) {
  heddle_runtime_operation_called(&calls[0], 0);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  heddle_runtime_operation_returned(&returns[0]);
  return nothing;
}
static void* store_once(void* nothing) {
  heddle_runtime_operation_called(&calls[1], 1);
  atomic_store_explicit(&z, 1, memory_order_relaxed);
  heddle_runtime_operation_returned(&returns[1]);
  return nothing;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, store_twice, NULL);
  pthread_create(&b, NULL, store_once, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  heddle_outcome(returns[0].order < calls[1].order   ? "twice, once"
                 : returns[1].order < calls[0].order ? "once, twice"
                                                     : "overlap");
  return 0;
}
"""

RACE = """
#include <pthread.h>
int x;
static void* set(void* p) { x = 1; return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, set, 0);
  x = 2;
  pthread_join(t, 0);
  return 0;
}
"""

SB = """test SB+rlx
thread store x 1 rlx ; a = load y rlx
thread store y 1 rlx ; b = load x rlx
allowed a=1 b=1
{} a=0 b=0
"""


class Exhaustive(HeddleTest):
    def test_a_correct_program_is_explored_to_its_end(self):
        program = self.compile(MESSAGE_PASSING, flags=STRONG)
        report, answer = self.report("-s", "exhaustive", "--histogram", program, code=NO_BUG)
        self.assertTrue(report["left"]["exhausted"])
        self.assertIn("every execution", answer.errors)
        self.assertEqual(set(report["outcomes"]), {"new", "early"})
        again, _ = self.report("-s", "exhaustive", "--histogram", program, code=NO_BUG)
        self.assertEqual((report["executions"], report["outcomes"]), (again["executions"], again["outcomes"]))

    def test_which_operation_was_over_before_another_is_explored(self):
        program = self.compile(OPERATIONS)
        report, _ = self.report("-s", "exhaustive", "--histogram", program, code=NO_BUG)
        self.assertEqual(set(report["outcomes"]), {"twice, once", "once, twice", "overlap"})

    def test_a_bug_is_found_and_replayed(self):
        program = self.compile(MESSAGE_PASSING, flags=WEAK)
        report, answer = self.report("-s", "exhaustive", program, code=BUG)
        self.assertEqual(report["findings"][0]["kind"], "assertion failure")
        self.assertIn("STALE", answer.errors)  # the read that made it fail is marked
        self.assertEqual(self.heddle("replay", report["findings"][0]["artifact"]).code, BUG)

    def test_a_race_is_not_called_explored_unless_its_accesses_are_choices(self):
        program = self.compile(RACE)
        report, answer = self.report("-s", "exhaustive", "--max-failures", "0", "--consequences", "0", program, code=BUG)
        self.assertFalse(report["left"]["exhausted"])
        self.assertIn("whose accesses are no choices", answer.errors)
        report, _ = self.report("-s", "exhaustive", "--max-failures", "0", "--consequences", "0", "--visible", "all", program, code=BUG)
        self.assertTrue(report["left"]["exhausted"])

    def test_bugs_do_not_stop_the_search_when_they_need_not(self):
        program = self.compile(MESSAGE_PASSING, flags=WEAK)
        report, _ = self.report("-s", "exhaustive", "--max-failures", "0", "--histogram", program, code=BUG)
        self.assertTrue(report["left"]["exhausted"])
        self.assertEqual(set(report["outcomes"]), {"new", "early", "stale"})
        self.assertEqual(report["buggy_executions"], report["outcomes"]["stale"])


class Pruning(HeddleTest):
    def test_the_summary_says_when_something_was_lost(self):
        program = self.compile(MANY_STORES)
        common = ("-n", "50", "--seed", "1", program)
        for prune, lost in ((["--prune", "window:2"], True), (["--prune", "aggressive:2"], True),
                            (["--prune", "conservative"], False), ([], False)):
            report, answer = self.report(*prune, *common, code=NO_BUG)
            self.assertEqual(report["pruned_executions"] > 0, lost, prune)
            self.assertEqual("pruned:" in answer.errors, lost, answer.errors)

    def test_bad_ways_to_prune_are_refused(self):
        answer = self.heddle("run", "--prune", "everything", "./program")
        self.assertEqual(answer.code, BAD_INPUT)
        self.assertIn("everything", answer.errors)


class Litmus(HeddleTest):
    def test_the_table_agrees(self):
        answer = self.heddle("bench", "litmus", "SB+", "MP+rel", "CoRR")
        self.assertEqual(answer.code, 0, answer.output + answer.errors)
        self.assertIn("all as expected", answer.output)
        for word in ("SB+rlx", "a=0 b=0", "allowed", "forbidden", "never in"):
            self.assertIn(word, answer.output)

    def test_json(self):
        answer = self.heddle("bench", "litmus", "--json", "-", "SB+sc")
        self.assertEqual(answer.code, 0, answer.errors)
        results = json.loads(answer.output)
        self.assertTrue(results["agrees"] and results["tests"])
        for test in results["tests"]:
            self.assertTrue(test["exhausted"] and test["executions"] > 0)
            for verdict in test["verdicts"]:
                self.assertEqual(verdict["shown"], verdict["expected"] == "allowed")

    def test_disagreement_is_an_error_of_heddles_own(self):
        self.write("wrong.litmus", SB.format("forbidden"))
        answer = self.heddle("bench", "litmus", "--folder", ".")
        self.assertEqual(answer.code, OWN_ERROR)
        self.assertIn("not as expected", answer.output)
        self.write("wrong.litmus", SB.format("allowed"))
        self.assertEqual(self.heddle("bench", "litmus", "--folder", ".").code, 0)
        self.assertEqual(self.heddle("bench", "litmus", "--folder", ".", "-n", "1").code, INCONCLUSIVE)

    def test_bad_input(self):
        self.write("bad.litmus", "test X\nthread jump\nallowed x=1\n")
        for arguments, told in ((["--folder", "."], "bad.litmus:2"), (["no-such-test"], "such a name"),
                                (["--folder", "not-there"], "not-there")):
            answer = self.heddle("bench", "litmus", *arguments)
            self.assertEqual(answer.code, BAD_INPUT, answer.errors)
            self.assertIn(told, answer.errors)
        self.assertEqual(self.heddle("bench").code, BAD_INPUT)
        self.assertEqual(self.heddle("bench", "--help").code, 0)
        self.assertIn("examples", self.heddle("bench", "litmus", "--help").output)


class Speed(HeddleTest):
    def test_operations_are_measured_beside_thread_sanitizer(self):
        answer = self.heddle("bench", "speed", "mutexes", "--only", "2 threads, 1 ", "--rounds", "1", "--compiler", "g++", "--json", "-")
        self.assertEqual(answer.code, 0)
        rows = json.loads(answer.output)["operations"]
        self.assertEqual([row["name"] for row in rows], ["lock and unlock, 2 threads, 1 mutexes"])
        for part in ("heddle_ns", "tsan_ns", "native_ns", "ratio"):
            self.assertGreater(rows[0][part]["median"], 0)
        for arguments in (["nonsense"], ["--rounds", "0"], ["--longest", "20"], ["--compiler", "no-such-compiler"]):
            self.assertEqual(self.heddle("bench", "speed", *arguments).code, BAD_INPUT, arguments)


if __name__ == "__main__":
    unittest.main()
