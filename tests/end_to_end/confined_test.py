#!/usr/bin/env python3
"""heddle where the system denies what it likes to have: it works, or says what is missing and what to do."""
import errno
import json
import os
import resource
import unittest

from denied_calls import denying
from heddle_driver import BUG, HeddleTest

# Addresses everywhere: atomic pointers to globals, to the heap, to functions and to libc's own.
POINTERS = """
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
struct Node { int value; };
Node a{1}, b{2};
std::atomic<Node*> head{&a};
std::atomic<Node*> heap{nullptr};
std::atomic<int (*)(const char*)> function{nullptr};
std::atomic<int> n{0};
int main() {
  std::thread t([] {
    head.store(&b, std::memory_order_relaxed);
    heap.store(new Node{3});
    function.store(&puts);
    n.store(1, std::memory_order_relaxed);
  });
  std::thread u([] { assert(n.load(std::memory_order_relaxed) != 1 || head.load(std::memory_order_relaxed) == &b); });
  t.join();
  u.join();
  delete heap.load();
}
"""


class Confined(HeddleTest):
    def find(self, name, **options):
        self.report("--seed", "1", "-n", "5000", "-o", name, "./program", code=BUG, **options)
        return name + "/bug-1.heddle"

    def digest(self, artifact, **options):
        answer = self.heddle("replay", "-q", "--times", "5", artifact, **options)
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertIn("reproduced 5 of 5 times, event for event the same", answer.errors)
        self.assertNotIn("differs", answer.errors)
        return answer.errors.split("digest ")[1][:16]

    def test_personality_denied(self):
        self.compile(POINTERS, c=False)
        free = self.find("free")
        for error in (errno.EPERM, errno.ENOSYS):
            deny = denying("personality", error=error)
            confined = self.find("confined", preexec_fn=deny)
            # One way, and the same in both worlds.
            self.assertEqual(self.digest(free), self.digest(free, preexec_fn=deny))
            self.assertEqual(self.digest(confined), self.digest(confined, preexec_fn=deny))
            os.remove(self.path(confined))
        small = self.heddle("minimize", "-o", "small.heddle", free, preexec_fn=denying("personality"))
        self.assertEqual(small.code, 0, small.errors)
        why = self.heddle("explain", "--json", "why.json", free, preexec_fn=denying("personality"))
        self.assertEqual(why.code, 0, why.errors)
        with open(self.path("why.json"), encoding="utf-8") as file:
            self.assertIn("head", json.load(file)["remedy"]["sentence"] + why.output)

    def test_campaigns_are_the_same_where_personality_is_denied(self):
        self.compile(POINTERS, c=False)
        deny = denying("personality")
        digests = set()
        for jobs in ("1", "3"):
            report, _ = self.report("--seed", "3", "-n", "60", "-j", jobs, "--max-failures", "0", "-o", "d" + jobs, "./program",
                                    code=BUG, preexec_fn=deny)
            digests.add(report["digest"])
            self.assertEqual(report["unconfirmed"] if "unconfirmed" in report else 0, 0)
        self.assertEqual(len(digests), 1)

    def test_a_program_started_at_fixed_addresses_sees_what_it_would_see(self):
        self.compile("""
#include <assert.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char* program_invocation_name;
int main(int argc, char** argv) {
  assert(argc == 4 && strcmp(argv[0], "./program") == 0 && strcmp(argv[2], "") == 0 && strcmp(argv[3], "--argv0") == 0);
  assert(strcmp(program_invocation_name, "./program") == 0);
  assert(strcmp(getenv("HERE"), "a=b") == 0);
  return getenv("HEDDLE_CHANNEL") != NULL;
}
""", flags=["-D_GNU_SOURCE"])
        answer = self.heddle("run", "-n", "2", "--", "./program", "one", "", "--argv0", preexec_fn=denying("personality"),
                             env={**os.environ, "HERE": "a=b"})
        self.assertEqual(answer.code, 0, answer.errors)

    def test_libraries_beside_the_program_are_found(self):
        os.mkdir(self.path("lib"))
        self.write("part.c", "int part(void) { return 7; }\n")
        built = self.heddle("cc", "-g", "-shared", "-fPIC", "part.c", "-o", "lib/libpart.so")
        self.assertEqual(built.code, 0, built.errors)
        self.compile("int part(void);\nint main(void) { return part() == 7 ? 0 : 1; }\n",
                     flags=["-Llib", "-lpart", "-Wl,-rpath,$ORIGIN/lib"])
        answer = self.heddle("run", "-n", "2", "./program", preexec_fn=denying("personality"))
        self.assertEqual(answer.code, 0, answer.errors)


class DeniedCalls(HeddleTest):
    """What containers deny by default, and a few more, one by one."""

    OPTIONAL = ["userfaultfd", "ptrace", "process_vm_readv", "perf_event_open", "kcmp", "memfd_create", "membarrier", "rseq", "statx",
                "close_range", "copy_file_range", "fallocate", "prlimit64", "sched_setaffinity", "setpriority", "pidfd_open",
                "setpgid", "fsync", "madvise"]

    def setUp(self):
        super().setUp()
        self.compile(POINTERS, c=False)
        self.report("--seed", "1", "-n", "5000", "./program", code=BUG)

    def test_calls_that_heddle_can_do_without(self):
        for error in (errno.EPERM, errno.ENOSYS):
            for group in (self.OPTIONAL[:6], self.OPTIONAL[6:12], self.OPTIONAL[12:]):
                deny = denying(*group, error=error)
                answer = self.heddle("run", "--seed", "1", "-n", "5000", "-q", "-o", "out", "./program", preexec_fn=deny)
                self.assertEqual(answer.code, BUG, (group, error, answer.errors))
                answer = self.heddle("replay", "-q", "--times", "3", "heddle-out/bug-1.heddle", preexec_fn=deny)
                self.assertEqual(answer.code, BUG, (group, error, answer.errors))

    def test_clone3_that_is_not_there(self):
        # EPERM is another matter: libc itself creates no thread then, under heddle or without.
        answer = self.heddle("replay", "-q", "--times", "3", "heddle-out/bug-1.heddle", preexec_fn=denying("clone3", error=errno.ENOSYS))
        self.assertEqual(answer.code, BUG, answer.errors)

    def test_small_limits(self):
        def limited(kind, value):
            return lambda: resource.setrlimit(kind, (value, value))
        for kind, value, name in ((resource.RLIMIT_AS, 1 << 30, "address space"), (resource.RLIMIT_AS, 4 << 30, "address space"),
                                  (resource.RLIMIT_NOFILE, 16, "descriptor")):
            for command in (["run", "-n", "5", "./program"], ["replay", "-q", "heddle-out/bug-1.heddle"]):
                answer = self.heddle(*command, preexec_fn=limited(kind, value))
                if answer.code != BUG:
                    self.assertIn(answer.code, (1, 2, 3), answer.errors)
                    self.assertIn(name, answer.errors)


if __name__ == "__main__":
    unittest.main()
