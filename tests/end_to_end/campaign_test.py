#!/usr/bin/env python3
"""What users rely on in a campaign: the seed decides, and no program can take heddle down with it."""
import os
import re
import signal
import time
import unittest

from heddle_driver import BUG, HEDDLE, INCONCLUSIVE, NO_BUG, HeddleTest

# Two threads with a race of outcomes: a dozen interleavings, one of which fails.
OUTCOMES = """
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int x, y;
static int a, b;
static void* one(void* p) { atomic_store(&x, 1); a = atomic_load(&y); return p; }
static void* two(void* p) { atomic_store_explicit(&y, 1, memory_order_relaxed); b = atomic_load_explicit(&x, memory_order_relaxed); return p; }
int main(void) {
  pthread_t t[2];
  char text[16];
  pthread_create(&t[0], NULL, one, NULL);
  pthread_create(&t[1], NULL, two, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  snprintf(text, sizeof text, "%d%d", a, b);
  heddle_outcome(text);
  return FAIL_ON;
}
"""

# One thread stores twice in a row, which `random` does not interrupt, after a load that it does.
BURST = """
#include <pthread.h>
#include <stdatomic.h>
static atomic_int queued, written, stop;
static void* writer(void* p) {
  while (!atomic_load_explicit(&stop, memory_order_acquire)) {
    const int at = atomic_load_explicit(&written, memory_order_relaxed);
    if (at != atomic_load_explicit(&queued, memory_order_acquire))
      atomic_store_explicit(&written, at + 1, memory_order_release);
  }
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, writer, NULL);
  const int at = atomic_load_explicit(&queued, memory_order_relaxed);
  atomic_store_explicit(&queued, at + 1, memory_order_release);
  atomic_store_explicit(&stop, 1, memory_order_release);
  pthread_join(t, NULL);
  return atomic_load(&written) != 1;
}
"""

# One thread that does something awkward in some executions, beside another one.
AWKWARD = """
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static atomic_int turn;
static void* other(void* p) { atomic_fetch_add(&turn, 1); return p; }
static void awkward(void) { BODY }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, other, NULL);
  if (heddle_choose(4) == 3) awkward();
  pthread_join(t, NULL);
  return 0;
}
"""
FOREVER = AWKWARD.replace("BODY", "for (;;) atomic_fetch_add(&turn, 1);")


def comparable(report):
    """A report without what depends on time, on the number of workers and on the folder's other campaigns."""
    dropped = ("seconds", "executions_per_second", "workers", "options")
    result = {key: value for key, value in report.items() if key not in dropped}
    for finding in result["findings"]:
        finding.pop("trace", None)
        finding.pop("artifact")
    return without_pids(result)


def without_pids(value):
    if isinstance(value, dict):
        return {key: without_pids(entry) for key, entry in value.items() if key != "pid"}
    return [without_pids(entry) for entry in value] if isinstance(value, list) else value


class Seeds(HeddleTest):
    def reports(self, program, *options):
        return [comparable(self.report("-j", jobs, *options, program)[0]) for jobs in ("1", "2", "2")]

    def test_histogram_does_not_depend_on_jobs(self):
        program = self.compile(OUTCOMES.replace("FAIL_ON", "0"))
        one, two, again = self.reports(program, "-n", "400", "--seed", "7", "--histogram")
        self.assertEqual(one, two)
        self.assertEqual(two, again)
        self.assertEqual(set(one["outcomes"]), {"00", "01", "10", "11"})
        self.assertEqual(sum(one["outcomes"].values()), 400)

    def test_failures_do_not_depend_on_jobs(self):
        program = self.compile(OUTCOMES.replace("FAIL_ON", "a == 0 && b == 0 ? 3 : a && b ? 4 : 0"))
        one, two, again = self.reports(program, "-n", "300", "--seed", "7", "--max-failures", "0")
        self.assertEqual(one, two)
        self.assertEqual(two, again)
        self.assertEqual({f["kind"] for f in one["findings"]}, {"non-zero exit status"})
        self.assertEqual(len(one["findings"]), 2)
        self.assertGreater(one["buggy_executions"], 2)

    def test_first_bug_does_not_depend_on_jobs(self):
        program = self.compile(OUTCOMES.replace("FAIL_ON", "a == 0 && b == 0"))
        one, two, again = self.reports(program, "--seed", "7", "-n", "10000")
        self.assertEqual(one, two)
        self.assertEqual(two, again)

    def test_bursts_of_stores_repeat_when_the_execution_is_recorded(self):
        program = self.compile(BURST)
        for seed in ("1", "2", "3", "4"):
            run = self.heddle("run", "-j", "1", "-n", "50", "-s", "random", "--seed", seed, "--no-minimize", program)
            self.assertEqual(run.code, BUG, run.errors)
            self.assertNotIn("when it was run again", run.errors)

    def test_other_seeds_give_other_executions(self):
        program = self.compile(OUTCOMES.replace("FAIL_ON", "0"))
        first, _ = self.report("-n", "400", "--seed", "1", "--histogram", program)
        second, _ = self.report("-n", "400", "--seed", "2", "--histogram", program)
        self.assertNotEqual(first["outcomes"], second["outcomes"])


