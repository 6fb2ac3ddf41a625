#!/usr/bin/env python3
"""How far each command goes beyond its --time, on work that would last much longer: a table for docs/measurements/time-limits.md.

    HEDDLE=build/bin/heddle tests/faults/time_limits.py [--seconds 2] [--folder DIR] [COMMAND ...]

No test: what it prints depends on the machine and on what else runs there.
"""
import argparse
import os
import shutil
import subprocess
import tempfile
import time

from commands import HEDDLE, Workshop

# More executions than can be run: four threads, fifteen rounds each of a lock, an update and a branch on what was read.
LONG = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int next, odd;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int names[64];
static void* write_names(void* name) {
  for (int i = 0; i < 15; ++i) {
    int at = atomic_fetch_add(&next, 1);
    if (at % 2) atomic_fetch_add(&odd, 1);
    pthread_mutex_lock(&mutex);
    names[at] = (int)(long)name;
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}
int main(int count, char** words) {
  pthread_t threads[4];
  for (long i = 0; i < 4; ++i) pthread_create(&threads[i], 0, write_names, (void*)i);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  int changes = 0;
  for (int i = 0; i < 59; ++i) changes += names[i] != names[i + 1];
  assert(count < 2 || changes < 12);
  assert(atomic_load(&odd) == 30);
  return 0;
}
"""
# LONG with thousands of events: what is built of an execution before it is searched takes minutes.
HEAVY = LONG
for few, many in (("i < 15", "i < 400"), ("[64]", "[2000]"), ("i < 59", "i < 1599"), ("== 30", "== 800"), ("< 12", "< 40")):
    HEAVY = HEAVY.replace(few, many)
# Threads that lose updates of each other, in runs that are begun at the same moment: a native run fails, and its log has
# 40,000 branches that depend on what others wrote.
HARD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum { kThreads = 4, kRounds = 5000 };
atomic_int begun;
volatile int sum, thirds;
static void* add(void* p) {
  atomic_fetch_add(&begun, 1);
  while (atomic_load(&begun) < kThreads) {
  }
  for (int i = 0; i < kRounds; ++i) {
    int now = sum;
    if (now % 3 == 0) thirds = thirds + 1;
    sum = now + 1;
  }
  return p;
}
int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], 0, add, 0);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
  assert(sum == kThreads * kRounds);
  return 0;
}
"""
STRATEGIES = ("auto", "random", "pct:d=3", "pctwm:d=2,h=1", "pos", "surw", "exhaustive", "places")


def prepared(folder):
    workshop = Workshop(folder, names=["lin", "test", "merge"])
    for name, source, logs in (("long", LONG, 40), ("heavy", HEAVY, 4)):
        if os.path.exists(workshop.path(name + ".done")):
            continue
        with open(workshop.path(name + ".c"), "w", encoding="utf-8") as file:
            file.write(source)
        workshop.call("cc", "--full", "-g", "-O1", name + ".c", "-o", name)
        workshop.call("run", "-q", "--no-minimize", "--seed", "1", "-s", "random", "-n", "2000", "-o", name + "-kept", "--", "./" + name,
                      "fails", codes=[66])
        for _ in range(logs):
            workshop.call("record", "-q", "--path", "-d", name + "-logs", "--", "./" + name)
        os.rename(workshop.path(name + "-logs", sorted(os.listdir(workshop.path(name + "-logs")))[0]), workshop.path(name + ".hlog"))
        with open(workshop.path(name + ".done"), "w", encoding="utf-8"):
            pass
    make_hard(workshop)
    return workshop


def make_hard(workshop):
    """The program, and the log of a native run that failed."""
    if os.path.exists(workshop.path("hard.done")):
        return
    with open(workshop.path("hard.c"), "w", encoding="utf-8") as file:
        file.write(HARD)
    workshop.call("cc", "--full", "-g", "-O1", "hard.c", "-o", "hard")
    while True:
        ended = subprocess.run([HEDDLE, "record", "-q", "--path", "-d", "hard-logs", "--", "./hard"], cwd=workshop.folder, capture_output=True, check=False)
        if ended.returncode != 0:
            break
        shutil.rmtree(workshop.path("hard-logs"))
    os.rename(workshop.path("hard-logs", os.listdir(workshop.path("hard-logs"))[0]), workshop.path("hard.hlog"))
    with open(workshop.path("hard.done"), "w", encoding="utf-8"):
        pass


def commands(time_given):
    endless = ["-t", time_given, "--max-failures", "0", "-q", "-o", "out"]
    for strategy in STRATEGIES:
        yield f"run -s {strategy}", ["run", *endless, "-s", strategy, "--", "./long"]
    yield "run --repetition fork", ["run", *endless, "--repetition", "fork", "--", "./long"]
    yield "test (two cases)", ["test", "-t", time_given, "--max-failures", "0", "-q", "-o", "out", "--", "./cases"]
    for name in ("long", "heavy"):
        program, bug = "./" + name, name + "-kept/bug-1.heddle"
        yield f"minimize, {name}", ["minimize", "-q", "-t", time_given, "-o", "small.heddle", bug]
        for more in ((), ("--intervene",)):
            yield " ".join(("explain", *more)) + f", {name}", ["explain", "-q", *more, "-t", time_given, "-n", "100000000", bug]
        for order in ("pruned", "thesis"):
            yield f"search --order {order}, {name}", ["search", "-q", "--order", order, "-t", time_given, "-o", "out", "--", program]
        yield f"search --from, {name}", ["search", "-q", "--from", name + "-logs", "--any-input", "-t", time_given, "-o", "out", "--", program]
        yield f"reconstruct, {name}", ["reconstruct", "-q", "-n", "1000000", "-t", time_given, "-o", "out", name + ".hlog", "--", program]
    yield "reconstruct, hard", ["reconstruct", "-q", "-n", "1000000", "-t", time_given, "-o", "out", "hard.hlog", "--", "./hard"]
    yield "merge --watch", ["merge", "-q", "--watch", "-t", time_given, "-o", "out", "parts", "--", "./reset"]
    yield "lin run", ["lin", "run", "-q", "-t", time_given, "--max-failures", "0", "-o", "out", "--", "./queue"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "heddle-time-limits"))
    parser.add_argument("only", nargs="*")
    arguments = parser.parse_args()
    workshop = prepared(arguments.folder)
    print("| command | ended after | beyond its time | exit code |\n|---|---|---|---|")
    for name, words in commands(f"{arguments.seconds:g}s"):
        if arguments.only and not any(name.startswith(wanted) for wanted in arguments.only):
            continue
        began = time.monotonic()
        try:
            code = subprocess.run([HEDDLE, *words], cwd=workshop.folder, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=60 + arguments.seconds, check=False).returncode
        except subprocess.TimeoutExpired:
            code = "did not end in a minute"
        took = time.monotonic() - began
        print(f"| `{name}` | {took:.2f} s | {max(0.0, took - arguments.seconds):.2f} s | {code} |", flush=True)


if __name__ == "__main__":
    main()
