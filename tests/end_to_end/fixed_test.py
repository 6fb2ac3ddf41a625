#!/usr/bin/env python3
"""What users rely on in `heddle fixed`."""
import json
import os
import shutil
import signal
import unittest

from heddle_driver import BAD_INPUT, BUG, HEDDLE, INCONCLUSIVE, NO_BUG, HeddleTest
from known_test import LOSES, MENDED, moved, text


class FixedTest(HeddleTest):
    def setUp(self):
        super().setUp()
        self.old = self.compile(text(), name="old")
        self.heddle("run", "-q", "--seed", "1", "-n", "20000", self.old, code=BUG)
        self.artifact = "heddle-out/bug-1.heddle"

    def fixed(self, *arguments, code, options=("-n", "2000"), **others):
        answer = self.heddle("fixed", "--seed", "1", "--json", "fixed.json", *options, self.artifact, "--", *arguments,
                             code=code, **others)
        with open(self.path("fixed.json"), encoding="utf-8") as file:
            return json.load(file), answer


class Answers(FixedTest):
    def test_gone(self):
        told, answer = self.fixed(self.compile(text(MENDED), name="new"), code=NO_BUG)
        self.assertEqual((told["answer"], told["found"], told["others"], told["complete"]), ("gone", None, [], True))
        self.assertEqual((told["now"]["hits"], told["now"]["executions"]), (0, 2000))
        self.assertAlmostEqual(told["now"]["high"], 1 - 0.05 ** (1 / 2000), places=9)
        self.assertGreater(told["before"]["hits"], 100)
        self.assertLess(told["before"]["low"], told["before"]["rate"])
        for part in ("heddle: gone: assertion failure old.c:", "  before: seen in ", " % (95 % interval: ",
                     "  now:    in none of 2,000 executions: below 0.15 % with 95 % confidence"):
            self.assertIn(part, answer.errors)
        self.assertFalse(os.path.exists(self.path("heddle-out/bug-2.heddle")))

    def test_still_there_where_lines_have_moved(self):
        self.write("old.c", moved(text()))
        self.heddle("cc", "-g", "-O2", "old.c", "-o", "new", code=0)
        told, answer = self.fixed("./new", code=BUG)
        self.assertEqual((told["answer"], told["found_by"]), ("still there", "the old execution, carried over"))
        self.assertGreater(told["now"]["hits"], 100)
        self.assertIn("reproduce: heddle replay heddle-out/bug-2.heddle", answer.errors)
        self.heddle("replay", "-q", "heddle-out/bug-2.heddle", code=BUG)
        # The artifact is one of the changed program, and about the same line.
        self.assertNotEqual(told["found"]["summary"], told["bug"]["summary"])
        self.assertTrue(told["found"]["artifact"].endswith("bug-2.heddle"))

    def test_the_old_program_need_not_be_there(self):
        new = self.compile(text(MENDED), name="new")
        again = self.compile(moved(text()), name="old")  # in the place of the old one
        told, answer = self.fixed(new, code=NO_BUG)
        self.assertIsNone(told["before"])
        self.assertIn("before: not known.", answer.errors)
        self.assertEqual(self.fixed(again, code=BUG)[0]["answer"], "still there")
        os.remove(self.path("old"))
        self.assertIsNone(self.fixed(new, code=NO_BUG)[0]["before"])

    def test_an_old_program_that_was_moved_can_be_named(self):
        shutil.move(self.path("old"), self.path("kept"))
        new = self.compile(text(MENDED), name="new")
        told, _ = self.fixed(new, code=NO_BUG, options=("-n", "500", "--before", "./kept"))
        self.assertGreater(told["before"]["hits"], 0)
        answer = self.heddle("fixed", "-n", "9", "--before", new, self.artifact, "--", new, code=BAD_INPUT)
        self.assertIn("--before", answer.errors)

    def test_the_very_program_of_the_artifact(self):
        told, answer = self.fixed(self.old, code=BUG)
        self.assertTrue(told["program"]["same_build"])
        self.assertIn("nothing was changed", answer.errors)

    def test_another_bug_does_not_change_the_answer(self):
        other = self.compile(text(MENDED + "\n  static int plain; plain++;"), name="new")
        told, answer = self.fixed(other, code=NO_BUG)
        self.assertEqual([bug["kind"] for bug in told["others"]], ["data race"])
        self.assertIn("  other: data race", answer.errors)
        self.heddle("replay", "-q", told["others"][0]["artifact"], code=BUG)
        both = self.compile(text(LOSES + "\n  static int plain; plain++;"), name="both")
        told, _ = self.fixed(both, code=BUG)
        self.assertEqual([bug["kind"] for bug in told["others"]], ["data race"])

    def test_where_every_execution_ends_otherwise_nothing_is_known(self):
        told, answer = self.fixed(self.compile(text(MENDED, "return 3;"), name="new"), code=INCONCLUSIVE)
        self.assertEqual(told["answer"], "not known")
        self.assertIn("another bug", told["inconclusive"])
        self.assertIn("another bug", answer.errors)

    def test_all_executions_of_a_small_program_are_all_that_there_is(self):
        told, answer = self.fixed(self.compile("int main(void) { return 0; }", name="new"), code=NO_BUG)
        self.assertTrue(told["exhausted"])
        self.assertIn("every execution of the new program was explored", answer.errors)

    def test_the_same_seed_the_same_rates(self):
        new = self.compile(moved(text()), name="new")
        rates = []
        for jobs in ("1", "2"):
            told, _ = self.fixed(new, code=BUG, options=("-n", "300", "-j", jobs))
            rates.append([(told[when]["hits"], told[when]["executions"]) for when in ("before", "now")])
        self.assertEqual(rates[0], rates[1])

    def test_a_bug_that_few_random_executions_show(self):
        """Its two threads have to alternate eight times: the old execution says how."""
        add = "for (int i = 0; i < 4; i++) { %s }" % LOSES.replace("\n", "")
        rare = text(add).replace("== 2", "!= 2")
        self.compile(rare, name="old")
        self.heddle("run", "-q", "--seed", "1", "-n", "200000", "-o", "rare", self.old, code=BUG)
        self.artifact = "rare/bug-1.heddle"
        told, _ = self.fixed(self.compile(moved(rare), name="new"), code=BUG, options=("-n", "1"))
        self.assertEqual(told["found_by"], "the old execution, carried over")


