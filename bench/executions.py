#!/usr/bin/env python3
"""Executions per second of one worker, for each way to come back to the start.

    bench/executions.py [HEDDLE]

Prints the median of 5 campaigns with the smallest and the largest, and the CPU time of one execution, which says what
an idle machine would give when this one is busy. One line is for a program that sets up 200 MB before its first
thread, the last for a body of heddle_check.
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGNS = 5
# Way, megabytes in use before the first thread, "check" or nothing, executions of a campaign, executions per second to reach.
CASES = [("track", 0, [], 20000, 10000), ("copy", 0, [], 10000, 5000), ("fork", 0, [], 3000, 2000), ("track", 200, [], 10000, 5000),
         ("track", 0, ["check"], 50000, 100000)]


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def campaign(heddle, folder, way, megabytes, body, executions, seed):
    """(executions per second, CPU microseconds of one execution)"""
    before = cpu_seconds()
    # Exit code 0 says that every execution ran to its end and found 28 increments.
    subprocess.run([heddle, "run", "-q", "--no-progress", "-j", "1", "-n", str(executions), "--seed", str(seed), "--json",
                    "report.json", "--repetition", way, "--", "./program", str(megabytes)] + body, cwd=folder, check=True)
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert report["endings"]["exited"] == executions, report["endings"]
    return report["executions_per_second"], (cpu_seconds() - before) / executions * 1e6


def main():
    heddle = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "build", "bin", "heddle"))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([heddle, "cc", "-g", "-O1", os.path.join(HERE, "executions.c"), "-o", "program"], cwd=folder,
                       check=True)
        print("| way | heap | executions per second | to reach | CPU time of one |\n|---|---|---|---|---|")
        for way, megabytes, body, executions, target in CASES:
            results = [campaign(heddle, folder, way, megabytes, body, executions, seed) for seed in range(1, CAMPAIGNS + 1)]
            rates = [rate for rate, _ in results]
            costs = [cost for _, cost in results]
            print(f"| {' '.join([way] + body)} | {megabytes} MB | {statistics.median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f}) | "
                  f"{target:,} | {statistics.median(costs):,.0f} µs ({min(costs):,.0f} to {max(costs):,.0f}) |", flush=True)
    print(f"\nload average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
