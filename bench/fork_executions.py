#!/usr/bin/env python3
"""Executions per second of one worker, with a fork for each execution.

    bench/fork_executions.py [HEDDLE]

Prints the median of 5 campaigns with the smallest and the largest, and the CPU time of one execution, which says what
an idle machine would give when this one is busy.
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CAMPAIGNS, EXECUTIONS, TARGET = 5, 3000, 1500


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def campaign(heddle, folder, seed):
    """(executions per second, CPU microseconds of one execution)"""
    before = cpu_seconds()
    # Exit code 0 says that every execution ran to its end and found 28 increments.
    subprocess.run([heddle, "run", "-q", "--no-progress", "-j", "1", "-n", str(EXECUTIONS), "--seed", str(seed), "--json",
                    "report.json", "--", "./program"], cwd=folder, check=True)
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    assert report["endings"]["exited"] == EXECUTIONS, report["endings"]
    return report["executions_per_second"], (cpu_seconds() - before) / EXECUTIONS * 1e6


def main():
    heddle = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "build", "bin", "heddle"))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([heddle, "cc", "-g", "-O1", os.path.join(HERE, "fork_executions.c"), "-o", "program"], cwd=folder,
                       check=True)
        results = [campaign(heddle, folder, seed) for seed in range(1, CAMPAIGNS + 1)]
    rates = [rate for rate, _ in results]
    costs = [cost for _, cost in results]
    print(f"{statistics.median(rates):,.0f} executions per second (from {min(rates):,.0f} to {max(rates):,.0f}); "
          f"to reach: {TARGET:,}")
    print(f"{statistics.median(costs):,.0f} µs of CPU time for one (from {min(costs):,.0f} to {max(costs):,.0f}): "
          f"{1e6 / statistics.median(costs):,.0f} per second of CPU time; load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
