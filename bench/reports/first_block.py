#!/usr/bin/env python3
"""What the first block of a report shows, over programs with known bugs.

    HEDDLE=build/bin/heddle bench/reports/first_block.py [--set NAME] [--repro DIR] [--labelled DIR] [--show] [--json FILE]

For each program: how long the first block and the whole default report are, how many lines of source the block cites,
whether a frame of a library is in the report, and whether the block shows a line that the real fix changes. Which lines
these are is known before heddle runs: examples/ by the difference from the mended twin, bench/deep and bench/paper by
the lines that -DCORRECT changes, tests/foreign by its author (verdicts.json), ../shared/repro/reports by hand below,
and a folder of --labelled by the NAME.json of each program ("files", "compile", "fix_lines": ["file:line"]).
"""
import argparse
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
HEDDLE = os.path.realpath(os.environ.get("HEDDLE", os.path.join(ROOT, "build", "bin", "heddle")))
NEAR = 1  # a line that is inserted stands beside the one that is shown
LIBRARY = re.compile(r"^ +#\d+ .*(/usr/include/|/usr/lib/|libstdc\+\+|libc\.so|testing::internal|std::__)", re.M)

# The lines that a mend changes, found by reading the programs.
REPRO = {
    "bbq.cpp": [11, 12], "cthreads.c": None, "dcl.cpp": [12], "fut.cpp": [7], "hazard.cpp": [15, 16, 17, 18],
    "pool.cpp": [17], "sock.cpp": [15, 21], "spsc.cpp": [14, 23], "logger.cpp": None, "big.cpp": None,
}


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def changed(buggy, mended):
    """Numbers of the lines of `buggy` that `mended` has not, and of those before which it has more; no comments."""
    strip = [[re.sub(r"//.*", "", line).strip() for line in lines] for lines in (buggy, mended)]
    numbers = set()
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, *strip, autojunk=False).get_opcodes():
        if tag == "equal" or not (any(strip[0][i1:i2]) or any(strip[1][j1:j2])):
            continue
        numbers.update(range(i1 + 1, i2 + 1) if i2 > i1 else {i1, i1 + 1})
    return sorted(numbers)


def examples():
    folder = os.path.join(ROOT, "examples")
    for name in sorted(os.listdir(folder)):
        stem, ext = os.path.splitext(name)
        twin = os.path.join(folder, stem + "_fixed" + ext)
        if os.path.exists(twin):
            path = os.path.join(folder, name)
            yield "examples", name, [path], [], {name: changed(lines_of(path), lines_of(twin))}, []


def macros(folder):
    """Lines that name what -DCORRECT changes."""
    return re.compile(r"\bBUG_OR\b|\bBUG\b|\bCORRECT\b|\bBUGGY\b|\bIF_BUG\b")


def deep():
    folder = os.path.join(ROOT, "bench", "deep")
    for line in lines_of(os.path.join(folder, "programs.txt")):
        words = line.split("#")[0].split()
        if not words or "!" in words:
            continue
        name, source, *defines = words
        path = os.path.join(folder, source)
        marked = [i + 1 for i, text in enumerate(lines_of(path)) if macros(folder).search(text)]
        yield "deep", name, [path], ["-D" + d for d in defines if "=" in d], {source: marked}, []


def paper():
    folder = os.path.join(ROOT, "bench", "paper")
    for source in sorted(os.listdir(folder)):
        if source.endswith(".c"):
            path = os.path.join(folder, source)
            marked = [i + 1 for i, text in enumerate(lines_of(path)) if macros(folder).search(text)]
            yield "paper", source, [path], [], {source: marked}, []


def foreign():
    folder = os.path.join(ROOT, "tests", "foreign")
    with open(os.path.join(folder, "verdicts.json"), encoding="utf-8") as file:
        for case in json.load(file):
            if case["expect"]:
                yield "foreign " + case["half"], case["file"], [os.path.join(folder, case["file"])], [], {case["file"]: case["key_lines"]}, []


def repro(folder):
    for name, fix in REPRO.items():
        yield "repro", name, [os.path.join(folder, name)], [], {name: fix} if fix else {}, []


def labelled(folder):
    half = os.path.basename(os.path.normpath(folder))
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".json"):
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            case = json.load(file)
        fix = {}
        for place in case["fix_lines"]:
            path, line = place.rsplit(":", 1)
            fix.setdefault(os.path.basename(path), []).append(int(line))
        flags = [w for w in shlex.split(case["compile"])[1:] if w.startswith("-") and not w.startswith("-o") and w not in ("-g", "-O1")]
        yield "written " + half, case["name"], [os.path.join(folder, f) for f in case["files"]], flags, fix, case.get("cited", [])


