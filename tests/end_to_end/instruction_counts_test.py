#!/usr/bin/env python3
"""Instructions of one operation, so that the hot path does not grow unnoticed.

Counts and no times: the same on a busy machine. bench/speed/instructions.cpp steps through operations of two threads with
the processor's trap flag; with one seed the numbers are the same in every run of one build. What another version of the
compiler makes of the runtime may differ by some: the limits leave a tenth.

    python3 instruction_counts_test.py --strategies     what each strategy costs per operation, as CPU time over that of random (docs/design/strategies.md)
"""
import ctypes
import math
import os
import resource
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..", "bench", "speed", "instructions.cpp")
HEDDLE = os.environ.get("HEDDLE", os.path.join(HERE, "..", "..", "build", "bin", "heddle"))
LEEWAY = 1.10

# Measured with g++ 12.2 as docs/measurements/speed.md says. A change that makes one smaller brings it down here.
MEASURED = {
    "load_relaxed": 325,
    "store_relaxed": 556,
    "store_release": 616,
    "update_relaxed": 571,
    "update_seq_cst": 834,
    "mixed_acq_rel": 767,
    "mutex_pair": 1166,
    "plain_write_in_lock": 1098,
    "strlen_100": 1490,  # and others: a text of 100 characters
    "strcpy_100": 2226,
    "strcmp_100": 2385,
}


STRATEGIES = ["random", "pct", "pctwm", "pos", "surw", "surwm", "places", "delays", "greybox", "auto"]


def build(folder):
    subprocess.run([HEDDLE, "c++", "--compiler=g++", "-std=c++20", "-O2", "-g", "-pthread", SOURCE, "-o", "program"], cwd=folder, check=True)


def count_instructions(folder):
    # A process of its own for the execution: the trap flag is none of the things that are put back.
    subprocess.run([HEDDLE, "run", "-q", "--no-progress", "-n", "1", "-j", "1", "--seed", "1", "-s", "random", "--repetition", "fork",
                    "--timeout", "300s", "--", "./program", "counts"], cwd=folder, check=True)
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


# Operations of two threads, each so often; 0: what starting and ending take.
LOOPS = r"""
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
std::atomic<int> x;
std::mutex m;
int main(int, char** argv) {
  const int n = std::atoi(argv[2]);
  const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  const bool load = is("load_relaxed"), store = is("store_release"), update = is("update_seq_cst");
  const auto work = [&] {
    for (int i = 0; i < n; ++i) {
      if (load) x.load(std::memory_order_relaxed);
      else if (store) x.store(i, std::memory_order_release);
      else if (update) x.fetch_add(1);
      else std::lock_guard<std::mutex> lock(m);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
}
"""
LOOP_NAMES = ["load_relaxed", "store_release", "update_seq_cst", "mutex_pair"]


def cpu_seconds(folder, strategy, loop, count):
    """Of a run and all its processes; those that outlive it become ours."""
    def used():
        try:
            while True:
                os.wait()
        except ChildProcessError:
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime
    before = used()
    subprocess.run([HEDDLE, "run", "-q", "--no-progress", "-n", "1", "-j", "1", "--seed", "1", "-s", strategy, "--max-steps", "1000000000",
                    "--", "./loops", loop, str(count)], cwd=folder, check=True)
    return used() - before


# A single execution takes too few steps in which all threads run to be counted under strategies that keep to one thread: CPU
# time instead, the least of five turns, which the strategies take one after the other.
def print_strategies():
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "loops.cpp"), "w", encoding="utf-8") as file:
            file.write(LOOPS)
        subprocess.run([HEDDLE, "c++", "--compiler=g++", "-std=c++20", "-O2", "-g", "-pthread", "loops.cpp", "-o", "loops"], cwd=folder, check=True)
        least = {}
        for _ in range(5):
            for strategy in STRATEGIES:
                for loop in LOOP_NAMES:
                    seconds = [cpu_seconds(folder, strategy, loop, count) for count in (100000, 0)]
                    key = (strategy, loop)
                    least[key] = [min(pair) for pair in zip(seconds, least.get(key, seconds))]
    print("| strategy | " + " | ".join(LOOP_NAMES) + " | geometric mean |")
    for strategy in STRATEGIES:
        costs = [least[strategy, loop][0] - least[strategy, loop][1] for loop in LOOP_NAMES]
        ratios = [cost / (least["random", loop][0] - least["random", loop][1]) for cost, loop in zip(costs, LOOP_NAMES)]
        mean = math.prod(ratios) ** (1 / len(ratios))
        print(f"| {strategy} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + f" | {mean:.2f} |")


if __name__ == "__main__":
    if sys.argv[1:] == ["--strategies"]:
        print_strategies()
    else:
        unittest.main()
