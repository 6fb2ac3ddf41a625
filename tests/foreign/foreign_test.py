#!/usr/bin/env python3
"""Judges programs that were written without knowledge of heddle, as users write them.

    HEDDLE=build/bin/heddle foreign_test.py [--all] [--executions N] [--table] [FILE ...]

verdicts.json has each program's right answer, given by its author before heddle saw it: the kinds of finding that are
true of its one bug (none: the program is correct), and the lines of which a report should name at least one. `half` is
"seen" or "unseen", by the parity of the first byte of the SHA-256 of the file's name; heddle was not changed after a
look at an unseen one. Warnings are passed over: the first finding that is a bug counts. Without --all some are run. Exit status 1 when an answer is wrong.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.path.realpath(os.environ.get("HEDDLE", os.path.join(FOLDER, "..", "..", "build", "bin", "heddle")))
SAMPLE = 8  # of every run: each eighth program
BUG = 66

# What the authors call it, and the names that reports have for it.
KINDS = {
    "data race": ["data race"],
    "assertion": ["assertion failure", "abort"],
    "crash": ["fatal signal", "stack overflow", "double free", "invalid free", "abort"],
    "deadlock": ["deadlock"],
    "lost wake-up": ["lost wake-up"],
    "livelock": ["livelock"],
    "use after free": ["heap use after free", "double free", "invalid free"],
    "use of ended thread's storage": ["use of the stack of a thread that has ended",
                                      "use of the thread-local storage of a thread that has ended"],
    "misuse": ["mutex misuse", "condition variable misuse", "rwlock misuse", "barrier misuse", "semaphore misuse", "thread misuse"],
    "exit": ["non-zero exit status"],
    "exception": ["uncaught exception", "std::terminate"],
}


def lines_of(finding, file):
    """The lines of the program that the report names, in places and in stacks."""
    places = finding["locations"] + [frame for stack in finding["stacks"] for frame in stack["frames"]]
    return {place.get("line") for place in places if os.path.basename(place.get("file") or "") == file}


def judge(case, work, executions):
    """(right, what was answered)"""
    file = case["file"]
    program, report = os.path.join(work, "program"), os.path.join(work, "report.json")
    language = ["c++", "-std=c++20"] if file.endswith(".cpp") else ["cc", "-std=gnu11"]
    compiled = subprocess.run([HEDDLE, *language, "-g", "-O1", "-pthread", os.path.join(FOLDER, file), "-o", program],
                              capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        return False, "does not compile: " + compiled.stderr[-500:]
    answer = subprocess.run([HEDDLE, "run", "--seed", "1", "-n", str(executions), "-o", os.path.join(work, "out"), "--json", report, "--", program],
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500, check=False)
    with open(report, encoding="utf-8") as stream:
        campaign = json.load(stream)
    bugs = [finding for finding in campaign["findings"] if finding["severity"] == "bug"]
    if not case["expect"]:
        said = ", ".join(finding["summary"] for finding in campaign["findings"])
        return answer.returncode == 0 and not campaign["findings"], f"exit {answer.returncode}, {said or 'no finding'}"
    if answer.returncode != BUG or not bugs:
        return False, f"exit {answer.returncode}, no bug in {campaign['executions']} executions"
    wanted = {name for kind in case["expect"] for name in KINDS[kind]}
    named = lines_of(bugs[0], file) & set(case["key_lines"])
    said = f"{bugs[0]['summary']}, execution {bugs[0]['first_execution'] + 1}" + ("" if named else "; none of the lines that matter is named")
    return bugs[0]["kind"] in wanted and bool(named), said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every program")
    parser.add_argument("--executions", type=int, default=1000)
    parser.add_argument("--table", action="store_true", help="also what was right")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    with open(os.path.join(FOLDER, "verdicts.json"), encoding="utf-8") as stream:
        cases = json.load(stream)
    if options.files:
        wanted = {os.path.basename(file) for file in options.files}
        cases = [case for case in cases if case["file"] in wanted]
    elif not options.all:
        cases = cases[::SAMPLE]
    wrong, halves = 0, {"seen": [0, 0], "unseen": [0, 0]}
    for case in cases:
        work = tempfile.mkdtemp(prefix="heddle-foreign-")
        right, said = judge(case, work, options.executions)
        shutil.rmtree(work, ignore_errors=True)
        halves[case["half"]][0] += right
        halves[case["half"]][1] += 1
        wrong += not right
        if options.table or not right:
            print(f"{'right' if right else 'WRONG'}  {case['half']:6}  {case['file']}  {' or '.join(case['expect']) or 'correct'}: {said}", flush=True)
    for half, (right, count) in halves.items():
        print(f"{half}: {right} of {count} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
