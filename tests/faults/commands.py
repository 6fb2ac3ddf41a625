"""The commands that faults are injected into: programs, artifacts and logs for them, and what each may answer.

`Workshop(folder)` compiles the programs and makes the inputs once; a folder that is there already is used again. Every
command is short: what is killed is chosen at random, and many are needed.
"""
import os
import shutil
import subprocess
import sys

TESTS = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
HEDDLE = os.path.realpath(os.environ.get("HEDDLE", os.path.join(TESTS, "..", "build", "bin", "heddle")))
sys.path.insert(0, os.path.join(TESTS, "end_to_end"))
from sources import NATIVE, QUEUE_TEST, RESET  # noqa: E402

GTEST_SOURCES = "/usr/src/googletest/googletest"

NO_BUG, INCONCLUSIVE, BAD_INPUT, OWN_ERROR, BUG = 0, 1, 2, 3, 66

# Two threads write their names into one array: it fails in some executions, and takes a few steps to make smaller.
RARE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int next;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int names[16];
static void* write_names(void* name) {
  for (int i = 0; i < 5; ++i) {
    int at = atomic_fetch_add(&next, 1);
    pthread_mutex_lock(&mutex);
    names[at] = (int)(long)name;
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, write_names, (void*)1L);
  pthread_create(&b, 0, write_names, (void*)2L);
  pthread_join(a, 0);
  pthread_join(b, 0);
  int changes = 0;
  for (int i = 0; i < 9; ++i) changes += names[i] != names[i + 1];
  assert(changes < 6);
  return 0;
}
"""

# Starts processes of its own: one in its group, one in a session of its own, which outlives its parent.
FORKING = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
atomic_int seen;
static void* wait_for_it(void* p) { atomic_store(&seen, 1); return p; }
int main(void) {
  pthread_t a;
  if (fork() == 0) {
    if (fork() == 0) { setsid(); execlp("sleep", "sleep", "1000", (char*)0); _exit(1); }
    for (;;) pause();
  }
  pthread_create(&a, 0, wait_for_it, 0);
  while (!atomic_load(&seen)) sched_yield();
  pthread_join(a, 0);
  return 0;
}
"""

