#!/usr/bin/env python3
"""Instructions of one operation, so that the hot path does not grow unnoticed.

Counts and no times: the same on a busy machine. bench/speed/instructions.cpp steps through operations of two threads with
the processor's trap flag; with one seed the numbers are the same in every run of one build. What another version of the
compiler makes of the runtime may differ by some: the limits leave a tenth.

    python3 instruction_counts_test.py --strategies     a table of what each strategy costs (docs/performance.md)
"""
import math
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..", "bench", "speed", "instructions.cpp")
HEDDLE = os.environ.get("HEDDLE", os.path.join(HERE, "..", "..", "build", "bin", "heddle"))
LEEWAY = 1.10

# Measured with g++ 12.2 as docs/performance.md says. A change that makes one smaller brings it down here.
MEASURED = {
    "load_relaxed": 353,
    "store_relaxed": 595,
    "store_release": 716,
    "update_relaxed": 605,
    "update_seq_cst": 1065,
    "mixed_acq_rel": 1096,
    "mutex_pair": 1301,
    "plain_write_in_lock": 1226,
}


STRATEGIES = ["random", "pct", "dpct", "pctwm", "pos", "surw", "surwm", "places", "delays", "greybox", "exhaustive", "auto"]


def build(folder):
    subprocess.run([HEDDLE, "c++", "--compiler=g++", "-std=c++20", "-O2", "-g", "-pthread", SOURCE, "-o", "program"], cwd=folder, check=True)


def count_instructions(folder, strategy="random", timeout="300s"):
    # A process of its own for the execution: the trap flag is none of the things that are put back.
    subprocess.run([HEDDLE, "run", "-q", "--no-progress", "-n", "1", "-j", "1", "--seed", "1", "-s", strategy, "--repetition", "fork",
                    "--timeout", timeout, "--", "./program", "counts"], cwd=folder, check=True)
    with open(os.path.join(folder, "counts"), encoding="utf-8") as file:
        return {name: float(count) for name, count in (line.split() for line in file)}


class InstructionCounts(unittest.TestCase):
    def test_operations_stay_as_cheap_as_they_are(self):
        with tempfile.TemporaryDirectory() as folder:
            build(folder)
            counts = count_instructions(folder)
        print("\n".join(f"{name:20} {count:8.1f} (measured before: {MEASURED[name]})" for name, count in counts.items()), file=sys.stderr)
        self.assertEqual(sorted(counts), sorted(MEASURED))
        for name, count in counts.items():
            with self.subTest(name):
                self.assertLess(count, MEASURED[name] * LEEWAY)


def print_strategies():
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        print("| strategy | " + " | ".join(MEASURED) + " | geometric mean |")
        uniform = None
        for strategy in STRATEGIES:
            try:
                counts = count_instructions(folder, strategy, "60s")
            except subprocess.CalledProcessError:
                # Who never lets the thread that counts run.
                print(f"| {strategy} |" + " – |" * (len(MEASURED) + 1), flush=True)
                continue
            uniform = uniform or counts
            ratios = [counts[name] / uniform[name] for name in MEASURED]
            mean = math.prod(ratios) ** (1 / len(ratios))
            print(f"| {strategy} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + f" | {mean:.2f} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--strategies"]:
        print_strategies()
    else:
        unittest.main()
