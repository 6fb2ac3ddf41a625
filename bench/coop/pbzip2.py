#!/usr/bin/env python3
"""A real program: Debian's pbzip2, recorded natively in part; and with the bug of its version 0.9.4, replayed.

    bench/coop/pbzip2.py [--heddle build/bin/heddle] [--turns 5] [--logs 20] [--share 25]

The source is fetched as `heddle-bench apps --packages` does it. First, CPU time of compressing 8 MB, in turns: built by
clang++-19 alone, built with --full and dormant, and recording a share of the elements that a profile names, each time with
another draw. Then the main thread no longer waits for the consumers before it destroys their queue, as in 0.9.4 (the bug
of the papers on concurrency bugs), and a consumer rests before it comes back to the queue, so that it happens often enough;
logs of runs that failed are merged, and the failure is replayed.
"""
import argparse
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "..", ".."))
SOURCES = ["pbzip2.cpp", "BZ2StreamScanner.cpp", "ErrorContext.cpp"]
FLAGS = ["-O2", "-g", "-pthread", "-std=c++17", "-DUSE_STACKSIZE_CUSTOMIZATION", "-w",
         "-Wno-reserved-user-defined-literal"]
JOIN = "ret = pthread_join(fifo->consumers[i], NULL);"
CONSUMER = "void *consumer (void *q)"
LOCK = "\t\tsafe_mutex_lock(fifo->mut);\n"


def build(compiler, source, output):
    subprocess.run([*compiler, *FLAGS, *(os.path.join(source, s) for s in SOURCES), "-o", output, "-lbz2"], check=True)


def with_bug(source, folder):
    """The source as it was before consumers were waited for."""
    copy = os.path.join(folder, "with-bug")
    shutil.copytree(source, copy)
    path = os.path.join(copy, "pbzip2.cpp")
    with open(path, encoding="latin-1") as file:
        text = file.read()
    before, consumer = text.split(CONSUMER)
    if text.count(JOIN) != 1 or LOCK not in consumer:
        sys.exit("this is another pbzip2 than the one that the change was made for")
    rest = "\t\tif (syncGetProducerDone() == 1) usleep(getpid() % 8 * 200);\n"
    text = before.replace(JOIN, "ret = 0;") + CONSUMER + consumer.replace(LOCK, rest + LOCK, 1).replace(JOIN, "ret = 0;")
    with open(path, "w", encoding="latin-1") as file:
        file.write(text)
    return copy


class Run:
    def __init__(self, program, data, record=None, folder=None):
        environment = {k: v for k, v in os.environ.items() if k != "HEDDLE_RECORD"}
        if record:
            environment["HEDDLE_RECORD"] = record
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.code = subprocess.run([program, "-k", "-f", "-q", "-p2", "-b1", data], env=environment, cwd=folder,
                                   capture_output=True, check=False).returncode
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def text_of(megabytes):
    """Text that compresses like text, the same each time."""
    draw = random.Random(1)
    words = ["".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(draw.randint(2, 9))) for _ in range(5000)]
    size, text = int(megabytes * 1e6), []
    while size > 0:
        text.append(draw.choice(words))
        size -= len(text[-1]) + 1
    return " ".join(text).encode()


def measure(options, source, folder):
    with open(os.path.join(folder, "text"), "wb") as file:
        file.write(text_of(8))
    with open(os.path.join(folder, "short"), "wb") as file:
        file.write(text_of(0.3))
    plain, full = os.path.join(folder, "plain"), os.path.join(folder, "full")
    build(["clang++-19"], source, plain)
    build([options.heddle, "c++", "--full"], source, full)
    subprocess.run([options.heddle, "record", "--profile", "--all", "-n", "1", "--", full, "-k", "-f", "-q", "-p2", "-b1", "short"],
                   cwd=folder, check=True, capture_output=True)
    times = {"plain": [], "dormant": [], "recorded": []}
    logs, output = os.path.join(folder, "logs"), os.path.join(folder, "text.bz2")
    expected = None
    for turn in range(options.turns):
        shutil.rmtree(logs, ignore_errors=True)
        record = f"vars:{logs},share={options.share},instance={turn}"
        for name, program, setting in (("plain", plain, None), ("dormant", full, None), ("recorded", full, record)):
            run = Run(program, "text", setting, folder)
            with open(output, "rb") as file:
                content = file.read()
            expected = expected or content
            if run.code != 0 or content != expected:
                sys.exit(f"{name}: another result")
            times[name].append(run.seconds)
    log = os.path.join(logs, os.listdir(logs)[0])
    shown = subprocess.run([options.heddle, "record", "--show", log], check=True, capture_output=True, text=True).stdout
    median = {name: statistics.median(values) for name, values in times.items()}
    print(f"CPU s: clang++ alone {median['plain']:.2f}, dormant {median['dormant']:.2f}, {options.share} % recorded "
          f"{median['recorded']:.2f}: {median['recorded'] / median['dormant']:.3f} of dormant")
    print("\n".join(shown.splitlines()[:4]))


def replay(options, source, folder):
    buggy = os.path.join(folder, "buggy")
    build([options.heddle, "c++", "--full"], with_bug(source, folder), buggy)
    arguments = [buggy, "-k", "-f", "-q", "-p2", "-b1", "short"]
    subprocess.run([options.heddle, "record", "--profile", "--all", "-n", "2", "--", *arguments], cwd=folder, check=False,
                   capture_output=True)
    logs = os.path.join(folder, "failing")
    failed = runs = 0
    while failed < options.logs and runs < 50 * options.logs:
        runs += 1
        run = Run(buggy, "short", f"vars:{logs},share={options.share},instance={runs}", folder)
        failed += run.code != 0
    print(f"with the bug: {failed} of {runs} runs failed")
    done = subprocess.run([options.heddle, "merge", logs, "--", *arguments], cwd=folder, check=False, capture_output=True,
                          text=True)
    print("\n".join(line for line in done.stderr.splitlines() if line.startswith("heddle:")))
    if done.returncode != 66:
        sys.exit("it was not replayed")
    again = subprocess.run([options.heddle, "replay", "-q", "--times", "3", "heddle-out/bug-1.heddle"], cwd=folder, check=False)
    print("replays" if again.returncode == 66 else "does NOT replay")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--heddle", default=os.path.join(ROOT, "build", "bin", "heddle"))
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--logs", type=int, default=20)
    parser.add_argument("--share", type=int, default=25)
    parser.add_argument("--source", help="unpacked already")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="heddle-pbzip2-")
    source = options.source or os.path.join(folder, "source")
    if not options.source:
        subprocess.run([os.path.join(ROOT, "bench", "apps", "fetch_package"), "pbzip2", source], check=True)
    measure(options, source, folder)
    replay(options, source, folder)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
