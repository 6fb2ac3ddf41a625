#!/usr/bin/env python3
"""heddle reconstruct where the run of the log is not reached: what was found on the way is not lost."""
import os
import unittest

from heddle_driver import BUG, INCONCLUSIVE, HeddleTest

# The second thread goes one way for each argument.
WAYS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int way, done;
static void* go(void* p) {
  if (atomic_load(&way) == 1) abort();
  if (atomic_load(&way) == 2) exit(3);
  atomic_store(&done, 1);
  return p;
}
int main(int count, char** words) {
  pthread_t thread;
  atomic_store(&way, count > 1 ? atoi(words[1]) : 0);
  pthread_create(&thread, 0, go, 0);
  pthread_join(thread, 0);
  return 0;
}
"""


class OtherEnds(HeddleTest):
    def reconstruct(self, logged, run):
        """The answer for a log of one way where the program goes another one."""
        self.compile(WAYS, flags=["--full"])
        self.heddle("record", "-d", "logs", "--", "./program", logged)
        (log,) = os.listdir(self.path("logs"))
        return self.heddle("reconstruct", "-n", "5", "-o", "out", os.path.join("logs", log), "--", "./program", run)

    def expect_another_bug(self, answer, reported):
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertIn("was not reached", answer.errors)
        self.assertIn(reported, answer.errors)
        replayed = self.heddle("replay", "out/bug-1.heddle")
        self.assertEqual(replayed.code, BUG, replayed.errors)
        self.assertIn(reported, replayed.errors)

    def test_another_failure_than_that_of_the_log(self):
        self.expect_another_bug(self.reconstruct("1", "2"), "exit status 3")

    def test_a_bug_where_the_run_of_the_log_passed(self):
        self.expect_another_bug(self.reconstruct("0", "1"), "abort")

    def test_no_bug_at_all(self):
        answer = self.reconstruct("1", "0")
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        self.assertFalse(os.path.exists(self.path("out/bug-1.heddle")))


if __name__ == "__main__":
    unittest.main()
