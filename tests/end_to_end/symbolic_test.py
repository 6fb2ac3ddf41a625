#!/usr/bin/env python3
"""Builds with --full, and the symbolic traces of what was found with them.

    symbolic_test.py           a program for each kind of value that a trace must follow
    symbolic_test.py --all     also every program of tests/programs/fail: each trace proves right

Every symbolic trace is checked by heddle itself: evaluated again from what was read, it comes to every value that the
program had, or the command ends with an error of heddle's own.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import unittest

from heddle_driver import BAD_INPUT, BUG, INCONCLUSIVE, NO_BUG, TESTS, HeddleTest, needs_full_builds

LOST_UPDATE = """
#include <cassert>
#include <mutex>
#include <thread>
std::mutex m;
int x = 0;
void add(int d) {
  int t;
  { std::lock_guard<std::mutex> g(m); t = x; }
  t = t + d;
  { std::lock_guard<std::mutex> g(m); x = t; }
}
int main() {
  std::thread a([] { add(1); });
  std::thread b([] { add(2); });
  a.join();
  b.join();
  if (x > 100) return 0;
  assert(x == 3);
}
"""

# Each flow hands what it read of the atomic `in` through something else, and stores it to its place of `out`.
FLOWS = """
#include <atomic>
#include <cassert>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>
std::atomic<int> in{5};
int out[16];
struct Pair { int a; long b; };
struct Big { int values[16]; };
struct Base { virtual ~Base() = default; virtual int of(int v) = 0; };
struct Derived : Base { __attribute__((noinline)) int of(int v) override { return v ^ 0x55; } };
__attribute__((noinline)) int twice(int v) { return v + v; }
__attribute__((noinline)) Pair pair_of(int v) { return {v, v * 3L}; }
__attribute__((noinline)) Big big_of(int v) { Big b{}; b.values[7] = v; return b; }
__attribute__((noinline)) int taken(Big b) { return b.values[7] + b.values[8]; }
__attribute__((noinline)) int through(int (*f)(int), int v) { return f(v); }
__attribute__((noinline)) int thrower(int v) { if (v > 3) throw v; return v; }
int by_switch(int v) { switch (v) { case 1: return 10; case 5: return v + 20; default: return 0; } }
void flow() {
  out[1] = twice(in);
  const Pair p = pair_of(in);
  out[2] = p.a + static_cast<int>(p.b);
  out[3] = big_of(in).values[7] - 1;
  Big b = big_of(in);
  b.values[8] = 3;
  out[4] = taken(b);
  out[5] = through(twice, in) + 1;
  std::unique_ptr<Base> object(new Derived);
  out[6] = object->of(in);
  std::vector<int> all;
  for (int i = 0; i < 40; ++i) all.push_back(i == 30 ? in.load() : i);
  out[7] = all[30] + 2;
  char from[32], to[32];
  int v = in, back;
  memset(from, 0, sizeof from);
  memcpy(from + 3, &v, sizeof v);
  memmove(to + 1, from, 16);
  memcpy(&back, to + 4, sizeof back);
  out[8] = back + 9;
  v = in;
  int sum = 0;
  for (int i = 0; i < 6; ++i) sum += (v >> i) & 1 ? v * i : v - i;
  out[9] = sum;
  try { out[10] = thrower(in); } catch (int caught) { out[10] = caught + 7; }
  std::map<int, int> m;
  m[1] = in;
  m[2] = 8;
  out[11] = m[1] * m[2];
  int r;
  out[12] = __builtin_add_overflow(in.load(), 0x7ffffff0, &r) ? -1 : r;
  std::string s(1, static_cast<char>('a' + in));
  s += "tail";
  out[13] = s[0] - 'a';
  out[14] = by_switch(in);
  short narrow = static_cast<short>(in * 1000);
  unsigned char low = static_cast<unsigned char>(narrow);
  out[15] = narrow / 7 + low % 5;
}
int main() {
  std::thread t(flow);
  in.fetch_add(0);
  t.join();
  int sum = 0;
  for (int o : out) sum += o;
  assert(sum == 1'000'000);
}
"""

ATOMICS = """
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> turn{0}, count{0};
std::atomic<bool> ready{false};
std::atomic<unsigned char> small{3};
int main() {
  std::thread a([] {
    int seen = count.load(std::memory_order_relaxed);
    while (!count.compare_exchange_weak(seen, seen + 3)) {}
    small.fetch_xor(7); small.fetch_and(0xfe); small.exchange(9);
    ready.store(true, std::memory_order_release);
  });
  std::thread b([] {
    while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
    turn = count * 2 + small;
  });
  count.fetch_add(1);
  a.join(); b.join();
  assert(turn < 16);
}
"""

POINTERS = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct node { struct node* next; int value; };
static struct node* head;
int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void* push(void* p) {
  struct node* n = malloc(sizeof *n);
  n->value = (int)(long)p;
  pthread_mutex_lock(&m);
  n->next = head;
  head = n;
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, push, (void*)1L);
  pthread_create(&b, 0, push, (void*)2L);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(table[head->value] == 2);
  return 0;
}
"""


