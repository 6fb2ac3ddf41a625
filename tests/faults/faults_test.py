#!/usr/bin/env python3
"""Faults that stay injected: the part of tests/faults that every run of the tests takes.

    HEDDLE=build/bin/heddle python3 tests/faults/faults_test.py [TestClass.test_name]

`tests/faults/run --kills N` kills more often, and all commands.
"""
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from commands import BAD_INPUT, BUG, HEDDLE, INCONCLUSIVE, NO_BUG, OWN_ERROR, Command, Workshop  # noqa: E402
from injection import OWN_MOUNTS, PRIVATE_MOUNTS, Injection, kill_once, marked, processes, read, temporaries, usual_seconds  # noqa: E402

NAMES = ["run", "run-fork", "run-exhaustive", "run-forking", "test", "replay", "minimize", "explain", "record"]


class FaultTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="heddle-faults-")
        cls.workshop = Workshop(os.path.join(cls.folder, "workshop"), NAMES)
        cls.commands = {command.name: command for command in cls.workshop.all}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def injection(self, command):
        return Injection(command, os.path.join(self.folder, "work"), self.workshop)


class Kills(FaultTest):
    """One process of a command is killed; which and when is drawn, and printed when it fails."""

    def kill(self, name, kills):
        command = self.commands[name]
        folder = os.path.join(self.folder, "work")
        seconds = usual_seconds(command, folder, self.workshop)
        for number in range(kills):
            seed = f"{name} {number}"
            with self.subTest(seed=seed):
                kill_once(command, folder, self.workshop, seconds, random.Random(seed))

    def test_run(self):
        self.kill("run", 4)

    def test_run_with_a_process_for_each_execution(self):
        self.kill("run-fork", 3)

    def test_exhaustive_search(self):
        self.kill("run-exhaustive", 3)

    def test_a_program_that_starts_processes(self):
        self.kill("run-forking", 3)

    def test_test(self):
        self.kill("test", 3)

    def test_replay(self):
        self.kill("replay", 3)

    def test_minimize(self):
        self.kill("minimize", 4)

    def test_explain(self):
        self.kill("explain", 2)

    def test_record(self):
        self.kill("record", 2)

    def test_a_stopped_execution_does_not_stop_the_campaign(self):
        # Between executions, too: what is stopped holds an execution, which another process then runs.
        words = ["run", "-n", "3000", "--timeout", "1s", "-j", "1", "--max-failures", "0", "-o", "out", "--", self.workshop.path("rare")]
        one = self.injection(Command("stopped", words, BUG))
        one.start()
        self.assertEqual(one.kill("execution", 0.02, signal.SIGSTOP), "execution")
        one.check(one.finish(), False)


class Signals(FaultTest):
    """Every signal that asks a command to end leaves the same."""

    def interrupt(self, number):
        words = ["run", "-t", "1000s", "--max-failures", "0", "-o", "fresh", "--json", "report.json", "--", self.workshop.path("rare")]
        one = self.injection(Command("interrupted", words, BUG, allowed=[-number]))
        one.start()
        while one.process.poll() is None and not os.path.exists(os.path.join(one.folder, "fresh", "bug-1.heddle")):
            time.sleep(0.01)
        one.process.send_signal(number)
        code = one.finish()
        one.check(code, False)
        self.assertEqual(code, BUG, one.errors())
        self.assertEqual(temporaries(one.folder), [])
        report = json.loads(read(os.path.join(one.folder, "report.json")))
        self.assertIn("interrupted", json.dumps(report))
        return sorted(os.listdir(os.path.join(one.folder, "fresh")))

    def test_all_leave_the_same_files(self):
        left = {number: self.interrupt(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)}
        for files in left.values():
            self.assertEqual(files, left[signal.SIGINT])
            self.assertIn("bug-1.heddle", files)

    def test_a_second_one_ends_it_at_once(self):
        words = ["run", "-t", "1000s", "--max-failures", "0", "-o", "fresh", "--", self.workshop.path("rare")]
        one = self.injection(Command("interrupted", words, BUG))
        one.start()
        while one.process.poll() is None and not os.path.exists(os.path.join(one.folder, "fresh", "bug-1.heddle")):
            time.sleep(0.01)
        while one.process.poll() is None:
            one.process.send_signal(signal.SIGINT)
            time.sleep(0.001)
        self.assertIn(one.process.returncode, (-signal.SIGINT, BUG))
        one.check_processes()
        one.check_files()


