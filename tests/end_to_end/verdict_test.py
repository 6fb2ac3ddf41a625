#!/usr/bin/env python3
"""What the closing text claims is so: the numbers agree, "explored" means explored, and no verdict comes from nothing."""
import json
import os
import re
import signal
import time
import unittest

from heddle_driver import BUG, HEDDLE, INCONCLUSIVE, NO_BUG, HeddleTest

HEAD = """
#include <heddle/heddle.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static atomic_int x, y;
static int a, b;
"""
# Two threads of a few operations; BODY comes before they are joined, RESULT is the exit status.
TWO = HEAD + """
static void* one(void* p) { atomic_store(&x, 1); a = atomic_load(&y); return p; }
static void* two(void* p) { atomic_store(&y, 1); b = atomic_load(&x); return p; }
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, one, NULL);
  pthread_create(&t[1], NULL, two, NULL);
  BODY
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  heddle_outcome(a ? b ? "11" : "10" : b ? "01" : "00");
  return RESULT;
}
"""
# Three threads that take two locks: many interleavings repeat each other.
LOCKS = HEAD + """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* p) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&m);
    atomic_fetch_add(&x, 1);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n);
    atomic_store(&y, 1);
    pthread_mutex_unlock(&n);
  }
  return p;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; ++i) pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  return 0;
}
"""
# Changes memory for ever, in the executions in which the other thread comes first, or in all.
FOREVER = HEAD + """
static void* one(void* p) { atomic_store(&x, 1); return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, one, NULL);
  if (CONDITION) for (;;) atomic_fetch_add(&y, 1);
  pthread_join(t, NULL);
  return 0;
}
"""
NO_CHOICE = "int main(void) { return 0; }"
# Real parallelism that heddle does not control: two children increment without a lock.
WORKERS = HEAD + """
#include <sys/mman.h>
int main(void) {
  atomic_int* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 2; ++i) {
    if (fork() == 0) {
      atomic_fetch_add(shared, 1);
      _exit(0);
    }
  }
  while (wait(NULL) > 0) {
  }
  return atomic_load(shared) == 2 ? 0 : 1;
}
"""


# Never ends by itself: it waits for clients that do not come, and for a signal.
SERVER = HEAD + """
#include <signal.h>
static int listener;
static void* serve(void* p) { for (;;) accept(listener, NULL, NULL); return p; }
int main(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr*)&at, sizeof at) || listen(listener, 8)) return 1;
  pthread_t t;
  pthread_create(&t, NULL, serve, NULL);
  sigset_t set;
  int number;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  sigwait(&set, &number);
  pthread_join(t, NULL);
  return 0;
}
"""


def two(body="", result="0"):
    return TWO.replace("BODY", body).replace("RESULT", result)


def number(text):
    return int(text.replace(",", ""))


