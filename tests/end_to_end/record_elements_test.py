#!/usr/bin/env python3
"""Access vectors and block vectors of native runs: what is recorded, what is left out, and that the engine keeps them."""
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import unittest

from heddle_driver import BAD_INPUT, BUG, HEDDLE, INCONCLUSIVE, HeddleTest, needs_full_builds

# Two threads take turns by a mutex and a flag: every vector is known.
TURNS = """
#include <signal.h>
#include <unistd.h>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
struct Ring { std::mutex lock; std::condition_variable changed; int turn = 0; long sum = 0; };
Ring ring;
int untouched;
int unshared;
static int kill_at = -1;
void work(int id, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    std::unique_lock<std::mutex> guard(ring.lock);
    while (ring.turn != id) ring.changed.wait(guard);
    ring.sum += id + 1;
    ring.turn = 1 - id;
    ring.changed.notify_all();
    if (i == kill_at) kill(getpid(), SIGKILL);
  }
}
int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  if (argc > 2) kill_at = std::atoi(argv[2]);
  if (rounds < 0) untouched = 1;
  std::thread a(work, 0, rounds);
  std::thread b(work, 1, rounds);
  a.join();
  b.join();
  for (int i = 0; i < 10; ++i) unshared += i;
  assert(ring.sum != 3L * 7);
  return unshared == 45 ? 0 : 1;
}
"""


# A buffer for one number: who is woken, and who then has the mutex first, is different in every run.
HANDOVER = """
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
int count, sum;
static void* give(void* p) {
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&lock);
    while (count == 1) pthread_cond_wait(&emptied, &lock);
    ++count;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
  }
  return p;
}
static void* take(void* p) {
  for (int i = 0; i < 20; ++i) {
    pthread_mutex_lock(&lock);
    while (count == 0) pthread_cond_wait(&filled, &lock);
    --count;
    sum += i;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
  }
  return p;
}
int main(void) {
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) pthread_create(&threads[i], 0, i % 2 == 0 ? give : take, 0);
  for (int i = 0; i < 6; ++i) pthread_join(threads[i], 0);
  return sum != 3 * 190;
}
"""