def run(case, work, seconds):
    group, name, sources, flags, fix, _ = case
    program = os.path.join(work, "program")
    code = [s for s in sources if s.endswith((".c", ".cpp", ".cc"))]
    is_c = all(s.endswith(".c") for s in code)
    libraries = [f for f in flags if f.startswith("-l")]
    flags = [f for f in flags if not f.startswith("-l")]
    standard = [] if any(f.startswith("-std") for f in flags) else ["-std=gnu11" if is_c else "-std=c++20"]
    built = subprocess.run([HEDDLE, "cc" if is_c else "c++", *standard, "-g", "-O1", "-pthread", *flags, *code, "-o", program, *libraries],
                           capture_output=True, text=True, check=False)
    if built.returncode != 0:
        return {"group": group, "name": name, "answer": "does not compile: " + built.stderr[-300:]}
    answer = subprocess.run([HEDDLE, "run", "--seed", "1", "-t", f"{seconds}s", "-o", os.path.join(work, "out"), "--", program],
                            cwd=os.path.dirname(sources[0]), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    text = answer.stderr.split("\n", 1)[1] if answer.stderr.startswith("heddle: seed") else answer.stderr
    row = {"group": group, "name": name, "answer": "found" if answer.returncode == 66 else f"exit {answer.returncode}", "text": text}
    if answer.returncode != 66:
        return row
    block = text[text.index("WARNING: heddle: "):].split("\n\n")[0]
    cited = [(file.split("/")[-1], int(line)) for file, line in re.findall(r"^  (\S+):(\d+) +\| ", block, re.M)]
    near = {(file, number + d) for file, numbers in fix.items() for number in numbers for d in range(-NEAR, NEAR + 1)}
    row.update(kind=re.match(r"WARNING: heddle: (.*) \(pid", block)[1], block=block, block_lines=block.count("\n") + 1, report_lines=text.count("\n"),
               cited=len(cited), library=bool(LIBRARY.search(text)), fix=bool(near & set(cited)) if fix else None)
    return row


def share(rows, good):
    rows = list(rows)
    return f"{sum(map(good, rows))} of {len(rows)}" if rows else "–"


def table(rows):
    print("| programs | found | block of at most 12 lines | two places cited | line of the fix | report of at most 80 lines | no library frame |")
    print("|---|---|---|---|---|---|---|")
    groups = list(dict.fromkeys(row["group"] for row in rows))
    for group in [*groups, "all"]:
        mine = [row for row in rows if group in (row["group"], "all")]
        found = [row for row in mine if row["answer"] == "found"]
        print(f"| {group} | {len(found)} of {len(mine)} | {share(found, lambda r: r['block_lines'] <= 12)} | {share(found, lambda r: r['cited'] >= 2)}"
              f" | {share((r for r in found if r['fix'] is not None), lambda r: r['fix'])} | {share(found, lambda r: r['report_lines'] <= 80)}"
              f" | {share(found, lambda r: not r['library'])} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", help="examples, deep, paper, foreign; may be given several times")
    parser.add_argument("--repro", help="the folder of programs that were reported to be told badly")
    parser.add_argument("--labelled", action="append", default=[], help="a folder of programs with a NAME.json each")
    parser.add_argument("--seconds", type=int, default=20, help="for each program")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--show", action="store_true", help="each block")
    parser.add_argument("--json", help="all rows, with their reports")
    options = parser.parse_args()
    sets = {"examples": examples, "deep": deep, "paper": paper, "foreign": foreign}
    cases = [case for name in options.set or ([] if options.repro or options.labelled else sets) for case in sets[name]()]
    if options.repro:
        cases += repro(options.repro)
    for folder in options.labelled:
        cases += labelled(folder)
    rows = []
    for case in cases:
        if options.only not in case[1]:
            continue
        work = tempfile.mkdtemp(prefix="heddle-block-")
        row = run(case, work, options.seconds)
        shutil.rmtree(work, ignore_errors=True)
        rows.append(row)
        marks = "" if row["answer"] != "found" else f"block {row['block_lines']}, report {row['report_lines']}, cites {row['cited']}, fix {row['fix']}{', LIBRARY FRAME' if row['library'] else ''}"
        print(f"{row['group']}: {row['name']}: {row['answer']} {marks}", file=sys.stderr, flush=True)
        if options.show and "block" in row:
            print(row["block"] + "\n", file=sys.stderr)
    table(rows)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