class Numbers(HeddleTest):
    """The closing text against the JSON, and each against itself."""

    def check(self, report, text, asked=None):
        executions = report["executions"]
        head = re.search(r"^heddle: ([\d,]+) executions? in .*$", text, re.M)
        self.assertEqual(number(head[1]), executions)
        self.assertEqual(sum(report["endings"].values()), executions)
        self.assertEqual(sum(s["executions"] for s in report["strategies"]), executions)
        self.assertEqual(sum(s["buggy_executions"] for s in report["strategies"]), report["buggy_executions"])
        unfinished = executions - report["endings"]["exited"] - report["endings"]["stopped_by_a_finding"]
        self.assertEqual(report["unfinished_executions"], unfinished)
        told = re.search(r"not run to the end: ([^;\n]*)", head[0])
        self.assertEqual(sum(number(n) for n in re.findall(r"[\d,]+(?= )", told[1])) if told else 0, unfinished)
        self.assertLessEqual(report["buggy_executions"], executions)
        hits = [(number(n) if n else 1, number(first)) for n, first in
                re.findall(r"\((?:once,|([\d,]+) times, first) in execution ([\d,]+)\)", text)]
        bugs = [f for f in report["findings"] if f["severity"] == "bug"]
        if len(bugs) == 1:  # one line tells it
            told = re.search(r"bugs: 1 distinct, in ([\d,]+) of ([\d,]+) executions .*, first in execution ([\d,]+)", text)
            self.assertEqual((number(told[1]), number(told[2])), (report["buggy_executions"], executions))
            hits.append((bugs[0]["count"], number(told[3])))
        self.assertEqual(sorted(hits), sorted((f["count"], f["first_execution"]) for f in report["findings"]))
        for finding in report["findings"]:
            self.assertLess(finding["first_execution"], executions)
            if finding["severity"] == "bug":
                self.assertLessEqual(finding["count"], report["buggy_executions"])
        left = report["left"]
        self.assertLessEqual(left["seen_once"] + left["seen_twice"], left["distinct_executions"])
        self.assertLessEqual(left["distinct_executions"], executions)
        self.assertLessEqual(left["seen_once"] + 2 * left["seen_twice"], executions)
        says_nothing = re.search(r"^  left: nothing", text, re.M) is not None
        self.assertEqual(says_nothing, left["exhausted"])
        if left["exhausted"]:
            self.assertEqual(left["not_explored"], [])
            self.assertEqual(report["unfinished_executions"], 0)
            self.assertTrue(left["search_ended"])
        if "makes no choice" in head[0]:
            self.assertEqual(executions, 1)
            self.assertTrue(left["exhausted"])
        if "the executions asked for were run" in head[0]:
            self.assertEqual(executions, asked)
        if "outcomes" in report:
            self.assertLessEqual(sum(report["outcomes"].values()), executions)
        self.assertEqual(report["inconclusive"] is None, report["complete"])

    def test_of_many_programs_and_strategies(self):
        programs = {"passes": two(), "fails": two(result="a == 1 && b == 1"), "often": two(result="a == 1"),
                    "locks": LOCKS, "nothing": NO_CHOICE, "forever": FOREVER.replace("CONDITION", "atomic_load(&x)")}
        strategies = ("auto", "random", "pct:d=2", "pos", "exhaustive", "exhaustive:preemptions=1")
        for name, source in programs.items():
            program = self.compile(source, name)
            for strategy in strategies:
                for failures in ("1", "0"):
                    with self.subTest(program=name, strategy=strategy, failures=failures):
                        report, answer = self.report("-s", strategy, "-n", "150", "--seed", "3", "--max-failures", failures,
                                                     "--max-steps", "500", "--no-minimize", "--histogram", program)
                        self.check(report, answer.errors, 150)

    def test_as_many_executions_as_were_asked_for(self):
        # The portfolio's exhaustive search breaks some off that repeat others; they do not count.
        program = self.compile(LOCKS)
        for jobs in ("1", "2"):
            # From 2,000 on it is tried.
            report, answer = self.report("-n", "2000", "-j", jobs, "--seed", "1", program, code=NO_BUG)
            self.check(report, answer.errors, 2000)
            self.assertGreater(report["redundant_executions"], 0)
            self.assertEqual(report["executions"], 2000)

    def test_preemptions_are_switches(self):
        program = self.compile(two(result="a == 1 && b == 1"))
        for seed in range(4):
            folder = f"out-{seed}"
            self.heddle("run", "-q", "-n", "500", "-s", "random", "--seed", str(seed), "-o", folder, program)
            shown = json.loads(self.heddle("show", "--json", folder + "/bug-1.heddle").output)
            for size in (shown["minimised"]["before"], shown["minimised"]["after"]):
                self.assertLessEqual(size["preemptions"], size["switches"])
                self.assertGreater(size["switches"], 0)


