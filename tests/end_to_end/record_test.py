#!/usr/bin/env python3
"""heddle record: logs of native runs, read back; what is left of them after SIGKILL; damaged files; the same paths under the engine."""
import glob
import os
import re
import signal
import subprocess
import sys
import unittest

from heddle_driver import BAD_INPUT, HEDDLE
from record_driver import RecordTest


SOURCE = r"""
#include <algorithm>
#include <cassert>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <unistd.h>
#include <vector>

struct Shape { virtual ~Shape() = default; virtual int corners(int n) = 0; };
struct Square : Shape { int corners(int n) override { return n > 2 ? 4 : 5; } };
struct Circle : Shape { int corners(int) override { return 0; } };

__attribute__((noinline)) int classify(int n) {
  switch (n % 5) {
    case 0: return 7;
    case 1: return n > 10 ? 1 : 2;
    case 3: return 9;
    default: return 4;
  }
}
__attribute__((noinline)) void fail_for(int n) { if (n == 3) throw std::runtime_error("three"); }
int compare(const void* a, const void* b) { return *(const int*)a < *(const int*)b ? -1 : 1; }
volatile sig_atomic_t signals = 0;
void on_signal(int) { for (int i = 0; i < 3; ++i) if (i != 1) signals = signals + 1; }
std::jmp_buf back;
__attribute__((noinline)) void jump(int n) { if (n > 1) std::longjmp(back, n); }

int child(int rounds) {
  int sum = 0;
  for (int i = 0; i < rounds; ++i) sum += classify(i);
  return sum;
}

int main(int argc, char** argv) {
  int sum = 0;
  Square square;
  Circle circle;
  for (int i = 0; i < 6; ++i) sum += static_cast<Shape*>(i % 2 == 0 ? (Shape*)&square : &circle)->corners(i);
  try {
    for (int i = 0; i < 5; ++i) fail_for(i);
  } catch (const std::exception&) { sum += 100; }
  int numbers[] = {5, 3, 9, 1};
  std::qsort(numbers, 4, sizeof(int), compare);
  std::signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  volatile int jumps = 0;
  if (setjmp(back) < 3) { jumps = jumps + 1; jump(jumps + 1); }
  std::thread a([&] { std::thread inner(child, 40); inner.join(); });
  std::thread b(child, 10);
  a.join();
  b.join();
  std::printf("%d %d %d\n", sum, (int)signals, (int)jumps);
  std::fflush(stdout);
  if (argc > 1 && std::strcmp(argv[1], "assert") == 0) assert(sum == 0);
  if (argc > 1 && std::strcmp(argv[1], "crash") == 0) *(volatile int*)nullptr = 1;
  if (argc > 1 && std::strcmp(argv[1], "spin") == 0) for (unsigned n = 0;; ++n) signals = classify(n % 17);
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
"""


