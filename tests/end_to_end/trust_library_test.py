#!/usr/bin/env python3
"""What users rely on in --trust-library: a library built without heddle hands data between threads by atomics of its
own. Without the option that looks like a race, and the report says what to do; with it nothing is reported but
races that are none of the library's business."""
import os
import shutil
import subprocess
import tempfile
import unittest

from heddle_driver import BAD_INPUT, BUG, HEDDLE, NO_BUG, HeddleTest

LIBRARY_HEADER = """
#include <complex>
extern "C" {
void handoff_put(void* item);
void* handoff_take();
void handoff_visit(void (*visit)(void*), void* argument);
void handoff_start(void (*work)(void*), void* argument);
void handoff_finish();
long double handoff_sum(int, int, int, int, int, int, int, int, float, double, long double, std::complex<double>);
}
struct Channel {
  virtual ~Channel();
  virtual void put(void* item);
  virtual void* take();
};
Channel* make_channel();
"""

LIBRARY = """
#include "handoff.h"
#include <atomic>
#include <pthread.h>
#include <sched.h>
static std::atomic<void*> slot;
void handoff_put(void* item) {
  void* empty = nullptr;
  while (!slot.compare_exchange_weak(empty, item)) empty = nullptr, sched_yield();
}
void* handoff_take() {
  for (;;) {
    if (void* item = slot.exchange(nullptr)) return item;
    sched_yield();
  }
}
void handoff_visit(void (*visit)(void*), void* argument) { visit(argument); handoff_put(argument); }
static void (*work)(void*);
static void* work_argument;
static std::atomic<bool> done;
static void* worker(void*) { work(handoff_take()); done = true; return nullptr; }
void handoff_start(void (*w)(void*), void*) {
  work = w;
  pthread_t t;
  pthread_create(&t, nullptr, worker, nullptr);
  pthread_detach(t);
}
void handoff_finish() { while (!done) sched_yield(); }
long double handoff_sum(int a, int b, int c, int d, int e, int f, int g, int h, float i, double j, long double k,
                        std::complex<double> z) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + i + j + k + z.real() + 10 * z.imag();
}
Channel::~Channel() {}
void Channel::put(void* item) { handoff_put(item); }
void* Channel::take() { return handoff_take(); }
Channel* make_channel() { return new Channel; }
"""

PROGRAM = """
#include "handoff.h"
#include <cassert>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <stdexcept>
#include <thread>

int data, racy;

static void calls() {
  std::thread producer([] { data = 1; handoff_put(&data); });
  assert(*static_cast<int*>(handoff_take()) == 1);
  producer.join();
}

// What comes after the call is not handed over with it.
static void race() {
  std::thread producer([] { data = 1; handoff_put(&data); racy = 1; });
  assert(*static_cast<int*>(handoff_take()) == 1);
  racy = 2;
  producer.join();
}

static void unrelated() {
  std::thread other([] { racy = 1; });
  racy = 2;
  other.join();
}

// The library calls back, and is what continues when the function returns.
static void callback() {
  std::thread producer([] { handoff_visit([](void* d) { *static_cast<int*>(d) = 1; }, &data); });
  assert(*static_cast<int*>(handoff_take()) == 1);
  producer.join();
}

// A thread of the library's own runs a function of the program.
static void worker() {
  handoff_start([](void* d) { ++*static_cast<int*>(d); }, nullptr);
  data = 1;
  handoff_put(&data);
  handoff_finish();
  assert(data == 2);
}

static void exception() {
  std::thread producer([] {
    try {
      handoff_visit([](void*) { data = 1; throw std::runtime_error("through the library"); }, &data);
    } catch (const std::runtime_error&) {
      ++data;
    }
    handoff_put(&data);
  });
  assert(*static_cast<int*>(handoff_take()) == 2);
  producer.join();
}

static void virtual_call() {
  Channel* channel = make_channel();
  std::thread producer([=] { data = 1; channel->put(&data); });
  assert(*static_cast<int*>(channel->take()) == 1);
  producer.join();
  delete channel;
}

static void looked_up() {
  void* library = dlopen("./libhandoff.so", RTLD_NOW);
  auto* put = reinterpret_cast<void (*)(void*)>(dlsym(library, "handoff_put"));
  auto* take = reinterpret_cast<void* (*)()>(dlsym(library, "handoff_take"));
  std::thread producer([=] { data = 1; put(&data); });
  assert(*static_cast<int*>(take()) == 1);
  producer.join();
}

static void arguments() {
  for (int i = 0; i < 3; ++i) {
    const long double sum = handoff_sum(1, 2, 3, 4, 5, 6, 7, 8, .5F, .25, .125L, {1, 2});
    assert(sum == 225.875L + i * 0);
  }
  std::thread other([] {});
  other.join();
}

int main(int, char** argv) {
  const std::map<std::string, std::function<void()>> cases = {
      {"calls", calls}, {"race", race}, {"unrelated", unrelated}, {"callback", callback}, {"worker", worker},
      {"exception", exception}, {"virtual_call", virtual_call}, {"looked_up", looked_up}, {"arguments", arguments}};
  cases.at(argv[1])();
}
"""

