#!/usr/bin/env python3
"""What users rely on where plain accesses are choices: what a race leads to, --visible, --look-for, long runs."""
import os
import unittest

from heddle_driver import BAD_INPUT, BUG, NO_BUG, HeddleTest

# The worker reads a pointer that main sets after it has started it, with no choice in between.
ORDER = """
#include <pthread.h>
#include <stdlib.h>
int *config;
static void* work(void* p) { *(int*)p += *config; return p; }
int main(void) {
  int sum = 0;
  pthread_t t;
  pthread_create(&t, NULL, work, &sum);
  config = calloc(1, sizeof *config);
  pthread_join(t, NULL);
  free(config);
  return sum;
}
"""

# A lost update: nothing but an order of plain accesses can show it.
UPDATE = """
#include <assert.h>
#include <pthread.h>
int counter;
static void* work(void* p) { ++counter; return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  work(NULL);
  pthread_join(t, NULL);
  assert(counter == 2);
  return 0;
}
"""

# A race that does no harm.
HARMLESS = UPDATE.replace("assert(counter == 2);", "")

# One test of two has a race, in every execution. The check of the other one fails in some.
CHECKS = r"""
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
atomic_int sum;
int hits;
static void* add(void* p) { atomic_store(&sum, atomic_load(&sum) + 1); return p; }
static void* hit(void* p) { ++hits; return p; }
static void twice(void* (*run)(void*)) {
  pthread_t t;
  pthread_create(&t, NULL, run, NULL);
  run(NULL);
  pthread_join(t, NULL);
}
int main(void) {
  puts("[ RUN      ] Counters.Sum");
  twice(add);
  const int fails = atomic_load(&sum) != 2;
  if (fails)
    printf("%s:%d: Failure\nExpected equality of these values:\n  sum\n    Which is: 1\n  2\n", __FILE__, __LINE__);
  puts("[ RUN      ] Counters.Hits");
  twice(hit);
  return fails;
}
"""

