#!/usr/bin/env python3
"""An execution that is recorded, and one that is replayed by its choices, are the one that found the bug.

    HEDDLE=build/bin/heddle python3 tests/end_to_end/recorded_test.py [--all] [PROGRAM ...]

`heddle run --verify-determinism` runs each execution as a campaign does, with events, and by exact replay of the first
one's choices, and compares how it ended, how many choices and operations it took, and a hash of every operation with its
values. Here it does so for programs of tests/programs, strategies and seeds: a few of each, or all. Exit status 1 where
a pair of them differs; the command is printed.
"""
import os
import subprocess
import sys
import tempfile

from heddle_driver import HEDDLE, TESTS
from run_programs import Program

STRATEGIES = ["auto", "random", "pct", "dpct", "pctwm", "pos", "surw", "surwm", "places", "delays", "greybox", "exhaustive"]
# What once differed, or could: spins, spurious wake-ups, bursts of stores, clocks, volatiles, who is woken.
FEW = ["fail/livelock_test_and_set.cpp", "fail/volatile_stale.cpp", "fail/lost_update_c.c", "pass/c_condition.c",
       "pass/seqlock.cpp"]
FEW_STRATEGIES = ["auto", "random", "delays"]
SECONDS = 900  # on a busy machine; an execution of the largest programs takes seconds


def command_of(program, strategy, seed, executions):
    words = [word for word in program.words("run") if word != "--verify-determinism"]
    # What the program says for itself counts, but for how it is explored.
    for option in ("-s", "--strategy", "-n", "--seed", "-j"):
        while option in words:
            at = words.index(option)
            del words[at:at + 2]
    return [HEDDLE, "run", "--verify-determinism", "-n", str(executions), "-s", strategy, "--seed", str(seed), *words, "--",
            "./program", *program.words("args")]


def compile_program(program, folder):
    flags = program.words("flags")
    front_end = ["cc"] if program.is_c else ["c++", "-std=c++20"]
    subprocess.run([HEDDLE, *front_end, "-g", "-O1", "-pthread", *(f for f in flags if not f.startswith("-l")),
                    program.path, *(f for f in flags if f.startswith("-l")), "-o", "program"], cwd=folder, check=True,
                   capture_output=True, timeout=SECONDS)


def check(program, strategies, seeds, executions):
    """How many commands failed, and how many there were."""
    failed = count = 0
    with tempfile.TemporaryDirectory(prefix="heddle-recorded-") as folder:
        compile_program(program, folder)
        for strategy in strategies:
            for seed in seeds:
                command = command_of(program, strategy, seed, executions)
                answer = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                        errors="replace", timeout=SECONDS)
                count += 1
                if answer.returncode != 0:
                    failed += 1
                    print(f"FAILED: {program.path}: exit code {answer.returncode}\n  {' '.join(command)}\n{answer.stderr[-1500:]}",
                          flush=True)
    return failed, count


def main():
    everything = "--all" in sys.argv
    named = [argument for argument in sys.argv[1:] if argument != "--all"]
    root = os.path.join(TESTS, "programs")
    if named:
        paths = named
    elif everything:
        paths = [os.path.join(root, verdict, name) for verdict in ("pass", "fail")
                 for name in sorted(os.listdir(os.path.join(root, verdict))) if name.endswith((".c", ".cpp"))]
    else:
        paths = [os.path.join(root, name) for name in FEW]
    failed = count = 0
    for path in paths:
        program = Program(path)
        if program.skip_reason("g++"):
            print(f"skipped: {path}: {program.skip_reason('g++')}")
            continue
        if everything:
            differ, compared = check(program, STRATEGIES, (1, 2), 2)
        else:
            differ, compared = check(program, FEW_STRATEGIES, (1,), 3)
        failed, count = failed + differ, count + compared
    print(f"{count - failed} of {count} commands found recorded executions equal to those that are not")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
