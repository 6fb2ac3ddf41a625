#!/usr/bin/env python3
"""Answers of `heddle fixed` on programs whose bug and mend are known, and the truth of its 95 % statements.

    HEDDLE=build/bin/heddle bench/reports/fixed.py [--half seen|unseen] [-t TIME] [--work DIR] [--results FILE] [NAME ...]
    HEDDLE=build/bin/heddle bench/reports/fixed.py --statements [--trials N]

The programs are those of remedies.json that have a mended twin. Each is built and run, and its first bug kept. Then
`heddle fixed` is asked about four other builds of it:

    mended      the twin: the answer has to be "gone", exit code 0
    O2          the same source with another optimisation: "still there", 66
    O0          likewise
    moved       with comment lines above and inside its functions, so that all lines move and not all equally: 66

An artifact is also asked about when its old program is not there any more (with `moved`), so that the old execution is
all that is known. `half` is that of remedies.py; heddle was not changed after a look at an unseen answer.

--statements: programs that fail with a rate that is known, since each of their choices is drawn uniformly. Each is asked
about in so many trials with seeds 1, 2, …: the rate has to be below the bound, or in the interval, that is stated.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from remedies import BUG, FOLDER, HEDDLE, RUN_LIMIT, compiled, half_of, mended_sources, paths, run, seconds_of

BUILDS = ("mended", "O2", "O0", "moved")
FAILS_SOMETIMES = """
#include <heddle/heddle.h>
#include <pthread.h>
static void* work(void* p) {
  int all = 1;
  for (int i = 0; i < TIMES; i++) all &= heddle_choose(SIDES) == 0;
  heddle_assert(!all);
  return p;
}
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return 0; }
"""
RATES = ((2, 5), (4, 4), (10, 3), (6, 5))  # sides, times: 1 of 32, 256, 1,000 and 7,776 executions
EXECUTIONS = 1000  # of each trial


def moved_text(text):
    """With a comment above, and one behind every third statement."""
    lines, statements = ["// A comment."] * 7, 0
    for line in text.split("\n"):
        lines.append(line)
        ends = line.rstrip().endswith((";", "}")) and not line.lstrip().startswith("#")
        statements += ends
        if ends and statements % 3 == 0 and not line.rstrip().endswith("\\"):
            lines.append("// A comment.")
    return "\n".join(lines)


def sources_of(bug, kind, folder):
    """(sources, flags) of one build"""
    if kind != "mended":
        sources, flags = paths(bug["sources"]), list(bug["flags"])
        if kind in ("O0", "O2"):
            return sources, [*flags, "-" + kind]
        copies = []
        for source in sources:
            with open(source, encoding="utf-8") as file:
                text = moved_text(file.read())
            copies.append(os.path.join(folder, os.path.basename(source)))
            with open(copies[-1], "w", encoding="utf-8") as file:
                file.write(text)
        return copies, [*flags, *(f"-I{folder}" for folder in sorted({os.path.dirname(source) for source in sources}))]
    return mended_sources(bug, folder)


def asked(bug, artifact, program, folder, limit):
    """One answer of `heddle fixed`."""
    answer = os.path.join(folder, "fixed.json")
    code, cpu = run([HEDDLE, "fixed", "-t", limit, "--seed", "1", "--json", answer, "-o", os.path.join(folder, "out"), artifact, "--",
                     program, *bug["args"]], os.path.join(folder, "fixed.txt"), 10 * seconds_of(limit) + 60)
    row = {"exit": code, "cpu": cpu}
    if os.path.exists(answer):
        with open(answer, encoding="utf-8") as file:
            told = json.load(file)
        row.update({"answer": told["answer"], "found_by": told["found_by"], "before": told["before"], "now": told["now"],
                    "bug": told["bug"]["summary"], "found": (told["found"] or {}).get("summary"), "looked": told["looked"],
                    "others": [other["summary"] for other in told["others"]], "inconclusive": told["inconclusive"]})
    return row


def rows_of(bug, work, limit):
    """A row for each build."""
    folder = os.path.join(work, bug["name"])
    os.makedirs(folder, exist_ok=True)
    program, out = os.path.join(folder, "program"), os.path.join(folder, "out")
    rows = []

    def row(kind, answer):
        wanted = 0 if kind == "mended" else BUG
        rows.append({"name": bug["name"], "half": half_of(bug["name"]), "build": kind, "wanted": wanted,
                     "right": answer.get("exit") == wanted, **answer})

    if not compiled(bug, paths(bug["sources"]), bug["flags"], program, os.path.join(folder, "build.txt")):
        return rows
    status, _ = run([HEDDLE, "run", "-q", "-o", out, "-t", RUN_LIMIT, "--seed", "1", "--", program, *bug["args"]],
                    os.path.join(folder, "run.txt"), 10 * seconds_of(RUN_LIMIT))
    if status != BUG:
        return rows
    artifact = os.path.join(out, "bug-1.heddle")
    for kind in BUILDS:
        other = os.path.join(folder, kind)
        os.makedirs(other, exist_ok=True)
        sources, flags = sources_of(bug, kind, other)
        new = os.path.join(other, "program")
        if not compiled(bug, sources, flags, new, os.path.join(other, "build.txt")):
            row(kind, {"exit": None, "answer": "not built"})
            continue
        if kind == "moved":
            os.remove(program)
        row(kind, asked(bug, artifact, new, other, limit))
    return rows


def per_cent(rate):
    return "" if not rate else f"{100 * rate['rate']:.3g} % of {rate['executions']:,}"


def table_row(row):
    return (f"| {row['name']} | {row['half']} | {row['build']} | {row.get('answer')} | {'right' if row['right'] else 'WRONG'} | "
            f"{row.get('found_by') or ''} | {per_cent(row.get('before'))} | {per_cent(row.get('now'))} |")


def answers(bugs, work, given):
    print("| program | half | build | answer | | found by | before | now |\n|---|---|---|---|---|---|---|---|")
    rows, lost = [], []
    for bug in bugs:
        new = rows_of(bug, work, given.time)
        if not new:
            lost.append(bug["name"])
        for row in new:
            print(table_row(row), flush=True)
        rows += new
        if given.results:
            with open(given.results, "w", encoding="utf-8") as file:
                json.dump(rows, file, indent=1)
    print()
    for kind in BUILDS:
        of = [row for row in rows if row["build"] == kind]
        ways = sorted({row.get("found_by") for row in of if row.get("found_by")})
        by = ", ".join(f"{sum(row.get('found_by') == way for row in of)} by {way}" for way in ways)
        print(f"{kind}: {sum(row['right'] for row in of)} of {len(of)} right{'; ' + by if by else ''}")
    print(f"{len(rows) and sum(row['right'] for row in rows)} of {len(rows)} right. Without a bug to ask about: {', '.join(lost) or 'none'}.")
    return 0 if all(row["right"] for row in rows) else 1


def statement_holds(told, rate):
    now = told["now"]
    return now["low"] <= rate <= now["high"]


def statements(work, given):
    """How often the interval holds, and how often some were seen."""
    good = True
    print(f"| rate | trials | with none seen | the statement holds |\n|---|---|---|---|")
    for sides, times in RATES:
        folder = os.path.join(work, f"{sides}-{times}")
        os.makedirs(folder, exist_ok=True)
        source = os.path.join(folder, "program.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(FAILS_SOMETIMES)
        builds = []
        for name, flag in (("old", "-O1"), ("new", "-O2")):
            builds.append(os.path.join(folder, name))
            subprocess.run([HEDDLE, "cc", "-g", flag, f"-DSIDES={sides}", f"-DTIMES={times}", source, "-o", builds[-1]], check=True)
        subprocess.run([HEDDLE, "run", "-q", "-n", "1000000", "--seed", "1", "-o", os.path.join(folder, "out"), "--", builds[0]],
                       stderr=subprocess.DEVNULL, check=False)
        artifact = os.path.join(folder, "out", "bug-1.heddle")
        os.remove(builds[0])  # it would be measured, too
        holds = none = done = 0
        for seed in range(1, given.trials + 1):
            answer = os.path.join(folder, "fixed.json")
            subprocess.run([HEDDLE, "fixed", "-q", "-j", "1", "-n", str(EXECUTIONS), "--seed", str(seed), "--json", answer,
                            "-o", os.path.join(folder, "found"), artifact, "--", builds[1]], stderr=subprocess.DEVNULL, check=False)
            with open(answer, encoding="utf-8") as file:
                told = json.load(file)
            shutil.rmtree(os.path.join(folder, "found"), ignore_errors=True)
            done += 1
            none += told["now"]["hits"] == 0
            holds += statement_holds(told, float(sides) ** -times)
        good = good and holds >= 0.93 * done
        print(f"| 1 of {sides ** times:,} | {done} | {none} | {100 * holds / done:.1f} % |", flush=True)
    return 0 if good else 1


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*")
    options.add_argument("--half", choices=["seen", "unseen"])
    options.add_argument("--statements", action="store_true")
    options.add_argument("--trials", type=int, default=250)
    options.add_argument("-t", "--time", default="10s")
    options.add_argument("--work")
    options.add_argument("--results")
    given = options.parse_args()
    with open(os.path.join(FOLDER, "remedies.json"), encoding="utf-8") as file:
        bugs = json.load(file)
    bugs = [bug for bug in bugs if any(key in bug for key in ("fixed_sources", "fixed_flags", "fixed_edits"))]
    if given.half:
        bugs = [bug for bug in bugs if half_of(bug["name"]) == given.half]
    if given.names:
        bugs = [bug for bug in bugs if bug["name"] in given.names]
    bugs = [bug for bug in bugs if all(os.path.exists(path) for path in paths(bug["sources"]))]
    work = given.work or tempfile.mkdtemp(prefix="heddle-fixed-")
    try:
        return statements(work, given) if given.statements else answers(bugs, work, given)
    finally:
        if not given.work:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