class SymbolicTest(HeddleTest):
    @classmethod
    def setUpClass(cls):
        needs_full_builds()

    def find(self, source, c=False, flags=(), options=()):
        program = self.compile(source, c=c, flags=("--full", *(() if c else ("-std=c++20",)), *flags))
        answer = self.heddle("run", "--seed", "1", "-n", "5000", "-s", "random", *options, "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)

    def symbolic(self):
        answer = self.heddle("show", "--symbolic", "heddle-out/bug-1.heddle")
        self.assertEqual(answer.code, 0, answer.errors)
        return answer.output

    def test_a_lost_update(self):
        for flags in (["-O0"], ["-O2"]):
            with self.subTest(flags=flags):
                self.find(LOST_UPDATE, flags=flags)
                text = self.symbolic()
                self.assertRegex(text, r"read x = 0x0 +program.cpp:9")
                self.assertRegex(text, r"write x := \(r\d+ \+ 1\) \(= 0x1\) +program.cpp:11")
                if flags == ["-O0"]:  # else both are one condition
                    self.assertRegex(text, r"branch \(0x64 <s r\d+\) does not hold +program.cpp:18")
                self.assertRegex(text, r"failure: .*\(r\d+ == 3\).* does not hold +program.cpp:1[89]")
                shutil.rmtree(self.path("heddle-out"))

    def test_values_flow(self):
        for level in ("-O0", "-O2"):
            with self.subTest(level=level):
                self.find(FLOWS, flags=[level])
                text = self.symbolic()
                writes = re.findall(r"write out\[(\d+)\] := .*\br\d+.* \(= 0x\w+\)", text)
                self.assertEqual(sorted(map(int, writes)), list(range(1, 16)), text)
                self.assertRegex(text, r"failure: .*r\d+.* does not hold")
                shutil.rmtree(self.path("heddle-out"))

    def test_atomics(self):
        self.find(ATOMICS, flags=["-O1"])
        text = self.symbolic()
        self.assertRegex(text, r"update count from 0x\w+ := \(r\d+ \+ 3\)")
        self.assertRegex(text, r"branch \(r\d+ == r\d+\) holds")  # the exchange succeeded
        self.assertRegex(text, r"update small from 0x3 := \(r\d+ \^ 7\)")
        self.assertRegex(text, r"write turn := ")
        self.assertRegex(text, r"failure: ")

    def test_pointers_and_heap_names(self):
        self.find(POINTERS, c=True, flags=["-O1"])
        text = self.symbolic()
        self.assertRegex(text, r"write heap 0\.\d#1\+8 := 0x[12]")  # n->value
        self.assertRegex(text, r"read heap 0\.\d#1\+8 \[at \(r\d+ \+ 8\)\] = ")
        self.assertRegex(text, r"taken for 0x\w+: .*r\d+")  # table[…], which one thread alone touches

    def test_the_binary_runs_natively(self):
        program = self.compile(LOST_UPDATE.replace("== 3", "> 0"), c=False, flags=("--full", "-std=c++20"))
        self.assertEqual(self.call(program).code, 0)
        answer = self.heddle("run", "-n", "50", "-s", "random", "--model", "sc", "--", program)
        self.assertIn(answer.code, (NO_BUG, BUG))

    def test_what_was_built_otherwise_is_told(self):
        program = self.compile(LOST_UPDATE, c=False, flags=("-std=c++20",))
        self.assertEqual(self.heddle("run", "--seed", "1", "-n", "5000", "--", program).code, BUG)
        answer = self.heddle("show", "--symbolic", "heddle-out/bug-1.heddle")
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        self.assertIn("--full", answer.errors)

    def test_another_compiler_cannot_build_it(self):
        self.write("a.cpp", "int main() {}")
        answer = self.heddle("c++", "--full", "--compiler=g++", "a.cpp", "-o", "a")
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        self.assertIn("clang 19", answer.errors)

    def test_the_graph_is_kept_in_the_binary(self):
        program = self.compile(LOST_UPDATE, c=False, flags=("--full", "-std=c++20", "-Wl,--gc-sections"))
        sections = subprocess.run(["readelf", "-SW", self.path(program)], capture_output=True, text=True, check=True)
        self.assertIn("heddle_graph", sections.stdout)


def program_test(path):
    """Each program of tests/programs/fail: it compiles, its bug is found, and the bug has a symbolic trace."""
    def test(self):
        with open(path, encoding="utf-8") as file:
            head = file.read()
        flags, options, executions = (re.search(rf"^// {name}: (.*)$", head, re.M)
                                      for name in ("flags", "run", "executions"))
        arguments = re.search(r"^// args: (.*)$", head, re.M)
        c = path.endswith(".c")
        built = self.heddle("cc" if c else "c++", "--full", "-g", "-O1", "-pthread", *(() if c else ("-std=c++20",)),
                            *(flags.group(1).split() if flags else ()), path, "-o", "program")
        self.assertEqual(built.code, 0, built.errors)
        run = self.heddle("run", "--seed", "1", "-n", executions.group(1) if executions else "3000", "--no-minimize",
                          *(options.group(1).split() if options else ()), "--", "./program",
                          *(arguments.group(1).split() if arguments else ()))
        self.assertEqual(run.code, BUG, run.errors)
        answer = self.heddle("show", "--symbolic", "heddle-out/bug-1.heddle")
        # The code that is traced numbers expressions anew in each round, so that no loop of it comes back to the same
        # state, and one that does is proved by tens of thousands of turns: a livelock has no symbolic trace, and heddle says so.
        if answer.code == INCONCLUSIVE and re.search(r"^// expect:.*\blivelock\b", head, re.M):
            self.assertRegex(answer.errors, "came to another end|A livelock is proved by so many turns")
        else:
            self.assertEqual(answer.code, 0, answer.errors)
    return test


if __name__ == "__main__":
    if "--all" in sys.argv:
        sys.argv.remove("--all")
        for program in sorted(glob.glob(os.path.join(TESTS, "programs", "fail", "*.c*"))):
            name = "test_program_" + re.sub(r"\W", "_", os.path.basename(program))
            setattr(SymbolicTest, name, program_test(program))
    unittest.main()