class Claims(HeddleTest):
    """"Every execution was explored" is said where it is so, and only there."""

    def explore(self, program, *options, strategy="exhaustive"):
        return self.report("-s", strategy, "-n", "400", "--seed", "1", *options, program, code=NO_BUG)

    def assert_explored(self, source):
        report, answer = self.explore(self.compile(source))
        self.assertTrue(report["left"]["exhausted"], answer.errors)
        self.assertIn("every execution was explored", answer.errors)

    def assert_not_explored(self, source, reason, *options, strategy="exhaustive", flags=()):
        report, answer = self.explore(self.compile(source, flags=flags), *options, strategy=strategy)
        self.assertFalse(report["left"]["exhausted"], answer.errors)
        self.assertNotIn("every execution was explored", answer.errors)
        self.assertNotIn("left: nothing", answer.errors)
        self.assertTrue(any(reason in text for text in report["left"]["not_explored"]), report["left"])
        self.assertIn(reason, answer.errors)
        return report, answer

    def test_threads_alone_are_explored(self):
        self.assert_explored(two())
        # A pipe within the program, and output, are nobody else's.
        self.assert_explored(two('int p[2]; char c = 0; if (pipe(p) || write(p[1], &c, 1) != 1 || read(p[0], &c, 1) != 1) '
                                 'return 1; printf("x\\n");'))

    def test_child_processes(self):
        self.assert_not_explored(two("if (fork() == 0) _exit(0); wait(NULL);"), "starts processes")
        self.assert_not_explored(two('if (system("true") != 0) return 1;'), "starts processes")

    def test_forked_workers_are_run_again_and_again(self):
        # The portfolio tries exhaustive search with execution 16, which has one execution to offer.
        report, answer = self.assert_not_explored(WORKERS, "starts processes", "-n", "2000", "-t", "2s", strategy="auto")
        self.assertGreater(report["executions"], 30, answer.errors)

    def test_files_and_sockets(self):
        self.assert_not_explored(two('FILE* f = fopen("log.txt", "a"); fputs("x", f); fclose(f);'), "log.txt")
        listens = """
  int s = socket(AF_INET, SOCK_STREAM, 0), c = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t size = sizeof at;
  if (bind(s, (struct sockaddr*)&at, size) || listen(s, 1) || getsockname(s, (struct sockaddr*)&at, &size)) return 1;
  if (connect(c, (struct sockaddr*)&at, size)) return 1;
  close(c);
  close(s);
"""
        self.assert_not_explored(two(listens), "connects to an address")

    def test_threads_of_others(self):
        self.write("other.c", "#include <pthread.h>\nstatic int z;\nstatic void* f(void* p) { z = 1; return p; }\n"
                              "void other(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }\n")
        answer = self.call("cc", "-shared", "-fPIC", "other.c", "-o", "libother.so")
        self.assertEqual(answer.code, 0, answer.errors)
        source = two("other();").replace("static atomic_int x", "void other(void);\nstatic atomic_int x")
        self.assert_not_explored(source, "not built by heddle", flags=("-L.", "-lother", "-Wl,-rpath," + self.folder))

    def test_executions_that_were_cut(self):
        report, answer = self.assert_not_explored(FOREVER.replace("CONDITION", "atomic_load(&x)"), "not run to their end",
                                                  "--max-steps", "300")
        self.assertGreater(report["endings"]["cut"], 0)
        self.assertRegex(answer.errors, r"heddle: \d+ executions .* not run to the end: \d+ cut")

    def test_a_program_without_choices(self):
        report, answer = self.report("-n", "5", self.compile(NO_CHOICE), code=NO_BUG)
        self.assertTrue(report["left"]["exhausted"])
        self.assertIn("left: nothing", answer.errors)
        self.assertEqual(report["executions"], 1)


class Inconclusive(HeddleTest):
    def test_no_execution_comes_to_its_end(self):
        program = self.compile(FOREVER.replace("CONDITION", "1"))
        for options, option, other in ((("-n", "3", "--max-steps", "300"), "--max-steps", "--timeout"),
                                       (("-n", "1", "--timeout", "300ms"), "--timeout", "--max-steps")):
            report, answer = self.report(*options, program, code=INCONCLUSIVE)
            # What to do fits what happened.
            self.assertIn(option, report["inconclusive"])
            self.assertIn(option, answer.errors)
            self.assertNotIn(other, report["inconclusive"])
            self.assertIn("a test that ends", answer.errors)
            self.assertIn("No execution came to its end", report["inconclusive"])
            self.assertEqual(report["unfinished_executions"], report["executions"])
            self.assertFalse(report["complete"])
        # One that does is enough.
        program = self.compile(FOREVER.replace("CONDITION", "atomic_load(&x)"), "sometimes")
        report, answer = self.report("-n", "40", "--seed", "1", "--max-steps", "300", program, code=NO_BUG)
        self.assertGreater(report["endings"]["cut"], 0)
        self.assertIsNone(report["inconclusive"])

    def test_a_server_without_clients_is_cut_and_no_bug(self):
        report, answer = self.report("-n", "4", "--seed", "1", self.compile(SERVER), code=INCONCLUSIVE)
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["endings"]["cut"], 4)
        self.assertIn("a test that ends", answer.errors)

    def interrupted(self, program, *options):
        child = self.start(HEDDLE, "run", "-t", "100s", "-s", "random", "--json", "report.json", "--no-progress", *options, program)
        # The seed is printed before the first execution; the signal may come at any time after that.
        child.stderr.readline()
        time.sleep(0.3)
        os.kill(child.pid, signal.SIGINT)
        answer = self.finish(child)
        with open(self.path("report.json"), encoding="utf-8") as file:
            return json.load(file), answer

    def test_interrupted_before_a_bug_was_found(self):
        report, answer = self.interrupted(self.compile(two()))
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        self.assertIn("interrupted before", answer.errors)
        self.assertFalse(report["complete"])
        self.assertIn("interrupted", report["inconclusive"])

    def test_interrupted_after_a_bug_was_found(self):
        program = self.compile(two(result="a == 1"))
        child = self.start(HEDDLE, "run", "-t", "100s", "--max-failures", "0", "--no-progress", program)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path("heddle-out/campaign.json")) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(child.pid, signal.SIGINT)
        answer = self.finish(child)
        self.assertEqual(answer.code, BUG, answer.errors)
        with open(self.path("heddle-out/campaign.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertFalse(report["complete"])
        self.assertIsNone(report["inconclusive"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
