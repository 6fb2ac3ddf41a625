#!/usr/bin/env python3
"""Compares what executions do with what they did when tests/digests/recorded.txt was written.

    digests.py [--record] [--part I/N] [--jobs N] [--heddle FILE] [PROGRAM ...]

A change of the engine's shape (a file taken apart, one way of reading where there were two) must not change a single
execution. The JSON report of a campaign has a digest over all operations, values and choices of its executions in their
order. Each line of recorded.txt has one program and, for each strategy, a digest over the digests of three seeds.

A change that is meant to change executions records anew, and says in its commit why: digests.py --record.
--part 3/10 runs every tenth program, from the third. Exit status: 0 equal, 1 not, 77 where the compiler or the C library
is another one than that of the record (other code has other executions).
"""
import argparse
import concurrent.futures
import glob
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

TESTS = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path.insert(0, os.path.join(TESTS, "end_to_end"))
from run_programs import Program, Test  # noqa: E402

RECORDED = os.path.join(TESTS, "digests", "recorded.txt")
# All but dpct. It numbers places by their addresses, and five of 70 programs had other executions with it after the
# engine was taken apart. That another layout of libheddle.so is the cause is likely, and was not shown.
STRATEGIES = ("auto", "random", "pct", "pctwm", "pos", "surw", "surwm", "places", "delays", "greybox", "exhaustive")
SEEDS = (1, 2, 3)
EXECUTIONS = 8
SKIPPED = 77
# Executions of these depend on something outside: they are no function of the seed on another machine.
LEFT_OUT = {
    # It keeps the main thread's pthread_self() in an atomic variable. That is an address of the loader's, which depends
    # on the machine: on what is mapped before, and on `ulimit -s`.
    "tests/conformance/pass/outside_signals.cpp",
}


def compiler():
    """The versions on which the code of the programs depends."""
    version = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return f"{version}; {' '.join(platform.libc_ver())}"


def all_programs():
    root = os.path.dirname(TESTS)
    patterns = ("tests/programs/pass", "tests/programs/fail", "tests/conformance/pass", "tests/conformance/fail", "examples")
    found = [path for folder in patterns for path in glob.glob(os.path.join(root, folder, "*.c*"))]
    return sorted(os.path.relpath(path, root) for path in found)


class Digester:
    def __init__(self, heddle, work):
        self.heddle, self.work = heddle, work

    def of(self, name):
        """Of each strategy eight hexadecimal digits; None where the program is left out by a directive of its own."""
        source = os.path.join(os.path.dirname(TESTS), name)
        program = Program(source, verdict="pass" if name.startswith("examples") else None)
        if program.skip_reason("g++"):
            return None
        test = Test(self.heddle, program, "g++", self.work)
        os.makedirs(test.folder)
        test.compile()
        found = {strategy: self.of_strategy(test.folder, program, strategy) for strategy in STRATEGIES}
        shutil.rmtree(test.folder)
        return found

    def of_strategy(self, folder, program, strategy):
        digests = [self.of_campaign(folder, program, strategy, seed) for seed in SEEDS]
        return hashlib.sha256(" ".join(digests).encode()).hexdigest()[:8]

    def of_campaign(self, folder, program, strategy, seed):
        command = [self.heddle, "run", "-s", strategy, "--seed", str(seed), "-j", "1", "-n", str(EXECUTIONS), "-t", "100s", "--max-failures", "0",
                   "--no-minimize", "-q", "--no-progress", "-o", "out", "--json", "report.json", *program.words("run"), "--", "./program",
                   *program.words("args")]
        subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=200)
        try:
            with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
                report = json.load(file)
        except (OSError, ValueError):
            return "no-report"
        os.remove(os.path.join(folder, "report.json"))
        shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
        return f"{report['digest']}/{report['executions']}/{report['buggy_executions']}"


def read_record():
    with open(RECORDED, encoding="utf-8") as file:
        lines = file.read().splitlines()
    by = lines[0].removeprefix("# ")
    found = {}
    for line in lines[1:]:
        name, *digests = line.split()
        found[name] = dict(zip(STRATEGIES, digests))
    return by, found


def write_record(found):
    with open(RECORDED, "w", encoding="utf-8") as file:
        file.write(f"# {compiler()}\n")
        for name, digests in sorted(found.items()):
            file.write(" ".join([name, *(digests[strategy] for strategy in STRATEGIES)]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--heddle", default=os.environ.get("HEDDLE", os.path.join(os.path.dirname(TESTS), "build", "bin", "heddle")))
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    recorded = {}
    if not options.record:
        by, recorded = read_record()
        if by != compiler():
            print(f"recorded with {by}, and this machine has {compiler()}: record anew on the commit before your change")
            return SKIPPED
    first, step = map(int, options.part.split("/"))
    names = [name for name in options.programs or all_programs() if name not in LEFT_OUT][first - 1::step]
    work = tempfile.mkdtemp(prefix="heddle-digests-")
    digester = Digester(os.path.realpath(options.heddle), work)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = {name: digests for name, digests in zip(names, pool.map(digester.of, names)) if digests is not None}
    shutil.rmtree(work, ignore_errors=True)
    if options.record:
        write_record(found)
        print(f"{len(found)} programs, {len(STRATEGIES)} strategies, seeds {SEEDS}")
        return 0
    failures = 0
    for name, digests in found.items():
        other = [s for s in STRATEGIES if recorded.get(name, {}).get(s, digests[s]) != digests[s]]
        if other:
            failures += 1
            print(f"{name}: other executions than recorded with {', '.join(other)}")
    print(f"{len(found)} programs, {failures} with other executions")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