# Has no bug. It says what it did, and it notices every error of what it calls.
STEADY = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
atomic_int next;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int sum;
static void expect(int error) { if (error != 0) abort(); }
static void* add(void* p) {
  for (int i = 0; i < 3; ++i) {
    atomic_fetch_add(&next, 1);
    expect(pthread_mutex_lock(&mutex));
    sum += 1;
    expect(pthread_mutex_unlock(&mutex));
  }
  return p;
}
int main(void) {
  pthread_t a, b;
  expect(pthread_create(&a, 0, add, 0));
  expect(pthread_create(&b, 0, add, 0));
  expect(pthread_join(a, 0));
  expect(pthread_join(b, 0));
  expect(sum != 6 || atomic_load(&next) != 6);
  expect(puts("done") < 0 || fflush(stdout) != 0);
  return 0;
}
"""

# A program that lists and runs its cases as GoogleTest's do; the library itself takes a minute to compile.
CASES = """
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <assert.h>
atomic_int x, y;
static void* first(void* p) { atomic_store_explicit(&x, 1, memory_order_relaxed); *(int*)p = atomic_load(&y); return 0; }
static void* second(void* p) { atomic_store(&y, 1); *(int*)p = atomic_load_explicit(&x, memory_order_relaxed); return 0; }
static void both(int bad) {
  pthread_t a, b;
  int r = 1, s = 1;
  pthread_create(&a, 0, first, &r);
  pthread_create(&b, 0, second, &s);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(!bad || r || s);
}
int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    if (!strcmp(words[i], "--gtest_list_tests")) { puts("Suite.\\n  Good\\n  Bad"); return 0; }
    if (!strncmp(words[i], "--gtest_filter=", 15)) both(strstr(words[i], "Bad") != 0);
  }
  return 0;
}
"""


class Command:
    """A command line, and what it may answer.

    `expected`: its exit code when nothing is done to it; `answers`: all that it may be then, where that depends on how far
    it comes in its time. `allowed`: those that it may have when one of its processes was
    killed. `seconds`: its own limit of time.
    """

    def __init__(self, name, words, expected, allowed=(), inputs=(), seconds=10, needs=(), typed="", answers=()):
        self.name, self.words, self.expected = name, words, expected
        self.answers = {expected, *answers}
        self.allowed = {expected, INCONCLUSIVE, *allowed}
        self.inputs, self.seconds, self.needs = inputs, seconds, needs
        self.typed = typed  # on standard input


SOURCES = {"rare": RARE, "forking": FORKING, "cases": CASES, "order": NATIVE, "reset": RESET, "queue": QUEUE_TEST, "steady": STEADY}


class Workshop:
    """`names`: only what these commands need."""

    def __init__(self, folder, names=None):
        self.folder = os.path.realpath(folder)
        os.makedirs(self.folder, exist_ok=True)
        self.make("rare")
        self.make("kept")
        self.all = [command for command in self.commands() if names is None or command.name in names]
        for part in sorted({part for command in self.all for part in command.needs}):
            self.make(part)

    def make(self, part):
        done = self.path(part + ".done")
        if os.path.exists(done):
            return
        if part in SOURCES:
            self.compile(part)
        elif part == "kept":
            self.call("run", "--no-minimize", "--seed", "1", "-q", "-o", "kept", "--", "./rare", codes=[BUG])
        elif part == "logs":
            self.make("order")
            for _ in range(3):
                self.call("record", "-q", "--path", "-d", "passed", "--", "./order", "0", "joined")
            self.call("record", "-q", "--path", "-d", "failed", "--", "./order", "1", "joined", codes=[134])
            os.rename(self.path("failed", os.listdir(self.path("failed"))[0]), self.path("failed.hlog"))
        elif part == "parts":
            self.make("reset")
            self.call("record", "--profile", "--all", "--", "./reset")
            for _ in range(6):
                self.call("record", "-q", "--vars", "--share", "60", "-d", "parts", "--", "./reset", codes=[134, 0])
        with open(done, "w", encoding="utf-8") as file:
            file.write("")

    def compile(self, name):
        cxx = name == "queue"
        source = name + (".cpp" if cxx else ".c")
        with open(self.path(source), "w", encoding="utf-8") as file:
            file.write(SOURCES[name])
        words = ["c++", "-std=c++20"] if cxx else ["cc"]
        full = ["--full"] if name in ("order", "reset") else []
        self.call(*words, *full, "-g", "-O1", source, "-o", name)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def call(self, *words, codes=(0,)):
        answer = subprocess.run([HEDDLE, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                                timeout=300, check=False)
        if answer.returncode not in codes:
            sys.exit(f"cd {self.folder}; {HEDDLE} {' '.join(words)}\nexit code {answer.returncode}\n"
                     + answer.stderr.decode("utf-8", "replace"))

    def commands(self):
        """All of them; `out` and `bug.heddle` are in the folder in which a command runs."""
        rare, order = self.path("rare"), self.path("order")
        bug = {"bug.heddle": self.path("kept", "bug-1.heddle")}
        found = ("-o", "out", "--max-failures", "2", "--seed", "3", "--json", "report.json")
        all_ = [
            Command("run", ["run", "-n", "3000", *found, "--", rare], BUG),
            Command("run-fork", ["run", "-n", "200", "--repetition", "fork", *found, "--", rare], BUG),
            Command("run-exhaustive", ["run", "-s", "exhaustive", "-n", "3000", "-o", "out", "--", rare], BUG),
            Command("run-forking", ["run", "-n", "8", "-o", "out", "--", self.path("forking")], NO_BUG, needs=["forking"]),
            Command("test", ["test", "-n", "400", "-o", "out", "--junit", "cases.xml", "--", self.path("cases")], BUG, needs=["cases"]),
            Command("replay", ["replay", "--times", "4", "bug.heddle"], BUG, inputs=bug),
            Command("minimize", ["minimize", "--time", "1s", "bug.heddle"], NO_BUG, inputs=bug, seconds=1),
            Command("explain", ["explain", "--time", "2s", "-n", "500", "--json", "why.json", "bug.heddle"], NO_BUG,
                    inputs=bug, seconds=2, answers=[INCONCLUSIVE]),
            Command("lin", ["lin", "run", "-n", "2000", "--seed", "1", "-o", "out", "--", self.path("queue")], BUG, needs=["queue"]),
            Command("search", ["search", "--from", self.path("passed"), "--any-input", "-t", "3s", "-o", "out", "--", order],
                    BUG, seconds=3, needs=["logs"]),
            Command("reconstruct", ["reconstruct", "-t", "3s", "-o", "out", self.path("failed.hlog"), "--", order, "1", "joined"],
                    BUG, seconds=3, needs=["logs"]),
            # (Its processes are marked by a variable that the recorded runs did not have.)
            Command("merge", ["merge", "--any-input", "-t", "3s", "-o", "out", self.path("parts"), "--", self.path("reset")], BUG, seconds=3,
                    needs=["parts"]),
            Command("record", ["record", "-d", "logs", "--", order, "0", "joined"], NO_BUG,
                    allowed=[128 + 9, BAD_INPUT], needs=["order"]),
            Command("report", ["report", "--html", "page.html", self.path("kept")], NO_BUG),
        ]
        if shutil.which("gdb"):
            all_.append(Command("gdb", ["replay", "--gdb", "--debugger", "gdb -nx -batch-silent", "bug.heddle"], NO_BUG,
                                allowed=[BUG], inputs=bug, typed="run\nkill\nquit\n"))
        return all_