class AwkwardPrograms(HeddleTest):
    def explore(self, body, *options, code, executions="40"):
        program = self.compile(AWKWARD.replace("BODY", body))
        return self.report("-n", executions, "--seed", "1", *options, program, code=code)

    def test_endless_loop_without_visible_operations_is_timed_out(self):
        report, _ = self.explore("for (;;) __asm__ volatile(\"\");", "--timeout", "100ms", code=NO_BUG, executions="12")
        self.assertEqual(report["executions"], 12)
        self.assertGreater(report["endings"]["timed_out"], 0)
        self.assertGreater(report["endings"]["exited"], 0)

    def test_endless_loop_before_the_first_choice(self):
        program = self.compile("int main(void) { for (;;) __asm__ volatile(\"\"); }")
        answer = self.heddle("run", "-n", "3", "--timeout", "200ms", program)
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)

    def test_endless_loop_of_visible_operations_is_cut(self):
        report, _ = self.explore("for (;;) atomic_fetch_add(&turn, 1);", "--max-steps", "2000", code=NO_BUG, executions="12")
        self.assertEqual(report["executions"], 12)
        self.assertGreater(report["endings"]["cut"], 0)

    def test_allocating_without_end(self):
        # Each execution fills the machine's memory, which takes seconds: as few of them as can be.
        report, _ = self.explore("for (;;) { char* p = malloc(1 << 20); if (!p) abort(); memset(p, 1, 1 << 20); }", "--timeout", "60s",
                                 "-j", "1", "--no-minimize", code=BUG)
        self.assertIn(report["findings"][0]["kind"], ("abort", "out of memory"))
        self.assertEqual(self.heddle("replay", "heddle-out/bug-1.heddle").code, BUG)

    def test_underscore_exit(self):
        report, _ = self.explore("_exit(7);", code=BUG)
        self.assertEqual(report["findings"][0]["kind"], "non-zero exit status")
        report, _ = self.explore("_exit(7);", "--allow-exit", "7", code=NO_BUG)
        self.assertEqual(report["executions"], 40)

    def test_killed_by_its_own_hand(self):
        report, _ = self.explore("kill(getpid(), 9);", code=BUG)
        self.assertEqual(report["executions"] - report["endings"]["exited"], 1)

    def test_a_hundred_megabytes_of_output(self):
        body = "static char line[1 << 20]; memset(line, 'x', sizeof line); for (int i = 0; i < 100; ++i) fwrite(line, 1, sizeof line, stdout); abort();"
        report, answer = self.explore(body, code=BUG)
        self.assertEqual(report["findings"][0]["kind"], "abort")
        self.assertLess(len(answer.output) + len(answer.errors), 1 << 20)
        self.assertLess(os.path.getsize(self.path("heddle-out/bug-1.heddle")), 100 << 20)

    def test_closing_every_descriptor(self):
        report, _ = self.explore("for (int i = 0; i < 1024; ++i) close(i);", code=NO_BUG)
        self.assertEqual(report["executions"], 40)

    def test_overwriting_its_environment(self):
        report, _ = self.explore("clearenv(); chdir(\"/\");", code=NO_BUG)
        self.assertEqual(report["executions"], 40)

    def test_forking(self):
        report, _ = self.explore("if (fork() == 0) abort();", code=NO_BUG)
        self.assertEqual(report["executions"], 40)


class Signals(HeddleTest):
    def running(self, marker):
        """Processes whose command line has the marker."""
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/cmdline", "rb") as file:
                        command = file.read()
                    with open(f"/proc/{entry}/stat", "rb") as file:
                        state = file.read().rpartition(b")")[2].split()[0]
                except OSError:
                    continue
                if marker.encode() in command and state != b"Z":
                    found.append(int(entry))
        return found

    def wait_until(self, condition, what):
        deadline = time.monotonic() + 60
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"{what}: not within a minute")
            time.sleep(0.01)

    def start_endless_campaign(self):
        program = self.compile(FOREVER)
        marker = self.path("program-of-this-test")
        os.rename(self.path(program), marker)
        child = self.start(HEDDLE, "run", "-j", "2", "-t", "10m", "--timeout", "10m", "--max-steps", "1000000000000",
                           "--no-progress", "--json", "report.json", marker)
        # heddle itself, two zygotes and at least one execution
        self.wait_until(lambda: len(self.running(marker)) >= 4, "the campaign's processes")
        return child, marker

    def test_killing_heddle_leaves_no_process_behind(self):
        child, marker = self.start_endless_campaign()
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        self.wait_until(lambda: not self.running(marker), "the end of every process of the campaign")

    def test_interrupt_ends_with_a_summary(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            child, marker = self.start_endless_campaign()
            os.kill(child.pid, number)
            answer = self.finish(child)
            summary = re.search(r"heddle: ([\d,]+) executions? in .*interrupted", answer.errors)
            self.assertIsNotNone(summary, answer.errors)
            # What was asked for was not done: that no bug was found so far is no verdict.
            self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
            self.assertTrue(os.path.exists(self.path("report.json")))
            self.assertEqual(self.running(marker), [])


if __name__ == "__main__":
    unittest.main()
