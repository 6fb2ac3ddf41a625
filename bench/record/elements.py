#!/usr/bin/env python3
"""What recording access orders costs, on the programs of bench/record/elements.

    bench/record/elements.py [--heddle build/bin/heddle] [--repeat 2] [--results FILE] [PROGRAM...]

For each program, CPU time (user and system): compiled by clang++-19 -O2 alone; built with --full and dormant; recording
100 % of the elements; 50 % and 25 %, each in several draws (--draws50, --draws25); and a straightforward LEAP
(elements/leap.cpp) on the same build, with all shared elements: the recorder leaves out those that a lock always protects,
whose order it records, unless --all says otherwise. Every recording run has a plain and a dormant run just before it. Of each kind of
run and draw the least of --repeat counts; draws are put together by their geometric mean, and so are programs. Ratios
are to the dormant build; the last line has those to clang++-19 -O2 alone, by the medians of both. "At once" is CPU time by the clock's, of
the dormant runs: how far the threads really ran at the same time, without which nobody contends for anything.

Every run's output is compared with the first one's. A run that takes more than --patience times the dormant one (and ten
seconds) is stopped, and counts as that: such figures are marked by ">". --results keeps what was measured in a file and
prints the tables of all that is in it, so that programs can be measured one at a time.
"""
import argparse
import glob
import json
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))
PLAIN = "clang++-19"
# Rounds of a run under the engine, for the profile: it is slower, and need not be long.
ROUNDS = {"life": "2", "pipeline": "3", "words": "3", "pool": "20", "walk": "4"}


def build(heddle, program, folder, static):
    source = os.path.join(HERE, "elements", program + ".cpp")
    flags = ["-O2", "-g1", "-std=c++20", "-pthread", "-fno-vectorize", "-fno-slp-vectorize"]
    outputs = {name: os.path.join(folder, f"{program}.{name}") for name in ("plain", "full", "leap")}
    subprocess.run([PLAIN, *flags, source, "-o", outputs["plain"]], check=True)
    full = [heddle, "c++", "--full"] + (["--spes=static"] if static else [])
    subprocess.run([*full, *flags, source, "-o", outputs["full"]], check=True)
    leap = os.path.join(folder, "leap.o")
    subprocess.run([PLAIN, *flags, f"-I{ROOT}", "-c", os.path.join(HERE, "elements", "leap.cpp"), "-o", leap], check=True)
    subprocess.run([*full, *flags, source, leap, "-rdynamic", "-o", outputs["leap"]], check=True)
    return outputs


class Run:
    """One run of a program: CPU seconds, seconds by the clock, and output; none where it was stopped."""

    def __init__(self, program, record=None, patience=None):
        environment = {k: v for k, v in os.environ.items() if k != "HEDDLE_RECORD"}
        logs = tempfile.mkdtemp(prefix="heddle-logs-")
        if record:
            environment["HEDDLE_RECORD"] = record.format(logs=logs)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.monotonic()
        try:
            self.output = subprocess.run([program], env=environment, capture_output=True, text=True, check=True,
                                         preexec_fn=lambda: self.limit(patience)).stdout
        except subprocess.CalledProcessError as error:
            if patience is None or error.returncode not in (-9, -24):  # SIGKILL, SIGXCPU
                raise
            self.output = None
        self.clock = time.monotonic() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        shutil.rmtree(logs, ignore_errors=True)

    @staticmethod
    def limit(seconds):
        if seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 1))


def collected(heddle, program, folder):
    """Accesses of a full recording, and bytes of its log as `heddle record` keeps it."""
    logs = os.path.join(folder, "collected")
    shutil.rmtree(logs, ignore_errors=True)
    subprocess.run([heddle, "record", "--vars", "--dir", logs, "--", program], check=True, capture_output=True)
    log = glob.glob(os.path.join(logs, "*.hlog"))[0]
    shown = subprocess.run([heddle, "record", "--show", log], check=True, capture_output=True, text=True)
    return int(re.search(r"(\d+) accesses", shown.stdout).group(1)), os.path.getsize(log)


def mean(values):
    return math.exp(statistics.mean(math.log(v) for v in values))


