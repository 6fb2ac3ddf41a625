#!/usr/bin/env python3
"""What programs bring along: death tests, plugins, libraries that spin, other allocators, processes left behind."""
import ctypes.util
import os
import re
import subprocess
import unittest

from heddle_driver import INCONCLUSIVE, NO_BUG, HeddleTest

DEATH = """
#include <gtest/gtest.h>
#include <atomic>
#include <thread>
#include <vector>
TEST(FastDeathTest, DiesInAFork) {
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_DEATH({ fprintf(stderr, "bye bye"); abort(); }, "bye");
  EXPECT_EXIT(exit(3), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(raise(SIGKILL), testing::KilledBySignal(SIGKILL), "");
  EXPECT_DEATH({
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([] { for (int k = 1; k < 500; ++k) delete[] new char[k]; });
    for (auto& thread : threads) thread.join();
    fprintf(stderr, "joined");
    abort();
  }, "joined");
}
TEST(SafeDeathTest, DiesInAnotherProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::atomic<int> count{0};
  std::thread thread([&] { ++count; });
  EXPECT_DEATH({ fprintf(stderr, "bye bye"); abort(); }, "bye");
  thread.join();
  EXPECT_EQ(count, 1);
}
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
"""
SPIN_LIBRARY = "int spin_until(const int* flag) { while (!__atomic_load_n(flag, __ATOMIC_RELAXED)) {} return 1; }"
SPIN = """
#include <pthread.h>
int spin_until(const int* flag);
static int flag;
static void* set(void* unused) { __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  spin_until(&flag);
  pthread_join(thread, 0);
  return 0;
}
"""
# Two processes that do this at the same time find each other's lock.
LOCK_FILE = """
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void* work(void* nothing) { return nothing; }
int main(void) {
  int file = open("lock", O_RDWR | O_CREAT | O_EXCL, 0600);
  assert(file >= 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  for (int i = 0; i < 20000; ++i) lseek(file, i, SEEK_SET);
  unlink("lock");
  return 0;
}
"""
# What an execution leaves behind is removed by the next one, which would not find its own names free.
OLD_NAMES = """
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static void* work(void* nothing) { return nothing; }
int main(void) {
  REMOVE;
  assert(mkdir("folder", 0700) == 0);
  assert(open("folder/file", O_WRONLY | O_CREAT | O_EXCL, 0600) >= 0);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  return 0;
}
"""
PLUGIN = """
#include <atomic>
#include <thread>
thread_local int mine = 5;
std::atomic<int> ready{0};
int value = 0;
extern "C" int plugin_run() {
  std::thread thread([] { value = mine; ready.store(1, ORDER); });
  while (ready.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  const int seen = value;
  thread.join();
  return seen + mine;
}
"""
PLUGIN_HOST = """
#include <dlfcn.h>
#include <cassert>
#include <thread>
int main() {
  std::thread before([] {});
  before.join();
  void* plugin = dlopen("./plugin.so", RTLD_NOW);
  assert(plugin != nullptr);
  auto* run = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_run"));
  assert(run() == 10);
}
"""
HOOKS = """
#include <pthread.h>
void hooks(void);
static void* work(void* nothing) { return nothing; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  hooks();
  return pthread_join(thread, 0);
}
"""
LEAVES_PROCESS = """
#include <pthread.h>
#include <unistd.h>
static void* work(void* unused) { return unused; }
int main(int argc, char** argv) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  if (fork() == 0) {
    if (fork() == 0) {
      setsid();
      execlp("sleep", argv[1], "1000", (char*)0);
    }
    _exit(0);
  }
  (void)argc;
  return 0;
}
"""
STDIN = """
#include <cassert>
#include <iostream>
#include <string>
#include <thread>
int main() {
  std::string first, second;
  assert(std::getline(std::cin, first));
  std::thread thread([&] { assert(std::getline(std::cin, second)); });
  thread.join();
  assert(first == "one" && second == "two");
}
"""

ALLOCATOR = """
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>
std::mutex mutex;
std::vector<char*> queue;
void produce() {
  for (int i = 1; i <= 20; ++i) {
    char* block = static_cast<char*>(i % 2 ? malloc(i * 50) : calloc(i, 50));
    memset(block, i, i * 50);
    std::lock_guard lock(mutex);
    queue.push_back(block);
  }
}
void consume() {
  for (int taken = 0; taken < 20;) {
    char* block = nullptr;
    {
      std::lock_guard lock(mutex);
      if (!queue.empty()) {
        block = queue.back();
        queue.pop_back();
      }
    }
    if (block == nullptr) {
      std::this_thread::yield();
      continue;
    }
    assert(block[0] == block[1]);
    free(realloc(block, 5000));
    ++taken;
  }
}
int main() {
  std::thread producer(produce), consumer(consume);
  producer.join();
  consumer.join();
}
"""