# It fails only where the producer comes 40 operations ahead of the consumer.
FILLS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum { kRoom = 40 };
atomic_int in, out, lost;
static void* produce(void* p) {
  for (int i = 0; i < 60; ++i) {
    if (atomic_load(&in) - atomic_load(&out) >= kRoom) atomic_fetch_add(&lost, 1);
    atomic_fetch_add(&in, 1);
  }
  return p;
}
static void* consume(void* p) {
  for (int i = 0; i < 60; ++i) {
    while (atomic_load(&out) == atomic_load(&in)) {}
    atomic_fetch_add(&out, 1);
  }
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, produce, NULL);
  pthread_create(&b, NULL, consume, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(atomic_load(&lost) == 0);
  return 0;
}
"""


class RaceConsequencesTest(HeddleTest):
    def race_of(self, report):
        races = [finding for finding in report["findings"] if finding["kind"] == "data race"]
        self.assertEqual(1, len(races), report["findings"])
        return races[0]

    def test_a_race_says_what_it_leads_to_and_that_replays(self):
        self.compile(ORDER)
        report, answer = self.report("--seed", "1", "-s", "random", "--", "./program", code=BUG)
        if report["findings"][0]["kind"] != "data race":
            self.fail("the first finding of this seed was to be the race: choose another seed")
        led_to = self.race_of(report)["consequences"]
        self.assertEqual(["fatal signal"], [found["kind"] for found in led_to["found"]])
        self.assertGreater(led_to["found"][0]["count"], 0)
        self.assertTrue(led_to["complete"])
        block = answer.errors.split("SUMMARY")[0]
        self.assertRegex(block, r"leads to: fatal signal SIGSEGV program\.c:5:.* with its accesses as choices")
        self.assertIn(f"heddle replay {led_to['found'][0]['artifact']}", block)
        replayed = self.heddle("replay", "--times", "3", led_to["found"][0]["artifact"], code=BUG)
        self.assertIn("3 of 3 times", replayed.errors)
        again, _ = self.report("--seed", "1", "-s", "random", "-j", "1", "-o", "again", "--", "./program", code=BUG)
        self.assertEqual(led_to["found"][0]["count"], self.race_of(again)["consequences"]["found"][0]["count"],
                         "a function of the seed, whatever -j is")

    def test_an_assertion_behind_a_lost_update_is_found(self):
        self.compile(UPDATE)
        report, _ = self.report("--seed", "1", "--", "./program", code=BUG)
        self.assertEqual(["assertion failure"],
                         [found["kind"] for found in self.race_of(report)["consequences"]["found"]])
        # The reports of the folder have it, too.
        self.heddle("report", "--json", "later.json", "--sarif", "later.sarif", "heddle-out", code=NO_BUG)
        with open(self.path("later.json"), encoding="utf-8") as file:
            self.assertIn('"assertion failure"', file.read())
        with open(self.path("later.sarif"), encoding="utf-8") as file:
            self.assertIn("It leads to: assertion failure", file.read())

    def test_a_failed_check_is_told_first_and_by_itself(self):
        self.compile(CHECKS)
        report, answer = self.report("--seed", "1", "--", "./program", code=BUG)
        self.assertEqual(["data race", "test failure"], [finding["kind"] for finding in report["findings"]])
        self.assertRegex(answer.errors, r"1\. test failure program\.c:\d+ in Counters\.Sum\nheddle: 2\. data race")
        self.assertRegex(answer.errors, r"WARNING: heddle: test failure .*\n  A check failed at program\.c:\d+ in Counters\.Sum")
        self.heddle("replay", report["findings"][1]["artifact"], code=BUG)
        # The reports of the folder have both.
        self.heddle("report", "--json", "later.json", "heddle-out", code=NO_BUG)
        with open(self.path("later.json"), encoding="utf-8") as file:
            self.assertIn('"test failure"', file.read())

    def test_a_harmless_race_promises_nothing(self):
        self.compile(HARMLESS)
        report, answer = self.report("--seed", "1", "--", "./program", code=BUG)
        self.assertEqual([], self.race_of(report)["consequences"]["found"])
        self.assertRegex(answer.errors, r"leads to: nothing else was seen in [\d,]+ executions .*no promise")

    def test_no_executions_are_spent_where_none_are_wanted(self):
        self.compile(UPDATE)
        report, _ = self.report("--seed", "1", "--consequences", "0", "--", "./program", code=BUG)
        self.assertNotIn("consequences", self.race_of(report))

    def test_what_a_suppressed_race_leads_to_is_a_bug(self):
        self.compile(UPDATE)
        self.write("known", "race:^counter$\n")
        report, _ = self.report("--seed", "1", "-n", "300", "--suppressions", "known", "--", "./program", code=BUG)
        self.assertEqual(["assertion failure"], [finding["kind"] for finding in report["findings"]])
        self.heddle("replay", report["findings"][0]["artifact"], code=BUG)


class VisibleTest(HeddleTest):
    def found_with(self, what):
        report, _ = self.report("--seed", "1", "-n", "400", "--max-failures", "0", "--consequences", "0",
                                *(["--visible", what] if what else []), "--", "./program", code=BUG)
        return {finding["kind"] for finding in report["findings"]}

    def test_lines_variables_and_all_accesses_can_be_choices(self):
        self.compile(UPDATE)
        self.assertEqual({"data race"}, self.found_with(None))
        for what in ("all", "counter", "program.c:5"):
            self.assertEqual({"data race", "assertion failure"}, self.found_with(what), what)

    def test_executions_with_visible_accesses_repeat(self):
        self.compile(UPDATE)
        for strategy in ("auto", "random", "random:switch=0", "pct", "pos", "surw", "exhaustive"):
            self.heddle("run", "--verify-determinism", "--visible", "all", "-s", strategy, "--", "./program", code=NO_BUG)

    def test_names_that_mean_nothing_are_refused(self):
        self.compile(UPDATE)
        for what in ("conter", "program.c:1", "program.c:999", "other.c:5"):
            answer = self.heddle("run", "--visible", what, "--", "./program", code=BAD_INPUT)
            self.assertIn(f"--visible {what}", answer.errors)

    def test_exhaustive_search_finds_both_orders_and_ends(self):
        self.compile(UPDATE)
        report, answer = self.report("-s", "exhaustive", "--visible", "counter", "--max-failures", "0",
                                     "--consequences", "0", "--", "./program", code=BUG)
        self.assertEqual({"data race", "assertion failure"}, {finding["kind"] for finding in report["findings"]})
        self.assertTrue(report["left"]["search_ended"], answer.errors)


class LookForTest(HeddleTest):
    def test_other_bugs_are_passed_by(self):
        self.compile(UPDATE)
        first, _ = self.report("--seed", "1", "--", "./program", code=BUG)
        wanted = first["findings"][0]["consequences"]["found"][0]["artifact"]
        report, answer = self.report("--seed", "2", "--look-for", wanted, "-o", "found", "--", "./program", code=BUG)
        kept = [finding for finding in report["findings"] if finding["artifact"]]
        self.assertEqual(["assertion failure"], [finding["kind"] for finding in kept])
        self.assertEqual(["bug-1.heddle"], sorted(n for n in os.listdir(self.path("found")) if n.endswith(".heddle")))
        self.assertNotIn("WARNING: heddle: data race", answer.errors)

    def test_what_the_program_cannot_do_is_not_found(self):
        self.compile(UPDATE)
        self.report("--seed", "1", "--", "./program", code=BUG)
        self.compile(HARMLESS)
        self.heddle("run", "--seed", "1", "-n", "600", "--look-for", "heddle-out/bug-2.heddle", "-o", "none", "--",
                    "./program", code=NO_BUG)

    def test_a_file_that_is_none_is_refused(self):
        self.compile(UPDATE)
        self.write("nothing", "no log\n")
        for name in ("nothing", "missing"):
            answer = self.heddle("run", "--look-for", name, "--", "./program", code=BAD_INPUT)
            self.assertIn(name, answer.errors)


class LongRunsTest(HeddleTest):
    def test_threads_that_run_on_fill_queues(self):
        # With a mean of 64 operations a run of more than 150 (40 rounds of 3 or 4) has probability e^-2.4 = 0.09 each
        # time that the producer begins one; in 300 executions none happens with probability 0.91^300 < 1e-12.
        self.compile(FILLS)
        self.heddle("run", "--seed", "1", "-n", "300", "-s", "random:switch=64", "--", "./program", code=BUG)

    def test_bad_parameters_are_refused(self):
        self.compile(UPDATE)
        answer = self.heddle("run", "-s", "random:swich=4", "--", "./program", code=BAD_INPUT)
        self.assertIn("switch", answer.errors)


if __name__ == "__main__":
    unittest.main()
