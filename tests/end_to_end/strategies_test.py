#!/usr/bin/env python3
"""What strategies promise: the papers' probabilities, equal results whatever the number of workers, and replay.

A rate is compared with the value p that was worked out for it by the normal approximation: of n executions it lies
within 4 standard deviations sqrt(p(1-p)/n) with a probability of 1 - 6e-5. Seeds are fixed, so a test that passes
once passes always.
"""
import math
import unittest

from heddle_driver import BAD_INPUT, BUG, NO_BUG, HeddleTest

# The programs of the papers, one for each first argument. The bug is an assertion (exit by heddle_fail), and each
# outcome is told.
PROGRAMS = r"""
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LOAD(x) atomic_load_explicit(&x, memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&x, v, memory_order_relaxed)
static atomic_int x, y, many[8];
static int n, a, b;

// SB: both loads read what was there before (PCTWM 2.1).
static void* sb1(void* p) { STORE(x, 1); a = LOAD(y); return p; }
static void* sb2(void* p) { STORE(y, 1); b = LOAD(x); return p; }

// P1, relaxed: the last of n stores is seen (2.2).
static void* p1_write(void* p) { for (int i = 1; i <= n; ++i) STORE(x, i); return p; }
static void* p1_read(void* p) { a = LOAD(x); return p; }

// P2: one thread sees what two others have stored (thesis, Fig. 5.1c).
static void* p2_x(void* p) { STORE(x, 1); return p; }
static void* p2_y(void* p) { STORE(y, 1); return p; }
static void* p2_read(void* p) { a = LOAD(x); b = LOAD(y); return p; }

// P3: checked, then changed, then used (thesis, Fig. 5.2). Depth 3 for PCT.
static void* p3_write(void* p) { STORE(x, 0); STORE(x, 1); return p; }
static void* p3_use(void* p) { a = 1; if (LOAD(x) != 0) a = LOAD(x); return p; }

// MP1: message passing with fences; the bug cannot happen (5.2).
static void* mp1_send(void* p) {
  STORE(x, 1);
  atomic_thread_fence(memory_order_release);
  STORE(y, 1);
  return p;
}
static void* mp1_receive(void* p) {
  a = LOAD(y);
  atomic_thread_fence(memory_order_acquire);
  b = LOAD(x);
  return p;
}

// MP2: x is passed on through y, and is not seen (5.3).
static void* mp2_pass(void* p) { if (LOAD(x) == 1) STORE(y, 1); return p; }
static void* mp2_check(void* p) { if (LOAD(y) == 1 && LOAD(x) == 0) a = 1; return p; }

// One store to each of five locations, and one load.
static void* five_write(void* p) { for (int i = 0; i < 5; ++i) STORE(many[i], 1); return p; }
static void* five_read(void* p) { a = 0; for (int i = 0; i < 5; ++i) a |= LOAD(many[i]) << i; return p; }

// A thread that waits for another one, and a lock.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* wait_for(void* p) { while (!LOAD(x)) {} a = 1; return p; }
static void* signal_late(void* p) {
  for (int i = 0; i < 20; ++i) { pthread_mutex_lock(&mutex); b++; pthread_mutex_unlock(&mutex); }
  STORE(x, 1);
  return p;
}

typedef void* (*body)(void*);
int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  n = argc > 2 ? atoi(argv[2]) : 0;
  body bodies[3] = {0};
#define CASE(text, one, two, three) if (!strcmp(name, text)) bodies[0] = one, bodies[1] = two, bodies[2] = three
  CASE("sb", sb1, sb2, 0);
  CASE("p1", p1_write, p1_read, 0);
  CASE("p2", p2_x, p2_y, p2_read);
  CASE("p3", p3_write, p3_use, 0);
  CASE("mp1", mp1_send, mp1_receive, 0);
  CASE("mp2", p2_x, mp2_pass, mp2_check);
  CASE("five", five_write, five_read, 0);
  CASE("wait", signal_late, wait_for, 0);
  if (!strcmp(name, "p3")) atomic_init(&x, 1);
  pthread_t threads[3];
  for (int i = 0; i < 3 && bodies[i]; ++i) pthread_create(&threads[i], NULL, bodies[i], NULL);
  for (int i = 0; i < 3 && bodies[i]; ++i) pthread_join(threads[i], NULL);
  char text[32];
  snprintf(text, sizeof text, "a=%d b=%d", a, b);
  heddle_outcome(text);
  return 0;
}
"""


