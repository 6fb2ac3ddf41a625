#!/usr/bin/env python3
"""What users rely on in `heddle replay --gdb`, through gdb's machine interface."""
import ast
import json
import re
import select
import shutil
import subprocess
import time
import unittest

from heddle_driver import BUG, HEDDLE, SECONDS, HeddleTest, needs

# Message passing whose reader sees the flag and not the data; a third thread waits for a mutex meanwhile.
STALE = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int data, flag;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* waiter(void* p) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return p;
}
static void* writer(void* p) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return p;
}
static void* reader(void* p) {
  int local = 42;
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) {
    int seen = atomic_load_explicit(&data, memory_order_relaxed);
    assert(seen == 1 && local == 42);
  }
  return p;
}
int main(void) {
  pthread_t a, b, c;
  pthread_mutex_lock(&mutex);
  pthread_create(&c, NULL, waiter, NULL);
  pthread_create(&a, NULL, writer, NULL);
  pthread_create(&b, NULL, reader, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_mutex_unlock(&mutex);
  pthread_join(c, NULL);
  return 0;
}
"""


class GdbTest(HeddleTest):
    def setUp(self):
        needs(shutil.which("gdb"), "gdb")
        super().setUp()
        report, _ = self.report("--seed", "1", "-n", "20000", self.compile(STALE, flags=["-O0"]), code=BUG)
        self.artifact = report["findings"][0]["artifact"]
        self.events = json.loads(self.heddle("show", "--json", self.artifact).output)["events"]
        self.gdb = self.start_gdb()
        self.buffer = b""
        self.answer()

    def start_gdb(self):
        command = [HEDDLE, "replay", "--gdb", "--debugger", "gdb -nx -i=mi", self.artifact]
        self.commands.append(" ".join(command))
        child = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        self.addCleanup(child.stdin.close)
        return child

    def answer(self):
        """Everything up to the next prompt, console output as text."""
        end = time.monotonic() + SECONDS
        while b"(gdb) \n" not in self.buffer:
            ready, _, _ = select.select([self.gdb.stdout], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"gdb hangs: {self.buffer}")
            part = self.gdb.stdout.read1(65536)
            self.assertTrue(part, f"gdb ended: {self.buffer}")
            self.buffer += part
        text, _, self.buffer = self.buffer.partition(b"(gdb) \n")
        return text.decode("utf-8", "replace")

    def do(self, command):
        # A program that runs is told of before the command is over; what comes after it is not.
        self.gdb.stdin.write(f"1-interpreter-exec console {json.dumps(command)}\n2-list-features\n".encode())
        self.gdb.stdin.flush()
        text = self.answer()
        while "2^done" not in text:
            text += self.answer()
        told = b"".join(ast.literal_eval("b" + line[1:]) for line in text.split("\n")
                        if line.startswith("~") and line.endswith('"')).decode()
        if "1^error" in text:
            told += "error: " + re.search('msg="(.*)"', text)[1]
        return told

    def event(self, wanted):
        return next(e["id"] for e in self.events if wanted(e))

    def test_events_threads_and_stale_reads(self):
        stale = self.event(lambda e: e.get("stale"))
        told = self.do(f"heddle run-to {stale}")
        self.assertIn(f"before event {stale}, ", told)
        self.assertIn("a stale read", told)
        self.assertIn("critical", told)
        self.assertIn("reader", told)  # the frame
        self.assertIn("= 42", self.do("print local"))

        told = self.do("heddle threads")
        self.assertRegex(told, r"\* T3.*: runs")
        self.assertRegex(told, r"  T0: (can run|waits for a thread to end) .*program.c:[0-9]+")
        self.assertRegex(told, r"T1.*: waits for a mutex")
        told = self.do("heddle bt 1")
        self.assertIn("waiter", told)
        self.assertIn("mutex_lock", told)
        self.assertIn("main", self.do("heddle thread 0"))
        self.do("print a")
        self.assertIn("= 42", self.do("heddle thread 3") + self.do("print local"))

        # Looking around has changed nothing: the same finding, and then the end.
        told = self.do("heddle finding")
        self.assertIn("the finding, after event", told)
        self.assertIn("no thread T9", self.do("heddle thread 9"))

    def test_forward_and_back(self):
        load = self.event(lambda e: e.get("stale"))
        self.do(f"heddle run-to {load - 2}")
        self.assertIn(f"before event {load - 1}", self.do("heddle next-op"))
        self.assertIn(f"before event {load - 2}", self.do("heddle back"))
        self.assertIn(f"before event {load - 2}", self.do("heddle where"))
        self.do("heddle run-to 1")
        thread = self.events[1]["thread"]
        switch = self.event(lambda e: e["id"] > 1 and e["thread"] != thread)
        self.assertIn(f"before event {switch}", self.do("heddle next-switch"))

    def test_breakpoints_do_not_change_the_schedule(self):
        self.do("break reader")
        self.assertIn("reader", self.do("run") + self.do("frame"))
        self.do("next")
        self.do("next")
        stale = self.event(lambda e: e.get("stale"))
        told = self.do(f"heddle run-to {stale}")
        self.assertIn("a stale read", told)
        self.assertIn("Assertion", self.do("heddle finding") + self.do("heddle where"))


if __name__ == "__main__":
    unittest.main()
