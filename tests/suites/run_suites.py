#!/usr/bin/env python3
"""Runs public conformance suites natively and under heddle, and compares.

    run_suites.py [--heddle FILE] [--work DIR] [--compiler g++|clang++-19|libc++] [-n N] [-j N] [SUITE[:REGEX] ...]

Suites: glibc (nptl), posix (Open POSIX Test Suite), libstdc++, libc++; all of them by default. Their sources are fetched from
Debian into DIR/sources. What passes natively (exit status 0; 77, PTS_UNSUPPORTED and their like do not count) is built with
heddle and has to survive N executions: exit code 0 of heddle run. A test's own data race, where ThreadSanitizer sees one, too, is
no failure of heddle's: the test has to survive with races suppressed. judged.txt lists other findings that are right.
Native results are kept in DIR; --again-natively runs them anew. Exit status: 0 if everything passed or is judged, 1 otherwise.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys

from suites import SUITES

RACE, OWN_RACE = "data race", "data race, as ThreadSanitizer says"
HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = {"g++": ("gcc", ["g++"]), "clang++-19": ("clang-19", ["clang++-19"]),
             "libc++": ("clang-19", ["clang++-19", "-stdlib=libc++"])}
COMPILE_SECONDS, NATIVE_SECONDS, CAMPAIGN_SECONDS = 120, 40, 60
# A few tests set the machine's clock if they are allowed to.
HARMLESS = ["setpriv", "--bounding-set", "-sys_time,-sys_boot"] if os.geteuid() == 0 else []


def run(command, folder, seconds, environment=None):
    """Exit status (None: took too long) and output. The command gets a session of its own: some tests signal their group."""
    with subprocess.Popen([*HARMLESS, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment, start_new_session=True) as process:
        try:
            output = process.communicate(timeout=seconds)[0]
            status = process.returncode
        except subprocess.TimeoutExpired:
            status, output = None, b""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return status, output.decode(errors="replace")


class Builder:
    """Compiles tests of one suite, natively or with heddle."""

    def __init__(self, suite, compiler, heddle, work):
        self.suite, self.compiler, self.heddle = suite, compiler, heddle
        self.shared_folder = os.path.join(work, "shared", suite.package, compiler, "heddle" if heddle else "native")
        os.makedirs(self.shared_folder, exist_ok=True)
        self.shared = suite.prepare(lambda flags: self.driver(True, flags, self.shared_folder)[0] == 0, self.shared_folder)

    def driver(self, is_c, flags, folder):
        c_compiler, (cxx_compiler, *cxx_flags) = COMPILERS[self.compiler]
        compiler = c_compiler if is_c else cxx_compiler
        command = [self.heddle, "cc" if is_c else "c++", f"--compiler={compiler}"] if self.heddle else [compiler]
        return run([*command, *([] if is_c else cxx_flags), *flags], folder, COMPILE_SECONDS)

    def build(self, test, folder):
        """What went wrong, or None."""
        for plugin in test.plugins:
            target = os.path.basename(plugin)[:-2] + ".so"
            status, output = self.driver(True, [*test.flags, "-fPIC", "-shared", plugin, "-o", target], folder)
            if status != 0:
                return output
        status, output = self.driver(test.is_c, [*test.flags, *test.sources, *self.shared, *test.libraries, "-o", "test"], folder)
        return None if status == 0 else output


class Campaign:
    """All tests of one suite with one compiler."""

    def __init__(self, name, compiler, options):
        self.name, self.compiler, self.options = name, compiler, options
        self.suite = SUITES[name](options.work)
        self.native = Builder(self.suite, compiler, None, options.work)
        self.tested = Builder(self.suite, compiler, options.heddle, options.work)
        self.kept_file = os.path.join(options.work, f"native-{name}-{compiler}.json")
        self.kept = {}
        if os.path.exists(self.kept_file) and not options.again_natively:
            with open(self.kept_file, encoding="utf-8") as file:
                self.kept = json.load(file)

    def folder(self, test, kind):
        folder = os.path.join(self.options.work, kind, self.compiler, self.name, test.name.replace("/", "_"))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        return folder

    def call(self, test, folder, command, seconds):
        environment = dict(os.environ, LD_LIBRARY_PATH=folder, TMPDIR=folder)
        return run([*command, "./test", *test.arguments], folder, seconds, environment)

    def natively(self, test):
        """How the test ends without heddle: `passes`, or why it does not count."""
        folder = self.folder(test, "native")
        if self.native.build(test, folder) is not None:
            return "does not build"
        status, _ = self.call(test, folder, [], NATIVE_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)
        return "passes" if status == 0 else "takes too long" if status is None else f"exit status {status}"

    def under_heddle(self, test):
        """The kind of finding, or of other failure, and its text; (None, "") if it passes."""
        folder = self.folder(test, "heddle")
        errors = self.tested.build(test, folder)
        if errors is not None:
            return "does not build", errors.strip()[-300:]
        kind, text = self.explore(test, folder, [])
        if kind == RACE:
            with open(os.path.join(folder, "suppressions"), "w", encoding="utf-8") as file:
                file.write("race:*\n")
            beyond, beyond_text = self.explore(test, folder, ["--suppressions", "suppressions"])
            if beyond is not None:
                kind, text = beyond, "beyond a data race: " + beyond_text
            elif self.tsan_sees_race(test):
                kind = OWN_RACE
        if kind in (None, OWN_RACE):
            shutil.rmtree(folder, ignore_errors=True)
        return kind, text

    def tsan_sees_race(self, test):
        folder = self.folder(test, "tsan")
        sanitized = dataclasses.replace(test, flags=[*test.flags, "-fsanitize=thread"])
        if self.native.build(sanitized, folder) is not None:
            return False
        output = self.call(test, folder, ["setarch", "-R"], NATIVE_SECONDS)[1]
        shutil.rmtree(folder, ignore_errors=True)
        return "ThreadSanitizer: data race" in output

    def explore(self, test, folder, options):
        command = [self.options.heddle, "run", "-n", str(self.options.n), "-t", f"{CAMPAIGN_SECONDS}s", "--seed", "1", "-j", "1",
                   "--sleep", "timed", "--spurious", "0", "--timeout", "50s", "--no-progress", "--json", "report.json", *self.suite.options, *options, "--"]
        status, output = self.call(test, folder, command, 3 * CAMPAIGN_SECONDS)
        with open(os.path.join(folder, "output"), "w", encoding="utf-8") as file:
            file.write(output)
        return (None, "") if status == 0 else self.failure(folder, status, output)

    @staticmethod
    def failure(folder, status, output):
        if status is None:
            return "hang", "heddle run did not end"
        try:
            with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
                findings = [one for one in json.load(file)["findings"] if one["severity"] == "bug"]
        except (OSError, ValueError):
            findings = []
        if findings:
            summary = re.findall(rf"SUMMARY: heddle: {re.escape(findings[0]['kind'])}(.*)", output)
            return findings[0]["kind"], (summary[0] if summary else findings[0].get("message", "")).strip()
        return f"exit code {status}", " ".join(output.split())[-250:]

    def run(self, pattern):
        tests = [test for test in self.suite.tests() if re.search(pattern, test.name)]
        unknown = [test for test in tests if test.name not in self.kept]
        # Most of their time native tests sleep.
        with concurrent.futures.ThreadPoolExecutor(3 * self.options.j) as pool:
            for test, ending in zip(unknown, pool.map(self.natively, unknown)):
                self.kept[test.name] = ending
        with open(self.kept_file, "w", encoding="utf-8") as file:
            json.dump(self.kept, file, indent=1)
        passing = [test for test in tests if self.kept[test.name] == "passes"]
        with concurrent.futures.ThreadPoolExecutor(self.options.j) as pool:
            for test, (kind, text) in zip(passing, pool.map(self.under_heddle, passing)):
                yield test, kind, text
        skipped = collections.Counter(self.kept[test.name] for test in tests if self.kept[test.name] != "passes")
        print(f"{self.name} ({self.compiler}): {len(tests)} tests, {len(passing)} pass natively; "
              + ", ".join(f"{count} {why}" for why, count in skipped.most_common()), flush=True)


def judgements():
    """(suite, test) → (kind, sentence), of judged.txt."""
    judged = {}
    with open(os.path.join(HERE, "judged.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                suite, test, kind, sentence = (part.strip() for part in line.split("|"))
                judged[suite, test] = (kind, sentence)
    return judged


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=os.path.join(HERE, "..", "..", "build", "bin", "heddle"))
    parser.add_argument("--work", default="/tmp/heddle-suites", help="sources, binaries and results go there")
    parser.add_argument("--compiler", action="append", choices=list(COMPILERS), help="default: those that make sense")
    parser.add_argument("-n", type=int, default=20, help="executions of each test")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--again-natively", action="store_true")
    parser.add_argument("suites", nargs="*", metavar="SUITE[:REGEX]")
    options = parser.parse_args()
    options.heddle, options.work = os.path.realpath(options.heddle), os.path.realpath(options.work)
    judged, table, failed = judgements(), [], False
    for item in options.suites or list(SUITES):
        name, _, pattern = item.partition(":")
        for compiler in SUITES[name].flavours:
            if options.compiler and compiler not in options.compiler:
                continue
            count = collections.Counter()
            for test, kind, text in Campaign(name, compiler, options).run(pattern):
                verdict = "pass"
                if kind == OWN_RACE:
                    verdict = "race"
                elif kind is not None:
                    rightly = judged.get((name, test.name), (None,))[0]
                    verdict = "judged" if rightly is not None and kind in rightly.split(", ") else "FAIL"
                    print(f"{verdict} {name} {test.name} ({compiler}): {kind}: {text}", flush=True)
                count[verdict] += 1
            table.append((name, compiler, count))
            failed |= count["FAIL"] > 0
    print(f"\n{'suite':12}{'compiler':14}{'natively':>9}{'passed':>8}{'own race':>10}{'judged':>8}{'failed':>8}  share that did not fail")
    for name, compiler, count in table:
        natively = sum(count.values())
        share = f"{100 * (natively - count['FAIL']) / natively:.1f} %" if natively else "-"
        print(f"{name:12}{compiler:14}{natively:9}{count['pass']:8}{count['race']:10}{count['judged']:8}{count['FAIL']:8}  {share}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