def outcomes(report, text):
    return sum(count for outcome, count in report["outcomes"].items() if text in outcome)


class Strategies(HeddleTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(PROGRAMS)

    def rate(self, strategy, text, *case, executions=2000, options=()):
        """The share of executions with this outcome."""
        report, _ = self.report("-s", strategy, "-n", str(executions), "--max-failures", "0", "--seed", "7",
                                "--histogram", *options, self.program, *case, code=NO_BUG)
        self.assertEqual(report["executions"], executions)
        return outcomes(report, text) / executions

    def assert_rate(self, rate, expected, executions=2000):
        self.assertLess(abs(rate - expected), 4 * math.sqrt(expected * (1 - expected) / executions) + 1e-9)

    def assert_at_least(self, rate, bound, executions=2000):
        self.assertGreater(rate, bound - 4 * math.sqrt(bound * (1 - bound) / executions))


class Pctwm(Strategies):
    def test_store_buffering_is_always_found_without_communication(self):
        self.assertEqual(self.rate("pctwm:d=0,h=1,k=2", "a=0 b=0", "sb"), 1)

    # The load is the only communication event and so the sink; it runs after all stores. Of the h = 2 latest it
    # reads the last with probability 1/2, of h = 1 always; the number of stores does not matter.
    def test_p1_does_not_depend_on_the_number_of_stores(self):
        for stores in (5, 10, 50):
            self.assert_rate(self.rate("pctwm:d=1,h=2,k=1", f"a={stores} ", "p1", str(stores)), 1 / 2)
            self.assertEqual(self.rate("pctwm:d=1,h=1,k=1", f"a={stores} ", "p1", str(stores)), 1)

    # The sources of one sink are uniform: chi-square with 3 degrees of freedom stays below 16.3 with a probability of
    # 0.999.
    def test_sources_are_uniform(self):
        report, _ = self.report("-s", "pctwm:d=1,h=4,k=1", "-n", "4000", "--max-failures", "0", "--seed", "3", "--histogram",
                                self.program, "p1", "10", code=NO_BUG)
        counts = [outcomes(report, f"a={value} ") for value in (7, 8, 9, 10)]
        self.assertEqual(sum(counts), 4000)
        self.assertLess(sum((count - 1000) ** 2 / 1000 for count in counts), 16.3)

    # One of five loads communicates, each with probability 1/5; chi-square with 4 degrees of freedom, 0.999: 18.5.
    def test_sinks_are_uniform(self):
        report, _ = self.report("-s", "pctwm:d=1,h=1,k=5", "-n", "4000", "--max-failures", "0", "--seed", "3", "--histogram",
                                self.program, "five", code=NO_BUG)
        counts = [outcomes(report, f"a={1 << i} ") for i in range(5)]
        self.assertEqual(sum(counts), 4000)
        self.assertLess(sum((count - 800) ** 2 / 800 for count in counts), 18.5)

    # Two communications, [e2, e4] in this order, among k_com = 3 events, each from one of h stores.
    def test_mp2_within_the_guarantee(self):
        for history in (1, 2):
            rate = self.rate(f"pctwm:d=2,h={history},k=3", "a=1 ", "mp2")
            self.assert_at_least(rate, 1 / (history * 3) ** 2)
        for depth in (0, 1):
            self.assertEqual(self.rate(f"pctwm:d={depth},h=1,k=3", "a=1 ", "mp2"), 0)

    # Depth 2: both loads are sinks, in either order, and read the only other store there is.
    def test_p2_has_depth_two(self):
        self.assertEqual(self.rate("pctwm:d=2,h=1,k=2", "a=1 b=1", "p2"), 1)
        self.assertEqual(self.rate("pctwm:d=1,h=1,k=2", "a=1 b=1", "p2"), 0)

    # The second load is the sink (1/2) and reads the store before the last (1/2).
    def test_p3_within_the_guarantee(self):
        self.assert_rate(self.rate("pctwm:d=1,h=2,k=2", "a=0 ", "p3"), 1 / 4)

    def test_mp1_never_fails(self):
        for depth in range(4):
            self.assertEqual(self.rate(f"pctwm:d={depth},h=2,k=3", "a=1 b=0", "mp1", executions=500), 0)


class Pct(Strategies):
    # PCT's guarantee under sequential consistency: 1/(t k^(d-1)), with main among the t threads. P3 has 4 events and
    # depth 3; P1 depth 1, where priorities alone decide.
    def test_the_guarantee_under_sequential_consistency(self):
        sc = ("--model", "sc")
        self.assert_at_least(self.rate("pct:d=3,k=4", "a=0 ", "p3", options=sc), 1 / (3 * 4 ** 2))
        for stores in (5, 50):
            rate = self.rate(f"pct:d=1,k={stores + 1}", f"a={stores} ", "p1", str(stores), options=sc)
            self.assert_at_least(rate, 1 / 3)

    # On weak memory the load reads any of the stores: thesis 5.1.4.
    def test_reads_are_uniform(self):
        rate = self.rate("pct:d=1,k=11", "a=10 ", "p1", "10")
        self.assertLess(rate, 1 / 11 + 0.04)


class Delays(Strategies):
    # The first executions are a fixed list; in the first one threads run in the order of their creation, and of the locations
    # that are loaded every other one is read old, beginning with the first.
    def test_the_first_execution_reads_old_and_new_in_turns(self):
        for seed in ("1", "2"):
            for case, outcome in (("sb", "a=0 b=0"), ("five", "a=10 b=0")):
                report, _ = self.report("-s", "delays", "-n", "1", "--seed", seed, "--histogram", self.program, case, code=NO_BUG)
                self.assertEqual(outcomes(report, outcome), 1)


class All(Strategies):
    NAMES = ("auto", "random", "pct:d=3", "dpct", "pctwm:d=2,h=2", "pos", "surw", "surwm", "places", "delays", "greybox")

    def test_workers_change_nothing(self):
        for name in self.NAMES:
            digests = set()
            for jobs in ("1", "3"):
                report, _ = self.report("-s", name, "-n", "300", "-j", jobs, "--max-failures", "0", "--seed", "5",
                                        self.program, "mp2", code=NO_BUG)
                digests.add(report["digest"])
            self.assertEqual(len(digests), 1, name)

    # What was learned reaches later executions, whichever process ran them.
    def test_the_way_of_repetition_changes_nothing(self):
        for name in self.NAMES + ("exhaustive",):
            digests = set()
            for way in ("fork", "track"):
                report, _ = self.report("-s", name, "-n", "60", "--repetition", way, "--max-failures", "0", "--seed", "5",
                                        self.program, "mp2", code=NO_BUG)
                digests.add(report["digest"])
            self.assertEqual(len(digests), 1, name)

    def test_fewer_executions_are_a_prefix(self):
        for name in self.NAMES:
            seen = []
            for executions in ("40", "100"):
                report, _ = self.report("-s", name, "-n", executions, "--max-failures", "0", "--seed", "5", "--histogram",
                                        self.program, "mp2", code=NO_BUG)
                seen.append(report["outcomes"])
            for outcome, count in seen[0].items():
                self.assertLessEqual(count, seen[1].get(outcome, 0), name)

    def test_a_thread_that_waits_lets_the_others_run(self):
        for name in self.NAMES + ("exhaustive:preemptions=1",):
            report, _ = self.report("-s", name, "-n", "60", "--max-failures", "0", "--seed", "5", self.program, "wait",
                                    code=NO_BUG)
            self.assertEqual(report["endings"]["exited"], report["executions"], name)

    def test_a_find_is_replayed(self):
        program = self.compile(PROGRAMS.replace("heddle_outcome(text);", "if (a == 1 && b == 0) heddle_fail(text);"), "buggy")
        for name in self.NAMES + ("exhaustive",):
            # MP2 takes a location that one thread reads new and another one old, which delays leaves out.
            case = ("p1", "1") if name == "delays" else ("mp2",)
            report, _ = self.report("-s", name, "-n", "3000", "--seed", "5", program, *case, code=BUG)
            self.assertEqual(self.heddle("replay", report["findings"][0]["artifact"]).code, BUG, name)


class Portfolio(Strategies):
    def test_a_small_program_is_explored_to_its_end(self):
        report, answer = self.report("-s", "auto", "--seed", "1", self.program, "sb", code=NO_BUG)
        self.assertTrue(report["left"]["exhausted"])
        self.assertIn("all ", answer.errors)

    def test_members_and_their_shares_are_told(self):
        report, answer = self.report("-s", "auto", "--seed", "1", "-n", "500", "-v", "--max-failures", "0", self.program, "wait", code=NO_BUG)
        shares = {share["name"]: share["executions"] for share in report["strategies"]}
        self.assertEqual(sum(shares.values()), 500)
        for name in ("random", "pct:d=3", "pctwm:d=0", "pos", "surw"):
            self.assertGreater(shares[name], 0)
            self.assertIn(name, answer.errors)

    def test_a_member_can_be_left_out(self):
        report, _ = self.report("-s", "auto:without=11", "--seed", "1", "-n", "500", "--max-failures", "0", self.program, "wait", code=NO_BUG)
        self.assertNotIn("pos", [share["name"] for share in report["strategies"]])


class Coverage(Strategies):
    # p1 with two stores: the reader sees the first value of x, or the first or the second store, each of them at one place.
    def test_pairs_and_what_is_left(self):
        report, answer = self.report("-s", "pos", "--seed", "1", "-n", "400", self.program, "p1", "2", code=NO_BUG)
        left = report["left"]
        self.assertEqual(left["read_pairs"], 2)  # what was there before, and the one place that stores
        self.assertEqual(left["distinct_executions"], 3)
        self.assertEqual(left["share_new"], 0)
        self.assertEqual(left["share_new_interval"], [0, 3 / 400])
        self.assertIn("at most 0.75 % of further ones", answer.errors)


class Exhaustive(Strategies):
    # The reduction finds the outcomes that all executions have, with fewer executions; a bound finds less.
    def test_reduction_loses_nothing(self):
        for case in ("sb", "p3"):
            reports = {}
            for options in (":reduce=0", "", ":preemptions=0", ":stale=0"):
                reports[options], _ = self.report("-s", "exhaustive" + options, "--histogram", self.program, case, code=NO_BUG)
            self.assertEqual(set(reports[":reduce=0"]["outcomes"]), set(reports[""]["outcomes"]), case)
            self.assertLess(reports[""]["executions"], reports[":reduce=0"]["executions"])
            for bounded in (":preemptions=0", ":stale=0"):
                self.assertLessEqual(set(reports[bounded]["outcomes"]), set(reports[""]["outcomes"]))
                self.assertFalse(reports[bounded]["left"]["exhausted"])

    def test_a_bound_is_told(self):
        _, answer = self.report("-s", "exhaustive:preemptions=0", self.program, "mp2", code=NO_BUG)
        self.assertIn("within the bounds of exhaustive:preemptions=0", answer.errors)


class Names(Strategies):
    def test_what_is_wrong_is_said(self):
        for strategy, words in (("magic", ("magic", "pctwm")), ("pct:depth=3", ("depth", "d, k")), ("pct:d", ("No value", "d")),
                                ("pctwm:d=x", ("'x'", "0 to 64")), ("pctwm:h=0", ("'0'", "h")), ("pos:d=1", ("It has none",))):
            answer = self.heddle("run", "-s", strategy, self.program)
            self.assertEqual(answer.code, BAD_INPUT, strategy)
            for word in words:
                self.assertIn(word, answer.errors)


if __name__ == "__main__":
    unittest.main()