class RecordElementsTest(HeddleTest):
    @classmethod
    def setUpClass(cls):
        needs_full_builds()
        cls.shared = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"heddle-elements-{os.getpid()}")
        os.makedirs(cls.shared, exist_ok=True)
        source = os.path.join(cls.shared, "turns.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(TURNS)
        cls.turns = os.path.join(cls.shared, "turns")
        subprocess.run([HEDDLE, "c++", "--full", "-O1", "-g", "-std=c++20", "-pthread", source, "-o", cls.turns], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def record(self, setting, *arguments, code=0):
        logs = self.path("logs")
        environment = dict(os.environ, HEDDLE_RECORD=setting.format(logs=logs))
        before = set(glob.glob(os.path.join(logs, "*")))
        done = subprocess.run([self.turns, *arguments], env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        new = set(glob.glob(os.path.join(logs, "*"))) - before
        self.assertEqual(len(new), 1, done.stderr)
        return new.pop()

    def show(self, log):
        answer = self.heddle("record", "--json", "--show", log)
        self.assertEqual(answer.code, 0, answer.errors)
        return json.loads(answer.output)

    def vector(self, shown, name):
        found = [v for v in shown["vectors"] if v["name"] == name]
        self.assertEqual(len(found), 1, [v["name"] for v in shown["vectors"]])
        return [(shown["threads"][run["thread"]], run["accesses"]) for run in found[0]["runs"]]

    def test_vectors_are_the_order_that_the_program_forces(self):
        shown = self.show(self.record("vars:{logs}", "50"))
        self.assertEqual(shown["outcome"], "passed")
        # sum: made by main, read and written by the threads in turns, and read by main at the end.
        self.assertEqual(self.vector(shown, "Ring+96"), [("0", 1)] + [("0.1", 2), ("0.2", 2)] * 50 + [("0", 1)])
        self.assertEqual(self.vector(shown, "untouched"), [])
        self.assertEqual([thread for thread, _ in self.vector(shown, "unshared")], ["0"])
        # Another run with the same input can be merged with it, one with other input cannot.
        self.assertEqual(shown["run"], self.show(self.record("vars:{logs},share=25", "50"))["run"])
        self.assertNotEqual(shown["run"], self.show(self.record("vars:{logs},share=25", "51"))["run"])

    def test_a_share_and_a_failure(self):
        all_of_them = self.show(self.record("vars:{logs}", "1"))
        shown = self.show(self.record("vars:{logs},share=50,instance=7", "7", code=-signal.SIGABRT))
        self.assertEqual(shown["outcome"], "failed")
        self.assertIn("turns.cpp", shown["failure_place"])
        self.assertEqual(shown["elements_in_all"], all_of_them["elements_in_all"])
        self.assertEqual(len(shown["vectors"]), (shown["elements_in_all"] * 50 + 50) // 100)
        again = self.show(self.record("vars:{logs},share=50,instance=7", "3"))
        self.assertEqual([v["element"] for v in again["vectors"]], [v["element"] for v in shown["vectors"]])
        self.assertEqual(len(self.show(self.record("vars:{logs},share=one", "3"))["vectors"]), 1)

    def test_blocks(self):
        shown = self.show(self.record("blocks:{logs}", "20"))
        self.assertTrue(all(v["kind"] == "block" for v in shown["vectors"]))
        self.assertTrue(any({shown["threads"][r["thread"]] for r in v["runs"]} == {"0.1", "0.2"} for v in shown["vectors"]))

    def test_a_killed_run_leaves_its_log(self):
        shown = self.show(self.record("vars:{logs}", "1000", "500", code=-signal.SIGKILL))
        self.assertEqual(shown["outcome"], "unknown")
        self.assertTrue(shown["incomplete"])
        threads = [thread for thread, _ in self.vector(shown, "Ring+96")][1:]
        self.assertIn(len(threads), (1001, 1002))  # thread 0.1 was in its round 500, and 0.2 at most one behind
        self.assertEqual(threads, (["0.1", "0.2"] * len(threads))[:len(threads)])

    def test_the_engine_keeps_a_log(self):
        passed = self.record("vars:{logs}", "12")
        accesses = sum(run["accesses"] for v in self.show(passed)["vectors"] for run in v["runs"])
        answer = self.heddle("record", "--check", passed, "--", self.turns, "12")
        self.assertEqual(answer.code, 0, answer.output + answer.errors)
        self.assertIn(f"{accesses} of {accesses} accesses", answer.output)
        # Other arguments, other accesses: nobody can go on as the log has it.
        self.assertEqual(self.heddle("record", "--check", passed, "--", self.turns, "5").code, INCONCLUSIVE)
        failed = self.record("vars:{logs}", "7", code=-signal.SIGABRT)
        answer = self.heddle("record", "--check", failed, "-o", "bug.heddle", "--", self.turns, "7")
        self.assertEqual(answer.code, BUG, answer.output + answer.errors)
        # What came of it is an artifact like any other.
        self.assertEqual(self.heddle("replay", "bug.heddle").code, BUG)

    def test_the_engine_keeps_the_order_in_which_waits_end(self):
        program = self.compile(HANDOVER, flags=("--full", "--spes=static"))
        for instance in range(4):
            logs = self.path(f"handover-{instance}")
            environment = dict(os.environ, HEDDLE_RECORD=f"vars:{logs}")
            self.assertEqual(self.call(program, env=environment).code, 0)
            log = glob.glob(os.path.join(logs, "*"))[0]
            accesses = sum(run["accesses"] for v in self.show(log)["vectors"] for run in v["runs"])
            answer = self.heddle("record", "--check", log, "--", program)
            self.assertEqual(answer.code, 0, answer.output + answer.errors)
            self.assertIn(f"{accesses} of {accesses} accesses", answer.output)

    # Destructors of thread-local objects come when the thread's function has returned.
    def test_a_thread_is_recorded_to_its_end(self):
        program = self.compile("""
            #include <pthread.h>
            #include <mutex>
            #include <thread>
            std::mutex lock;
            long ended;
            struct Tail { ~Tail() { const std::scoped_lock guard(lock); ++ended; } };
            void work(bool exits) { thread_local Tail tail; (void)&tail; if (exits) pthread_exit(nullptr); }
            int main() {
              std::thread a(work, true), b(work, false);
              a.join();
              b.join();
              return ended == 2 ? 0 : 1;
            }""", c=False, flags=("--full", "--spes=static"))
        self.assertEqual(self.call(program, env=dict(os.environ, HEDDLE_RECORD=f"vars:{self.path('logs')}")).code, 0)
        log = glob.glob(os.path.join(self.path("logs"), "*"))[0]
        shown = self.show(log)
        self.assertEqual(sorted(self.vector(shown, "ended")), [("0", 1), ("0.1", 2), ("0.2", 2)])
        self.assertEqual(self.heddle("record", "--check", log, "--", program).code, 0)

    # A loop none of whose elements is chosen runs as a copy without hooks: whatever was chosen, the result is the same, and so are
    # the accesses of each element.
    def test_loops_are_recorded_whatever_was_chosen(self):
        program = self.compile("""
            #include <cstdio>
            #include <mutex>
            #include <stdexcept>
            #include <string>
            #include <thread>
            #include <vector>
            struct Cell { long value = 0, visits = 0; Cell* next = nullptr; };
            struct Table { std::mutex lock; std::vector<Cell> cells; long rounds = 0, thrown = 0, found = 0; std::string text; };
            Table tables[2];
            long mode = 3;
            [[gnu::noinline]] void check(long value) { if (value % 97 == 5) throw std::runtime_error("check"); }
            [[gnu::noinline]] long walk(Table& table, int rounds) {
              long sum = 0;
              for (int round = 0; round < rounds; ++round) {
                const std::scoped_lock guard(table.lock);
                ++table.rounds;
                long last = 0;
                for (Cell& cell : table.cells) {
                  last = cell.value += round;
                  for (Cell* at = &cell; at != nullptr; at = at->next) {
                    if (at->visits > 40) { sum += last; goto out; }
                    sum += at->value + ++at->visits % mode;
                  }
                  try { check(cell.value); } catch (const std::exception&) { ++table.thrown; continue; }
                  if (last == 77) break;
                  switch (last % 5) { case 1: ++table.found; break; case 3: table.text += 'x'; break; default: sum ^= last; }
                }
              out:
                sum += last;
              }
              return sum;
            }
            int main() {
              for (Table& table : tables) {
                table.cells.resize(12);
                for (int i = 0; i < 12; ++i) {
                  table.cells[i].value = 7 * i;
                  if (i % 3 != 0) table.cells[i].next = &table.cells[i - 1];
                }
              }
              long sums[2] = {};
              std::thread a([&] { sums[0] = walk(tables[0], 30); }), b([&] { sums[1] = walk(tables[1], 30); });
              a.join();
              b.join();
              std::printf("%ld %ld %ld %ld %s\\n", sums[0], sums[1], tables[0].thrown, tables[1].found, tables[1].text.c_str());
              return 0;
            }""", c=False, flags=("--full", "--spes=static", "-O2"))
        plain = self.call(program)

        def counts(setting):
            logs = self.path("logs")
            shutil.rmtree(logs, ignore_errors=True)
            answer = self.call(program, env=dict(os.environ, HEDDLE_RECORD=f"vars:{logs}{setting}"))
            self.assertEqual((answer.code, answer.output), (0, plain.output), setting + answer.errors)
            shown = self.show(glob.glob(os.path.join(logs, "*"))[0])
            return {v["element"]: sum(run["accesses"] for run in v["runs"]) for v in shown["vectors"]}
        everything = counts("")
        self.assertGreater(sum(everything.values()), 1000)
        for instance in range(8):
            for share in ("10", "50", "one"):
                some = counts(f",share={share},instance={instance}")
                self.assertEqual(some, {element: everything[element] for element in some}, f"{share} {instance}")

    # A library that is loaded while the program runs, and unloaded; and a child that has neither it nor the log.
    def test_libraries_and_children(self):
        self.write("plug.cpp", """
            #include <mutex>
            static std::mutex lock;
            long plugged;
            extern "C" long plug(int rounds) {
              for (int i = 0; i < rounds; ++i) { const std::scoped_lock guard(lock); ++plugged; }
              return plugged;
            }""")
        built = self.heddle("c++", "--full", "--spes=static", "-g", "-O1", "-shared", "-fPIC", "plug.cpp", "-o", "libplug.so")
        self.assertEqual(built.code, 0, built.errors)
        program = self.compile("""
            #include <dlfcn.h>
            #include <sys/wait.h>
            #include <unistd.h>
            #include <cassert>
            #include <thread>
            long before, after;
            int main() {
              ++before;
              for (int i = 0; i < 2; ++i) {
                void* library = dlopen("./libplug.so", RTLD_NOW);
                assert(library != nullptr);
                auto* plug = reinterpret_cast<long (*)(int)>(dlsym(library, "plug"));
                std::thread a([=] { plug(10); });
                plug(10);
                a.join();
                dlclose(library);
              }
              const pid_t child = fork();
              if (child == 0) { ++after; _exit(7); }
              int status = 0;
              waitpid(child, &status, 0);
              ++after;
              return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 1;
            }""", c=False, flags=("--full", "--spes=static", "-rdynamic"))
        answer = self.call(program, env=dict(os.environ, HEDDLE_RECORD=f"vars:{self.path('logs')}"))
        self.assertEqual(answer.code, 0, answer.errors)
        logs = glob.glob(os.path.join(self.path("logs"), "*"))
        self.assertEqual(len(logs), 1)
        shown = self.show(logs[0])
        self.assertFalse(shown["incomplete"])
        self.assertEqual(self.vector(shown, "after"), [("0", 2)])

    # What cannot be recorded is said, and the program runs as it would have.
    def test_what_is_wrong_with_the_setting_is_said(self):
        nobody = self.path("file")
        self.write("file", "")
        for setting, said in (("vars:{logs},share=0", "share="), ("path:{logs},share=25", "share="), ("vars:{logs},share=banana", "share="), ("vars:{logs},shar=25", "shar"),
                              ("vars:{logs},limit=1K", "limit="), ("vars:", "directory"), ("banana", "vars:"),
                              ("vars:{logs},profile=/nonexistent", "profile="), ("vars:{logs}/a/b", "no such directory"),
                              (f"vars:{nobody}", "no directory")):
            environment = dict(os.environ, HEDDLE_RECORD=setting.format(logs=self.path("logs")))
            done = subprocess.run([self.turns, "3"], env=environment, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, setting)
            self.assertIn(said, done.stderr, setting)
            self.assertIn("Nothing is recorded", done.stderr, setting)
            self.assertEqual(glob.glob(os.path.join(self.path("logs"), "*")), [], setting)

    # A process that may write no long files would get a signal for one.
    def test_the_limit_on_files_is_kept(self):
        def no_long_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (256 << 10, 256 << 10))
        environment = dict(os.environ, HEDDLE_RECORD=f"vars:{self.path('logs')}")
        done = subprocess.run([self.turns, "3"], env=environment, capture_output=True, preexec_fn=no_long_files, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.show(glob.glob(os.path.join(self.path("logs"), "*"))[0])["outcome"], "passed")

    def test_damaged_logs_are_named(self):
        log = self.record("vars:{logs}", "5")
        with open(log, "r+b") as file:
            file.seek(4096 + 34)
            byte = file.read(1)
            file.seek(4096 + 34)
            file.write(bytes([byte[0] ^ 1]))
        # Of a run that failed, and was copied in part.
        cut_off = self.record("vars:{logs}", "7", code=-signal.SIGABRT)
        os.truncate(cut_off, 5000)
        for damaged in (log, cut_off):
            answer = self.heddle("record", "--show", damaged)
            self.assertEqual(answer.code, BAD_INPUT)
            self.assertIn(os.path.basename(damaged), answer.errors)

    def test_a_profile_cuts_to_what_was_seen_shared(self):
        program = self.path("turns")
        shutil.copy(self.turns, program)
        self.assertEqual(self.heddle("record", "--profile", "--all", "--", program, "5").code, 0)
        with open(program + ".spes", encoding="utf-8") as file:
            profile = file.read()
        self.assertIn("Ring+96", profile)
        self.assertNotIn("unshared", profile)

    # What main does before it creates threads and after it has joined them comes in the same order in every run.
    def test_a_profile_leaves_out_what_create_and_join_order(self):
        program = self.compile("""
            #include <mutex>
            #include <thread>
            long setting, answer, counter;
            std::mutex lock;
            int main(int argc, char**) {
              setting = argc;
              auto work = [](int id) {
                for (int i = 0; i < 5; ++i) {
                  if (id == 0) answer += setting;
                  const std::scoped_lock guard(lock);
                  counter += setting;
                }
              };
              std::thread a(work, 0), b(work, 1);
              a.join();
              b.join();
              return answer == 5 && counter == 10 ? 0 : 1;
            }""", c=False, flags=("--full",))
        self.assertEqual(self.heddle("record", "--profile", "--all", "--", program).code, 0)
        with open(self.path("program.spes"), encoding="utf-8") as file:
            names = [line.split()[2] for line in file if line[0] != "#"]
        self.assertIn("counter", names)
        self.assertNotIn("setting", names)
        self.assertNotIn("answer", names)

    # What one lock always protects comes in the order of the lock. Two locks do not do, nor one to read and none to write.
    def test_a_profile_leaves_out_what_a_lock_protects(self):
        program = self.compile("""
            #include <mutex>
            #include <shared_mutex>
            #include <thread>
            long guarded, half_guarded, twice_guarded, read_mostly, unguarded;
            std::mutex lock, other;
            std::shared_mutex readers;
            void work(int id) {
              for (int i = 0; i < 4; ++i) {
                { const std::scoped_lock guard(lock); ++guarded; if (id == 0) ++twice_guarded; else half_guarded += i; }
                if (id == 0) { const std::scoped_lock guard(other); half_guarded += 2; }
                if (id == 1) { const std::scoped_lock guard(other); ++twice_guarded; }
                if (i == 3) { const std::unique_lock guard(readers); ++read_mostly; }
                const std::shared_lock guard(readers);
                if (read_mostly == 17) ++unguarded;
                ++unguarded;
              }
            }
            int main() {
              std::thread a(work, 0), b(work, 1);
              a.join();
              b.join();
              return guarded == 8 ? 0 : 1;
            }""", c=False, flags=("--full",))
        answer = self.heddle("record", "--profile", "--", program)
        self.assertEqual(answer.code, 0, answer.errors)
        self.assertIn("2 of them are left out", answer.output)
        with open(self.path("program.spes"), encoding="utf-8") as file:
            names = [line.split()[2:4] for line in file if line[0] != "#"]
        variables = [first for first, _ in names]
        for name in ("half_guarded", "twice_guarded", "unguarded"):
            self.assertIn(name, variables)
        for name in ("guarded", "read_mostly"):
            self.assertNotIn(name, variables)
        for lock in ("lock", "readers"):
            self.assertIn(["sync", lock], names)
        # All of it is to be had.
        self.assertEqual(self.heddle("record", "--profile", "--all", "--", program).code, 0)
        with open(self.path("program.spes"), encoding="utf-8") as file:
            variables = [line.split()[2] for line in file if line[0] != "#"]
        for name in ("guarded", "half_guarded", "twice_guarded", "read_mostly", "unguarded"):
            self.assertIn(name, variables)

    # A lock protects what it is held for at every access, by whatever means, and only where its order is recorded.
    def test_what_is_not_always_under_a_recorded_lock_stays_in_the_profile(self):
        self.write("library.c", """
            #include <pthread.h>
            #include <string.h>
            void take(pthread_mutex_t* lock) { pthread_mutex_lock(lock); }
            void give(pthread_mutex_t* lock) { pthread_mutex_unlock(lock); }
            void clear(long* value) { memset(value, 0, sizeof *value); }""")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.path("liblibrary.so"), self.path("library.c")], check=True)
        program = self.compile("""
            #include <pthread.h>
            #include <string.h>
            #include <thread>
            extern "C" void take(pthread_mutex_t*), give(pthread_mutex_t*), clear(long*);
            struct Record { long first[8], last[8]; };
            Record record;
            long guarded, peeked, taken_elsewhere, cleared;
            pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
            volatile long sum;
            void work(int id) {
              for (int i = 0; i < 3; ++i) {
                pthread_mutex_lock(&lock);
                ++guarded;
                ++peeked;
                ++taken_elsewhere;
                ++cleared;
                ++record.first[0];
                Record copy;
                memcpy(&copy, &record, sizeof copy);
                sum = copy.first[i] + copy.last[i];
                pthread_mutex_unlock(&lock);
                ++record.last[0];
                if (__atomic_load_n(&peeked, __ATOMIC_RELAXED) == 17) ++sum;
                clear(&cleared);
                take(&lock);
                ++taken_elsewhere;
                give(&lock);
              }
            }
            int main() {
              std::thread a(work, 0), b(work, 1);
              a.join();
              b.join();
              return guarded == 6 ? 0 : 1;
            }""", c=False, flags=("--full", "-Wl,--no-as-needed", "./liblibrary.so"))
        answer = self.heddle("record", "--profile", "--", program)
        self.assertEqual(answer.code, 0, answer.errors)
        with open(self.path("program.spes"), encoding="utf-8") as file:
            names = [line.split()[2] for line in file if line[0] != "#"]
        self.assertNotIn("guarded", names)
        for name in ("peeked", "taken_elsewhere", "cleared", "Record+0"):
            self.assertIn(name, names)


if __name__ == "__main__":
    unittest.main()
