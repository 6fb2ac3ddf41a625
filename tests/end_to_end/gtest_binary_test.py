#!/usr/bin/env python3
"""A GoogleTest binary of a few dozen tests, as projects have them, under heddle run."""
import os
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from heddle_driver import BUG, NO_BUG, HeddleTest, needs

GTEST_SOURCES = "/usr/src/googletest/googletest"

TESTS = """
#include <gtest/gtest.h>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class Queue {
 public:
  void push(int value) {
    { std::lock_guard lock(mutex_); values_.push_back(value); }
    filled_.notify_one();
  }
  int pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return !values_.empty(); });
    const int value = values_.front();
    values_.pop_front();
    return value;
  }
 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<int> values_;
};

class QueueTest : public testing::TestWithParam<int> {};
TEST_P(QueueTest, KeepsEveryValue) {
  Queue queue;
  const int count = GetParam() % 4 + 1;
  std::thread producer([&] { for (int i = 1; i <= count; ++i) queue.push(i); });
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += queue.pop();
  producer.join();
  EXPECT_EQ(sum, count * (count + 1) / 2);
}
INSTANTIATE_TEST_SUITE_P(Sizes, QueueTest, testing::Range(0, 24));

class CounterTest : public testing::TestWithParam<int> {};
TEST_P(CounterTest, CountsEveryIncrement) {
  std::atomic<int> counter{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < GetParam(); ++t) threads.emplace_back([&] { counter.fetch_add(1, std::memory_order_relaxed); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counter.load(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Threads, CounterTest, testing::Range(1, 5));

TEST(Future, CarriesValuesAndExceptions) {
  EXPECT_EQ(std::async(std::launch::async, [] { return 7; }).get(), 7);
  auto thrown = std::async(std::launch::async, []() -> int { throw std::runtime_error("expected"); });
  EXPECT_THROW(thrown.get(), std::runtime_error);
}
TEST(Fixture, NeedsNoThreads) { EXPECT_STREQ("a", "a"); }
TEST(Fixture, IsSkipped) { GTEST_SKIP() << "on purpose"; }
EXTRA
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
"""
BUGGY = "TEST(Buggy, LosesAnUpdate) { std::atomic<int> n{0}; std::thread t([&] { n = n + 1; }); n = n + 1; t.join(); EXPECT_EQ(n, 2); }"

WITHOUT_BUG = "--gtest_filter=-Buggy.*"


class GoogleTestBinary(HeddleTest):
    built = None  # with the library as it is: the path of the program, once for all

    def build(self, instrumented_gtest=False):
        if self.built and not instrumented_gtest:
            shutil.copy(self.built, self.path("tests"))
            return
        self.write("tests.cpp", TESTS.replace("EXTRA", BUGGY))
        if instrumented_gtest:
            needs(os.path.isdir(GTEST_SOURCES), "libgtest-dev, with the sources of GoogleTest,")
            more = ["-I", GTEST_SOURCES, os.path.join(GTEST_SOURCES, "src", "gtest-all.cc")]
        else:
            more = ["-lgtest"]
        # GoogleTest itself takes a while to compile, and nobody looks at its lines here.
        flags = ["-O0"] if instrumented_gtest else ["-g", "-O1"]
        answer = self.heddle("c++", "-std=c++20", *flags, "-pthread", "tests.cpp", *more, "-o", "tests")
        self.assertEqual(answer.code, 0, answer.errors)
        if not instrumented_gtest:
            kept = tempfile.mkdtemp(prefix="heddle-test-")
            self.addClassCleanup(shutil.rmtree, kept)
            type(self).built = shutil.copy(self.path("tests"), kept)

    def test_passes_with_the_library_as_it_is(self):
        self.build()
        report, answer = self.report("-n", "60", "--seed", "1", "./tests", WITHOUT_BUG, code=NO_BUG)
        self.assertEqual(report["executions"], 60, answer.errors)
        self.assertEqual(report["endings"]["exited"], 60)

    def test_passes_with_an_instrumented_library(self):
        self.build(instrumented_gtest=True)
        report, _ = self.report("-n", "60", "--seed", "1", "./tests", WITHOUT_BUG, code=NO_BUG)
        self.assertEqual(report["endings"]["exited"], 60)

    def test_failing_test_is_found_and_replays(self):
        self.build()
        report, answer = self.report("-n", "2000", "--seed", "1", "./tests", "--gtest_filter=Buggy.*", code=BUG)
        self.assertEqual(report["findings"][0]["kind"], "test failure")
        lines = answer.errors.split("\n")
        head = next(i for i, line in enumerate(lines) if line.startswith("WARNING: heddle: test failure"))
        self.assertIn("EXPECT_EQ", lines[head + 1])  # the check that failed is the second line
        self.assertIn("LosesAnUpdate", lines[head + 1] + lines[head + 2])
        self.assertRegex(answer.errors, r"SUMMARY: heddle: test failure .*:\d+ in Buggy.LosesAnUpdate")
        self.assertIn("EXPECT_EQ", report["findings"][0]["sentence"])
        self.assertEqual(self.heddle("replay", "heddle-out/bug-1.heddle").code, BUG)

    # Each shard has the cases that GoogleTest itself gives it, and the bug is found in the one that has the case.
    def test_shards_are_those_of_googletest(self):
        self.build()
        failed = []
        for shard in ("0", "1"):
            environment = dict(os.environ, GTEST_TOTAL_SHARDS="2", GTEST_SHARD_INDEX=shard)
            subprocess.run(["./tests", "--gtest_output=xml:own.xml"], cwd=self.folder, env=environment, capture_output=True, check=False)
            own = [case for case in xml.etree.ElementTree.parse(self.path("own.xml")).iter("testcase") if case.get("status") == "run"]
            answer = self.heddle("test", "-n", "60", "--seed", "1", "--junit", "out.xml", "./tests", env=environment)
            self.assertIn(answer.code, (NO_BUG, BUG), answer.errors)
            cases = list(xml.etree.ElementTree.parse(self.path("out.xml")).iter("testcase"))
            self.assertEqual([(case.get("classname"), case.get("name")) for case in cases],
                             [(case.get("classname"), case.get("name")) for case in own])
            failed += [case.get("name") for case in cases if case.find("failure") is not None]
        self.assertEqual(failed, ["LosesAnUpdate"])


if __name__ == "__main__":
    unittest.main()
