#!/usr/bin/env python3
"""What recording paths costs: programs built by clang -O2, and by `heddle c++ --full` and run natively without and with a log.

    bench/record/measure.py --heddle build/bin/heddle [--rounds N] [PROGRAM…]

The set: the programs of this folder, whose threads compute, each by itself; and those of elements/ whose threads work
together, by locks, queues and atomics.

CPU seconds (user and system) are the least of N rounds, taken in turns; every run has to print the same. The log is as the program wrote it.
Bits per decision (branch, switch, indirect call, exception) are counted in a smaller run: of the streams of bits, of the whole file as the program wrote it
(headers, marks and room that is not used included), and of what `heddle record` keeps.
"""
import argparse
import glob
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def cpu_seconds(command, environment):
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    output = subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, text=True).stdout
    return used() - before, output


# Enough for the log's pages not to count, and few enough for the reader.
SMALLER = {"compress": "3", "machine": "1500000", "matrix": "1", "queens": "12", "sort": "2", "words": "700000",
           "bank": "400000", "cache": "400000", "life": "8", "pipeline": "2000"}
TOGETHER = ("bank", "cache", "life", "pipeline")


def bits_per_decision(heddle, program, name, work):
    sizes = []
    for options in (["--raw"], []):
        logs = os.path.join(work, "small")
        shutil.rmtree(logs, ignore_errors=True)
        subprocess.run([heddle, "record", *options, "--dir", logs, "--", program, SMALLER[name]], check=True, capture_output=True)
        log, = glob.glob(logs + "/*.hlog")
        sizes.append(8 * os.path.getsize(log))
    shown = subprocess.run([heddle, "record", "--show", log], check=True, capture_output=True, text=True).stdout
    if "incomplete" in shown:
        sys.exit(f"{name}: {shown}")
    bits, decisions = (sum(int(n) for n in re.findall(pattern, shown)) for pattern in (r"(\d+) bits", r"(\d+) decisions"))
    return bits / decisions, sizes[0] / decisions, sizes[1] / decisions


def measure(name, arguments, work):
    plain, full = os.path.join(work, name + ".plain"), os.path.join(work, name + ".full")
    source = os.path.join(FOLDER, "elements" if name in TOGETHER else "", name + ".cpp")
    flags = ["-O2", "-std=c++20", "-pthread"]
    subprocess.run(["clang++-19", *flags, source, "-o", plain], check=True)
    subprocess.run([arguments.heddle, "c++", "--full", *flags, source, "-o", full], check=True)
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
    return seconds, os.path.getsize(log), bits_per_decision(arguments.heddle, full, name, work)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", default="build/bin/heddle")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()
    alone = sorted(os.path.basename(p)[:-4] for p in glob.glob(FOLDER + "/*.cpp"))
    programs = arguments.programs or [*alone, *TOGETHER]
    print("| program | plain s | dormant s | recording s | dormant / plain | recording / dormant | recording / plain | log MB | bits per decision | in the file | kept |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    ratios = []
    with tempfile.TemporaryDirectory() as work:
        for name in programs:
            seconds, size, (bits, in_file, kept) = measure(name, arguments, work)
            p, d, r = seconds["plain"], seconds["dormant"], seconds["recording"]
            ratios.append((d / p, r / d, r / p))
            print(f"| {name} | {p:.2f} | {d:.2f} | {r:.2f} | {d / p:.2f} | {r / d:.2f} | {r / p:.2f} | {size / 1e6:.1f} | {bits:.2f} | {in_file:.2f} | {kept:.3f} |", flush=True)
    means = [math.exp(sum(math.log(ratio[i]) for ratio in ratios) / len(ratios)) for i in range(3)]
    print("| geometric mean | | | | " + " | ".join(f"{mean:.2f}" for mean in means) + " | | | | |")


if __name__ == "__main__":
    main()