class Limits(FaultTest):
    """Small limits, closed streams, a full disk: an exit code that is one of heddle's, and a word about it."""

    CODES = (NO_BUG, INCONCLUSIVE, BAD_INPUT, OWN_ERROR, BUG)

    def run_with(self, name, expected=None, **options):
        one = self.injection(self.commands[name])
        one.start(**options)
        code = one.finish()
        self.assertIn(code, self.CODES if expected is None else expected, one.errors())
        if code in (INCONCLUSIVE, BAD_INPUT, OWN_ERROR):
            self.assertIn("heddle: ", one.errors())
        one.check_processes()
        one.check_files()
        return one

    def limited(self, *limits):
        def apply():
            for which, most in limits:
                resource.setrlimit(which, (most, most))
        return apply

    def test_file_size(self):
        for most in (1000, 20_000):
            with self.subTest(most=most):
                self.run_with("run", preexec_fn=self.limited((resource.RLIMIT_FSIZE, most)))

    def test_open_files(self):
        for most in (4, 8, 20):
            with self.subTest(most=most):
                self.run_with("run", preexec_fn=self.limited((resource.RLIMIT_NOFILE, most)))

    def test_processes(self):
        self.run_with("run", preexec_fn=self.limited((resource.RLIMIT_NPROC, 1)))

    def test_address_space(self):
        for most in (200 << 20, 4 << 30):
            with self.subTest(most=most):
                self.run_with("run", preexec_fn=self.limited((resource.RLIMIT_AS, most)))

    def test_closed_streams(self):
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            with self.subTest(closed=closed):
                one = self.injection(self.commands["run"])
                one.start(preexec_fn=lambda closed=closed: [os.close(stream) for stream in closed])
                self.assertEqual(one.finish(), BUG)
                one.check_processes()
                one.check_files()

    def test_full_disk(self):
        if os.geteuid() != 0:
            return  # test_file_size has the same errors from the system
        disk = os.path.join(self.folder, "disk")
        os.makedirs(disk, exist_ok=True)
        script = (PRIVATE_MOUNTS + 'mount -t tmpfs -o size=16k none "$1" && head -c 15000 /dev/zero > "$1/filler"; cd "$1"; '
                  'shift; "$@"; code=$?; ls -a . out 1>&2; exit $code')
        answer = subprocess.run([*OWN_MOUNTS, "sh", "-c", script, "sh", disk, HEDDLE, "run", "-n", "3000", "--seed", "3", "-o", "out",
                                 "--", self.workshop.path("rare")], stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=120, check=False)
        errors = answer.stderr.decode("utf-8", "replace")
        self.assertEqual(answer.returncode, BUG, errors)
        self.assertIn("No space left", errors)
        self.assertNotIn(".tmp", errors.partition("SUMMARY")[2])


class Leftovers(FaultTest):
    def test_nothing_outlives_heddle(self):
        words = ["run", "-t", "1000s", "-o", "fresh", "--", self.workshop.path("forking")]
        one = self.injection(Command("forking", words, NO_BUG))
        one.start()
        while one.process.poll() is None and b"sleep" not in b"".join(read(f"/proc/{pid}/cmdline") for pid in marked(one.mark)):
            time.sleep(0.005)
        self.assertGreater(len(processes(one.process.pid)), 2)
        one.process.kill()
        one.process.wait()
        one.check_processes()


if __name__ == "__main__":
    unittest.main(verbosity=2)
