#!/usr/bin/env python3
"""Failures of native runs, brought back: of programs that were written by an author who had not seen heddle.

    HEDDLE=build/bin/heddle native_failures.py [--half seen|unseen] [--native SECONDS] [-t TIME] [--work DIR] [--programs FILE] [NAME ...]

programs.json has each program's bug in its author's words. A program is built with `heddle c++ --full` and run
natively, with path logs, until a run fails or the time for that is over. Then `heddle reconstruct` gets the log, and
beside it, as the control, `heddle run --look-for` gets it with the same time, and `heddle reconstruct --only-paths`, which
does nothing but what the log's paths lead to. `half` is by the parity of the first
hexadecimal digit of the name's SHA-256; heddle was not changed after a look at an unseen one. Prints a table in
Markdown. Exit status 1 when a failure that was logged is not brought back.

Native failures are rare and depend on the machine, so this is a measurement and no test of every run.
"""
import argparse
import glob
import hashlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.path.realpath(os.environ.get("HEDDLE", os.path.join(FOLDER, "..", "..", "build", "bin", "heddle")))
BUG = 66
NATIVE_LIMIT = 5  # seconds of one native run; one that takes longer hangs


def half_of(name):
    return "unseen" if int(hashlib.sha256(name.encode()).hexdigest()[0], 16) % 2 else "seen"


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def first_failure(program, arguments, work, seconds):
    """(the log of a native run that failed or None, how it ended, how many runs it took)"""
    began, runs = time.monotonic(), 0
    logs = os.path.join(work, "logs")
    while time.monotonic() - began < seconds:
        shutil.rmtree(logs, ignore_errors=True)
        runs += 1
        try:
            ended = subprocess.run([program, *arguments], cwd=os.path.join(FOLDER, "programs"), stdin=subprocess.DEVNULL,
                                   env={**os.environ, "HEDDLE_RECORD": "path:" + logs}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, timeout=NATIVE_LIMIT, check=False).returncode
        except subprocess.TimeoutExpired:
            ended = "hangs"
        if ended != 0:
            log = glob.glob(os.path.join(logs, "*.hlog"))
            if log:
                return log[0], ended, runs
    return None, None, runs


def try_command(words, log, program, arguments, work, limit):
    """(found, seconds of CPU, what was found)"""
    out = os.path.join(work, "out-" + words[-1])
    asked = [HEDDLE, *words, "-q", "-t", limit, "-o", out]
    asked += ["--look-for", log] if words[0] == "run" else [log]
    before = cpu_seconds()
    answer = subprocess.run([*asked, "--", program, *arguments], cwd=os.path.join(FOLDER, "programs"), stdin=subprocess.DEVNULL,
                            capture_output=True, text=True, errors="replace", check=False)
    summary = [line.split("heddle: ", 1)[1] for line in answer.stderr.splitlines() if line.startswith("SUMMARY")]
    # A bug that was met on the way is kept and told, and is not the failure of the log.
    found = answer.returncode == BUG and "other bug was found on the way" not in answer.stderr
    return found, cpu_seconds() - before, summary[0] if summary else answer.stderr.strip()[-80:]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*")
    options.add_argument("--half", choices=["seen", "unseen"])
    options.add_argument("--native", type=float, default=90)
    options.add_argument("-t", "--time", default="60s")
    options.add_argument("--work")
    options.add_argument("--programs", default=os.path.join(FOLDER, "programs.json"))
    given = options.parse_args()
    with open(given.programs, encoding="utf-8") as file:
        programs = json.load(file)
    work = given.work or tempfile.mkdtemp(prefix="heddle-wild-")
    logged = found = 0
    print("| program | half | bug | native failure | reconstruct: s of CPU | control: s of CPU | only paths: s of CPU | found |\n|---|---|---|---|---|---|---|---|")
    for case in programs:
        name = case["name"]
        if (given.names and name not in given.names) or (given.half and half_of(name) != given.half):
            continue
        folder = os.path.join(work, name)
        os.makedirs(folder, exist_ok=True)
        program = os.path.join(folder, "program")
        sources = [os.path.join(FOLDER, "programs", file) for file in case["files"] if file.endswith((".c", ".cpp"))]
        compiler = ["cc", "--full", "-std=gnu11"] if sources[0].endswith(".c") else ["c++", "--full", "-std=c++20"]
        subprocess.run([HEDDLE, *compiler, "-O1", "-g", "-pthread", *sources, "-o", program], check=True)
        log, ended, runs = first_failure(program, case["args"], folder, given.native)
        row = f"| {name} | {half_of(name)} | {case['kind']} | "
        if log is None:
            print(row + f"none in {runs:,} runs | | | | |", flush=True)
            continue
        logged += 1
        back, seconds, what = try_command(["reconstruct"], log, program, case["args"], folder, given.time)
        control, control_seconds, _ = try_command(["run", "--seed", "1"], log, program, case["args"], folder, given.time)
        paths, paths_seconds, _ = try_command(["reconstruct", "--only-paths"], log, program, case["args"], folder, given.time)
        found += back
        print(row + f"{ended}, run {runs:,} | {'' if back else 'not: '}{seconds:.1f} | "
              f"{'' if control else 'not: '}{control_seconds:.1f} | {'' if paths else 'not: '}{paths_seconds:.1f} | {what} |", flush=True)
    print(f"\n{found} of {logged} logged failures were brought back.")
    if not given.work:
        shutil.rmtree(work, ignore_errors=True)
    return 0 if found == logged else 1


if __name__ == "__main__":
    sys.exit(main())
