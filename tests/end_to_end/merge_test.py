#!/usr/bin/env python3
"""What users rely on in `heddle merge`: partial logs of native runs that failed come back as an artifact that replays;
logs that are of no use are named and skipped."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from heddle_driver import BAD_INPUT, BUG, HEDDLE, HeddleTest
from sources import RESET, two_threads

# RESET with many more accesses before it, so that the engine takes turns for a while in between.
MANY_TIMES = 'for (int i = 0; i < 25000; ++i) { threads = threads + 1; __asm__ volatile("" ::: "memory"); }'
LONG_RESET = RESET.replace("threads = threads + 1;", MANY_TIMES).replace(
    "usleep(5000);", MANY_TIMES + "\n  usleep(10000);")

# A lost update within one basic block: that blocks are in order says nothing of it.
LOST_UPDATE = """
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
int counter;
static void* add(void* p) {
  int before = counter;
  usleep(20000);
  counter = before + 1;
  return p;
}
""" + two_threads("add", "add", "assert(counter == 2);")

# Two bugs that end alike; natively the file says which.
TWO_ABORTS = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int value, copy;
static __attribute__((noinline)) void torn(void) { abort(); }
static __attribute__((noinline)) void over(void) { abort(); }
static void* change(void* p) { value = 1; usleep(20000); copy = 1; return p; }
static void* check(void* p) {
  int late = 0;
  FILE* file = fopen("late", "r");
  if (file != 0 && fscanf(file, "%d", &late) != 1) return p;
  if (file != 0) fclose(file);
  usleep(late ? 60000 : 5000);
  if (value == 1 && copy == 0) torn();
  if (value == 1 && copy == 1) over();
  return p;
}
""" + two_threads("change", "check")

# Two runs that agree in nothing: the file says who comes first. It fails either way.
EITHER_WAY = """
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int first, second, third;
static void* add(void* late) {
  int order = 0;
  FILE* file = fopen("order", "r");
  if (file != 0 && fscanf(file, "%d", &order) == 1 && (late != 0) == (order != 0)) usleep(20000);
  if (file != 0) fclose(file);
  pthread_mutex_lock(&lock);
  ++first;
  ++second;
  ++third;
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, &a);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(first + second + third != 6);
  return 0;
}
"""

# A thread uses what the main thread frees. Before it does, they race in more places than an execution's result has room
# for.
SHUTDOWN = """
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct session { int requests, bytes, errors, open, last; int* buffer; };
struct session* current;
static void* serve(void* p) {
  struct session* s = current;
  s->requests = s->bytes = s->errors = s->open = s->last = 1;
  usleep(20000);
  s->buffer[0] = 1;
  return p;
}
int main(void) {
  pthread_t a;
  current = calloc(1, sizeof *current);
  current->buffer = malloc(4);
  pthread_create(&a, 0, serve, 0);
  usleep(5000);
  struct session* s = current;
  s->requests = s->bytes = s->errors = s->open = s->last = 2;
  int* buffer = s->buffer;
  s->buffer = 0;
  free(buffer);
  pthread_join(a, 0);
  free(s);
  return 0;
}
"""


