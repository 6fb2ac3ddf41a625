#!/usr/bin/env python3
"""How a report begins, on programs that users could have written."""
import json
import re
import unittest

from heddle_driver import BUG, HeddleTest

# Both look whether there is enough, and then take it, each step under the lock.
OVERDRAWN = """
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
class Account {
 public:
  int balance() { std::lock_guard hold(mutex_); return balance_; }
  void take(int amount) {
    std::lock_guard hold(mutex_);
    balance_ -= amount;
  }
 private:
  std::mutex mutex_;
  int balance_ = 100;
};
static void pay(Account& account) {
  if (account.balance() < 80) return;
  account.take(80);
}
int main() {
  Account account;
  std::vector<std::thread> payers;
  for (int i = 0; i < 2; ++i) payers.emplace_back([&] { pay(account); });
  for (std::thread& payer : payers) payer.join();
  assert(account.balance() >= 0);
}
"""

USAGE = """
#include <stdio.h>
int main(int count, char** words) {
  if (count < 2) { fprintf(stderr, "usage: %s FILE\\n", words[0]); return 2; }
  return 0;
}
"""

# A race, and an assertion that the same threads can fail.
TWO_BUGS = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int plain;
atomic_int turns;
static void* work(void* unused) {
  ++plain;
  int seen = turns;
  turns = seen + 1;
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  assert(turns == 2);
}
"""


class FirstBlock(HeddleTest):
    def run_it(self, *options, source, language="c++"):
        program = self.compile(source, c=language == "c", flags=["-pthread", *(["-std=c++20"] if language != "c" else [])])
        answer = self.heddle("run", "-n", "2000", "--seed", "1", *options, "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        return answer.errors

    def json_of(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def line(self, source, text):
        return source.split("\n").index(text) + 1

    def block(self, text):
        block = text[text.index("WARNING: heddle: "):].split("\n\n")[0]
        self.assertLessEqual(block.count("\n") + 1, 12, block)
        for needed in ("\nSUMMARY: heddle: ", "\nreproduce: heddle replay ", "\nexplain:   heddle explain ", "\npage:      heddle report "):
            self.assertIn(needed, block)
        return block

    def test_a_step_that_should_be_one_is_shown_where_it_is_made_of_two(self):
        text = self.run_it("--json", "run.json", source=OVERDRAWN)
        block = self.block(text)
        for line in ("  if (account.balance() < 80) return;", "  account.take(80);"):
            self.assertRegex(block, rf"\.cpp:{self.line(OVERDRAWN, line)} +\| {re.escape(line.strip()[:20])}")
        self.assertRegex(block.replace("\n ", ""), r"T\d gave up account.mutex_ in between")
        # The variable, which a lock protects, is in the trace with its values.
        self.assertIn("T2 updated account.balance_", " ".join(block.split()))
        self.assertIn("read account.balance_ →", text)
        self.assertIn("write account.balance_ =", text)
        (finding,) = self.json_of("run.json")["findings"]
        self.assertIn(finding["sentence"].split(": ")[0], block)
        self.assertIn(self.line(OVERDRAWN, "  account.take(80);"), [place["line"] for place in finding["places"]])

    def test_the_default_report_fits_two_screens_and_has_no_frame_of_a_library(self):
        text = self.run_it(source=OVERDRAWN)
        self.assertLessEqual(text.count("\n"), 80, text)
        self.assertNotRegex(text, r"#\d+ .*(/usr/include/|libstdc\+\+)")
        self.assertNotIn("call_once", text)
        self.assertNotIn("allocate", text)

    def test_quiet_is_the_block_and_verbose_has_every_frame(self):
        quiet = self.run_it("-q", source=OVERDRAWN)
        self.assertEqual(self.block(quiet).strip(), quiet.strip())
        verbose = self.run_it("-v", source=OVERDRAWN)
        self.assertIn("[critical]", verbose)
        self.assertIn("allocate heap#1", verbose)

    def test_a_replay_begins_in_the_same_way(self):
        block = self.block(self.run_it(source=OVERDRAWN))
        again = self.heddle("replay", "heddle-out/bug-1.heddle")
        self.assertEqual(again.code, BUG, again.errors)
        without_pid = lambda text: re.sub(r"pid=\d+", "pid", text)
        self.assertEqual(without_pid(self.block(again.errors)), without_pid(block))

    def test_a_program_that_fails_alone_is_asked_what_it_needs(self):
        text = self.run_it("--json", "run.json", source=USAGE, language="c")
        self.assertIn("does the program need arguments", " ".join(self.block(text).split()))
        self.assertIn("| usage:", text)
        self.assertNotIn("How it came about", text)

    def test_of_several_bugs_the_one_to_mend_first_comes_first(self):
        text = self.run_it("--max-failures", "2", source=TWO_BUGS, language="c")
        first = text.index("heddle: 1. assertion failure")
        self.assertLess(first, text.index("heddle: 2. data race"))
        self.assertLess(text.index("heddle: 2. data race"), text.index("WARNING: heddle: assertion failure"))
        self.assertLess(text.index("WARNING: heddle: assertion failure"), text.index("WARNING: heddle: data race"))

    def test_a_race_says_that_it_may_hide_others(self):
        text = self.run_it("-s", "random", source=TWO_BUGS, language="c")
        self.assertIn("WARNING: heddle: data race", text)
        self.assertIn("a race can hide other bugs", text)


if __name__ == "__main__":
    unittest.main()
