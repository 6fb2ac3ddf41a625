#!/usr/bin/env python3
"""What is no bug of the program is not called one: limits of heddle's own, kills from outside, memory that was overwritten."""
import json
import unittest

from heddle_driver import BAD_INPUT, BUG, INCONCLUSIVE, HeddleTest

# Two threads; the body runs in one of them, in every execution.
TWO_THREADS = """
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int turn;
static void* count(void* p) { atomic_fetch_add(&turn, 1); return p; }
static void both(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; ++i) pthread_create(&t[i], NULL, count, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(t[i], NULL);
}
int main(void) { both(); BODY both(); return 0; }
"""

MANY_THREADS = """
#include <pthread.h>
#include <stdlib.h>
static void* nothing(void* p) { return p; }
int main(void) {
  for (int i = 0; i < 5000; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0) abort();
  }
}
"""

MANY_TIMERS = "timer_t timer; for (int i = 0; i < 300; ++i) if (timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0) return 1;"

OVERWRITE = """
  FILE* maps = fopen("/proc/self/maps", "r");
  static char line[512];
  while (fgets(line, sizeof line, maps)) {
    unsigned long begin, end;
    char access[8];
    if (sscanf(line, "%lx-%lx %4s", &begin, &end, access) != 3 || access[1] != 'w' || access[3] != 's') continue;
    memset((void*)begin, 0x5a, end - begin < 64ul << 20 ? end - begin : 64ul << 20);
  }
"""


class Verdicts(HeddleTest):
    def test_more_threads_than_heddle_has(self):
        answer = self.heddle("run", "-n", "3", "-j", "1", self.compile(MANY_THREADS))
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        self.assertIn("threads at once", answer.errors)
        # One execution of three: who reads the closing line must not think that all were run.
        self.assertIn("1 execution", answer.errors)
        self.assertIn("a limit of heddle's own was reached", answer.errors)

    def test_more_timers_than_heddle_has(self):
        source = TWO_THREADS.replace("BODY", MANY_TIMERS).replace("#include <signal.h>", "#include <signal.h>\n#include <time.h>")
        answer = self.heddle("run", "-n", "3", self.compile(source))
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        self.assertIn("timers at once", answer.errors)

    def test_a_process_that_was_killed_is_no_finding(self):
        # By its own hand, but past heddle: to who looks from outside it is any SIGKILL.
        # The kernel is asked for the process, since getpid() answers the same in all executions.
        kill = 'long r; __asm__ volatile("syscall" : "=a"(r) : "a"(SYS_getpid) : "rcx", "r11", "memory");'
        kill += ' __asm__ volatile("syscall" : "=a"(r) : "a"(SYS_kill), "D"(r), "S"(9) : "rcx", "r11", "memory");'
        answer = self.heddle("run", "-n", "3", "--json", "report.json", self.compile(TWO_THREADS.replace("BODY", kill)))
        self.assertNotEqual(answer.code, BUG, answer.errors)
        with open(self.path("report.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["endings"]["killed"], 3)
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        # Neither more steps nor more time would help.
        self.assertIn("killed", report["inconclusive"])
        self.assertNotIn("--max-steps", report["inconclusive"])
        self.assertNotIn("--timeout", report["inconclusive"])

    def test_a_program_that_kills_itself_is_one(self):
        report, _ = self.report("-n", "3", self.compile(TWO_THREADS.replace("BODY", "kill(getpid(), SIGKILL);")), code=BUG)
        self.assertEqual(report["findings"][0]["kind"], "fatal signal")

    def test_a_program_that_overwrites_shared_mappings(self):
        answer = self.heddle("run", "-n", "20", self.compile(TWO_THREADS.replace("BODY", OVERWRITE)))
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        self.assertIn("overwrote memory that it shares with heddle", answer.errors)


if __name__ == "__main__":
    unittest.main()
