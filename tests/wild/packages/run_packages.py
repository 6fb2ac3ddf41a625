#!/usr/bin/env python3
"""Programs of Debian's packages, each with one bug of its own history put back: native failures, brought back by heddle.

    HEDDLE=build/bin/heddle run_packages.py [--native SECONDS] [-t TIME] [--work DIR] [NAME ...]

For each folder with a recipe.json: the source is fetched (see fetch) and built unchanged, with the system's compilers and
with `heddle cc --full`. Both programs have to pass. Then put_back edits the source, and the program runs natively with path
logs until a run fails or the time for that is over. `heddle reconstruct` gets the log. As the control,
`heddle run --look-for` gets it with the same time. What reconstruct found goes to `heddle minimize` and `heddle explain`.
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
    def __init__(self, name, work, given):
        self.name, self.given = name, given
        self.recipe_folder = os.path.join(FOLDER, name)
        with open(os.path.join(self.recipe_folder, "recipe.json"), encoding="utf-8") as file:
            self.recipe = json.load(file)
        self.work = os.path.join(work, name)
        shutil.rmtree(self.work, ignore_errors=True)
        for folder in ("plain", "full", "needs", "run"):
            os.makedirs(os.path.join(self.work, folder))
        self.program = [os.path.join(self.work, "full", self.recipe["program"]), *self.recipe["arguments"]]

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

    def build_unchanged(self):
        self.make("plain", self.recipe["build"], PLAIN)
        seconds = self.make("full", self.recipe["build"], FULL)
        for line in self.recipe["prepare"]:
            command(line, self.path("prepare.txt"), shell=True, cwd=self.path("run"))
        plain = self.path("plain", self.recipe["program"])
        for program in ([plain, *self.recipe["arguments"]], self.program):
            for _ in range(20):
                ended = self.run_natively(program)
                if ended != 0:
                    raise Failed(f"{program[0]}, unchanged: ends with {ended}")
        return seconds

    def put_back(self):
        log = self.path("build-full.txt")
        command([os.path.join(self.recipe_folder, "put_back"), self.path("full")], log)
        self.make("full", self.recipe["rebuild"], FULL)

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
    """What explain says of executions that pass and of the change, without the table of events."""
    found = lines_with(text, "No execution near", " should ", "changes that were tried", "Tried:")
    return " ".join(found) or text.strip()[-80:]


def row_of(package):
    """(cells of the table, whether the failure came back)"""
    cells = [f"{package.name} {package.recipe['version']}"]
    package.fetch()
    cells.append(f"yes, {package.build_unchanged():.0f}")
    package.put_back()
    log, ended, failures, runs = package.native_failures()
    cells.append(f"{failures:,} of {runs:,} ({ended})")
    if log is None:
        return cells, False
    limit = ["-t", package.given.time]
    status, seconds, text = package.heddle("reconstruct", "reconstruct", "-q", *limit, "-o", package.path("out"), log, "--",
                                           *package.program)
    summary = [line.split("heddle: ", 1)[1] for line in text.splitlines() if line.startswith("SUMMARY")]
    # A bug that was met on the way is kept and told, and is not the failure of the log.
    back = status == BUG and "other bug was found on the way" not in text
    cells.append(f"{'' if back else 'not: '}{seconds:.1f}")
    status, seconds, _ = package.heddle("control", "run", "-q", "--seed", "1", *limit, "-o", package.path("out-control"),
                                        "--look-for", log, "--", *package.program)
    cells.append(f"{'' if status == BUG else 'not: '}{seconds:.1f}")
    found = summary[0] if summary else text.strip()[-80:]
    cells.append(found.replace(package.path("full") + "/", "").replace(package.recipe_folder + "/", ""))
    if back:
        artifact = package.path("out", "bug-1.heddle")
        _, _, text = package.heddle("minimize", "minimize", "-t", "10s", "-o", package.path("small.heddle"), artifact)
        cells.append(" ".join(lines_with(text, "Minimised from", "  to  ")))
        _, _, text = package.heddle("explain", "explain", "-q", "-t", "60s", package.path("small.heddle"))
        cells.append(one_line(text))
    return cells, back


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
    titles = ["package", "built unchanged: s", "native failures", "reconstruct: s", "control: s", "found", "minimize",
              "explain"]
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles), flush=True)
    good = True
    for name in names:
        try:
            cells, back = row_of(Package(name, work, given))
        except Failed as failure:
            cells, back = [name, str(failure)], False
        cells += [""] * (len(titles) - len(cells))
        print("| " + " | ".join(cells) + " |", flush=True)
        good = good and back
    if not given.work and good:
        shutil.rmtree(work, ignore_errors=True)
    else:
        print(f"\nOutputs: {work}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
