#!/usr/bin/env python3
"""Compiles and runs the programs of tests/programs the way a user would.

    run_programs.py [--heddle FILE] [--compiler g++|clang++-19|libc++] [--work DIR] [--check-trace FILE] [PROGRAM ...]

The folder of a program is its verdict. One in pass/ has to survive every execution (exit code 0); one in fail/ has
to be caught (66) with the kind of finding that its first line names, and `heddle replay` has to reproduce that kind.
Directives are comments at the top of the file, before its first line of code:

    // expect: KIND [| KIND]    fail/ only, first line: the kind of the finding (core/trace/finding_kinds.h)
    // message: TEXT            the report has this text in it
    // flags: ...               more compiler flags
    // run: ...                 more options of heddle run
    // args: ...                the program's arguments
    // executions: N            instead of 300
    // outcomes: A, B, ...      run with --histogram: exactly these outcomes are seen
    // header: NAME [(REASON)]  skipped where this is not installed; with HEDDLE_TEST_STRICT, as in scripts/test, that is a
                                failure, unless there is a reason why scripts/setup does not bring it
    // skip: COMPILER REASON    a known gap (COMPILER may be `all`); the test is skipped and says so

A program with cases lies elsewhere (conformance/, libraries/). Each is named by the program's first argument and explored on its own:

    // case: NAME                           survives every execution
    // case: NAME => KIND [| KIND]: TEXT    is caught, and the report has this text in it
    // case: NAME => warning KIND: TEXT     survives, with this warning
    // case: NAME [OPTIONS] …               the same with more options of heddle run

With --check-trace (build/bin/check_trace), three recorded executions of each program, and what was found, go through
the axiom checker of tests/oracle. The compiler `libc++` is clang++-19 -stdlib=libc++ -fexperimental-library (for jthread). For a program that lies elsewhere the options --verdict and --directive 'NAME: VALUE' say the same. Without PROGRAM all are run, without --compiler with both. Exit status: 0 passed, 1 failed, 77 skipped.
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
C_COMPILER = {"g++": "gcc", "clang++-19": "clang-19", "libc++": "clang-19"}
CXX_COMPILER = {"g++": ["g++"], "clang++-19": ["clang++-19"], "libc++": ["clang++-19", "-stdlib=libc++", "-fexperimental-library"]}
DIRECTIVE = re.compile(
    r"^(?://|/\*)\s*(expect|message|flags|run|args|executions|outcomes|skip|header|case):\s*(.*?)\s*(?:\*/)?$")
CASE = re.compile(r"^(\S+)(?:\s+\[([^]]*)\])?(?:\s*=>\s*(warning )?([^:]+):\s*(.*))?$")
INCLUDE_FOLDERS = ("/usr/include", "/usr/include/x86_64-linux-gnu")
BUG, NO_BUG, SKIPPED = 66, 0, 77
COMMAND_SECONDS = 100  # for 300 executions


class Failure(Exception):
    """The test failed; the text says how."""


class Case:
    """One way to run a program, and what has to come of it."""

    def __init__(self, verdict, arguments, kinds=(), messages=(), outcomes=None, options=()):
        self.verdict, self.arguments, self.kinds = verdict, arguments, kinds
        self.messages, self.outcomes, self.options = messages, outcomes, options

    @staticmethod
    def parse(line):
        match = CASE.match(line)
        if not match:
            raise SystemExit(f"not a case: {line}")
        name, options, warning, kind, text = match.groups()
        verdict = "pass" if kind is None else "warn" if warning else "fail"
        return Case(verdict, [name], [k.strip() for k in kind.split("|")] if kind else [], [text] if text else [],
                    options=shlex.split(options or ""))


class Program:
    def __init__(self, path, verdict=None, directives=(), executions=None):
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
        self.wanted_executions = executions
        self._validate()

    def _validate(self):
        if "case" in self.directives:
            self.verdict = os.path.basename(os.path.dirname(self.path))
            return
        if self.verdict not in ("pass", "fail"):
            raise SystemExit(f"{self.path}: lies neither in pass/ nor in fail/")
        if (self.verdict == "fail") != ("expect" in self.directives):
            raise SystemExit(f"{self.path}: `// expect:` belongs into every file of fail/ and into no other")

    def words(self, directive):
        return [word for line in self.directives.get(directive, []) for word in shlex.split(line)]

    def cases(self):
        if "case" in self.directives:
            return [Case.parse(line) for line in self.directives["case"]]
        kinds = [kind.strip() for kind in self.directives.get("expect", [""])[0].split("|")]
        return [Case(self.verdict, self.words("args"), kinds, self.directives.get("message", []), self.outcomes())]

    def executions(self):
        return self.wanted_executions or int(self.directives.get("executions", ["300"])[0])

    def outcomes(self):
        if "outcomes" not in self.directives:
            return None
        return {outcome.strip() for line in self.directives["outcomes"] for outcome in line.split(",")}

    def missing_header(self):
        """Why the program cannot be tried here, and whether that is a known gap: scripts/setup does not bring it."""
        for line in self.directives.get("header", []):
            header, _, optional = line.partition(" ")
            if not any(os.path.exists(os.path.join(folder, header)) for folder in INCLUDE_FOLDERS):
                return f"<{header}> is not installed {optional}".strip(), bool(optional)
        return None, True

    def skip_reason(self, compiler):
        reason, is_gap = self.missing_header()
        if reason and (is_gap or not os.environ.get("HEDDLE_TEST_STRICT")):
            return reason
        for line in self.directives.get("skip", []):
            who, _, reason = line.partition(" ")
            if who in ("all", compiler):
                return reason
        return None


class Test:
    """One program with one compiler. Everything happens in a folder of its own, which is kept."""

    def __init__(self, heddle, program, compiler, work, check_trace=None):
        self.check_trace = check_trace and os.path.realpath(check_trace)
        self.heddle, self.program, self.compiler = os.path.realpath(heddle), program, compiler
        # A test with more executions of the same program runs beside this one.
        longer = f"-{program.wanted_executions}" if program.wanted_executions else ""
        name = f"{program.verdict}-{os.path.basename(program.path)}-{compiler}{longer}"
        self.folder = os.path.join(os.path.realpath(work), name)
        self.commands = []

    def call(self, *arguments):
        """Runs heddle; answers (exit code, all output)."""
        return self.call_tool(self.heddle, *arguments)

    def call_tool(self, *command):
        self.commands.append(shlex.join(command))
        seconds = COMMAND_SECONDS * max(1, self.program.executions() // 300)
        # A process group, so that a hang takes its workers along.
        process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            raise Failure(f"hangs: still running after {seconds} s\n{tail(output)}") from None
        return process.returncode, output.decode("utf-8", "replace")

    def run(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.compile()
        for case in self.program.cases():
            try:
                self.check(case)
            except Failure as failure:
                name = f"{case.arguments[0]}: " if "case" in self.program.directives else ""
                raise Failure(f"{name}{failure}") from None
        if "case" not in self.program.directives:
            self.expect_consistent("-n", "3", "--", "./program", *self.program.words("args"))
        if self.compiler == "g++" and "case" not in self.program.directives:
            self.expect_same_executions()

    def check(self, case):
        report, output = self.explore(case)
        if case.verdict == "fail":
            finding = self.expect_finding(case, report, output)
            self.expect_replay(finding)
            self.expect_consistent(finding["artifact"])
        else:
            self.expect_clean(case, report)

    def expect_same_executions(self):
        """Whether memory is put back in process or each execution has a process of its own must not show."""
        digests = {way: self.digest(way) for way in ("fork", "track", "copy")}
        if len(set(digests.values())) != 1:
            raise Failure(f"executions depend on how they are repeated: {digests}")

    def digest(self, way):
        executions = str(min(30, self.program.executions()))  # a long program asks for fewer
        status, output = self.call("run", "-n", executions, "--seed", "7", "--max-failures", "0", "--json", f"{way}.json",
                                   "--no-progress", "--repetition", way, *self.program.words("run"), "-o", f"{way}-out",
                                   "--", "./program", *self.program.words("args"))
        if status not in (NO_BUG, BUG):
            raise Failure(f"heddle run --repetition {way}: exit code {status}\n{tail(output)}")
        with open(os.path.join(self.folder, f"{way}.json"), encoding="utf-8") as file:
            report = json.load(file)
        return report["digest"], report["executions"], report["buggy_executions"]

    def expect_consistent(self, *arguments):
        """The axioms hold in these executions."""
        if self.check_trace is None:
            return
        status, output = self.call_tool(self.check_trace, *arguments)
        if status != 0:
            raise Failure(f"an execution that the memory model forbids\n{tail(output)}")

    def compile(self):
        flags = self.program.words("flags")
        if self.program.is_c:
            front_end, compiler, language = "cc", C_COMPILER[self.compiler], []
        else:
            compiler, *language = CXX_COMPILER[self.compiler]
            front_end, language = "c++", ["-std=c++20", *language]
        status, output = self.call(front_end, f"--compiler={compiler}", *language, "-g", "-O1", "-Wall", "-Wextra",
                                   "-Werror", "-pthread", *(f for f in flags if not f.startswith("-l")),
                                   self.program.path, *(f for f in flags if f.startswith("-l")), "-o", "program")
        if status != 0:
            raise Failure(f"does not compile (exit code {status})\n{output}")

    def explore(self, case):
        histogram = ["--histogram"] if case.outcomes is not None else []
        status, output = self.call("run", "-v", "-n", str(self.program.executions()), "--seed", "1", "--json", "report.json",
                                   "--no-progress", *histogram, *self.program.words("run"), *case.options, "--",
                                   "./program", *case.arguments)
        wanted = BUG if case.verdict == "fail" else NO_BUG
        if status != wanted:
            raise Failure(f"heddle run: exit code {status}, expected {wanted}\n{tail(output)}")
        for text in case.messages:
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

    def expect_clean(self, case, report):
        bugs = [f for f in report["findings"] if f.get("severity") != "warning"]
        if bugs or report["buggy_executions"] != 0:
            raise Failure(f"exit code 0, but the JSON report has findings: {bugs}")
        kinds = {f["kind"] for f in report["findings"]}
        if case.verdict == "warn" and kinds != set(case.kinds):
            raise Failure(f"warned of {sorted(kinds)}, expected {case.kinds}")
        if "case" in self.program.directives and case.verdict == "pass" and kinds:
            raise Failure(f"a correct program is warned of {sorted(kinds)}")
        wanted = case.outcomes
        if wanted is not None and set(report.get("outcomes", {})) != wanted:
            raise Failure(f"outcomes {sorted(report.get('outcomes', {}))}, expected {sorted(wanted)}")

    @staticmethod
    def expect_finding(case, report, output):
        bugs = [f for f in report["findings"] if f.get("severity") != "warning"]
        if not bugs:
            raise Failure("exit code 66, but the JSON report has no finding")
        finding = bugs[0]
        if finding["kind"] not in case.kinds:
            raise Failure(f"found “{finding['kind']}”, expected {case.kinds}\n{tail(output)}")
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


def run_one(heddle, program, compiler, work, check_trace=None):
    """Runs one test, says how it went; answers its exit status."""
    name = f"{program.verdict}/{os.path.basename(program.path)} ({compiler})"
    reason = program.skip_reason(compiler)
    if reason is not None:
        print(f"skipped: {name}: {reason}")
        return SKIPPED
    missing, _ = program.missing_header()
    if missing is not None:
        print(f"FAILED: {name}: {missing}; scripts/setup should have brought it")
        return 1
    test = Test(heddle, program, compiler, work, check_trace)
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
    return sorted(path for folder in ("programs/pass", "programs/fail", "conformance") for ending in ("c", "cpp")
                  for path in glob.glob(os.path.join(TESTS, folder, "*." + ending)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=os.path.join(TESTS, "..", "build", "bin", "heddle"))
    parser.add_argument("--compiler", choices=sorted(C_COMPILER), action="append")
    parser.add_argument("--work", default=os.path.join(TESTS, "..", "build", "tests", "programs"))
    parser.add_argument("--check-trace", metavar="FILE")
    parser.add_argument("--verdict", choices=("pass", "fail"))
    parser.add_argument("--executions", type=int, help="instead of what the programs say")
    parser.add_argument("--directive", action="append", default=[])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    arguments = parser.parse_args()
    if not os.access(arguments.heddle, os.X_OK):
        raise SystemExit(f"{arguments.heddle} is not there: run scripts/build first")

    programs = [Program(path, arguments.verdict, arguments.directive, arguments.executions)
                for path in arguments.programs or all_programs()]
    statuses = [run_one(arguments.heddle, program, compiler, arguments.work, arguments.check_trace)
                for program in programs for compiler in arguments.compiler or ("clang++-19", "g++")]
    if len(statuses) == 1:
        return statuses[0]
    print(f"{statuses.count(0)} passed, {statuses.count(1)} failed, {statuses.count(SKIPPED)} skipped")
    return 1 if 1 in statuses else 0


if __name__ == "__main__":
    sys.exit(main())
