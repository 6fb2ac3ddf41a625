#!/usr/bin/env python3
"""What recording access orders costs, on the programs of bench/record/elements.

    bench/record/elements.py [--heddle build/bin/heddle] [--repeat 5] [--instances 4] [PROGRAM...]

For each program, CPU time (user and system) in turns: compiled by clang++-19 -O2 alone; built with --full and dormant;
recording 100, 50 and 25 % of the elements (the latter two as the mean over instances, each with its own draw); and a
straightforward LEAP (elements/leap.cpp) on the same build. Prints the medians as ratios to the dormant build, and bytes of
log for each access at 100 %. Every run's output is compared with the first one's.
"""
import argparse
import glob
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))
PLAIN = "clang++-19"
# Rounds of a run under the engine, for the profile: it is slower, and need not be long.
ROUNDS = {"life": "2", "pipeline": "3", "words": "20"}


def build(heddle, program, folder, static):
    source = os.path.join(HERE, "elements", program + ".cpp")
    flags = ["-O2", "-g1", "-std=c++20", "-pthread", "-fno-vectorize", "-fno-slp-vectorize"]
    outputs = {name: os.path.join(folder, f"{program}.{name}") for name in ("plain", "full", "leap")}
    subprocess.run([PLAIN, *flags, source, "-o", outputs["plain"]], check=True)
    full = [heddle, "c++", "--full"] + (["--spes=static"] if static else [])
    subprocess.run([*full, *flags, source, "-o", outputs["full"]], check=True)
    leap = os.path.join(folder, "leap.o")
    subprocess.run([PLAIN, *flags, f"-I{ROOT}", "-c", os.path.join(HERE, "elements", "leap.cpp"), "-o", leap], check=True)
    subprocess.run([*full, *flags, source, leap, "-rdynamic", "-o", outputs["leap"]], check=True)
    return outputs


class Run:
    """One run of a program: CPU seconds and output."""

    def __init__(self, program, record=None):
        environment = {k: v for k, v in os.environ.items() if k != "HEDDLE_RECORD"}
        logs = tempfile.mkdtemp(prefix="heddle-logs-")
        if record:
            environment["HEDDLE_RECORD"] = record.format(logs=logs)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.output = done.stdout
        shutil.rmtree(logs, ignore_errors=True)


def collected(heddle, program, folder):
    """Accesses of a full recording, and bytes of its log as `heddle record` keeps it."""
    logs = os.path.join(folder, "collected")
    shutil.rmtree(logs, ignore_errors=True)
    subprocess.run([heddle, "record", "--vars", "--dir", logs, "--", program], check=True, capture_output=True)
    log = glob.glob(os.path.join(logs, "*.hlog"))[0]
    shown = subprocess.run([heddle, "record", "--show", log], check=True, capture_output=True, text=True)
    return int(re.search(r"(\d+) accesses", shown.stdout).group(1)), os.path.getsize(log)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build", "bin", "heddle"))
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--instances", type=int, default=4)
    parser.add_argument("--static", action="store_true", help="no profile: all elements that may be shared")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    programs = options.programs or sorted(
        os.path.splitext(os.path.basename(p))[0] for p in glob.glob(os.path.join(HERE, "elements", "*.cpp"))
        if not p.endswith("leap.cpp"))
    folder = tempfile.mkdtemp(prefix="heddle-bench-")
    columns = ["plain", "dormant", "100 %", "50 %", "25 %", "LEAP"]
    print("| program | dormant, CPU s | plain | 100 % | 50 % | 25 % | LEAP | accesses | bytes per access |")
    print("|---|---|---|---|---|---|---|---|---|")
    ratios = {column: [] for column in columns}
    for program in programs:
        outputs = build(options.heddle, program, folder, options.static)
        if not options.static:
            subprocess.run([options.heddle, "record", "--profile", "-n", "1", "--", outputs["full"], ROUNDS.get(program, "50")], check=True, capture_output=True)
            shutil.copy(outputs["full"] + ".spes", outputs["leap"] + ".spes")
        times = {column: [] for column in columns}
        expected = None
        for turn in range(options.repeat):
            plans = [("plain", outputs["plain"], None), ("dormant", outputs["full"], None),
                     ("100 %", outputs["full"], "vars:{logs},share=100"), ("LEAP", outputs["leap"], "vars:{logs}")]
            for i in range(options.instances):
                plans += [(f"{share} %", outputs["full"], f"vars:{{logs}},share={share},instance={turn * options.instances + i}")
                          for share in (50, 25)]
            sums = {column: [] for column in columns}
            for column, path, record in plans:
                run = Run(path, record)
                expected = expected or run.output
                if run.output != expected:
                    sys.exit(f"{program}, {column}: another result")
                sums[column].append(run.seconds)
            for column, values in sums.items():
                times[column].append(statistics.mean(values))
        accesses, size = collected(options.heddle, outputs["full"], folder)
        median = {column: statistics.median(values) for column, values in times.items()}
        base = median["dormant"]
        for column in columns:
            ratios[column].append(median[column] / base)
        print(f"| {program} | {base:.2f} | " + " | ".join(f"{median[c] / base:.2f}" for c in ("plain", "100 %", "50 %", "25 %", "LEAP"))
              + f" | {accesses} | {size / accesses if accesses else 0:.5f} |", flush=True)
    print("| geometric mean | | " + " | ".join(
        f"{math.exp(statistics.mean(math.log(r) for r in ratios[c])):.2f}" for c in ("plain", "100 %", "50 %", "25 %", "LEAP")) + " | | |")
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