class Record(RecordTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program = cls.compile_full(SOURCE, "paths")

    def record(self, *arguments, code=0, options=(), env=None):
        logs = os.path.join(self.folder, "logs")
        done = subprocess.run([HEDDLE, "record", "--dir", logs, *options, "--", self.program, *arguments],
                              capture_output=True, text=True, check=False, env=env)
        self.assertEqual(done.returncode, code, done.stderr)
        return max(glob.glob(logs + "/*.hlog"), key=os.path.getmtime), done

    def test_round_trip(self):
        log, done = self.record()
        self.assertEqual(done.stdout, "114 2 2\n")
        text = self.show(log, 200)
        self.assertIn("ended   exit status 0", text)
        for name in ("0", "0.1", "0.1.1", "0.2", "0!"):
            self.assertRegex(text, rf"thread {re.escape(name)}: ")
        self.assertNotIn("incomplete", text)
        # Six virtual calls, alternating; an exception; four numbers compared; a signal; a second return.
        self.assertEqual(re.findall(r"calls (Square|Circle)::corners\(", text), ["Square", "Circle"] * 3)
        self.assertEqual(text.count("an exception arrives"), 1)
        # What was inlined from elsewhere is where it was called.
        self.assertLessEqual(max(map(int, re.findall(r"paths\.cpp:(\d+)", text))), SOURCE.count("\n"))
        self.assertGreaterEqual(text.count("compare(void const*, void const*) is entered"), 4)
        self.assertIn(f"signal {int(signal.SIGUSR1)}", text)
        self.assertEqual(text.count("setjmp returns again"), 2)
        # The switch of forty rounds: 8 of 0, 1, 3 each and 16 of the others.
        inner = text[text.index("thread 0.1.1:"):text.index("thread 0.2:")]
        ways = re.findall(r"way (\d) of 4", inner)
        self.assertEqual(sorted(ways.count(w) for w in set(ways)), [8, 8, 8, 16])

    def test_same_input_same_hash(self):
        hashes = {arguments: re.search(r"run +(\w+)", self.show(self.record(*arguments, code=int(arguments[0]) if arguments else 0)[0]))[1]
                  for arguments in ((), ("0",), ("5",))}
        self.assertEqual(len(set(hashes.values())), 3)
        # Who runs it, and from where, is no input; a variable of the program's is.
        elsewhere = dict(os.environ, HOME="/elsewhere", USER="somebody", LOGNAME="somebody",
                         PATH=os.environ["PATH"] + ":/elsewhere", TERM="dumb", INVOCATION_ID="1")
        for environment, same in ((elsewhere, True), (dict(elsewhere, MODE="fast"), False)):
            log = self.record("5", code=5, env=environment)[0]
            self.assertEqual(re.search(r"run +(\w+)", self.show(log))[1] == hashes[("5",)], same)
        again = self.record("5", code=5)[0]
        self.assertEqual(re.search(r"run +(\w+)", self.show(again))[1], hashes[("5",)])

    def test_same_under_the_engine(self):
        log, _ = self.record()
        done = subprocess.run([HEDDLE, "record", "--check", log, "--", self.program], capture_output=True, text=True, check=False)
        for name in ("0", "0.1", "0.1.1", "0.2"):
            self.assertRegex(done.stdout, rf"(?m)^thread {re.escape(name)}: all \d+ steps$")

    def test_outcomes(self):
        self.assertIn("ended   exit status 7", self.show(self.record("7", code=7)[0]))
        self.assertRegex(self.show(self.record("assert", code=134)[0]), r"ended   assertion failed: .*paths.cpp:\d+: .*sum == 0")
        self.assertRegex(self.show(self.record("crash", code=139)[0]), r"ended   SIGSEGV at paths\+0x")

    def test_killed(self):
        logs = os.path.join(self.folder, "killed")
        with subprocess.Popen([self.program, "spin"], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "HEDDLE_RECORD": f"path:{logs},limit=1M"}) as process:
            first = process.stdout.readline()  # all before it is in the log
            process.kill()
        self.assertEqual(first, "114 2 2\n")
        log, = glob.glob(logs + "/*.hlog")
        text = self.show(log, 400)
        self.assertIn("ended   no end", text)
        self.assertEqual(text.count("an exception arrives"), 1)
        self.assertIn("thread 0.1.1:", text)

    def test_killed_among_full_chunks(self):
        """Whenever it is: what is there is a beginning of the path, and all of it but what registers held."""
        source = r"""
#include <csignal>
#include <cstdlib>
#include <unistd.h>
int main(int, char** words) {
  const unsigned last = std::atoi(words[1]);
  const long self = getpid();
  unsigned x = 1, n = 0;
  for (unsigned i = 0;; ++i) {
    x = x * 1664525u + 1013904223u;
    if (x >> 31) { asm volatile("# high" : "+r"(n)); n += 3; } else { asm volatile("# low" : "+r"(n)); n ^= x; }
    if (i == last) {  // kill, without a call that bits are put into memory for
      long call = 62;
      asm volatile("syscall" : "+a"(call) : "D"(self), "S"((long)SIGKILL) : "rcx", "r11", "memory");
    }
  }
}
"""
        program = self.compile_full(source, "killed-program")
        for last in (100, 20000, 500000, 654321):
            logs = os.path.join(self.folder, f"killed-{last}")
            done = subprocess.run([program, str(last)], env={**os.environ, "HEDDLE_RECORD": f"path:{logs}"}, check=False)
            self.assertEqual(done.returncode, -signal.SIGKILL)
            log, = glob.glob(logs + "/*.hlog")
            text = self.show(log)
            bits, decisions = map(int, re.search(r"thread 0: (\d+) bits, (\d+) decisions", text).groups())
            self.assertEqual(bits, decisions, text)
            self.assertGreaterEqual(decisions, 2 * last - 62)
            self.assertLessEqual(decisions, 2 * last + 2)

    def test_bound(self):
        logs = os.path.join(self.folder, "bound")
        source = "#include <cstdlib>\nint main(int c, char** v) { volatile unsigned n = 0; unsigned x = 1; for (int i = 0; i < 3000000; ++i) { x = x * 1664525u + 1013904223u; if (x >> 31) n = n + 1; else n = x; } return n == 0; }"
        program = self.compile_full(source, "bound-program")
        subprocess.run([program], env={**os.environ, "HEDDLE_RECORD": f"path:{logs},limit=128K"}, check=True)
        log, = glob.glob(logs + "/*.hlog")
        self.assertLessEqual(os.path.getsize(log), 128 << 10)
        self.assertIn("incomplete", self.show(log))

    def test_damaged(self):
        log, _ = self.record(options=["--raw"])
        with open(log, "rb") as file:
            whole = file.read()
        other = os.path.join(self.folder, "damaged.hlog")
        bits = next(at for at in range(4096, len(whole), 4096) if whole[at:at + 4] == b"CHNK" and whole[at + 8] == 8)
        for content, message in ((b"", "too short"), (b"x" * 5000, "no log"), (whole[:1000], "cut off"), (whole[:-4096], "damaged"),
                                 (whole[:8] + b"\x09" + whole[9:], "version"),
                                 (whole[:16] + b"\0" * 8 + whole[24:], "another build"),
                                 (whole[:bits + 16] + b"\x01" + whole[bits + 17:], "damaged"),
                                 (whole[:bits + 32] + bytes([whole[bits + 32] ^ 1]) + whole[bits + 33:], "damaged")):
            with open(other, "wb") as file:
                file.write(content)
            self.assertIn(message, self.show(other, code=BAD_INPUT))
        collected, _ = self.record()
        with open(collected, "rb") as file:
            packed = bytearray(file.read())
        packed[len(packed) // 2] ^= 0x10
        with open(other, "wb") as file:
            file.write(packed)
        self.assertIn("damaged", self.show(other, code=BAD_INPUT))

    def test_bad_settings(self):
        for setting in ("paths:x", "path:", "path:x,limit=y"):
            done = subprocess.run([self.program], env={**os.environ, "HEDDLE_RECORD": setting}, capture_output=True, text=True, check=True)
            self.assertIn("Nothing is recorded", done.stderr)
            self.assertEqual(done.stdout, "114 2 2\n")
        done = subprocess.run([HEDDLE, "record", "--", "/bin/true"], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("--full", done.stderr)
        done = subprocess.run([HEDDLE, "record", "--", "./not-there"], capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn("./not-there cannot be run", done.stderr)
        self.assertNotIn("--full", done.stderr)

    def test_what_is_recorded_may_be_a_word(self):
        for kind in ("path", "vars", "blocks"):
            answer = self.heddle("record", kind, "-d", kind, "--", self.program)
            self.assertEqual(answer.code, 0, answer.errors)
            (log,) = os.listdir(self.path(kind))
            self.assertEqual(self.show(os.path.join(self.path(kind), log)).startswith("program"), kind == "path")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
