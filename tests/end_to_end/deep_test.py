#!/usr/bin/env python3
"""heddle-bench deep: bugs are found within a budget, their correct twins show none, and the results are written.

    deep_test.py          a few of the programs
    deep_test.py --all    all of them, under every strategy
"""
import json
import sys
import unittest

import heddle_driver
from heddle_driver import BAD_INPUT, HeddleTest

ALL = "--all" in sys.argv
if ALL:
    heddle_driver.SECONDS = 1500  # of one command
PROGRAMS = () if ALL else ("reorder_100", "twostage_10", "bluetooth", "bounded_buffer", "wsq", "treiber")


class Deep(HeddleTest):
    def bench(self, *arguments, code=0):
        answer = self.heddle_bench("deep", *PROGRAMS, *arguments)
        self.assertEqual(answer.code, code, answer.output + answer.errors)
        return answer

    def test_bugs_are_found(self):
        self.bench("-s", "auto", "--seeds", "1", "-t", "100s", "-n", "200000" if ALL else "5000", "--json", "deep.json", "--svg", "deep.svg")
        with open(self.path("deep.json"), encoding="utf-8") as file:
            cells = json.load(file)["cells"]
        for cell in cells:
            if cell["program"] != "safestack":  # which takes minutes
                self.assertEqual(cell["not_found"], 0, cell["program"])
        with open(self.path("deep.svg"), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("<svg") and text.endswith("</svg>\n"))
        self.assertIn(">reorder_100</text>", text)

    def test_correct_twins_are_clean(self):
        strategies = [] if ALL else ["-s", "auto", "-s", "greybox"]
        self.bench("--correct", *strategies, "--seeds", "1", "-t", "100s", "-n", "1000" if ALL else "200")

    def test_other_names_are_refused(self):
        answer = self.heddle_bench("deep", "reorder_4")
        self.assertEqual(answer.code, BAD_INPUT)
        self.assertIn("reorder_4", answer.errors)


if __name__ == "__main__":
    unittest.main(argv=[argument for argument in sys.argv if argument != "--all"])
