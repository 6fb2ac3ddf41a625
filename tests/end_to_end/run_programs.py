#!/usr/bin/env python3
"""Compiles and runs the programs of tests/programs the way a user would.

    run_programs.py [--heddle FILE] [--compiler g++|clang++-19] [--work DIR] [PROGRAM ...]

The folder of a program is its verdict. One in pass/ has to survive every execution (exit code 0); one in fail/ has
to be caught (66) with the kind of finding that its first line names, and `heddle replay` has to reproduce that kind.
Directives are comments at the top of the file, before its first line of code:

    // expect: KIND [| KIND]    fail/ only, first line: the kind of the finding (core/trace/finding.cpp)
    // message: TEXT            the report has this text in it
    // flags: ...               more compiler flags
    // run: ...                 more options of heddle run
    // args: ...                the program's arguments
    // executions: N            instead of 300
    // outcomes: A, B, ...      run with --histogram: exactly these outcomes are seen
    // skip: COMPILER REASON    a known gap (COMPILER may be `all`); the test is skipped and says so

For a program that lies elsewhere the options --verdict and --directive 'NAME: VALUE' say the same. Without PROGRAM all are run, without --compiler with both. Exit status: 0 passed, 1 failed, 77 skipped.
"""
import argparse
import glob
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

TESTS = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
C_COMPILER = {"g++": "gcc", "clang++-19": "clang-19"}
DIRECTIVE = re.compile(r"^(?://|/\*)\s*(expect|message|flags|run|args|executions|outcomes|skip):\s*(.*?)\s*(?:\*/)?$")
BUG, NO_BUG, SKIPPED = 66, 0, 77
COMMAND_SECONDS = 100


class Failure(Exception):
    """The test failed; the text says how."""


class Program:
    def __init__(self, path, verdict=None, directives=()):
        self.path = os.path.realpath(path)
        self.verdict = verdict or os.path.basename(os.path.dirname(self.path))
        self.is_c = path.endswith(".c")
        self.directives = {}
        with open(self.path, encoding="utf-8") as file:
            comments = itertools.takewhile(lambda line: line.startswith(("//", "/*")), file)
            for line in [*("// " + directive for directive in directives), *comments]:
                match = DIRECTIVE.match(line.rstrip())
                if match:
                    self.directives.setdefault(match[1], []).append(match[2])
        self._validate()

    def _validate(self):
        if self.verdict not in ("pass", "fail"):
            raise SystemExit(f"{self.path}: lies neither in pass/ nor in fail/")
        if (self.verdict == "fail") != ("expect" in self.directives):
            raise SystemExit(f"{self.path}: `// expect:` belongs into every file of fail/ and into no other")

    def words(self, directive):
        return [word for line in self.directives.get(directive, []) for word in shlex.split(line)]

    def kinds(self):
        return [kind.strip() for kind in self.directives["expect"][0].split("|")]

    def executions(self):
        return int(self.directives.get("executions", ["300"])[0])

    def outcomes(self):
        if "outcomes" not in self.directives:
            return None
        return {outcome.strip() for line in self.directives["outcomes"] for outcome in line.split(",")}

    def skip_reason(self, compiler):
        for line in self.directives.get("skip", []):
            who, _, reason = line.partition(" ")
            if who in ("all", compiler):
                return reason
        return None


