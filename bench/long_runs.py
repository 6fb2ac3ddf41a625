#!/usr/bin/env python3
"""Long executions: what one operation costs under heddle, under ThreadSanitizer of the same compiler, and natively.

    bench/long_runs.py [--heddle H] [--compiler g++] [--rounds N] [--only TEXT] [--parts LIST]

All three are built from the same sources and run in turns on one core (taskset). Times are CPU time, the median of the
rounds; ratios are within a round's worth of runs. Prints a table for each question, and what is to be reached.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = [os.path.join(HERE, name) for name in ("long_runs.cpp", "race_loops.cpp")]
FLAGS = ["-std=c++20", "-O2", "-g", "-fno-tree-vectorize", "-pthread", "-I", os.path.dirname(HERE)]
KINDS = ("heddle", "tsan", "native")
ATOMIC_RATIO, MUTEX_RATIO, PLAIN_RATIO, FLAT_KILOBYTES = 3.0, 3.0, 1.5, 1024
SC_SHARE = 0.8


class Programs:
    """The three builds of one program, and how to run each on one core."""

    def __init__(self, heddle, compiler, folder):
        self.heddle, self.folder = heddle, folder
        builds = {"heddle": [heddle, "c++", f"--compiler={compiler}"], "tsan": [compiler, "-fsanitize=thread"], "native": [compiler]}
        for kind, command in builds.items():
            subprocess.run(command + FLAGS + SOURCES + ["-o", kind], cwd=folder, check=True)

    def run(self, kind, *arguments, model="c++20"):
        """(nanoseconds of an operation, kilobytes grown)"""
        result = os.path.join(self.folder, "result")
        program = ["./" + kind, result] + [str(a) for a in arguments]
        under = [self.heddle, "run", "-q", "--no-progress", "-n", "1", "-j", "1", "--seed", "1", "--model", model,
                 "--max-steps", "1000000000", "--timeout", "300s", "--"] if kind == "heddle" else []
        if os.path.exists(result):
            os.remove(result)
        subprocess.run(["taskset", "-c", "0"] + under + program, cwd=self.folder, check=True)
        with open(result, encoding="utf-8") as file:
            nanoseconds, kilobytes = file.read().split()
        return float(nanoseconds), int(kilobytes)

    def compare(self, rounds, *arguments):
        """{kind: median nanoseconds}, {kind: most kilobytes}; the three take turns."""
        times, sizes = {kind: [] for kind in KINDS}, {kind: 0 for kind in KINDS}
        for _ in range(rounds):
            for kind in KINDS:
                nanoseconds, kilobytes = self.run(kind, *arguments)
                times[kind].append(nanoseconds)
                sizes[kind] = max(sizes[kind], kilobytes)
        return {kind: statistics.median(times[kind]) for kind in KINDS}, sizes


class Table:
    """Rows with a ratio that is to stay below a limit."""

    def __init__(self, title, limit):
        self.title, self.limit, self.ratios = title, limit, []
        print(f"\n{title}; to reach: at most {limit:g} times ThreadSanitizer's\n")
        print(f"| {'what':46} | {'heddle':>9} | {'TSan':>9} | {'native':>9} | ratio |\n|---|---|---|---|---|")

    def row(self, name, times):
        ratio = times["heddle"] / times["tsan"]
        self.ratios.append(ratio)
        mark = "" if ratio <= self.limit else " (!)"
        print(f"| {name:46} | {times['heddle']:6.1f} ns | {times['tsan']:6.1f} ns | {times['native']:6.1f} ns | {ratio:.2f}{mark} |", flush=True)

    def end(self):
        if self.ratios:
            over = sum(ratio > self.limit for ratio in self.ratios)
            print(f"\ngeometric mean {statistics.geometric_mean(self.ratios):.2f}, worst {max(self.ratios):.2f}, over the limit: {over} of {len(self.ratios)}")


def atomics(programs, options):
    table = Table("Atomic operations, 10^6 of them", ATOMIC_RATIO)
    for threads in (2, 4):
        for locations in (1, 16):
            for operation in ("load", "store", "update", "mixed"):
                for order in ("relaxed", "acq_rel", "seq_cst"):
                    name = f"{operation} {order}, {threads} threads, {locations} atomics"
                    if options.only in name:
                        table.row(name, programs.compare(options.rounds, "atomic", operation, order, threads, locations, 10**6)[0])
    table.end()


def mutexes(programs, options):
    table = Table("Mutex, lock and unlock, 10^6 pairs", MUTEX_RATIO)
    for threads in (2, 4):
        for locations in (1, 16):
            name = f"mutex pair, {threads} threads, {locations} mutexes"
            if options.only in name:
                table.row(name, programs.compare(options.rounds, "mutex", "-", "-", threads, locations, 10**6)[0])
    table.end()


def lengths(programs, options):
    """Cost and memory by the length of the run, and where there are many threads or locations."""
    print(f"\nBy length; to reach: constant time, and at most {FLAT_KILOBYTES} KB more than 10^5 operations take\n")
    print("| what | " + " | ".join(f"10^{n}" for n in range(4, 8)) + " | memory |\n|---|---|---|---|---|---|")
    cases = [("atomic", operation, order, threads, locations)
             for operation, order in (("store", "relaxed"), ("load", "relaxed"), ("mixed", "acq_rel"), ("update", "seq_cst"))
             for threads, locations in ((2, 1), (4, 16))]
    cases += [("atomic", "mixed", "acq_rel", 300, 1), ("atomic", "mixed", "relaxed", 4, 8192), ("mutex", "-", "-", 2, 1)]
    for case in cases:
        name = " ".join(str(part) for part in case[1:3]) + f", {case[3]} threads, {case[4]} locations"
        if case[0] == "mutex":
            name = f"mutex pairs, {case[3]} threads, {case[4]} mutexes"
        if options.only not in name:
            continue
        results = [programs.run("heddle", *case, 10**n) for n in range(4, 8)]
        grown = results[3][1] - results[1][1]
        mark = "" if grown <= FLAT_KILOBYTES else " (!)"
        print(f"| {name:46} | " + " | ".join(f"{t:.0f} ns" for t, _ in results) +
              f" | {results[1][1]:,} → {results[3][1]:,} KB{mark} |", flush=True)


def plain(programs, options):
    table = Table("Plain accesses", PLAIN_RATIO)
    for loop, name, work in (("add", "arr[i] += k", 4), ("fields", "struct copy by fields", 40), ("structs", "struct copy", 40), ("fill", "memset", 0)):
        for size in (1 << 10, 64 << 10, 4 << 20, 100 << 20):
            text = f"{name}, {size >> 10} KB"
            if options.only not in text:
                continue
            sweeps = max(1, (64 << 20) // size)
            table.row(text, programs.compare(options.rounds, "plain", loop, size, sweeps)[0])
    table.end()


def executions(programs, options):
    """Executions per second of c++20 against sc."""
    if options.only not in "executions":
        return
    program = ["./heddle", "-", "atomic", "mixed", "acq_rel", "2", "1", "30"]
    rates = {"c++20": [], "sc": []}
    for _ in range(options.rounds):
        for model, values in rates.items():
            report = os.path.join(programs.folder, "report.json")
            subprocess.run(["taskset", "-c", "0", programs.heddle, "run", "-q", "--no-progress", "-j", "1", "-n", "2000", "--seed", "1",
                            "--model", model, "--json", report, "--"] + program, cwd=programs.folder, check=True)
            with open(report, encoding="utf-8") as file:
                values.append(json.load(file)["executions_per_second"])
    share = statistics.median(rates["c++20"]) / statistics.median(rates["sc"])
    print(f"\nExecutions per second: c++20 {statistics.median(rates['c++20']):,.0f}, sc {statistics.median(rates['sc']):,.0f}: "
          f"{share:.2f}; to reach: at least {SC_SHARE:g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", default=os.path.join(HERE, "..", "build", "bin", "heddle"))
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="rows whose name has this text")
    parser.add_argument("--parts", default="atomics,mutexes,plain,lengths,executions")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(os.path.realpath(options.heddle), options.compiler, folder)
        parts = {"atomics": atomics, "mutexes": mutexes, "plain": plain, "lengths": lengths, "executions": executions}
        for part in options.parts.split(","):
            parts[part](programs, options)


if __name__ == "__main__":
    sys.exit(main())
