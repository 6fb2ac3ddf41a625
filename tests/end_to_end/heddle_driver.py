"""What the end-to-end tests share: a folder for each test, compiling, calling heddle, reading its JSON.

    HEDDLE=build/bin/heddle python3 tests/end_to_end/campaign_test.py [TestClass.test_name]

A test that fails prints the commands that it ran; its folder is kept.
"""
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest

TESTS = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
HEDDLE = os.path.realpath(os.environ.get("HEDDLE", os.path.join(TESTS, "..", "build", "bin", "heddle")))
HEDDLE_BENCH = os.path.join(os.path.dirname(HEDDLE), "heddle-bench")
BUG, NO_BUG, INCONCLUSIVE, BAD_INPUT = 66, 0, 1, 2
SECONDS = 120  # of one command; whatever takes as long hangs


def needs(is_there, what):
    """Ends a test that needs something that is not installed: by hand it is skipped, and scripts/test, which has
    installed everything (HEDDLE_TEST_STRICT), fails."""
    if is_there:
        return
    if os.environ.get("HEDDLE_TEST_STRICT"):
        raise AssertionError(f"{what} is not installed; scripts/setup should have brought it")
    raise unittest.SkipTest(f"{what} is not installed (scripts/setup test)")


def needs_full_builds():
    """For tests of `heddle c++ --full`."""
    plugin = os.path.join(os.path.dirname(HEDDLE), "..", "lib", "heddle", "symbolic-pass.so")
    needs(os.path.exists(plugin), "llvm-19-dev, with which heddle is built,")
    needs(shutil.which("clang++-19"), "clang++-19")


class Answer:
    """What a command answered."""

    def __init__(self, code, output, errors):
        self.code, self.output, self.errors = code, output, errors


class HeddleTest(unittest.TestCase):
    """A test case with a folder of its own, in which every command runs."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="heddle-test-")
        self.commands = []
        self.children = []

    def tearDown(self):
        for child in self.children:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
            for pipe in (child.stdout, child.stderr):
                pipe.close()
        failed = any(error for _, error in self._outcome.errors) if hasattr(self._outcome, "errors") else \
            any(test is self for test, _ in self._outcome.result.failures + self._outcome.result.errors)
        if failed:
            print(f"reproduce {self.id()}:\n  cd {self.folder}")
            for command in self.commands:
                print(f"  {command}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def start(self, *command, **options):
        """A command in a process group of its own, so that a hang takes everything along."""
        self.commands.append(shlex.join(command))
        options.setdefault("cwd", self.folder)
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True, **options)
        self.children.append(child)
        return child

    def finish(self, child):
        try:
            output, errors = child.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            self.fail(f"hangs: {self.commands[-1]}")
        return Answer(child.returncode, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"))

    def call(self, *command, **options):
        return self.finish(self.start(*command, **options))

    def heddle(self, *arguments, code=None, **options):
        """`code`: the exit code that it must have."""
        answer = self.call(HEDDLE, *arguments, **options)
        if code is not None:
            self.assertEqual(answer.code, code, answer.errors)
        return answer

    def heddle_bench(self, *arguments, **options):
        needs(os.path.exists(HEDDLE_BENCH), "heddle-bench, which scripts/build --bench builds,")
        return self.call(HEDDLE_BENCH, *arguments, **options)

    def compile(self, source, name="program", c=True, flags=()):
        """Compiles the text of a program through heddle."""
        self.write(name + (".c" if c else ".cpp"), source)
        answer = self.heddle("cc" if c else "c++", "-g", "-O1", "-Wall", *flags, name + (".c" if c else ".cpp"), "-o", name)
        self.assertEqual(answer.code, 0, answer.errors)
        return "./" + name

    def report(self, *arguments, code=None, **options):
        """heddle run --json with these arguments: (report, answer)."""
        answer = self.heddle("run", "--no-progress", "--json", "report.json", *arguments, **options)
        if code is not None:
            self.assertEqual(answer.code, code, answer.errors)
        with open(self.path("report.json"), encoding="utf-8") as file:
            return json.load(file), answer
