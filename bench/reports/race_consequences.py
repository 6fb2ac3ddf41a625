#!/usr/bin/env python3
"""What races lead to: for each program whose first bug is a race, what `heddle run` shows behind it.

    HEDDLE=build/bin/heddle bench/reports/race_consequences.py [--native N] [NAME ...]

Programs: examples/, tests/programs/fail, bench/deep, bench/search and tests/wild/programs, built as they are. Of each
one whose first finding is a data race, the table has what the race led to within its executions, and how the program,
compiled by g++ alone, failed in N native runs (300). A program that fails natively and whose race led to nothing else
is a miss. Exit status 1 when there is one.
"""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HEDDLE = os.path.realpath(os.environ.get("HEDDLE", os.path.join(ROOT, "build", "bin", "heddle")))
LIMIT = 3  # seconds of a native run


def programs():
    for folder, pattern in (("examples", "*.c*"), ("tests/programs/fail", "*.c*"), ("bench/deep", "*.c"), ("bench/search", "*.cpp")):
        for path in sorted(glob.glob(os.path.join(ROOT, folder, pattern))):
            if "_fixed" not in path:
                yield os.path.relpath(path, ROOT), [path], []
    with open(os.path.join(ROOT, "tests/wild/programs.json"), encoding="utf-8") as file:
        for case in json.load(file):
            sources = [os.path.join(ROOT, "tests/wild/programs", name) for name in case["files"] if name.endswith(".cpp")]
            yield "tests/wild/" + case["name"], sources, [os.path.join(ROOT, "tests/wild/programs", word) for word in case["args"]]


def compile_with(tool, sources, program):
    is_cxx = sources[0].endswith(".cpp")
    command = ([HEDDLE, "c++" if is_cxx else "cc"] if tool == "heddle" else ["g++" if is_cxx else "gcc"])
    command += ["-g", "-O1", "-pthread", "-std=c++20" if is_cxx else "-std=gnu11", *sources, "-o", program]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def native(program, arguments, runs):
    """How often each ending came that is none of status 0."""
    endings = collections.Counter()
    for _ in range(runs):
        try:
            status = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, timeout=LIMIT, check=False).returncode
        except subprocess.TimeoutExpired:
            status = "hangs"
        if status != 0:
            endings[status] += 1
        if endings["hangs"] >= 2:
            break
    return endings


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*")
    options.add_argument("--native", type=int, default=300)
    given = options.parse_args()
    misses = races = led = 0
    print("| program | executions | the race led to | natively |\n|---|---|---|---|")
    for name, sources, arguments in programs():
        if given.names and not any(wanted in name for wanted in given.names):
            continue
        with tempfile.TemporaryDirectory(prefix="heddle-races-") as work:
            program, alone, report = (os.path.join(work, file) for file in ("program", "alone", "report.json"))
            if not compile_with("heddle", sources, program):
                continue
            subprocess.run([HEDDLE, "run", "-q", "--seed", "1", "-t", "20s", "-n", "5000", "-o", os.path.join(work, "out"), "--json", report,
                            "--", program, *arguments], cwd=work, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            if not os.path.exists(report):
                continue
            with open(report, encoding="utf-8") as file:
                found = json.load(file)["findings"]
            if not found or found[0]["kind"] != "data race" or "consequences" not in found[0]:
                continue
            races += 1
            followed = found[0]["consequences"]
            kinds = [f"{entry['kind']} {100 * entry['count'] / followed['executions']:.1f} %" for entry in followed["found"]]
            if followed["timed_out"]:
                kinds.append(f"{followed['timed_out']} without an end")
            led += bool(kinds)
            endings = native(alone, arguments, given.native) if compile_with("alone", sources, alone) else {}
            shown = ", ".join(f"{ending}: {count}" for ending, count in endings.items()) or "never failed"
            misses += bool(endings) and not kinds
            print(f"| {name} | {followed['executions']:,} | {', '.join(kinds) or 'nothing'} | {shown} |", flush=True)
    print(f"\n{races} programs with a race first; {led} races led to something. Misses: {misses}.")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