class Test:
    """One program with one compiler. Everything happens in a folder of its own, which is kept."""

    def __init__(self, heddle, program, compiler, work):
        self.heddle, self.program, self.compiler = os.path.realpath(heddle), program, compiler
        name = f"{program.verdict}-{os.path.basename(program.path)}-{compiler}"
        self.folder = os.path.join(os.path.realpath(work), name)
        self.commands = []

    def call(self, *arguments):
        """Runs heddle; answers (exit code, all output)."""
        command = [self.heddle, *arguments]
        self.commands.append(shlex.join(command))
        # A process group, so that a hang takes its workers along.
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            raise Failure(f"hangs: still running after {COMMAND_SECONDS} s\n{tail(output)}") from None
        return process.returncode, output.decode("utf-8", "replace")

    def run(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.compile()
        report, output = self.explore()
        if self.program.verdict == "pass":
            self.expect_clean(report)
        else:
            self.expect_replay(self.expect_finding(report, output))
        if self.compiler == "g++":
            self.expect_same_executions()

    def expect_same_executions(self):
        """Whether memory is put back in process or each execution has a process of its own must not show."""
        digests = {way: self.digest(way) for way in ("fork", "track", "copy")}
        if len(set(digests.values())) != 1:
            raise Failure(f"executions depend on how they are repeated: {digests}")

    def digest(self, way):
        status, output = self.call("run", "-n", "30", "--seed", "7", "--max-failures", "0", "--json", f"{way}.json",
                                   "--no-progress", "--repetition", way, *self.program.words("run"), "-o", f"{way}-out",
                                   "--", "./program", *self.program.words("args"))
        if status not in (NO_BUG, BUG):
            raise Failure(f"heddle run --repetition {way}: exit code {status}\n{tail(output)}")
        with open(os.path.join(self.folder, f"{way}.json"), encoding="utf-8") as file:
            report = json.load(file)
        return report["digest"], report["executions"], report["buggy_executions"]

    def compile(self):
        front_end, compiler = ("cc", C_COMPILER[self.compiler]) if self.program.is_c else ("c++", self.compiler)
        standard = [] if self.program.is_c else ["-std=c++20"]
        status, output = self.call(front_end, f"--compiler={compiler}", *standard, "-g", "-O1", "-Wall", "-Wextra",
                                   "-Werror", "-pthread", *self.program.words("flags"), self.program.path,
                                   "-o", "program")
        if status != 0:
            raise Failure(f"does not compile (exit code {status})\n{output}")

    def explore(self):
        histogram = ["--histogram"] if self.program.outcomes() is not None else []
        status, output = self.call("run", "-n", str(self.program.executions()), "--seed", "1", "--json", "report.json",
                                   "--no-progress", *histogram, *self.program.words("run"), "--", "./program",
                                   *self.program.words("args"))
        wanted = NO_BUG if self.program.verdict == "pass" else BUG
        if status != wanted:
            raise Failure(f"heddle run: exit code {status}, expected {wanted}\n{tail(output)}")
        for text in self.program.directives.get("message", []):
            if text not in output:
                raise Failure(f"the report does not say “{text}”\n{tail(output)}")
        with open(os.path.join(self.folder, "report.json"), encoding="utf-8") as file:
            report = json.load(file)
        for key in ("version", "seed", "executions", "buggy_executions", "executions_per_second", "strategies",
                    "findings"):
            if key not in report:
                raise Failure(f"the JSON report has no key “{key}”")
        if report["seed"] != 1 or not 1 <= report["executions"] <= self.program.executions():
            raise Failure(f"the JSON report says seed {report['seed']}, {report['executions']} executions")
        return report, output

    def expect_clean(self, report):
        bugs = [f for f in report["findings"] if f.get("severity") != "warning"]
        if bugs or report["buggy_executions"] != 0:
            raise Failure(f"exit code 0, but the JSON report has findings: {bugs}")
        wanted = self.program.outcomes()
        if wanted is not None and set(report.get("outcomes", {})) != wanted:
            raise Failure(f"outcomes {sorted(report.get('outcomes', {}))}, expected {sorted(wanted)}")

    def expect_finding(self, report, output):
        bugs = [f for f in report["findings"] if f.get("severity") != "warning"]
        if not bugs:
            raise Failure("exit code 66, but the JSON report has no finding")
        finding = bugs[0]
        if finding["kind"] not in self.program.kinds():
            raise Failure(f"found “{finding['kind']}”, expected {self.program.kinds()}\n{tail(output)}")
        if f"SUMMARY: heddle: {finding['kind']}" not in output:
            raise Failure(f"the text report has no line `SUMMARY: heddle: {finding['kind']} …`\n{tail(output)}")
        if finding["count"] < 1 or report["buggy_executions"] < 1:
            raise Failure(f"counts {finding['count']} and {report['buggy_executions']} of a finding that was made")
        return finding

    def expect_replay(self, finding):
        for attempt in (1, 2):
            status, output = self.call("replay", finding["artifact"])
            if status != BUG:
                raise Failure(f"heddle replay ({attempt}): exit code {status}, expected {BUG}\n{tail(output)}")
            if f"SUMMARY: heddle: {finding['kind']}" not in output:
                raise Failure(f"heddle replay ({attempt}) did not show “{finding['kind']}”\n{tail(output)}")


def tail(output, lines=60):
    text = output.decode("utf-8", "replace") if isinstance(output, bytes) else output
    return "\n".join(text.splitlines()[-lines:])


def run_one(heddle, program, compiler, work):
    """Runs one test, says how it went; answers its exit status."""
    name = f"{program.verdict}/{os.path.basename(program.path)} ({compiler})"
    reason = program.skip_reason(compiler)
    if reason is not None:
        print(f"skipped: {name}: {reason}")
        return SKIPPED
    test = Test(heddle, program, compiler, work)
    try:
        test.run()
    except (Failure, OSError, json.JSONDecodeError) as failure:
        print(f"FAILED: {name}: {failure}\nreproduce:\n  mkdir -p {test.folder} && cd {test.folder}")
        for command in test.commands:
            print(f"  {command}")
        return 1
    print(f"passed: {name}")
    return 0


def all_programs():
    return sorted(path for verdict in ("pass", "fail") for ending in ("c", "cpp")
                  for path in glob.glob(os.path.join(TESTS, "programs", verdict, "*." + ending)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=os.path.join(TESTS, "..", "build", "bin", "heddle"))
    parser.add_argument("--compiler", choices=sorted(C_COMPILER), action="append")
    parser.add_argument("--work", default=os.path.join(TESTS, "..", "build", "tests", "programs"))
    parser.add_argument("--verdict", choices=("pass", "fail"))
    parser.add_argument("--directive", action="append", default=[])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    arguments = parser.parse_args()
    if not os.access(arguments.heddle, os.X_OK):
        raise SystemExit(f"{arguments.heddle} is not there: run scripts/build first")

    programs = [Program(path, arguments.verdict, arguments.directive)
                for path in arguments.programs or all_programs()]
    statuses = [run_one(arguments.heddle, program, compiler, arguments.work)
                for program in programs for compiler in arguments.compiler or sorted(C_COMPILER)]
    if len(statuses) == 1:
        return statuses[0]
    print(f"{statuses.count(0)} passed, {statuses.count(1)} failed, {statuses.count(SKIPPED)} skipped")
    return 1 if 1 in statuses else 0


if __name__ == "__main__":
    sys.exit(main())
