#!/usr/bin/env python3
"""Remedies of `heddle explain` against the known fixes of bugs.

    HEDDLE=build/bin/heddle bench/reports/remedies.py [--half seen|unseen] [--show] [-t TIME] [--work DIR] [--jobs N]
        [--results FILE] [NAME ...]
    HEDDLE=build/bin/heddle bench/reports/remedies.py --apply [-t TIME] [NAME ...]

remedies.json has the bugs: examples/, bench/paper, bench/cause, bench/deep, tests/wild, bench/remedies and some programs
that lie beside the tree (left out where they are not). Its labels were written from the programs and their fixes, before
`heddle explain` was run on any of them; a label is changed only when it is wrong about the program, never because of
what was said about it.

remedies_later.json (--labels) has twenty programs more, written when the others had been looked at.

Each program is built and run, and its first bug explained. A remedy is right if one of the accepted alternatives has its
kind, and it names enough of that alternative's lines: `needs` of `lines`, or, where there is `each`, a line of each
group; a line off by one counts, or off by `within`. Where nothing is accepted, because the real fix is none that a
remedy could name, no remedy is right. `half` is by the parity of the first hexadecimal digit of the name's SHA-256;
heddle was not changed after a look at an unseen one's remedy, and with --half unseen sentences are shown only on
--show.

Where `explain --patch` wrote a patch, it is applied to a copy of the sources, which is built and run.

--apply builds the mended programs instead and runs them: a label whose fix leaves the bug is wrong. Exit status 1 then,
when one is not clean.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(FOLDER, "..", ".."))
HEDDLE = os.path.realpath(os.environ.get("HEDDLE", os.path.join(ROOT, "build", "bin", "heddle")))
BUG = 66
RUN_LIMIT = "30s"
KINDS = {"memory_orders": "orders", "one_step": "together", "order": "after"}  # what explain calls them: as labels do
VERDICTS = ("right", "wrong kind", "wrong place", "none", "not found")


def half_of(name):
    return "unseen" if int(hashlib.sha256(name.encode()).hexdigest()[0], 16) % 2 else "seen"


def seconds_of(limit):
    number, unit = re.fullmatch(r"([\d.]+)(ms|s|m|h)?", limit).groups()
    return float(number) * {"ms": 0.001, "s": 1, None: 1, "m": 60, "h": 3600}[unit]


def run(command, output, limit):
    """(exit status or None if it had to be ended, seconds of CPU with its children) of a command"""
    with open(output, "wb") as file, subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                                                      start_new_session=True) as process:
        ended = threading.Event()

        def end():
            ended.set()
            os.killpg(process.pid, 9)

        timer = threading.Timer(limit, end)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        return None if ended.is_set() else process.returncode, used.ru_utime + used.ru_stime


def compiled(bug, sources, flags, program, output):
    is_c = bug["language"] == "c"
    command = [HEDDLE, "cc" if is_c else "c++", "-g", "-O1", "-pthread", "-std=gnu11" if is_c else "-std=c++20", *flags, *sources,
               "-o", program]
    return run(command, output, 300)[0] == 0


def paths(names):
    return [os.path.normpath(os.path.join(ROOT, name)) for name in names]


def frames_of(value):
    """Every place below a value, as (file, line)."""
    if isinstance(value, dict):
        if "file" in value and "line" in value:
            yield str(value["file"]), int(value["line"])
        for part in value.values():
            yield from frames_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from frames_of(part)


def kind_of(remedy):
    kind = str(remedy.get("kind", "")).strip().lower().replace(" ", "_").replace("-", "_")
    if kind == "one_step" and str(remedy.get("sentence", "")).startswith("Take both locks"):
        return "lock_order"  # "in one step, or in the same order everywhere"
    return KINDS.get(kind, kind)


def is_named(place, frames, within):
    file, line = place.rsplit(":", 1)
    return any((path == file or path.endswith("/" + file)) and abs(at - int(line)) <= within for path, at in frames)


def names_enough(alternative, frames):
    within = alternative.get("within", 1)
    if "each" in alternative:
        return all(any(is_named(place, frames, within) for place in group) for group in alternative["each"])
    return sum(is_named(place, frames, within) for place in alternative["lines"]) >= alternative["needs"]


def judged(bug, remedy):
    """(verdict, kind, lines that it names)"""
    if not remedy:
        return ("none" if bug["accepted"] else "right"), None, []
    kind, frames = kind_of(remedy), set(frames_of(remedy))
    frames |= {(file, int(line)) for file, line in re.findall(r"([\w./-]+\.(?:c|cpp|h)):(\d+)", remedy.get("sentence") or "")}
    lines = sorted({f"{os.path.basename(path)}:{line}" for path, line in frames})
    # The lock that the other side holds is one lock for both, and a fence is a matter of memory orders.
    kinds = {kind} | {"hold_lock": {"lock"}, "fence": {"orders"}}.get(kind, set())
    fitting = [alternative for alternative in bug["accepted"] if kinds & set(alternative["kinds"])]
    if not fitting:
        return "wrong kind", kind, lines
    return ("right" if any(names_enough(alternative, frames) for alternative in fitting) else "wrong place"), kind, lines


def orders_of(remedy):
    """The orders that a remedy asks for, by place."""
    asked = {}
    for part in (remedy or {}).get("parts", []):
        for path, line in frames_of(part.get("operation", {})):
            if "order" in part:
                asked[f"{os.path.basename(path)}:{line}"] = part["order"]
    return asked


def patched_is_clean(bug, folder, patch, limit):
    """The patch applied to the sources for real, built, and 20,000 executions of it (or as many as fit in the time)."""
    tree, sources, includes = os.path.join(folder, "patched"), [], []
    for path in paths(bug["sources"]):
        name = os.path.relpath(path, ROOT)
        name = path.lstrip("/") if name.startswith("..") else name
        target = os.path.join(tree, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(path, target)
        sources.append(target)
        includes += ["-I", os.path.dirname(path)]
    with open(patch, "rb") as file:
        if subprocess.run(["patch", "-s", "-p1", "-d", tree], stdin=file, check=False).returncode != 0:
            return False
    program = os.path.join(folder, "patched-program")
    if not compiled(bug, sources, [*bug["flags"], *includes], program, os.path.join(folder, "build-patched.txt")):
        return False
    return run([HEDDLE, "run", "-q", "-o", os.path.join(folder, "patched-out"), "-n", "20000", "-t", limit, "--", program, *bug["args"]],
               os.path.join(folder, "run-patched.txt"), 10 * seconds_of(limit) + 60)[0] == 0


def explained(bug, work, limit):
    """What is known about one bug: a row of the results."""
    row = {"name": bug["name"], "half": half_of(bug["name"]), "memory_order": bug["memory_order"], "finding": None,
           "verdict": "not found", "applied": None, "kind": None, "lines": [], "orders": {}, "sentence": None, "cpu": None, "exit": None}
    folder = os.path.join(work, bug["name"])
    os.makedirs(folder, exist_ok=True)
    program, out, answer = (os.path.join(folder, name) for name in ("program", "out", "explained.json"))
    if not compiled(bug, paths(bug["sources"]), bug["flags"], program, os.path.join(folder, "build.txt")):
        row["finding"] = "not built"
        return row
    status, _ = run([HEDDLE, "run", "-q", "-o", out, "-t", RUN_LIMIT, "--seed", "1", "--", program, *bug["args"]],
                    os.path.join(folder, "run.txt"), 10 * seconds_of(RUN_LIMIT))
    if status != BUG:
        return row
    patch = os.path.join(folder, "fix.diff")
    row["exit"], row["cpu"] = run([HEDDLE, "explain", "-q", "--json", answer, "--patch", patch, "-t", limit,
                                   os.path.join(out, "bug-1.heddle")],
                                  os.path.join(folder, "explain.txt"), 10 * seconds_of(limit) + 60)
    document = {}
    if os.path.exists(answer):
        try:
            with open(answer, encoding="utf-8") as file:
                document = json.load(file)
        except ValueError:
            pass  # cut off: no answer
    row["finding"] = document.get("finding", {}).get("kind")
    remedy = document.get("remedy")
    row["verdict"], row["kind"], row["lines"] = judged(bug, remedy)
    row["orders"], row["sentence"] = orders_of(remedy), (remedy or {}).get("sentence")
    if os.path.exists(patch):
        row["applied"] = "clean" if patched_is_clean(bug, folder, patch, limit) else "NOT clean"
    if not document:
        row["verdict"] = "none"  # no explanation at all is no right answer, whatever is accepted
    return row


def mended_sources(bug, folder):
    """(sources, flags) of the mended program; what has to be edited is written to the folder."""
    sources, flags = paths(bug.get("fixed_sources", bug["sources"])), list(bug.get("fixed_flags", bug["flags"]))
    if "fixed_edits" in bug:  # of the first source, by line
        with open(sources[0], encoding="utf-8") as file:
            lines = file.read().split("\n")
        for line, text in bug["fixed_edits"].items():
            lines[int(line) - 1] = text
        flags = [*flags, "-I", os.path.dirname(sources[0])]
        sources[0] = os.path.join(folder, os.path.basename(sources[0]))
        with open(sources[0], "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return sources, flags


def mended(bug, work, limit):
    """How the mended program of a bug fares: (is clean, in words)"""
    folder = os.path.join(work, bug["name"] + "-mended")
    os.makedirs(folder, exist_ok=True)
    program, output = os.path.join(folder, "program"), os.path.join(folder, "run.txt")
    sources, flags = mended_sources(bug, folder)
    if not compiled(bug, sources, flags, program, os.path.join(folder, "build.txt")):
        return False, "not built"
    status, _ = run([HEDDLE, "run", "-q", "-o", os.path.join(folder, "out"), "-n", "20000", "-t", limit, "--", program, *bug["args"]],
                    output, 10 * seconds_of(limit) + 60)
    with open(output, encoding="utf-8", errors="replace") as file:
        summary = [line.strip() for line in file if line.startswith("SUMMARY")]
    return status == 0, summary[0] if summary else f"exit {status}"


def table_row(row, sentence):
    seconds = "" if row["cpu"] is None else f"{row['cpu']:.1f}"
    return (f"| {row['name']} | {row['half']} | {row['finding'] or ''} | {row['verdict']} | {row['applied'] or ''} | {seconds} |"
            + (f" {row['sentence'] or ''} |" if sentence else ""))


def sums(rows):
    counts = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in VERDICTS}
    weak = [row for row in rows if row["memory_order"]]
    right_weak = sum(row["verdict"] == "right" for row in weak)
    cpu = sum(row["cpu"] or 0 for row in rows)
    applied = [row for row in rows if row["applied"]]
    clean = sum(row["applied"] == "clean" for row in applied)
    return (f"{counts['right']} of {len(rows)} right; of memory-order bugs {right_weak} of {len(weak)}. "
            f"Wrong: {counts['wrong kind'] + counts['wrong place']} ({counts['wrong kind']} of kind, {counts['wrong place']} of place). "
            f"None: {counts['none']}. Not found: {counts['not found']}. "
            f"Patches: {clean} of {len(applied)} clean when applied. {cpu:.0f} s of CPU.")


def measure(bugs, work, given):
    hidden = given.half == "unseen" and not given.show
    if not hidden:
        print("| program | half | finding | verdict | patch | s of CPU |" + (" remedy |" if given.show else ""))
        print("|---|---|---|---|---|---|" + ("---|" if given.show else ""))
    rows = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for row in pool.map(lambda bug: explained(bug, work, given.time), bugs):
            rows.append(row)
            print(f"{row['name']}: {row['verdict']}" if hidden else table_row(row, given.show), flush=True)
            if given.results:
                with open(given.results, "w", encoding="utf-8") as file:
                    json.dump(rows, file, indent=1)
    print("\n" + sums(rows))
    return 0


def apply_all(bugs, work, given):
    bad = tried = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        wanted = [bug for bug in bugs if any(key in bug for key in ("fixed_sources", "fixed_flags", "fixed_edits"))]
        for bug, (clean, what) in zip(wanted, pool.map(lambda bug: mended(bug, work, given.time), wanted)):
            tried += 1
            bad += not clean
            print(f"{bug['name']}: {'clean' if clean else 'NOT clean: ' + what}", flush=True)
    print(f"\n{tried - bad} of {tried} mended programs are clean.")
    return 1 if bad else 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*")
    options.add_argument("--half", choices=["seen", "unseen"])
    options.add_argument("--show", action="store_true")
    options.add_argument("--apply", action="store_true")
    options.add_argument("-t", "--time", default="60s")
    options.add_argument("--work")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--results")
    options.add_argument("--labels", default=os.path.join(FOLDER, "remedies.json"), help="another file of bugs and their fixes")
    given = options.parse_args()
    with open(given.labels, encoding="utf-8") as file:
        bugs = json.load(file)
    if given.half:
        bugs = [bug for bug in bugs if half_of(bug["name"]) == given.half]
    if given.names:
        bugs = [bug for bug in bugs if bug["name"] in given.names]
    there = [bug for bug in bugs if all(os.path.exists(path) for path in paths(bug["sources"]))]
    if len(there) < len(bugs):
        print(f"{len(bugs) - len(there)} programs are not there.", file=sys.stderr)
    work = given.work or tempfile.mkdtemp(prefix="heddle-remedies-")
    try:
        return (apply_all if given.apply else measure)(there, work, given)
    finally:
        if not given.work:
            shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
