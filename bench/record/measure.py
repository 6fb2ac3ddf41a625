#!/usr/bin/env python3
"""What recording paths costs: the programs of this folder built by clang -O2, and by `heddle c++ --full` and run natively without and with a log.

    bench/record/measure.py --heddle build/bin/heddle [--rounds N] [PROGRAM…]

CPU seconds (user) are the least of N rounds, taken in turns; every run has to print the same. The log is as the program wrote it.
"""
import argparse
import glob
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def cpu_seconds(command, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    output = subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, text=True).stdout
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, output


def measure(name, arguments, work):
    plain, full = os.path.join(work, name + ".plain"), os.path.join(work, name + ".full")
    source = os.path.join(FOLDER, name + ".cpp")
    subprocess.run(["clang++-19", "-O2", source, "-o", plain, "-pthread"], check=True)
    subprocess.run([arguments.heddle, "c++", "--full", "-O2", source, "-o", full, "-pthread"], check=True)
    logs = os.path.join(work, "logs")
    ways = {"plain": ([plain], {}), "dormant": ([full], {}), "recording": ([full], {"HEDDLE_RECORD": f"path:{logs},limit=2G"})}
    seconds, outputs = {}, set()
    for _ in range(arguments.rounds):
        for way, (command, environment) in ways.items():
            shutil.rmtree(logs, ignore_errors=True)
            took, output = cpu_seconds(command, environment)
            seconds[way] = min(seconds.get(way, took), took)
            outputs.add(output)
    if len(outputs) != 1:
        sys.exit(f"{name} prints different things: {outputs}")
    log, = glob.glob(logs + "/*.hlog")
    return seconds, os.path.getsize(log)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    programs = arguments.programs or sorted(os.path.basename(p)[:-4] for p in glob.glob(FOLDER + "/*.cpp"))
    print("| program | plain s | dormant s | recording s | dormant / plain | recording / dormant | recording / plain | log MB |")
    print("|---|---|---|---|---|---|---|---|")
    ratios = []
    with tempfile.TemporaryDirectory() as work:
        for name in programs:
            seconds, size = measure(name, arguments, work)
            p, d, r = seconds["plain"], seconds["dormant"], seconds["recording"]
            ratios.append((d / p, r / d, r / p))
            print(f"| {name} | {p:.2f} | {d:.2f} | {r:.2f} | {d / p:.2f} | {r / d:.2f} | {r / p:.2f} | {size / 1e6:.1f} |", flush=True)
    means = [math.exp(sum(math.log(ratio[i]) for ratio in ratios) / len(ratios)) for i in range(3)]
    print("| geometric mean | | | | " + " | ".join(f"{mean:.2f}" for mean in means) + " | |")


if __name__ == "__main__":
    main()
