#!/usr/bin/env python3
"""Tests of scripts/affected_tests: which tests follow from what has changed."""
import importlib.machinery
import importlib.util
import os
import subprocess
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "affected_tests")
ROOT = os.path.realpath(os.path.join(os.path.dirname(SCRIPT), ".."))


def load():
    loader = importlib.machinery.SourceFileLoader("affected_tests", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("affected_tests", loader))
    loader.exec_module(module)
    return module


SELECT = load()
END = ("tests/end_to_end", ["end_to_end"])
TESTS = [("cause.Projection.Small", "tests/unit/cause", []), ("search.Trie.Finds", "tests/unit/search", []),
         ("end_to_end.explain", *END), ("end_to_end.docs", *END), ("end_to_end.command_line", *END), ("end_to_end.lin", *END),
         ("end_to_end.symbolic_long", "tests/end_to_end", ["long"]), ("conformance/futex.c@g++", *END),
         ("programs/fail/abort.c@g++", *END), ("programs/fail/abort.c@clang++-19", *END),
         *((f"programs/pass/p{i}.c@g++", *END) for i in range(60))]


def chosen(*changed):
    return SELECT.chosen(TESTS, changed)


class Chosen(unittest.TestCase):
    def test_a_room_has_its_unit_tests_and_what_follows(self):
        names = chosen("tool/cause/remedy.cpp")
        self.assertIn("cause.Projection.Small", names)
        self.assertIn("end_to_end.explain", names)
        self.assertNotIn("search.Trie.Finds", names)
        self.assertNotIn("end_to_end.lin", names)

    def test_something_of_everything_is_always_there(self):
        for names in (chosen(), chosen("docs/README.md")):
            self.assertIn("end_to_end.command_line", names)
        self.assertIn("end_to_end.docs", chosen("docs/README.md"))
        self.assertNotIn("end_to_end.docs", chosen())

    def test_the_engine_has_more_programs(self):
        def programs(names):
            return sum(name.startswith("programs/") for name in names)
        self.assertGreater(programs(chosen("runtime/engine/execution.h")), programs(chosen("tool/cause/remedy.cpp")))

    def test_a_program_or_driver_that_changed_is_run_itself(self):
        names = chosen("tests/programs/fail/abort.c", "tests/end_to_end/lin_test.py")
        for name in ("programs/fail/abort.c@g++", "programs/fail/abort.c@clang++-19", "end_to_end.lin"):
            self.assertIn(name, names)

    def test_long_tests_are_never_there(self):
        self.assertNotIn("end_to_end.symbolic_long", chosen("tests/end_to_end/symbolic_test.py", "tool/constraints/sat.cpp"))


class Table(unittest.TestCase):
    def test_every_row_names_something_that_exists(self):
        for beginning in SELECT.FOLLOWS:
            self.assertTrue(os.path.exists(os.path.join(ROOT, beginning)), f"{beginning} of FOLLOWS does not exist")

    def test_every_room_has_a_row(self):
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        for path in listed:
            if path.endswith((".cpp", ".h")) and path.startswith(("core/", "runtime/", "tool/", "compiler/", "include/", "bench/")):
                self.assertTrue(SELECT.follows(path), f"{path}: no row of FOLLOWS")

    def test_an_unknown_commit_is_refused_by_name(self):
        answer = subprocess.run([SCRIPT, "--since", "no-such-commit", "--build", "build"], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("affected_tests:", answer.stderr)


if __name__ == "__main__":
    unittest.main()
