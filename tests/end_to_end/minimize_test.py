#!/usr/bin/env python3
"""What users rely on in finds that were made smaller, in replays of them, and in --known."""
import json
import os
import shutil
import unittest

from heddle_driver import BAD_INPUT, BUG, HEDDLE, INCONCLUSIVE, NO_BUG, HeddleTest

# An atomicity violation: one preemption between the load and the store, whatever else the threads do.
LOST_UPDATE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
atomic_int counter, noise;
static void* work(void* p) {
  for (int i = 0; i < 20; ++i) atomic_fetch_add(&noise, 1);
  int seen = atomic_load(&counter);
  atomic_store(&counter, seen + 1);
  for (int i = 0; i < 20; ++i) atomic_fetch_add(&noise, 1);
  return p;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; ++i) pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(t[i], NULL);
  printf("counter %d\\n", atomic_load(&counter));
  fflush(stdout);
  assert(atomic_load(&counter) == 3);
  return 0;
}
"""

# Message passing: no preemption is needed, and one stale read.
STALE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int data, flag;
static void* write_it(void* p) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return p;
}
static void* read_it(void* p) {
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
    assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, write_it, NULL);
  pthread_create(&b, NULL, read_it, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
"""

# One condition variable for two purposes: threads of two kinds wait at one place of libstdc++'s, and a signal may
# wake the wrong one. Where a thread waits is all that the runtime's signature of the bug knows.
WRONG_WAITER = """
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>
struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<int> items;
  void put(int item) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return items.empty(); });
    items.push_back(item);
    changed.notify_one();
  }
  void take() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return !items.empty(); });
    items.pop_front();
    changed.notify_one();
  }
};
int main() {
  Queue queue;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&, i] { queue.put(i); queue.put(i + 10); });
  for (int i = 0; i < 2; ++i) threads.emplace_back([&] { queue.take(); queue.take(); });
  for (auto& thread : threads) thread.join();
}
"""


class MinimizeTest(HeddleTest):
    def find(self, source, *options, seed="1"):
        program = self.compile(source)
        report, answer = self.report("--seed", seed, "-n", "20000", "-s", "random", *options, program, code=BUG)
        return self.shown(report["findings"][0]["artifact"]), answer

    def shown(self, artifact):
        answer = self.heddle("show", "--json", artifact)
        self.assertEqual(answer.code, 0, answer.errors)
        return json.loads(answer.output)

    def expect_critical(self, trace):
        self.assertTrue(trace["minimised"]["complete"])
        for departure in trace["departures"]:
            self.assertTrue(departure["critical"], departure)
            self.assertIn("event", departure)

    def test_an_atomicity_violation_keeps_its_preemption(self):
        trace, answer = self.find(LOST_UPDATE, "--model", "sc")
        before, after = trace["minimised"]["before"], trace["minimised"]["after"]
        self.expect_critical(trace)
        self.assertEqual(after["preemptions"], 1)
        self.assertEqual(after["departures"], 1)
        self.assertGreater(before["switches"], 20)
        self.assertLess(after["switches"], 10)
        self.assertIn("◆", answer.errors)
        replayed = self.heddle("replay", "heddle-out/bug-1.heddle")
        self.assertEqual(replayed.code, BUG, replayed.errors)
        self.assertRegex(replayed.output, "counter [12]")  # the program's own output

    def test_a_stale_read_is_what_is_left(self):
        trace, _ = self.find(STALE)
        self.expect_critical(trace)
        self.assertEqual([d["kind"] for d in trace["departures"]], ["reads-from"])
        event = trace["events"][[e["id"] for e in trace["events"]].index(trace["departures"][0]["event"])]
        self.assertTrue(event["stale"])
        self.assertTrue(event["critical"])

    def test_minimize_by_hand(self):
        trace, _ = self.find(LOST_UPDATE, "--no-minimize")
        self.assertNotIn("minimised", trace)
        answer = self.heddle("minimize", "-o", "small.heddle", "--time", "20s", "heddle-out/bug-1.heddle")
        self.assertEqual(answer.code, 0, answer.errors)
        self.assertIn("Minimised from", answer.output)
        self.assertNotIn("minimised", self.shown("heddle-out/bug-1.heddle"))
        small = self.shown("small.heddle")
        self.expect_critical(small)
        self.assertLess(small["minimised"]["after"]["switches"], small["minimised"]["before"]["switches"])
        self.assertLess(small["minimised"]["after"]["departures"], small["minimised"]["before"]["departures"])
        self.assertEqual(small["findings"][0]["signature"], trace["findings"][0]["signature"])
        self.assertEqual(self.heddle("replay", "-q", "small.heddle").code, BUG)

    def test_bugs_that_share_a_signature(self):
        program = self.compile(WRONG_WAITER, c=False)
        for seed in ("1", "4", "7"):
            report, _ = self.report("--seed", seed, "-n", "2000", "--no-minimize", "-o", "out" + seed, program, code=BUG)
            artifact = report["findings"][0]["artifact"]
            answer = self.heddle("minimize", "-o", "small.heddle", "--time", "60s", artifact)
            self.assertEqual(answer.code, 0, answer.errors)
            small, whole = self.shown("small.heddle"), self.shown(artifact)
            self.assertEqual(small["findings"][0]["kind"], whole["findings"][0]["kind"])
            self.assertLessEqual(small["minimised"]["after"]["departures"], small["minimised"]["before"]["departures"])
            self.assertEqual(self.heddle("replay", "-q", "small.heddle").code, BUG)

    def test_what_cannot_be_minimised_is_said(self):
        self.find(LOST_UPDATE, "--no-minimize")
        self.assertEqual(self.heddle("minimize", "program.c").code, BAD_INPUT)
        self.assertEqual(self.heddle("minimize", "--time", "never", "heddle-out/bug-1.heddle").code, BAD_INPUT)
        self.compile(LOST_UPDATE.replace("counter) == 3", "counter) >= 0"))
        answer = self.heddle("minimize", "--program", "./program", "heddle-out/bug-1.heddle")
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)


