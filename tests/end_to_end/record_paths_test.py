#!/usr/bin/env python3
"""heddle record: what a log of paths holds of long runs, of loops, of computed goto, and that the engine takes the same steps."""
import glob
import os
import re
import subprocess
import unittest

from heddle_driver import HEDDLE
from record_driver import RecordTest


class Paths(RecordTest):
    def test_long_logs_are_whole(self):
        """Several times what a thread's chunk of bits holds, with calls through pointers among the branches."""
        source = """
#include <cstdlib>
__attribute__((noinline)) unsigned odd(unsigned x) { if (x % 3 == 0) { asm volatile(""); ++x; } return x; }
__attribute__((noinline)) unsigned even(unsigned x) { return x; }
unsigned (*volatile const ways[2])(unsigned) = {even, odd};
int main(int, char** words) {
  unsigned x = 1, n = 0;
  for (int i = 0; i != std::atoi(words[1]); ++i) {
    x = x * 1664525u + 1013904223u;
    if (x >> 31) n = ways[i % 2](n + x); else n ^= x;
  }
  return n == 0;
}
"""
        program = self.compile_full(source, "long-program")
        logs = os.path.join(self.folder, "long")
        subprocess.run([program, "400000"], env={**os.environ, "HEDDLE_RECORD": f"path:{logs}"}, check=True)
        log, = glob.glob(logs + "/*.hlog")
        self.assertGreater(os.path.getsize(log), 3 << 16)
        x, branches = 1, 400001
        for i in range(400000):
            x = (x * 1664525 + 1013904223) & 0xffffffff
            branches += 1 + (0 if x >> 31 == 0 else 1 + i % 2)
        text = self.show(log)
        self.assertRegex(text, rf"thread 0: \d+ bits, {branches} decisions, \d+ marks\n")

    def test_loops_by_their_rounds(self):
        """Loops in which nothing else is decided take a few bits, and have the same steps under the engine."""
        source = r"""
#include <cstdio>
#include <cstring>
__attribute__((noinline)) int search(const char* text, int room, char wanted) {
  for (int i = 0; i < room; ++i) {
    if (text[i] == wanted) return i;
    if (text[i] == 0) return -1;
  }
  return -2;
}
__attribute__((noinline)) unsigned down(const unsigned* from, const unsigned* last) {
  unsigned sum = 0;
  for (; from != last; from -= 2) sum = sum * 31 + *from;
  return sum;
}
__attribute__((noinline)) unsigned char narrow(unsigned char from, unsigned char to) {
  unsigned char rounds = 0;
  for (; from != to; from += 3) asm volatile("" : "+r"(rounds));
  return rounds;
}
__attribute__((noinline)) unsigned many(unsigned n) {
  unsigned x = 1;
  for (unsigned i = 0; i < n; ++i) x = x * 1664525u + 1013904223u;
  return x;
}
int main() {
  static unsigned numbers[64];
  char text[400];
  std::memset(text, 'a', sizeof text);
  text[330] = 'z';
  text[340] = 0;
  unsigned sum = 0;
  for (int n = 0; n < 12; ++n) sum += (unsigned)search(text, n, 'z') + down(numbers + 2 * n, numbers) + many((unsigned)n);
  for (const char* wanted = "azb"; *wanted != 0; ++wanted) sum += (unsigned)search(text, 400, *wanted);
  sum += narrow(0, 1) + many(70000);
  std::printf("%u\n", sum);
}
"""
        program = self.compile_full(source, "rounds")
        logs = os.path.join(self.folder, "rounds")
        subprocess.run([program], env={**os.environ, "HEDDLE_RECORD": f"path:{logs}"}, check=True, capture_output=True)
        log, = glob.glob(logs + "/*.hlog")
        bits, decisions = map(int, re.search(r"thread 0: (\d+) bits, (\d+) decisions", self.show(log)).groups())
        self.assertGreater(decisions, 70000)
        self.assertLess(bits, 1000)
        done = subprocess.run([HEDDLE, "record", "--check", log, "--", program], capture_output=True, text=True, check=False)
        self.assertRegex(done.stdout, rf"(?m)^thread 0: all \d+ steps$", done.stdout + done.stderr)

    def test_loops_of_always_as_many_rounds(self):
        """… take bits for what else is decided in them alone; also where something else leaves them."""
        source = r"""
#include <cstdio>
#include <cstdlib>
unsigned cells[50], seed = 1;
int compare(const void* a, const void* b) { return *(const unsigned*)a < *(const unsigned*)b ? -1 : 1; }
__attribute__((noinline)) unsigned generation(unsigned stop) {
  unsigned count = 0;
  for (int outer = 0; outer < 3; ++outer) {
    for (int i = 0; i < 50; ++i) {
      if (cells[i] % 3 == 0) { asm volatile(""); count += cells[i]; } else { asm volatile(""); cells[i] /= 2; }
      if (cells[i] == stop) break;
    }
  }
  for (int i = 49; i >= 0; --i) if (cells[i] & 1) { asm volatile(""); cells[i] += seed; }
  std::qsort(cells, 3, sizeof(unsigned), compare);
  return count;
}
int main() {
  unsigned sum = 0;
  for (unsigned& cell : cells) cell = seed = seed * 1664525u + 1013904223u;
  for (unsigned n = 0; n < 40; ++n) sum += generation(n);
  std::printf("%u\n", sum);
}
"""
        program = self.compile_full(source, "fixed")
        logs = os.path.join(self.folder, "fixed")
        subprocess.run([program], env={**os.environ, "HEDDLE_RECORD": f"path:{logs}"}, check=True, capture_output=True)
        log, = glob.glob(logs + "/*.hlog")
        text = self.show(log)
        self.assertNotIn("incomplete", text)
        bits, decisions = map(int, re.search(r"thread 0: (\d+) bits, (\d+) decisions", text).groups())
        self.assertLess(bits, decisions - 40 * 50)
        done = subprocess.run([HEDDLE, "record", "--check", log, "--", program], capture_output=True, text=True, check=False)
        self.assertRegex(done.stdout, r"(?m)^thread 0: all \d+ steps$", done.stdout + done.stderr)

    def test_loops_that_are_logged_where_they_are_left(self):
        """… whatever happens in them: calls, exceptions, a bound that calls change, one round or none, nests of such."""
        source = r"""
#include <cstdio>
#include <cstdlib>
struct Board { int n; unsigned columns = 0, up = 0, down = 0; };
int compare(const void* a, const void* b) { return *(const unsigned*)a < *(const unsigned*)b ? -1 : 1; }
__attribute__((noinline)) long place(Board& b, int row) {
  if (row == b.n) return 1;
  long found = 0;
  for (int c = 0; c < b.n; ++c) {
    const unsigned column = 1u << c, up = 1u << (row + c), down = 1u << (row - c + b.n);
    if ((b.columns & column) != 0 || (b.up & up) != 0 || (b.down & down) != 0) continue;
    b.columns |= column; b.up |= up; b.down |= down;
    found += place(b, row + 1);
    b.columns &= ~column; b.up &= ~up; b.down &= ~down;
  }
  return found;
}
unsigned cells[20], bound = 20, seed = 1;
__attribute__((noinline)) void visit(unsigned i) {
  if (cells[i] % 7 == 0) bound = 1 + cells[i] % 20;
  if (cells[i] % 11 == 0) throw i;
  if (cells[i] % 5 == 0) std::qsort(cells, 3, sizeof(unsigned), compare);
}
__attribute__((noinline)) unsigned walk(unsigned from) {
  unsigned count = 0;
  for (unsigned outer = from; outer < bound; ++outer) {
    if (cells[outer] % 3 == 0) { asm volatile(""); ++count; }
    for (unsigned i = from; i < bound; ++i) {
      if (cells[i] & 1) { asm volatile(""); count += 2; if (cells[i] & 2) { asm volatile(""); ++count; } }
      try { visit(i); } catch (unsigned n) { count += n; }
      if (count > 300) return count;
    }
  }
  return count;
}
int main() {
  Board board{6};
  unsigned long sum = static_cast<unsigned long>(place(board, 0));
  for (unsigned n = 0; n < 60; ++n) {
    for (unsigned& cell : cells) cell = (seed = seed * 1664525u + 1013904223u) >> 8;
    bound = 20;
    sum += walk(n % 21);
  }
  std::printf("%lu\n", sum);
}
"""
        program = self.compile_full(source, "quiet")
        logs = os.path.join(self.folder, "quiet")
        subprocess.run([program], env={**os.environ, "HEDDLE_RECORD": f"path:{logs}"}, check=True, capture_output=True)
        log, = glob.glob(logs + "/*.hlog")
        text = self.show(log)
        self.assertNotIn("incomplete", text)
        bits, decisions = map(int, re.search(r"thread 0: (\d+) bits, (\d+) decisions", text).groups())
        self.assertLess(bits, decisions)
        done = subprocess.run([HEDDLE, "record", "--check", log, "--", program], capture_output=True, text=True, check=False)
        self.assertRegex(done.stdout, r"(?m)^thread 0: all \d+ steps$", done.stdout + done.stderr)

    def test_computed_goto_and_structures_by_value(self):
        """Functions with either are in the log like all others, and have the same steps under the engine."""
        source = r"""
#include <cstdio>
#include <stdexcept>
#include <thread>
struct Large { long parts[5]; int n; };
__attribute__((noinline)) long weigh(Large l, int from) {
  long sum = 0;
  for (int i = from; i < 5; ++i) if (l.parts[i] > l.n) { asm volatile(""); sum += l.parts[i]; }
  if (sum == 0) throw std::runtime_error("nothing");
  l.n = -1;  // its own copy
  return sum;
}
__attribute__((noinline)) Large grow(Large l, int by) {
  if (by % 2 == 0) { asm volatile(""); l.parts[by % 5] += by; }
  return by > 3 ? grow(l, by - 3) : l;
}
long (*volatile weighs)(Large, int) = weigh;
__attribute__((noinline)) int interpret(const unsigned char* code, int value) {
  static const void* const ways[] = {&&add, &&twice, &&skip, &&stop};
  goto *ways[*code++];
add:
  value += *code++;
  goto *ways[*code++];
twice:
  value *= 2;
  goto *ways[*code++];
skip:
  code += value % 3 == 0;
  goto *ways[*code++];
stop:
  return value;
}
__attribute__((noinline)) int relative(int n) {
  static const int distances[] = {0, (int)((char*)&&two - (char*)&&one), (int)((char*)&&three - (char*)&&one)};
  int sum = 0;
  void* kept = &&three;
  for (int i = 0; i < n; ++i) {
    void* to = i == 7 ? kept : (char*)&&one + distances[i % 3];
    goto *to;
  one: sum += 1; continue;
  two: sum += 20; continue;
  three: sum += 300;
  }
  return sum;
}
int main() {
  const unsigned char code[] = {0, 5, 1, 2, 1, 0, 2, 2, 1, 1, 3};
  long sum = 0;
  std::thread other([&] { for (int i = 0; i < 9; ++i) sum += interpret(code, i) + relative(i + 4); });
  other.join();
  Large l{{1, 2, 3, 4, 5}, 2};
  for (int i = 0; i < 7; ++i) {
    l = grow(l, i);
    try { sum += (i % 2 == 0 ? weighs : weigh)(l, i); } catch (const std::exception&) { sum += 1000; }
  }
  std::printf("%ld %d\n", sum, l.n);
}
"""
        program = self.compile_full(source, "goto")
        plain = os.path.join(self.shared, "goto-plain")
        subprocess.run(["clang++-19", "-O1", "-w", program + ".cpp", "-o", plain, "-pthread"], check=True)
        expected = subprocess.run([plain], check=True, capture_output=True, text=True).stdout
        self.assertEqual(subprocess.run([program], check=True, capture_output=True, text=True).stdout, expected)
        logs = os.path.join(self.folder, "goto")
        done = subprocess.run([program], env={**os.environ, "HEDDLE_RECORD": f"path:{logs}"}, check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, expected)
        log, = glob.glob(logs + "/*.hlog")
        text = self.show(log, 1000)
        self.assertNotIn("incomplete", text)
        for function in ("interpret", "relative", "weigh", "grow"):
            self.assertRegex(text, rf"{function}\(.*\): (way \d of|branch [01])")
        done = subprocess.run([HEDDLE, "record", "--check", log, "--", program], capture_output=True, text=True, check=False)
        for name in ("0", "0.1"):
            self.assertRegex(done.stdout, rf"(?m)^thread {re.escape(name)}: all \d+ steps$", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