class Merge(HeddleTest):
    @classmethod
    def setUpClass(cls):
        cls.built = tempfile.mkdtemp(prefix="heddle-merge-")
        source = os.path.join(cls.built, "program.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(RESET)
        cls.program = os.path.join(cls.built, "program")
        subprocess.run([HEDDLE, "cc", "--full", "--spes=static", "-g", "-O1", source, "-o", cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.built, ignore_errors=True)

    def record(self, share, failing, kind="vars", program=None):
        """Native runs until so many have failed; their logs are in logs/."""
        os.makedirs(self.path("logs"), exist_ok=True)
        failed = 0
        for instance in range(20 * failing):
            if failed == failing:
                return sorted(os.listdir(self.path("logs")))
            environment = dict(os.environ, HEDDLE_RECORD=f"{kind}:logs,share={share},instance={instance}")
            failed += self.call(program or self.program, env=environment).code != 0
        return self.fail("the program hardly ever fails natively")

    def copy_of_log(self, log, name, length=None, change_at=None):
        with open(self.path("logs/" + log), "rb") as file:
            content = bytearray(file.read(length))
        if change_at is not None:
            content[change_at] ^= 0x40
        with open(self.path("logs/" + name), "wb") as file:
            file.write(content)

    def test_a_failure_comes_back(self):
        log = self.record(50, 6)[0]
        self.copy_of_log(log, "cut", length=100)
        self.copy_of_log(log, "of_another_version", change_at=8)
        self.copy_of_log(log, "damaged", change_at=4096 + 34)
        self.write("logs/garbage", "no log at all")
        answer = self.heddle("merge", "--store", "store", "logs", "--", self.program)
        self.assertEqual(answer.code, BUG, answer.errors)
        for name in ("cut", "of_another_version", "damaged", "garbage"):
            self.assertIn(f"logs/{name} is skipped", answer.errors)
        self.assertEqual(self.heddle("replay", "-q", "--times", "3", "heddle-out/bug-1.heddle").code, BUG)
        # The store has them: no logs are needed.
        again = self.heddle("merge", "-q", "--store", "store", "-o", "again", "--", self.program)
        self.assertEqual(again.code, BUG, again.errors)

    def test_a_failure_comes_back_from_blocks(self):
        program = self.compile(LOST_UPDATE, flags=("--full", "--spes=static"))
        self.record(100, 2, kind="blocks", program=program)
        answer = self.heddle("merge", "--guided", "0", "-v", "logs", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertEqual(self.heddle("replay", "-q", "--times", "3", "heddle-out/bug-1.heddle").code, BUG)

    def test_bugs_that_end_alike_are_told_apart_by_their_places(self):
        program = self.compile(TWO_ABORTS, flags=("--full", "--spes=static"))
        for late in ("0", "1"):
            self.write("late", late)
            self.record(100, 1, program=program)
        answer = self.heddle("merge", "logs", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        places = set(re.findall('the failure at "(aborted at .*)" was reproduced', answer.errors))
        self.assertEqual(len(places), 2, answer.errors)
        self.assertEqual(set(re.findall(r"SUMMARY: .* in (\w+)", answer.errors)), {"torn", "over"}, answer.errors)

    def test_a_failure_after_many_accesses_comes_back(self):
        program = self.compile(LONG_RESET, flags=("--full", "--spes=static"))
        for kind in ("vars", "blocks"):
            with self.subTest(kind=kind):
                shutil.rmtree(self.path("logs"), ignore_errors=True)
                self.record(100, 1, kind=kind, program=program)
                answer = self.heddle("merge", "--attempts", "20", "-o", kind, "logs", "--", program)
                self.assertEqual(answer.code, BUG, answer.errors)
                self.assertEqual(self.heddle("replay", "-q", kind + "/bug-1.heddle").code, BUG)

    def test_the_bug_of_the_logs_is_minimised_and_explained(self):
        program = self.compile(SHUTDOWN, flags=("--full", "--spes=static"))
        self.record(100, 1, program=program)
        answer = self.heddle("merge", "logs", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        summary = re.search("SUMMARY: heddle: (.*)", answer.errors).group(1)
        self.assertNotIn("data race", summary)
        answer = self.heddle("minimize", "-o", "small.heddle", "heddle-out/bug-1.heddle")
        self.assertEqual(answer.code, 0, answer.errors)
        for artifact in ("heddle-out/bug-1.heddle", "small.heddle"):
            self.assertIn("Why: " + summary, self.heddle("explain", artifact).output)

    def test_what_another_run_lent_gives_way(self):
        program = self.compile(EITHER_WAY, flags=("--full",))
        self.assertEqual(self.heddle("record", "--profile", "--all", "--", program).code, 0)
        with open(self.path("program.spes"), encoding="utf-8") as file:
            known = file.readlines()
        for order, elements in ((0, ("first", "second")), (1, ("third", "second"))):
            self.write("order", str(order))
            self.write("some.spes", "".join(line for line in known if line.split()[2] in elements))
            environment = dict(os.environ, HEDDLE_RECORD="vars:logs,profile=some.spes")
            self.assertNotEqual(self.call(program, env=environment).code, 0)
        answer = self.heddle("merge", "--attempts", "1", "logs", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        answer = self.heddle("merge", "--guided", "0", "--no-brute-force", "logs", "--", program)
        self.assertNotEqual(answer.code, BUG, answer.errors)

    def test_logs_as_they_come_and_a_merge_that_is_killed(self):
        os.mkdir(self.path("logs"))
        watch = self.start(HEDDLE, "merge", "--watch", "--store", "store", "logs", "--", self.program)
        self.record(75, 3)
        for line in watch.stderr:  # until it has said so; the driver ends a test that hangs
            if b"was reproduced" in line:
                break
        else:
            self.fail("the watch ended")
        os.killpg(watch.pid, signal.SIGKILL)
        watch.wait()
        answer = self.heddle("merge", "--store", "store", "-o", "again", "--", self.program)
        self.assertEqual(answer.code, BUG, answer.errors)

    def test_logs_of_another_build(self):
        self.record(100, 2)
        other = self.compile(RESET.replace("usleep(20000);", "usleep(20000); if (threads < 0) position = 2;"),
                             flags=("--full", "--spes=static"))
        answer = self.heddle("merge", "logs", "--", other)
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        self.assertIn("logs are of another build", answer.errors)
        self.assertEqual(self.heddle("merge", "--any-build", "logs", "--", other).code, BUG)

    def test_logs_of_another_input(self):
        self.record(100, 2)
        answer = self.heddle("merge", "logs", "--", self.program, "another")
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        self.assertIn("other arguments, environment or standard input", answer.errors)
        self.assertEqual(self.heddle("merge", "--any-input", "logs", "--", self.program, "another").code, BUG)

    def test_a_program_with_a_library_of_its_own(self):
        library, main = RESET.replace("static void*", "void*").split("int main", 1)
        self.write("reset.c", library)
        built = self.heddle("cc", "--full", "--spes=static", "-shared", "-fPIC", "reset.c", "-o", "libreset.so")
        self.assertEqual(built.code, 0, built.errors)
        program = self.compile("#include <pthread.h>\nvoid* write_one(void*);\nvoid* reset(void*);\nint main" + main,
                               name="user", flags=("--full", "--spes=static", "-Wl,-rpath,$ORIGIN", "-L.", "-lreset"))
        self.record(100, 1, program=program)
        answer = self.heddle("merge", "logs", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)

    def test_static_elements_need_no_profile(self):
        self.write("nothing.spes", "")
        environment = dict(os.environ, HEDDLE_RECORD="vars:profiled,profile=nothing.spes")
        self.call(self.program, env=environment)
        log = os.path.join("profiled", os.listdir(self.path("profiled"))[0])
        shown = json.loads(self.heddle("record", "--json", "--show", log).output)
        self.assertTrue({"position", "count_write", "count_reset", "threads"} <= {v["name"] for v in shown["vectors"]})

    def test_bad_input(self):
        self.write("garbage", "no log at all")
        self.assertEqual(self.heddle("merge", "garbage", "--", self.program).code, BAD_INPUT)
        self.assertEqual(self.heddle("merge", "garbage").code, BAD_INPUT)
        self.assertEqual(self.heddle("merge", "--metric", "cosine", "garbage", "--", self.program).code, BAD_INPUT)


if __name__ == "__main__":
    unittest.main()
