#!/usr/bin/env python3
"""Where `heddle explain` says that a failure was decided, against labels.

    HEDDLE=build/bin/heddle bench/reports/decided.py [--half seen|unseen] [-t TIME] [--work DIR] [--results FILE] [NAME ...]

decided.json has for each bug of remedies.json at most three operations, by their lines, at which a person sees the
failure decided. They were written from the sources, before the curve was drawn for any of them. "common.h:34@queue.c:24"
is line 34 of a helper, called from line 24. Bugs that every execution shows have none.

The largest jump of the curve is right if its event is at one of these lines, or off by one line. A bug counts as not
judged if the curve has no jump: then no single choice decides it. Halves are those of remedies.py.
"""
import argparse
import json
import os
import shutil
import sys
import tempfile

from remedies import BUG, FOLDER, HEDDLE, RUN_LIMIT, compiled, half_of, paths, run, seconds_of


def lines_of(frames):
    return [(os.path.basename(frame.get("file", "")), int(frame.get("line", 0))) for frame in frames]


def is_at(label, lines):
    for place in label.split("@"):
        file, line = place.rsplit(":", 1)
        if not any(name == file and abs(at - int(line)) <= 1 for name, at in lines):
            return False
    return True


def decided(bug, labels, work, limit):
    """(verdict, what the largest jump is)"""
    folder = os.path.join(work, bug["name"])
    os.makedirs(folder, exist_ok=True)
    program, out, answer = (os.path.join(folder, name) for name in ("program", "out", "explained.json"))
    if not compiled(bug, paths(bug["sources"]), bug["flags"], program, os.path.join(folder, "build.txt")):
        return "not built", ""
    if run([HEDDLE, "run", "-q", "-o", out, "-t", RUN_LIMIT, "--seed", "1", "--", program, *bug["args"]],
           os.path.join(folder, "run.txt"), 10 * seconds_of(RUN_LIMIT))[0] != BUG:
        return "not found", ""
    run([HEDDLE, "explain", "-q", "--no-remedy", "--json", answer, "-t", limit, os.path.join(out, "bug-1.heddle")],
        os.path.join(folder, "explain.txt"), 10 * seconds_of(limit) + 60)
    if not os.path.exists(answer):
        return "no answer", ""
    with open(answer, encoding="utf-8") as file:
        curve = json.load(file)["curve"]
    if not curve or not curve["jumps"]:
        return "no jump", ""
    jump = curve["jumps"][0]
    lines = lines_of(jump["frames"])
    words = f"{jump['from']:.0%} to {jump['to']:.0%} at " + " < ".join(f"{file}:{line}" for file, line in lines[:2])
    return ("right" if any(is_at(label, lines) for label in labels) else "elsewhere"), words


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*")
    options.add_argument("--half", choices=["seen", "unseen"])
    options.add_argument("-t", "--time", default="30s")
    options.add_argument("--work")
    options.add_argument("--results")
    given = options.parse_args()
    with open(os.path.join(FOLDER, "remedies.json"), encoding="utf-8") as file:
        bugs = {bug["name"]: bug for bug in json.load(file)}
    with open(os.path.join(FOLDER, "decided.json"), encoding="utf-8") as file:
        labelled = [(bugs[one["name"]], one["decided"]) for one in json.load(file) if one["decided"]]
    wanted = [(bug, labels) for bug, labels in labelled
              if (not given.half or half_of(bug["name"]) == given.half) and (not given.names or bug["name"] in given.names)
              and all(os.path.exists(path) for path in paths(bug["sources"]))]
    work = given.work or tempfile.mkdtemp(prefix="heddle-decided-")
    rows = []
    print("| program | half | largest jump | labels |\n|---|---|---|---|")
    for bug, labels in wanted:
        verdict, words = decided(bug, labels, work, given.time)
        rows.append({"name": bug["name"], "half": half_of(bug["name"]), "verdict": verdict, "jump": words})
        print(f"| {bug['name']} | {half_of(bug['name'])} | {verdict}{': ' + words if words else ''} | {', '.join(labels)} |", flush=True)
    judged = [row for row in rows if row["verdict"] in ("right", "elsewhere")]
    right = sum(row["verdict"] == "right" for row in judged)
    print(f"\n{right} of {len(judged)} largest jumps are at a labelled operation; "
          f"{sum(row['verdict'] == 'no jump' for row in rows)} of {len(rows)} curves have no jump.")
    if given.results:
        with open(given.results, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    if not given.work:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
