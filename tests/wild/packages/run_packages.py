#!/usr/bin/env python3
"""Programs of Debian's packages, each with a bug of its own history put back: native failures, brought back by heddle.

    HEDDLE=build/bin/heddle run_packages.py [--native SECONDS] [-t TIME] [--work DIR] [NAME | NAME/BUG ...]

For each folder with a recipe.json: the source is fetched (see fetch) and built unchanged, with the system's compilers and
with `heddle cc --full`. Both programs have to pass. Then, for each bug of the recipe, put_back_BUG edits a copy of the
source, and the program runs natively with path logs until a run fails or the time for that is over. `heddle reconstruct`
gets the log. As the control, `heddle run --look-for` gets it with the same time. What reconstruct found goes to
`heddle minimize` and `heddle explain`.
Prints a table in Markdown; seconds are of CPU. Outputs are in the work folder. Exit status 1 when a package was not built,
did not fail, or its failure was not brought back.

It needs the network, the source packages of a Debian release, and some minutes for each package. Native failures depend on
the machine: this is a measurement and no test of every run.
"""
import argparse
import glob
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEDDLE = os.path.realpath(os.environ.get("HEDDLE", os.path.join(FOLDER, "..", "..", "..", "build", "bin", "heddle")))
BUG = 66
NATIVE_LIMIT = 5  # seconds of one native run; one that takes longer hangs
RATE_SECONDS = 10  # how long native runs go on at least, for their rate
PLAIN = {"CC": "cc", "CXX": "c++"}
FULL = {"CC": HEDDLE + " cc --full", "CXX": HEDDLE + " c++ --full"}


class Failed(Exception):
    pass


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command(words, log, **options):
    """Runs a command whose output goes to a file. Raises Failed when it fails. Returns seconds of CPU."""
    before = cpu_seconds()
    with open(log, "a", encoding="utf-8") as output:
        ended = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False,
                               **options)
    if ended.returncode != 0:
        raise Failed(f"{words if isinstance(words, str) else ' '.join(words)}: exit status {ended.returncode}, see {log}")
    return cpu_seconds() - before


class Package:
    """The source of a package in two copies, built unchanged: `plain` by the system's compilers, `full` by heddle's."""

    def __init__(self, name, work):
        self.name = name
        self.recipe_folder = os.path.join(FOLDER, name)
        with open(os.path.join(self.recipe_folder, "recipe.json"), encoding="utf-8") as file:
            self.recipe = json.load(file)
        self.work = os.path.join(work, name)
        shutil.rmtree(self.work, ignore_errors=True)
        for folder in ("plain", "full", "needs"):
            os.makedirs(os.path.join(self.work, folder))

    def path(self, *names):
        return os.path.join(self.work, *names)

    def fetch(self):
        log = self.path("fetch.txt")
        command([os.path.join(FOLDER, "fetch"), self.name, self.recipe["sha256"], self.path("source")], log)
        for folder in ("plain", "full"):
            shutil.copytree(self.path("source"), self.path(folder), symlinks=True, dirs_exist_ok=True)
        for needed in self.recipe["needs"]:
            command([os.path.join(FOLDER, "fetch"), "--binary", needed, self.path("needs")], log)

    def make(self, which, commands, compilers):
        seconds = 0
        for line in commands:
            seconds += command(line, self.path(f"build-{which}.txt"), shell=True, cwd=self.path(which),
                               env={**os.environ, **compilers, "NEEDS": self.path("needs"), "RECIPE": self.recipe_folder,
                                    "MAKEFLAGS": "-j1"})
        return seconds

    def build_unchanged(self):
        """Seconds of CPU of the build with --full."""
        self.make("plain", self.recipe["build"], PLAIN)
        seconds = self.make("full", self.recipe["build"], FULL)
        shutil.copytree(self.path("full"), self.path("unchanged"), symlinks=True)
        return seconds


