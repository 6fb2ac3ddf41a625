#!/usr/bin/env python3
"""What users rely on in --suppressions: known findings stay quiet, others are still found, bad files are refused."""
import os
import unittest

from heddle_driver import BAD_INPUT, BUG, NO_BUG, HeddleTest

# Two races: one in a statistic that nobody minds, one in the data itself.
TWO_RACES = """
#include <pthread.h>
int statistic, data;
__attribute__((noinline)) void count_statistic(void) { ++statistic; }
__attribute__((noinline)) void change_data(void) { SECOND }
static void* work(void* p) { count_statistic(); change_data(); return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  work(NULL);
  pthread_join(t, NULL);
  return 0;
}
"""


class SuppressionsTest(HeddleTest):
    def build(self, second):
        self.compile(TWO_RACES.replace("SECOND", second))

    def campaign(self, *options, executions=40, **environment):
        report, answer = self.report("-n", str(executions), "--seed", "1", "--max-failures", "0", *options, "--",
                                     "./program", env={**os.environ, **environment})
        return answer, report

    def test_a_suppressed_race_is_counted_and_no_bug(self):
        self.build("")
        for line in ("race:count_statistic", "race:^statistic$", "race_top:count_*istic", "race:*program.c"):
            self.write("known", f"# known and harmless\n\n  {line}\n")
            answer, report = self.campaign("--suppressions", "known")
            self.assertEqual(NO_BUG, answer.code, answer.errors)
            self.assertEqual([], report["findings"])
            self.assertEqual(0, report["buggy_executions"])
            self.assertEqual([line], [used["suppression"] for used in report["suppressed"]])
            self.assertGreaterEqual(report["suppressed"][0]["count"], 40)
            self.assertIn(f"by {line}", answer.errors)

    def test_other_races_of_the_same_executions_are_found(self):
        self.build("++data;")
        self.write("known", "race:count_statistic\n")
        answer, report = self.campaign("--suppressions", "known")
        self.assertEqual(BUG, answer.code, answer.errors)
        self.assertEqual(["change_data"], sorted({place["function"] for finding in report["findings"]
                                                  for place in finding["locations"]}))
        replayed = self.heddle("replay", report["findings"][0]["artifact"])
        self.assertEqual(BUG, replayed.code)
        self.assertNotIn("#0 count_statistic", replayed.errors)

    def test_the_option_variable_names_a_file_too(self):
        self.build("")
        self.write("known", "race:statistic\n")
        answer, _ = self.campaign(HEDDLE_OPTIONS="suppressions=known")
        self.assertEqual(NO_BUG, answer.code, answer.errors)

    def test_what_does_not_match_suppresses_nothing(self):
        self.build("")
        for line in ("race_top:work", "race:^count$", "deadlock:*", "mutex:count_statistic", "thread:*"):
            self.write("known", line + "\n")
            answer, report = self.campaign("--suppressions", "known", executions=5)
            self.assertEqual(BUG, answer.code, line)
            self.assertEqual([], report["suppressed"])

    def test_a_bad_file_is_refused_with_its_line(self):
        self.build("")
        for text, place in (("race:x\nrice:y\n", "known:2"), ("\n\nnothing\n", "known:3"), ("race:\n", "known:1")):
            self.write("known", text)
            answer = self.heddle("run", "--suppressions", "known", "--", "./program")
            self.assertEqual(BAD_INPUT, answer.code)
            self.assertIn(place, answer.errors)
        answer = self.heddle("run", "--suppressions", "not-there", "--", "./program")
        self.assertEqual(BAD_INPUT, answer.code)
        self.assertIn("not-there", answer.errors)


if __name__ == "__main__":
    unittest.main()