class OutsideTest(HeddleTest):
    def test_death_tests_of_both_styles(self):
        self.write("death.cpp", DEATH)
        answer = self.heddle("c++", "-g", "-O1", "death.cpp", "-o", "death", "-lgtest", "-pthread")
        self.assertEqual(answer.code, 0, answer.errors)
        self.report("-n", "5", "--seed", "1", "--", "./death", code=NO_BUG)

    def test_a_library_that_spins_is_named(self):
        self.write("spin.c", SPIN_LIBRARY)
        self.assertEqual(self.call("cc", "-O1", "-shared", "-fPIC", "spin.c", "-o", "libspin.so").code, 0)
        program = self.compile(SPIN, flags=["-pthread", "-L.", "-lspin", "-Wl,-rpath,$ORIGIN"])
        answer = self.heddle("run", "-n", "20", "--seed", "1", "--timeout", "300ms", "-j", "1", "--no-progress", "--", program)
        self.assertIn(answer.code, (NO_BUG, INCONCLUSIVE), answer.errors)
        self.assertRegex(answer.errors, r"ran out of time.*libspin\.so\+0x[0-9a-f]+")

    def plugin(self, order):
        self.write("plugin.cpp", PLUGIN.replace("ORDER", order))
        answer = self.heddle("c++", "-g", "-O1", "-shared", "-fPIC", "plugin.cpp", "-o", "plugin.so", "-pthread")
        self.assertEqual(answer.code, 0, answer.errors)
        return self.compile(PLUGIN_HOST, c=False, flags=["-pthread", "-ldl"])

    def test_a_plugin_is_explored(self):
        self.report("-n", "50", "--seed", "1", "--", self.plugin("std::memory_order_release"), code=NO_BUG)

    def test_a_bug_in_a_plugin_is_found(self):
        report, _ = self.report("-n", "50", "--seed", "1", "--", self.plugin("std::memory_order_relaxed"), code=66)
        self.assertEqual(report["findings"][0]["kind"], "data race")

    def test_no_process_is_left_behind(self):
        name = f"left-by-{os.getpid()}"
        self.report("-n", "5", "--seed", "1", "--", self.compile(LEAVES_PROCESS, flags=["-pthread"]), name, code=NO_BUG)
        left = [pid for pid in os.listdir("/proc") if pid.isdigit() and name in command_line(pid)]
        self.assertEqual(left, [])

    def test_standard_input_is_the_same_for_every_execution(self):
        program = self.compile(STDIN, c=False, flags=["-pthread"])
        answer = self.call("sh", "-c", f"printf 'one\\ntwo\\n' | {os.environ['HEDDLE']} run -n 20 --seed 1 --no-progress -- {program}")
        self.assertEqual(answer.code, NO_BUG, answer.errors)

    def test_executions_that_write_files_take_turns(self):
        program = self.compile(LOCK_FILE, flags=["-pthread"])
        self.report("-n", "40", "--seed", "1", "--", program, code=NO_BUG)

    def test_names_are_removed_in_each_execution(self):
        for remove in ('unlink("folder/file"); rmdir("folder")', 'remove("folder/file"); remove("folder")',
                       'unlink("folder/file"); rename("folder", "old")',
                       'unlinkat(AT_FDCWD, "folder/file", 0); unlinkat(AT_FDCWD, "folder", AT_REMOVEDIR)',
                       'unlink("folder/file"); renameat(AT_FDCWD, "folder", AT_FDCWD, "old")'):
            with self.subTest(remove):
                program = self.compile(OLD_NAMES, flags=["-pthread", f"-DREMOVE={remove}"])
                self.report("-n", "40", "--seed", "1", "--", program, code=NO_BUG)

    def test_hooks_of_system_calls(self):
        folder = subprocess.run(["clang-19", "-print-resource-dir"], stdout=subprocess.PIPE, text=True, check=True)
        with open(os.path.join(folder.stdout.strip(), "include", "sanitizer", "linux_syscall_hooks.h"),
                  encoding="utf-8") as file:
            hooks = sorted(set(re.findall(r"\b__sanitizer_syscall_(?:pre|post)_impl_\w+", file.read())))
        self.assertGreater(len(hooks), 600)
        calls = "".join(f"  void {hook}(long, long);\n  {hook}(-1, -1);\n" for hook in hooks)
        program = self.compile(HOOKS + "void hooks(void) {\n" + calls + "}\n", flags=["-pthread"])
        self.report("-n", "2", "--seed", "1", "--", program, code=NO_BUG)
        self.assertEqual(self.call(program).code, 0)

    def test_other_allocators(self):
        plain = self.compile(ALLOCATOR, c=False, flags=["-pthread"], name="plain")
        for library in ("jemalloc", "tcmalloc_minimal"):
            file = ctypes.util.find_library(library)
            if file is None:
                continue  # not installed here
            with self.subTest(library, how="linked"):
                linked = self.compile(ALLOCATOR, c=False, name=library,
                                      flags=["-pthread", "-Wl,--no-as-needed", f"-l:{file}"])
                self.report("-n", "20", "--seed", "1", "--", linked, code=NO_BUG)
            with self.subTest(library, how="preloaded"):
                answer = self.call("env", f"LD_PRELOAD={file}", os.environ["HEDDLE"], "run", "-n", "20", "--seed", "1",
                                   "--no-progress", "--", plain)
                self.assertEqual(answer.code, NO_BUG, answer.errors)


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


if __name__ == "__main__":
    unittest.main()