class Bug:
    """One bug of a package. put_back() puts it into the package's copy `full`, in place of any other."""

    def __init__(self, package, recipe, given):
        self.package, self.recipe, self.given = package, recipe, given
        self.name = recipe["name"]
        os.makedirs(self.path("run"))
        self.program = self.program_of("full")

    def path(self, *names):
        return self.package.path("bug-" + self.name, *names)

    def program_of(self, which):
        return [self.package.path(which, self.recipe["program"]), *self.recipe["arguments"]]

    def run_natively(self, program, logs=None):
        environment = dict(os.environ)
        if logs:
            shutil.rmtree(logs, ignore_errors=True)
            environment["HEDDLE_RECORD"] = "path:" + logs
        try:
            return subprocess.run(program, cwd=self.path("run"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, env=environment, timeout=NATIVE_LIMIT, check=False).returncode
        except subprocess.TimeoutExpired:
            return "hangs"

    def put_back(self):
        """The unchanged programs have to pass. Then the bug is put into a fresh copy of the tree that is built already."""
        for line in self.recipe["prepare"]:
            command(line, self.path("prepare.txt"), shell=True, cwd=self.path("run"))
        package = self.package
        shutil.rmtree(package.path("full"))
        shutil.copytree(package.path("unchanged"), package.path("full"), symlinks=True)
        for program in (self.program_of("plain"), self.program):
            for _ in range(20):
                ended = self.run_natively(program)
                if ended != 0:
                    raise Failed(f"{program[0]}, unchanged: ends with {ended}")
        command([os.path.join(package.recipe_folder, "put_back_" + self.name), package.path("full")],
                package.path("build-full.txt"))
        package.make("full", package.recipe["rebuild"], FULL)
        # The next bug's program takes its place; artifacts want the one that they were made with.
        self.program[0] = shutil.copy2(self.program[0], self.path(self.name + "-" + os.path.basename(self.program[0])))

    def native_failures(self):
        """(log of the first failure or None, how it ended, failures, runs)"""
        began, runs, failures, log, first = time.monotonic(), 0, 0, None, None
        while (elapsed := time.monotonic() - began) < self.given.native and not (log and elapsed > RATE_SECONDS):
            runs += 1
            logs = self.path("logs-next")
            ended = self.run_natively(self.program, logs)
            if ended == 0:
                continue
            failures += 1
            if log is None and glob.glob(os.path.join(logs, "*.hlog")):
                os.rename(logs, self.path("logs"))
                log, first = glob.glob(self.path("logs", "*.hlog"))[0], ended
        return log, first, failures, runs

    def heddle(self, name, *words):
        """(exit status, seconds of CPU, what it printed)"""
        before = cpu_seconds()
        answer = subprocess.run([HEDDLE, *words], cwd=self.path("run"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        with open(self.path(name + ".txt"), "w", encoding="utf-8") as file:
            file.write(answer.stdout)
        return answer.returncode, cpu_seconds() - before, answer.stdout


def lines_with(text, *words):
    return [line.strip() for line in text.splitlines() if any(word in line for word in words)]


def one_line(text):
    """What explain says to change, and whether no execution passes, without the table of events."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    found = paragraphs[1:2] + [part for part in paragraphs[2:] if "No execution near" in part]
    return " ".join(found) or text.strip()[-80:]


def cells_of(bug):
    """(cells of the table, whether the failure came back)"""
    package = bug.package
    bug.put_back()
    log, ended, failures, runs = bug.native_failures()
    cells = [f"{failures:,} of {runs:,} ({ended})"]
    if log is None:
        return cells, False
    limit = ["-t", bug.given.time]
    status, seconds, text = bug.heddle("reconstruct", "reconstruct", "-q", *limit, "-o", bug.path("out"), log, "--",
                                       *bug.program)
    summary = [line.split("heddle: ", 1)[1] for line in text.splitlines() if line.startswith("SUMMARY")]
    # A bug that was met on the way is kept and told, and is not the failure of the log.
    back = status == BUG and "other bug was found on the way" not in text
    cells.append(f"{'' if back else 'not: '}{seconds:.1f}")
    status, seconds, _ = bug.heddle("control", "run", "-q", "--seed", "1", *limit, "-o", bug.path("out-control"),
                                    "--look-for", log, "--", *bug.program)
    cells.append(f"{'' if status == BUG else 'not: '}{seconds:.1f}")
    found = summary[0] if summary else text.strip()[-80:]
    cells.append(found.replace(package.path("full") + "/", "").replace(package.recipe_folder + "/", ""))
    if back:
        artifact = bug.path("out", "bug-1.heddle")
        _, _, text = bug.heddle("minimize", "minimize", "-t", "10s", "-o", bug.path("small.heddle"), artifact)
        cells.append(" ".join(lines_with(text, "Minimised from", "  to  ")))
        _, _, text = bug.heddle("explain", "explain", "-q", "-t", "60s", bug.path("small.heddle"))
        cells.append(one_line(text))
    return cells, back


def rows_of(name, work, given, width):
    """Prints a row for each bug. Whether all failures came back."""
    name, _, only = name.partition("/")
    good = True

    def row(cells):
        print("| " + " | ".join(cells + [""] * (width - len(cells))) + " |", flush=True)

    try:
        package = Package(name, work)
        package.fetch()
        first = [f"{name} {package.recipe['version']}", f"yes, {package.build_unchanged():.0f}"]
    except Failed as failure:
        row([name, str(failure)])
        return False
    for recipe in package.recipe["bugs"]:
        if only not in ("", recipe["name"]):
            continue
        try:
            cells, back = cells_of(Bug(package, recipe, given))
        except Failed as failure:
            cells, back = [str(failure)], False
        row(first + [recipe["name"]] + cells)
        good = good and back
    return good


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*")
    options.add_argument("--native", type=float, default=90)
    options.add_argument("-t", "--time", default="60s")
    options.add_argument("--work")
    given = options.parse_args()
    work = os.path.abspath(given.work or tempfile.mkdtemp(prefix="heddle-packages-"))
    names = given.names or sorted(os.path.basename(os.path.dirname(path))
                                  for path in glob.glob(os.path.join(FOLDER, "*", "recipe.json")))
    titles = ["package", "built unchanged: s", "bug", "native failures", "reconstruct: s", "control: s", "found", "minimize",
              "explain"]
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles), flush=True)
    good = True
    for name in names:
        good = rows_of(name, work, given, len(titles)) and good
    if not given.work and good:
        shutil.rmtree(work, ignore_errors=True)
    else:
        print(f"\nOutputs: {work}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