TRUST = ("--trust-library", "handoff")
HANDED_OVER = ("calls", "callback", "worker", "exception", "virtual_call", "looked_up")


class TrustLibraryTest(HeddleTest):
    @classmethod
    def setUpClass(cls):
        """Most tests use the same program."""
        cls.built = tempfile.mkdtemp(prefix="heddle-test-")
        for name, text in (("handoff.h", LIBRARY_HEADER), ("handoff.cpp", LIBRARY), ("program.cpp", PROGRAM)):
            with open(os.path.join(cls.built, name), "w", encoding="utf-8") as file:
                file.write(text)
        for command in (("g++", "-O2", "-shared", "-fPIC", "handoff.cpp", "-o", "libhandoff.so", "-pthread"),
                        cls.build_command()):
            subprocess.run(command, cwd=cls.built, check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.built)

    @staticmethod
    def build_command(*flags):
        return (HEDDLE, "c++", "-g", "-O1", *flags, "program.cpp", "-o", "program", "-L.", "-lhandoff",
                "-Wl,-rpath,$ORIGIN")

    def setUp(self):
        super().setUp()
        shutil.copytree(self.built, self.folder, dirs_exist_ok=True)

    def trust_warnings(self, report):
        return [text for text in report["warnings"] if "--trust-library" in text]

    def campaign(self, case, *options, code, executions=40):
        return self.report("-n", str(executions), "--seed", "1", *options, "--", "./program", case, code=code)

    def test_what_is_handed_over_races_only_without_trust(self):
        for case in HANDED_OVER:
            with self.subTest(case):
                report, _ = self.campaign(case, code=BUG)
                self.assertEqual("data race", report["findings"][0]["kind"])
                report, answer = self.campaign(case, *TRUST, code=NO_BUG)
                self.assertEqual([], self.trust_warnings(report), answer.errors)

    def test_calls_are_seen_however_they_are_bound(self):
        for flags in (("-fno-plt", "-Wl,-z,now", "-Wl,-z,relro"), ("-no-pie", "-fno-pie", "-Wl,-z,now")):
            with self.subTest(flags):
                self.assertEqual(0, self.call(*self.build_command(*flags)).code)
                for case in ("calls", "virtual_call"):
                    self.campaign(case, *TRUST, code=NO_BUG)

    def test_arguments_of_all_kinds_arrive(self):
        self.campaign("arguments", *TRUST, code=NO_BUG, executions=2)

    def test_other_races_are_found_and_replayed(self):
        report, _ = self.campaign("race", *TRUST, "--max-failures", "0", code=BUG)
        self.assertEqual(1, len(report["findings"]))
        self.assertIn("racy", str(report["findings"][0]["stacks"]))
        self.assertEqual(BUG, self.heddle("replay", report["findings"][0]["artifact"]).code)

    def test_a_race_that_the_library_may_explain_says_so(self):
        report, answer = self.campaign("calls", code=BUG)
        self.assertEqual(["libhandoff.so"], [hint["library"] for hint in report["findings"][0]["hints"]])
        self.assertIn("--trust-library handoff", report["findings"][0]["hints"][0]["advice"])
        self.assertIn("may be due to libhandoff.so", answer.errors)

    def test_a_race_that_no_library_explains_has_no_hint(self):
        report, answer = self.campaign("unrelated", code=BUG)
        self.assertEqual([], report["findings"][0]["hints"])
        self.assertNotIn("may be due to", answer.errors)

    def test_every_way_to_repeat_executions_keeps_the_edges(self):
        for how in ("fork", "copy", "track"):
            with self.subTest(how):
                self.campaign("worker", *TRUST, "--repetition", how, code=NO_BUG)

    def test_a_name_that_matches_nothing_is_told(self):
        report, _ = self.campaign("unrelated", "--trust-library", "^handoff", code=BUG)
        self.assertIn("^handoff", " ".join(self.trust_warnings(report)))
        report, _ = self.campaign("unrelated", "--trust-library", self.folder + "/*handoff", code=BUG)
        self.assertEqual([], self.trust_warnings(report))
        self.assertEqual(BAD_INPUT, self.heddle("run", "--trust-library", "", "--", "./program").code)


if __name__ == "__main__":
    unittest.main()
