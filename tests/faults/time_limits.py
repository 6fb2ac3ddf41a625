#!/usr/bin/env python3
"""How far each command goes beyond its --time, on work that would last much longer: a table for docs/measurements/time-limits.md.

    HEDDLE=build/bin/heddle tests/faults/time_limits.py [--seconds 2] [--folder DIR] [COMMAND ...]

No test: what it prints depends on the machine and on what else runs there.
"""
import argparse
import os
import subprocess
import tempfile
import time

from commands import HEDDLE, Workshop

# Threads that never come to an end of choices: fifteen rounds each of a lock, an update and a branch on what was read.
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
STRATEGIES = ("auto", "random", "pct:d=3", "pctwm:d=2,h=1", "pos", "surw", "exhaustive", "places")


def prepared(folder):
    workshop = Workshop(folder, names=["lin", "test", "merge"])
    if not os.path.exists(workshop.path("long.done")):
        with open(workshop.path("long.c"), "w", encoding="utf-8") as file:
            file.write(LONG)
        workshop.call("cc", "--full", "-g", "-O1", "long.c", "-o", "long")
        workshop.call("run", "-q", "--no-minimize", "--seed", "1", "-s", "random", "-n", "2000", "-o", "long-kept", "--", "./long", "fails",
                      codes=[66])
        for i in range(40):
            workshop.call("record", "-q", "--path", "-d", "long-logs", "--", "./long")
        os.makedirs(workshop.path("one-log"))
        name = sorted(os.listdir(workshop.path("long-logs")))[0]
        os.rename(workshop.path("long-logs", name), workshop.path("one-log", "run.hlog"))
        with open(workshop.path("long.done"), "w", encoding="utf-8"):
            pass
    return workshop


def commands(time_given):
    endless = ["-t", time_given, "--max-failures", "0", "-q", "-o", "out"]
    for strategy in STRATEGIES:
        yield f"run -s {strategy}", ["run", *endless, "-s", strategy, "--", "./long"]
    yield "run --repetition fork", ["run", *endless, "--repetition", "fork", "--", "./long"]
    yield "test (two cases)", ["test", "-t", time_given, "--max-failures", "0", "-q", "-o", "out", "--", "./cases"]
    yield "minimize", ["minimize", "-q", "-t", time_given, "-o", "small.heddle", "long-kept/bug-1.heddle"]
    yield "explain", ["explain", "-q", "-t", time_given, "-n", "100000000", "long-kept/bug-1.heddle"]
    yield "explain --intervene", ["explain", "-q", "--intervene", "-t", time_given, "-n", "100000000", "long-kept/bug-1.heddle"]
    for order in ("pruned", "thesis"):
        yield f"search --order {order}", ["search", "-q", "--order", order, "-t", time_given, "-o", "out", "--", "./long"]
    yield "search --from", ["search", "-q", "--from", "long-logs", "--any-input", "-t", time_given, "-o", "out", "--", "./long"]
    yield "reconstruct", ["reconstruct", "-q", "-n", "1000000", "-t", time_given, "-o", "out", "one-log/run.hlog", "--", "./long"]
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
