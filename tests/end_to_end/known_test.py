#!/usr/bin/env python3
"""What users rely on in what `heddle run --known` says of bugs after edits of the program: new, known and gone."""
import json
import os
import unittest

from heddle_driver import BUG, NO_BUG, HeddleTest

# Two threads add to a counter.
PROGRAM = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int counter;
static void add(void) {
  @ADD@
}
static void* work(void* p) {
  add();
  return p;
}
int main(int argc, char** argv) {
  @MAIN@
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(atomic_load(&counter) == 2);
  return 0;
}
"""
LOSES = "int seen = atomic_load(&counter);\n  atomic_store(&counter, seen + 1);"
MENDED = "atomic_fetch_add(&counter, 1);"


def text(add=LOSES, main="(void)argc, (void)argv;"):
    return PROGRAM.replace("@ADD@", add).replace("@MAIN@", main)


def moved(source):
    """The same program with comments above and inside its functions."""
    return "// new\n// new\n" + source.replace(";\n", ";\n  // new\n")


class Known(HeddleTest):
    """`heddle run --known`: new, known and gone."""

    def setUp(self):
        super().setUp()
        self.heddle("run", "-q", "--seed", "1", "-n", "20000", "-o", "known", self.compile(text()), code=BUG)

    def explored(self, source, *arguments, code):
        reports = ("--sarif", "report.sarif", "--junit", "report.xml")
        report, answer = self.report("--seed", "2", "-n", "500", "--known", "known", *reports, *arguments,
                                     self.compile(source), code=code)
        with open(self.path("report.sarif"), encoding="utf-8") as file:
            states = [result["baselineState"] for result in json.load(file)["runs"][0]["results"]]
        with open(self.path("report.xml"), encoding="utf-8") as file:
            return report, answer.errors, states, file.read()

    def test_a_known_bug_is_known_after_an_edit(self):
        report, told, states, junit = self.explored(moved(text()), code=NO_BUG)
        self.assertIn("known: bug-1 (known/bug-1.heddle) still there, in ", told)
        self.assertIn("new: none", told)
        self.assertEqual([(bug["gone"], bug["artifact"]) for bug in report["known"]], [(False, "known/bug-1.heddle")])
        self.assertEqual(report["known"][0]["count"], report["findings"][0]["count"])
        self.assertEqual(states, ["unchanged"])
        self.assertNotIn("<failure", junit)
        self.assertIn("still there", junit)

    def test_a_bug_that_does_not_show_is_gone(self):
        report, told, states, junit = self.explored(text(MENDED), code=NO_BUG)
        self.assertIn("gone: bug-1 (known/bug-1.heddle) not seen in 500 executions: assertion failure", told)
        self.assertTrue(report["known"][0]["gone"])
        self.assertEqual((states, report["findings"]), (["absent"], []))
        self.assertNotIn("<failure", junit)

    def test_a_new_bug_beside_a_known_one(self):
        source = moved(text(LOSES + "\n  static int plain; plain++;"))
        report, told, states, junit = self.explored(source, "--max-failures", "0", code=BUG)
        self.assertIn("new: 1 bug", told)
        self.assertEqual(sorted(states), ["new", "unchanged"])
        self.assertFalse(report["known"][0]["gone"])
        self.assertEqual(junit.count("<failure"), 1)

    def test_nothing_is_known_of_an_empty_folder(self):
        os.mkdir(self.path("empty"))
        report, answer = self.report("--seed", "2", "-n", "500", "--known", "empty", self.compile(text()), code=BUG)
        self.assertEqual(report["known"], [])
        self.assertIn("new: 1 bug", answer.errors)


if __name__ == "__main__":
    unittest.main()