class ReplayTest(HeddleTest):
    def setUp(self):
        super().setUp()
        self.report("--seed", "1", "-n", "20000", self.compile(LOST_UPDATE), code=BUG)
        self.artifact = "heddle-out/bug-1.heddle"

    def test_many_times_the_same_events(self):
        answer = self.heddle("replay", "--times", "30", self.artifact)
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertRegex(answer.errors, "reproduced 30 of 30 times, event for event the same \\(digest [0-9a-f]{16}\\)")

    def test_until_an_event(self):
        answer = self.heddle("replay", "--until-event", "10", self.artifact)
        self.assertEqual(answer.code, NO_BUG, answer.errors)
        self.assertNotIn("counter", answer.output)
        self.assertEqual(self.heddle("replay", "--until-event", "1000000", self.artifact).code, BUG)

    def test_stopped_for_a_debugger(self):
        child = self.start("timeout", "60", HEDDLE, "replay", "--stop-at", "10", self.artifact)
        line = child.stderr.readline().decode()
        self.assertRegex(line, "process [0-9]+ stands before event 10")
        os.kill(int(line.split()[2]), 18)  # SIGCONT
        self.assertEqual(self.finish(child).code, BUG)

    def test_another_binary_is_named_with_its_first_difference(self):
        self.compile(LOST_UPDATE.replace("i < 20; ++i) atomic_fetch_add(&noise, 1);\n  int", "i < 19; ++i) atomic_fetch_add(&noise, 2);\n  int"))
        answer = self.heddle("replay", "--program", "./program", self.artifact)
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        self.assertIn("its build id differs", answer.errors)
        self.assertRegex(answer.errors, "event [0-9]+ differs: expected thread [0-9]+ in .*; came thread [0-9]+ in ")

    def test_another_user_from_another_folder(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to become somebody else")
        os.chmod(self.folder, 0o755)
        heddle = HEDDLE
        answer = self.call("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", heddle, "replay", "-q",
                           self.path(self.artifact), cwd="/")
        if answer.code == 126 or "Permission denied" in answer.errors:
            self.skipTest("another user cannot read the build tree")
        self.assertEqual(answer.code, BUG, answer.errors)

    def test_the_recorded_environment_is_used(self):
        program = self.compile("""
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void* work(void* p) { assert(getenv("GTEST_SEED") == NULL); return p; }
int main(void) { pthread_t t; pthread_create(&t, NULL, work, NULL); pthread_join(t, NULL); return 0; }
""", name="reads_environment")
        self.report("-n", "10", "-o", "out", program, code=BUG, env={**os.environ, "GTEST_SEED": "7"})
        self.assertEqual(self.heddle("replay", "-q", "out/bug-1.heddle").code, BUG)

    def test_standard_input_is_part_of_the_artifact(self):
        program = self.compile("""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int c;
static void* work(void* p) { assert(c != 'x'); return p; }
int main(void) { c = getchar(); pthread_t t; pthread_create(&t, NULL, work, NULL); pthread_join(t, NULL); return 0; }
""", name="reads_input")
        self.write("input", "x")
        answer = self.call("sh", "-c", '"$0" run --no-progress -n 10 -o out "$1" < input',
                           HEDDLE, program)
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertEqual(self.heddle("replay", "-q", "out/bug-1.heddle").code, BUG)


class KnownTest(HeddleTest):
    def test_known_bugs_are_not_new(self):
        program = self.compile(LOST_UPDATE)
        self.report("--seed", "1", "-n", "20000", program, code=BUG)
        shutil.move(self.path("heddle-out"), self.path("known"))
        report, answer = self.report("--seed", "2", "-n", "2000", "--known", "known", program, code=NO_BUG)
        self.assertEqual(report["findings"][0]["known"], "known/bug-1.heddle")
        self.assertIsNone(report["findings"][0]["artifact"])
        self.assertIn("known: known/bug-1.heddle", answer.errors)
        self.assertEqual(report["executions"], 2000)  # it is no reason to stop
        self.assertFalse(os.path.exists(self.path("heddle-out")))

    def test_others_are(self):
        program = self.compile(LOST_UPDATE)
        self.report("--seed", "1", "-n", "20000", "-o", "known", self.compile(STALE, name="other"), code=BUG)
        self.report("--seed", "1", "-n", "20000", "--known", "known", program, code=BUG)

    def test_bad_directories_are_named(self):
        program = self.compile(LOST_UPDATE)
        os.mkdir(self.path("damaged"))
        self.write("damaged/bug-1.heddle", "nothing")
        for folder in ("not-there", "damaged"):
            answer = self.heddle("run", "-n", "1", "--known", folder, program)
            self.assertEqual(answer.code, BAD_INPUT, answer.errors)
            self.assertIn(folder, answer.errors)


if __name__ == "__main__":
    unittest.main()