class Programs(FixedTest):
    def test_arguments_of_the_artifact_are_kept(self):
        self.compile(text(LOSES, "if (argc < 2) return 0; (void)argv;"), name="old")
        self.heddle("run", "-q", "--seed", "1", "-n", "20000", "-o", "args", self.old, "go", code=BUG)
        self.artifact = "args/bug-1.heddle"
        again = self.compile(moved(text(LOSES, "if (argc < 2) return 0; (void)argv;")), name="new")
        told, _ = self.fixed(again, code=BUG)
        self.assertEqual(told["program"]["argv"], ["./new", "go"])
        self.assertEqual(self.fixed(again, "other", code=BUG)[0]["program"]["argv"], ["./new", "other"])


class Refusals(FixedTest):
    def test_wrong_use(self):
        for arguments, part in ((("fixed",), "No artifact given."), (("fixed", self.artifact), "No program given."),
                                (("fixed", self.artifact, "--"), "No program given."),
                                (("fixed", "-n", "0", self.artifact, "--", self.old), "-n: 0 is too small"),
                                (("fixed", "-t", "soon", self.artifact, "--", self.old), "-t: 'soon' is no duration."),
                                (("fixed", "not-there.heddle", "--", self.old), "not-there.heddle"),
                                (("fixed", self.artifact, "--", "./not-there"), "not-there"),
                                (("fixed", "old.c", "--", self.old), "old.c")):
            with self.subTest(arguments):
                answer = self.heddle(*arguments, code=BAD_INPUT)
                self.assertIn(part, answer.errors)

    def test_a_damaged_artifact_is_refused(self):
        with open(self.path(self.artifact), "rb") as file:
            content = file.read()
        for name, damaged in (("cut", content[:len(content) // 2]), ("changed", content[:99] + b"\xff\xff" + content[101:])):
            with open(self.path(name), "wb") as file:
                file.write(damaged)
            self.heddle("fixed", "-n", "9", name, "--", self.old, code=BAD_INPUT)

    def test_a_report_that_cannot_be_written_leaves_the_answer(self):
        answer = self.heddle("fixed", "-n", "50", "--json", "/dev/full", self.artifact, "--", self.old, code=BUG)
        self.assertIn("/dev/full", answer.errors)

    def test_a_folder_that_cannot_be_written_leaves_the_answer(self):
        self.write("file", "")
        told, answer = self.fixed(self.old, code=BUG, options=("-n", "50", "-o", "file/out"))
        self.assertIsNone(told["found"]["artifact"])
        self.assertIn("could not be kept", answer.errors)

    def test_an_interruption_ends_it_without_an_answer(self):
        new = self.compile(text(MENDED), name="new")
        child = self.start(HEDDLE, "fixed", "-t", "0", "--json", "fixed.json", "-n", "1000000000000", self.artifact, "--", new)
        line = child.stderr.readline()  # "heddle: seed …": its work begins
        self.assertIn(b"seed", line)
        child.send_signal(signal.SIGINT)
        answer = self.finish(child)
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        with open(self.path("fixed.json"), encoding="utf-8") as file:
            self.assertFalse(json.load(file)["complete"])


if __name__ == "__main__":
    unittest.main()
