#!/usr/bin/env python3
"""run_programs.py against a stand-in for heddle: it has to notice whatever a broken heddle could do."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import heddle_driver

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVER = os.path.join(HERE, "run_programs.py")

# Answers as a file beside it says, and writes its JSON report where it is asked to.
STAND_IN = """#!/usr/bin/env python3
import json, os, sys
answers = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "answers.json")))
answer = answers[sys.argv[1]]
if "report" in answer:
    report = answer["report"]
    if "--repetition" in sys.argv:
        report["digest"] = answer.get("digests", {}).get(sys.argv[sys.argv.index("--repetition") + 1], "same")
    json.dump(report, open(sys.argv[sys.argv.index("--json") + 1], "w"))
print(answer.get("output", ""))
sys.exit(answer["status"])
"""


def report(findings=(), **changes):
    return {"version": 1, "seed": 1, "executions": 300, "buggy_executions": len(findings), "executions_per_second": 9,
            "strategies": ["random"], "findings": list(findings), **changes}


def finding(kind):
    return {"kind": kind, "summary": "", "count": 1, "artifact": "heddle-out/bug-1.heddle", "locations": []}


class RunPrograms(unittest.TestCase):
    def drive(self, verdict, source, run, replay=None, compile_status=0):
        """The driver's exit status and output for a program and heddle's answers."""
        with tempfile.TemporaryDirectory() as folder:
            stand_in = os.path.join(folder, "heddle")
            program = os.path.join(folder, verdict, "program.cpp")
            os.mkdir(os.path.dirname(program))
            compiled = {"status": compile_status}
            answers = {"c++": compiled, "run": run, "replay": replay or {"status": 3}}
            for path, text in ((stand_in, STAND_IN), (program, source),
                               (os.path.join(folder, "answers.json"), json.dumps(answers))):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            os.chmod(stand_in, 0o755)
            result = subprocess.run([sys.executable, DRIVER, "--heddle", stand_in, "--compiler", "g++", "--work",
                                     os.path.join(folder, "work"), program], capture_output=True, text=True)
            return result.returncode, result.stdout + result.stderr

    def found(self, kind, status=66):
        return {"status": status, "output": f"SUMMARY: heddle: {kind} here", "report": report([finding(kind)])}

    def test_clean_program(self):
        self.assertEqual(self.drive("pass", "int main() {}\n", {"status": 0, "report": report()})[0], 0)

    def test_executions_that_depend_on_their_repetition(self):
        run = {"status": 0, "report": report(), "digests": {"copy": "other"}}
        status, output = self.drive("pass", "int main() {}\n", run)
        self.assertEqual(status, 1)
        self.assertIn("depend on how they are repeated", output)

    def test_false_alarm_fails_and_prints_how_to_reproduce(self):
        status, output = self.drive("pass", "int main() {}\n", self.found("deadlock"))
        self.assertEqual(status, 1)
        self.assertIn("exit code 66, expected 0", output)
        self.assertRegex(output, r"heddle run -v -n 300 --seed 1 --json report.json .* -- ./program")

    def test_finding_that_replays(self):
        replay = {"status": 66, "output": "SUMMARY: heddle: deadlock here"}
        self.assertEqual(self.drive("fail", "// expect: deadlock\n", self.found("deadlock"), replay)[0], 0)

    def test_missed_bug_fails(self):
        status, output = self.drive("fail", "// expect: deadlock\n", {"status": 0, "report": report()})
        self.assertEqual(status, 1)
        self.assertIn("exit code 0, expected 66", output)

    def test_other_kind_fails(self):
        status, output = self.drive("fail", "// expect: deadlock\n", self.found("abort"))
        self.assertEqual(status, 1)
        self.assertIn("found “abort”, expected ['deadlock']", output)

    def test_replay_that_does_not_reproduce_fails(self):
        replay = {"status": 1, "output": "diverged"}
        status, output = self.drive("fail", "// expect: deadlock\n", self.found("deadlock"), replay)
        self.assertEqual(status, 1)
        self.assertIn("heddle replay (1): exit code 1, expected 66", output)

    def test_replay_of_another_kind_fails(self):
        replay = {"status": 66, "output": "SUMMARY: heddle: abort here"}
        self.assertEqual(self.drive("fail", "// expect: deadlock\n", self.found("deadlock"), replay)[0], 1)

    def test_missing_text_in_the_report_fails(self):
        status, output = self.drive("fail", "// expect: abort\n// message: SIGFPE\n", self.found("abort"))
        self.assertEqual(status, 1)
        self.assertIn("does not say “SIGFPE”", output)

    def test_outcomes_are_compared(self):
        source = "// outcomes: a, b\n"
        both = {"status": 0, "report": report(outcomes={"a": 1, "b": 299})}
        one = {"status": 0, "report": report(outcomes={"a": 300})}
        self.assertEqual(self.drive("pass", source, both)[0], 0)
        self.assertEqual(self.drive("pass", source, one)[0], 1)

    def test_known_gap_is_skipped_with_its_reason(self):
        status, output = self.drive("pass", "// skip: g++ needs futexes\n", {"status": 1})
        self.assertEqual(status, 77)
        self.assertIn("needs futexes", output)

    def test_what_is_not_installed_is_a_gap_or_a_failure(self):
        needed = "// header: no/such.h\nint main() {}\n"
        optional = "// header: no/such.h (known gap: it is rare)\nint main() {}\n"
        run = {"status": 0, "report": report()}
        with mock.patch.dict(os.environ):
            os.environ.pop("HEDDLE_TEST_STRICT", None)
            self.assertEqual(self.drive("pass", needed, run)[0], 77)
            self.assertEqual(self.drive("pass", optional, run)[0], 77)
            os.environ["HEDDLE_TEST_STRICT"] = "1"
            status, output = self.drive("pass", needed, run)
            self.assertEqual(status, 1)
            self.assertIn("<no/such.h> is not installed", output)
            status, output = self.drive("pass", optional, run)
            self.assertEqual(status, 77)
            self.assertIn("it is rare", output)

    def test_failed_compilation_fails(self):
        status, output = self.drive("pass", "int main() {}\n", {"status": 0, "report": report()}, compile_status=1)
        self.assertEqual(status, 1)
        self.assertIn("does not compile", output)

    def test_fail_program_must_say_what_it_expects(self):
        self.assertEqual(self.drive("fail", "int main() {}\n", self.found("abort"))[0], 1)


class Missing(unittest.TestCase):
    """What the other tests do where something is not installed."""

    def setUp(self):
        patch = mock.patch.dict(os.environ)
        patch.start()
        self.addCleanup(patch.stop)
        os.environ.pop("HEDDLE_TEST_STRICT", None)

    def shell(self):
        script = '. "$0/../missing.sh"; missing "nothing is installed"; echo went on'
        done = subprocess.run(["sh", "-c", script, HERE], capture_output=True, text=True)
        self.assertNotIn("went on", done.stdout)
        self.assertIn("nothing is installed", done.stdout + done.stderr)
        return done.returncode

    def test_by_hand_it_is_skipped(self):
        self.assertEqual(self.shell(), 77)
        with self.assertRaises(unittest.SkipTest):
            heddle_driver.needs(False, "something")
        heddle_driver.needs(True, "something")

    def test_where_everything_is_installed_it_fails(self):
        os.environ["HEDDLE_TEST_STRICT"] = "1"
        self.assertEqual(self.shell(), 1)
        with self.assertRaises(AssertionError):
            heddle_driver.needs(False, "something")
        heddle_driver.needs(True, "something")


if __name__ == "__main__":
    unittest.main()
