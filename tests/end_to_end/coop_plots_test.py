#!/usr/bin/env python3
"""heddle-bench coop --plots: the thesis' figures as pictures, of what is measured and of what was saved."""
import os
import unittest
import xml.etree.ElementTree

from heddle_driver import BAD_INPUT, HeddleTest

FIGURES = ["3.10", "3.11", "3.12", "3.6", "3.7", "3.8", "3.9"]


class CoopPlots(HeddleTest):
    def pictures(self, folder):
        found = {}
        for name in sorted(os.listdir(self.path(folder))):
            with open(self.path(f"{folder}/{name}"), encoding="utf-8") as file:
                found[name] = file.read()
        return found

    # More than half of the program's runs fail: that none of the hundreds does that fit into the seconds of
    # recording has a probability below 0.5 ** 100.
    def test_saved_results_give_the_same_pictures(self):
        answer = self.heddle_bench("coop", "cache4j", "--logs", "3", "--passing", "1", "--attempts", "1",
                             "--way", "ours", "--json", "coop.json", "--plots", "measured")
        self.assertEqual(answer.code, 0, answer.output + answer.errors)
        measured = self.pictures("measured")
        self.assertEqual(list(measured), [f"figure-{number}.svg" for number in FIGURES])
        for name, text in measured.items():
            xml.etree.ElementTree.fromstring(text)
            self.assertIn(">Cache4j</text>", text)
            self.assertIn(name, answer.output)
        for share in ("thesis, 100 %", "100 %", "75 %", "50 %", "25 %"):
            self.assertIn(f">{share}</text>", measured["figure-3.8.svg"])
        answer = self.heddle_bench("coop", "--from", "coop.json", "--plots", "saved")
        self.assertEqual(answer.code, 0, answer.output + answer.errors)
        self.assertEqual(self.pictures("saved"), measured)

    def test_other_files_are_refused(self):
        for content in ("", "{}", '{"programs": [{"program": "Piper"}]}'):
            self.write("other.json", content)
            answer = self.heddle_bench("coop", "--from", "other.json", "--plots", "none")
            self.assertEqual(answer.code, BAD_INPUT, content)
            self.assertIn("heddle-bench coop --json", answer.errors)


if __name__ == "__main__":
    unittest.main()
