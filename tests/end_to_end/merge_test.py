#!/usr/bin/env python3
"""What users rely on in `heddle merge`: partial logs of native runs that failed come back as an artifact that replays;
logs that are of no use are named and skipped."""
import os
import unittest

from heddle_driver import BAD_INPUT, BUG, HeddleTest

# The thesis' Fig. 3.3. Natively the sleeps let the reset come between the two counters nearly always; to the engine
# they order nothing.
RESET = """
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
int position, count_write, count_reset, threads;
static void* write_one(void* p) {
  threads = threads + 1;
  position = position + 1;
  usleep(20000);
  count_write = count_write + 1;
  assert(position == count_write);
  return p;
}
static void* reset(void* p) {
  usleep(5000);
  position = 0;
  count_write = 0;
  count_reset = count_reset + 1;
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, write_one, 0);
  pthread_create(&b, 0, reset, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
"""


class Merge(HeddleTest):
    def record(self, program, folder, share, failing):
        """Native runs until so many have failed."""
        failed = 0
        for instance in range(20 * failing):
            if failed == failing:
                return
            environment = dict(os.environ, HEDDLE_RECORD=f"vars:{folder},share={share},instance={instance}")
            failed += self.call(program, env=environment).code != 0
        self.fail("the program hardly ever fails natively")

    def test_a_failure_comes_back(self):
        program = self.compile(RESET, flags=("--full", "--spes=static"))
        os.mkdir(self.path("logs"))
        self.record(program, "logs", 50, 6)
        logs = sorted(os.listdir(self.path("logs")))
        self.assertGreaterEqual(len(logs), 6)
        with open(self.path("logs/" + logs[0]), "rb") as file:
            beginning = file.read(100)
        with open(self.path("logs/cut"), "wb") as file:
            file.write(beginning)
        self.write("logs/garbage", "no log at all")
        answer = self.heddle("merge", "--store", "store", "logs", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertIn("logs/garbage is skipped", answer.errors)
        self.assertIn("logs/cut is skipped", answer.errors)
        self.assertEqual(self.heddle("replay", "-q", "--times", "3", "heddle-out/bug-1.heddle").code, BUG)
        # The store has them: no logs are needed.
        again = self.heddle("merge", "-q", "--store", "store", "-o", "again", "--", program)
        self.assertEqual(again.code, BUG, again.errors)

    def test_bad_input(self):
        program = self.compile(RESET, flags=("--full", "--spes=static"))
        self.write("garbage", "no log at all")
        self.assertEqual(self.heddle("merge", "garbage", "--", program).code, BAD_INPUT)
        self.assertEqual(self.heddle("merge", "garbage").code, BAD_INPUT)
        self.assertEqual(self.heddle("merge", "--metric", "cosine", "garbage", "--", program).code, BAD_INPUT)


if __name__ == "__main__":
    unittest.main()
