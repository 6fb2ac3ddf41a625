#!/usr/bin/env python3
"""heddle lin: histories from files, tests of objects, minimum test cases.

    HEDDLE=build/bin/heddle python3 tests/end_to_end/lin_test.py [TestClass.test_name]
"""
import json
import os
import unittest
import xml.etree.ElementTree

from heddle_driver import BAD_INPUT, BUG, HEDDLE, NO_BUG, HeddleTest
from sources import QUEUE_TEST

LIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "lin")


def invoke(op, thread, method, *args):
    return json.dumps({"type": "invoke", "op": op, "thread": thread, "method": method, "args": list(args)})


def give_back(op, result=None):
    return json.dumps({"type": "return", "op": op, "result": result})


class CheckTest(HeddleTest):
    def check(self, lines, spec="queue"):
        self.write("history.jsonl", "\n".join(lines) + "\n")
        return self.call(HEDDLE, "lin", "check", "history.jsonl", "--spec", spec)

    def test_exit_codes(self):
        good = [invoke(1, 0, "enq", 3), give_back(1), invoke(2, 1, "deq"), give_back(2, 3)]
        self.assertEqual(self.check(good).code, NO_BUG)
        bad = self.check(good[:3] + [give_back(2, "empty")])
        self.assertEqual(bad.code, BUG)
        self.assertIn("It was never empty", bad.output)

    def test_bad_histories_name_the_line(self):
        cases = {
            "return without invocation": [invoke(1, 0, "enq", 3), give_back(1), give_back(7, 3)],
            "duplicate id": [invoke(1, 0, "enq", 3), give_back(1), invoke(1, 0, "enq", 4)],
            "unknown operation": [invoke(1, 0, "enq", 3), give_back(1), invoke(2, 0, "push", 4)],
            "truncated": [invoke(1, 0, "enq", 3), give_back(1), '{"type":"invoke","op":2,'],
        }
        for name, lines in cases.items():
            with self.subTest(name):
                answer = self.check(lines)
                self.assertEqual(answer.code, BAD_INPUT)
                self.assertIn("line 3", answer.errors)

    def test_help_names_the_command_as_it_is_typed(self):
        self.assertIn("heddle lin check", self.call(HEDDLE, "lin", "check", "--help").output)
        self.assertIn("heddle lin run", self.call(HEDDLE, "lin", "run", "--help").output)


class RunTest(HeddleTest):
    def build(self, source, program, *flags):
        answer = self.call(HEDDLE, "c++", "-g", "-O0", *flags, source, "-o", program)
        self.assertEqual(answer.code, 0, answer.errors)

    def test_minimum_test_case(self):
        self.write("queue_test.cpp", QUEUE_TEST)
        self.build("queue_test.cpp", "queue_test")
        found = self.call(HEDDLE, "lin", "run", "--seed", "1", "-n", "2000", "--", "./queue_test")
        self.assertEqual(found.code, BUG, found.errors)
        self.assertIn("not linearizable", found.errors)
        self.assertIn("Queue: no sequential order", found.errors)
        self.assertRegex(found.errors, r"minimum test of Queue: 2 concurrent operations")
        # Without one of two operations a single thread is left: that is proved.
        self.assertIn("every history is linearizable: all executions were explored", found.errors)
        with open(self.path("heddle-out/minimum.json"), encoding="utf-8") as file:
            picture = json.load(file)
        marks = [operation["mark"] for operation in picture["operations"]]
        self.assertEqual(marks.count("violating"), 1)
        xml.etree.ElementTree.parse(self.path("heddle-out/minimum.svg"))
        replayed = self.call(HEDDLE, "replay", "-q", "--times", "3", "heddle-out/minimum.heddle")
        self.assertEqual(replayed.code, BUG, replayed.errors)
        # What was written for the user compiles, and shows the fault again.
        self.build("heddle-out/minimum_test.cpp", "minimum_test")
        again = self.call(HEDDLE, "run", "--seed", "1", "-n", "2000", "-o", "again", "--", "./minimum_test")
        self.assertEqual(again.code, BUG, again.errors)
        found = self.call(HEDDLE, "lin", "run", "--no-localize", "-s", "pctwm", "--seed", "1", "-n", "2000", "-o", "weak", "--", "./queue_test")
        self.assertEqual(found.code, BUG, found.errors)
        # Every single call per thread, under every schedule.
        alone = self.call(HEDDLE, "lin", "run", "-s", "exhaustive", "-o", "alone", "--", "./queue_test", "--threads", "1")
        self.assertEqual(alone.code, NO_BUG, alone.errors)
        self.assertIn("were explored", alone.errors)

    def test_correct_object(self):
        self.build(os.path.join(LIN, "treiber_stack.cpp"), "stack", "-DCORRECT")
        answer = self.call(HEDDLE, "lin", "run", "--seed", "1", "-n", "500", "--", "./stack")
        self.assertEqual(answer.code, NO_BUG, answer.errors)

    def test_histories_without_heddle(self):
        """The recorder and the test itself work on threads of the system, and the file is judged offline."""
        self.write("recorded.cpp", """
#include <heddle/lin.hpp>
#include <mutex>
#include <thread>
#include <vector>
int main(int argc, char**) {
  std::vector<int> items;
  std::mutex mutex;
  heddle::lin::Recorder recorder("history.jsonl", argc > 1 ? heddle::lin::Keep::kEachEvent : heddle::lin::Keep::kUntilSaved);
  auto work = [&](int first) {
    for (int i = 0; i < 50; ++i) {
      recorder.call("push", {first + i}, [&] { std::lock_guard g(mutex); items.push_back(first + i); });
      recorder.call("pop", {}, [&]() -> std::optional<int> {
        std::lock_guard g(mutex);
        if (items.empty()) return std::nullopt;
        int v = items.back();
        items.pop_back();
        return v;
      });
    }
  };
  std::thread a(work, 0), b(work, 1000);
  a.join();
  b.join();
}
""")
        answer = self.call("c++", "-std=c++17", "-O0", "-idirafter", os.path.join(os.path.dirname(HEDDLE), "..", "include"),
                           "recorded.cpp", "-o", "recorded", "-lpthread")
        self.assertEqual(answer.code, 0, answer.errors)
        for arguments in ([], ["each"]):
            self.assertEqual(self.call("./recorded", *arguments).code, 0)
            with open(self.path("history.jsonl"), encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 400)
            stack = self.call(HEDDLE, "lin", "check", "history.jsonl", "--spec", "stack")
            self.assertEqual(stack.code, NO_BUG, stack.output)


if __name__ == "__main__":
    unittest.main()
