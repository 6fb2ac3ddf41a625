#!/usr/bin/env python3
"""heddle-bench: each of its benchmarks once, small. `deep` and `coop` have files of their own."""
import json
import unittest

from heddle_driver import BAD_INPUT, HeddleTest, needs_full_builds

BENCHMARKS = ("apps", "cause", "coop", "deep", "lin", "paper", "search")


class Bench(HeddleTest):
    def measure(self, *arguments):
        answer = self.heddle_bench(*arguments, "--json", "result.json")
        self.assertEqual(answer.code, 0, answer.output + answer.errors)
        with open(self.path("result.json"), encoding="utf-8") as file:
            return json.load(file), answer

    def test_a_full_build_is_explained_by_solving(self):
        """The thesis' running example, its bank, and its compressor, in which several threads could fail alike; beside
        Table 4.2's figures."""
        needs_full_builds()
        result, _ = self.measure("cause", "fig_4_2", "bank", "compressor_s")
        rows = {row["program"]: row for row in result["programs"]}
        for name in ("fig_4_2", "bank", "compressor_s"):
            self.assertTrue(rows[name]["by_solving"], rows[name])
            self.assertLess(rows[name]["ours"]["kept_events"], rows[name]["ours"]["events"])
        self.assertLessEqual(rows["bank"]["ours"]["kept_events"], rows["bank"]["thesis"]["kept_events"])

    def test_bugs_are_searched_from_runs_that_passed(self):
        needs_full_builds()
        _, answer = self.measure("search", "ping_pong", "--engine-runs", "--runs", "5", "-t", "20")
        self.assertIn("ping_pong", answer.output)

    def test_applications(self):
        _, answer = self.measure("apps", "logger", "-s", "random")
        self.assertIn("logger", answer.output)

    def test_objects(self):
        _, answer = self.measure("lin", "TBStack", "-n", "200")
        self.assertIn("TBStack", answer.output)

    def test_papers(self):
        _, answer = self.measure("paper", "dekker", "-s", "random", "-n", "50")
        self.assertIn("dekker", answer.output)

    def test_help_names_every_benchmark(self):
        answer = self.heddle_bench("--help")
        self.assertEqual(answer.code, 0)
        for name in BENCHMARKS:
            self.assertRegex(answer.output, rf"\n  {name} ")
            self.assertIn(f"heddle-bench {name}", self.heddle_bench(name, "--help").output)

    def test_other_words_are_refused(self):
        for words in ((), ("nothing",), ("paper", "--nothing"), ("cause", "nothing")):
            answer = self.heddle_bench(*words)
            self.assertEqual(answer.code, BAD_INPUT, words)
            self.assertTrue(answer.errors, words)

    def test_heddle_says_where_they_went(self):
        for name in BENCHMARKS:
            answer = self.heddle("bench", name, "--json", "-")
            self.assertEqual(answer.code, BAD_INPUT, name)
            self.assertIn(f"heddle-bench {name}", answer.errors)
        self.assertIn("heddle-bench", self.heddle("bench", "--help-all").output)


if __name__ == "__main__":
    unittest.main()