class Program:
    """What was measured of one program."""

    def __init__(self, name, options, folder):
        self.name = name
        self.options = options
        self.outputs = build(options.heddle, name, folder, options.static)
        if not options.static:
            self.profile("--all")
            shutil.copy(self.outputs["full"] + ".spes", self.outputs["leap"] + ".spes")
            if not options.all:
                os.remove(self.outputs["full"] + ".spes")
                self.profile()
        self.expected = None
        self.plain, self.dormant = [], []  # all such runs

    def profile(self, *arguments):
        subprocess.run([self.options.heddle, "record", "--profile", *arguments, "--", self.outputs["full"], ROUNDS.get(self.name, "50")],
                       check=True, capture_output=True)

    def run(self, kind, record=None, patience=None):
        done = Run(self.outputs[kind], record, patience)
        self.expected = self.expected or done.output
        if done.output is not None and done.output != self.expected:
            sys.exit(f"{self.name}, {kind}, {record}: another result")
        return done

    def ratio(self, kind, record):
        """Of the least of some runs to the least of the dormant ones in between, and whether all of them ended."""
        base, recorded, whole = [], [], True
        for _ in range(self.options.repeat):
            self.plain.append(self.run("plain"))
            base.append(self.run("full"))
            done = self.run(kind, record, max(10, base[0].cpu * self.options.patience))
            recorded.append(done.cpu)
            if done.output is None:
                whole = False
                break
        self.dormant += base
        return min(recorded) / min(run.cpu for run in base), whole

    def measure(self, folder):
        found = {"name": self.name}
        kinds = [("100", "full", ["vars:{logs}"]), ("LEAP", "leap", ["vars:{logs}"])]
        for share, draws in (("50", self.options.draws50), ("25", self.options.draws25)):
            kinds.append((share, "full", [f"vars:{{logs}},share={share},instance={i}" for i in range(draws)]))
        for column, kind, settings in kinds:
            ratios = [self.ratio(kind, setting) for setting in settings]
            found[column] = [r for r, _ in ratios]
            found[column + " whole"] = all(whole for _, whole in ratios)
        found["seconds"] = min(run.cpu for run in self.dormant)
        found["plain"] = found["seconds"] * statistics.median(run.cpu for run in self.plain) / statistics.median(
            run.cpu for run in self.dormant)
        found["at once"] = statistics.median(run.cpu / run.clock for run in self.dormant)
        found["accesses"], found["bytes"] = (collected(self.options.heddle, self.outputs["full"], folder)
                                             if found["100 whole"] else (0, 0))
        return found


def print_tables(results):
    columns = ("100", "50", "25", "LEAP")

    def cell(result, column):
        text = f"{mean(result[column]):.2f}" if result[column + " whole"] else f"> {mean(result[column]):.1f}"
        return text if len(result[column]) == 1 else text + f" ({min(result[column]):.2f} to {max(result[column]):.2f})"

    print("| program | dormant, CPU s | at once | 100 % | 50 % | 25 % | LEAP | overhead : LEAP's | accesses | bytes per access |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for r in results:
        leap = r["LEAP"][0] - 1
        print(f"| {r['name']} | {r['seconds']:.2f} | {r['at once']:.1f} | " + " | ".join(cell(r, c) for c in columns)
              + (f" | {(r['100'][0] - 1) / leap:.2f}" if leap > 0.05 else " | –")
              + (f" | {r['accesses']:,} | {r['bytes'] / r['accesses']:.5f} |" if r["accesses"] else " | – | – |"))
    for text, base in (("to dormant", lambda r: 1), ("to clang -O2", lambda r: r["plain"] / r["seconds"])):
        means = [mean([mean(r[c]) / base(r) for r in results]) for c in columns]
        print(f"| geometric mean, {text} | | | " + " | ".join(f"{m:.3f}" for m in means)
              + f" | {(means[0] - 1) / (means[3] - 1):.2f} | | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build", "bin", "heddle"))
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--draws50", type=int, default=4)
    parser.add_argument("--draws25", type=int, default=6)
    parser.add_argument("--patience", type=float, default=20)
    parser.add_argument("--static", action="store_true", help="no profile: all elements that may be shared")
    parser.add_argument("--all", action="store_true",
                        help="a profile that has what locks protect, too (LEAP always has that one)")
    parser.add_argument("--results", help="JSON; what is there of other programs is printed, too")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    programs = options.programs or sorted(
        os.path.splitext(os.path.basename(p))[0] for p in glob.glob(os.path.join(HERE, "elements", "*.cpp"))
        if not p.endswith("leap.cpp"))
    results = {}
    if options.results and os.path.exists(options.results):
        with open(options.results, encoding="utf-8") as file:
            results = json.load(file)
    folder = tempfile.mkdtemp(prefix="heddle-bench-")
    try:
        for name in programs:
            results[name] = Program(name, options, folder).measure(folder)
            print(f"{name}: done", file=sys.stderr, flush=True)
            if options.results:
                with open(options.results, "w", encoding="utf-8") as file:
                    json.dump(results, file, indent=1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print_tables([results[name] for name in sorted(results)])


if __name__ == "__main__":
    main()
