#!/usr/bin/env python3
"""What users type: bad command lines, programs that heddle cannot run, artifacts that are none."""
import os
import re
import shutil
import unittest

from heddle_driver import BAD_INPUT, BUG, NO_BUG, TESTS, HeddleTest, needs

RACE = """
#include <pthread.h>
static int shared;
static void* work(void* nothing) { shared++; return nothing; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  shared++;
  pthread_join(thread, NULL);
  return 0;
}
"""
FINE = """
#include <pthread.h>
static int shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* nothing) { pthread_mutex_lock(&mutex); shared++; pthread_mutex_unlock(&mutex); return nothing; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  return shared != 2;
}
"""


class CommandLine(HeddleTest):
    def test_bad_command_lines_end_with_2_and_say_why(self):
        program = self.compile(FINE)
        for arguments, told in ((["no-such-command"], "no-such-command"), (["run"], "program"),
                                (["run", "--no-such-option", program], "--no-such-option"),
                                (["run", "-n", "0", program], "executions"), (["run", "-t", "soon", program], "soon"),
                                (["run", "--strategy", "magic", program], "magic"),
                                (["run", "./not-there"], "not-there"), (["run", "."], "."),
                                (["run", "program.c"], "program.c"), (["replay"], "artifact"),
                                (["replay", "not-there.heddle"], "not-there.heddle"), (["show", "program.c"], "program.c")):
            answer = self.heddle(*arguments)
            self.assertEqual(answer.code, BAD_INPUT, f"{arguments}: {answer.errors}")
            self.assertIn(told, answer.errors)

    def test_help_and_version(self):
        for arguments in (["--help"], ["--version"], ["run", "--help"], ["replay", "--help"], ["show", "--help"]):
            answer = self.heddle(*arguments)
            self.assertEqual(answer.code, 0, answer.errors)
            self.assertIn("heddle", answer.output)
        self.assertEqual(self.heddle().code, BAD_INPUT)

    def test_the_version_names_the_commit(self):
        """What `git describe` says of the tree when it was built; "unknown" where it is in no repository of its own."""
        answer = self.heddle("--version")
        self.assertRegex(answer.output, r"^heddle \d+\.\d+\.\d+ \((unknown|(v\d\S*|[0-9a-f]{12,})(-dirty)?)\)\n$")
        script = os.path.join(TESTS, "..", "cmake", "write_commit.cmake")

        def commit():
            self.call("cmake", "-DSOURCE=" + self.path("tree"), "-DOUTPUT=" + self.path("commit.cpp"), "-P", script)
            with open(self.path("commit.cpp"), encoding="utf-8") as file:
                return re.search(r'"(.*)";', file.read()).group(1)

        def git(*arguments):
            answer = self.call("git", "-C", "tree", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments)
            self.assertEqual(answer.code, 0, answer.errors)
            return answer.output.strip()

        os.mkdir(self.path("tree"))
        self.assertEqual(commit(), "unknown")
        git("init", "-q")
        self.write("tree/file", "1")
        git("add", "file")
        git("commit", "-q", "-m", "One")
        name = git("rev-parse", "HEAD")
        self.assertTrue(name.startswith(commit()), commit())
        self.write("tree/file", "2")
        self.assertTrue(commit().endswith("-dirty"), commit())
        git("commit", "-q", "-a", "-m", "Two")
        git("tag", "v1.0.0")
        self.assertEqual(commit(), "v1.0.0")
        # The source is written anew only when the commit has changed.
        before = os.stat(self.path("commit.cpp")).st_mtime_ns
        self.assertEqual(commit(), "v1.0.0")
        self.assertEqual(os.stat(self.path("commit.cpp")).st_mtime_ns, before)
        # A tree without a repository of its own inside another one.
        os.rename(self.path("tree"), self.path("outer"))
        os.mkdir(self.path("outer/inner"))
        os.symlink(self.path("outer/inner"), self.path("tree"))
        self.assertEqual(commit(), "unknown")

    def test_options_from_the_environment(self):
        program = self.compile(FINE)
        report, _ = self.report("-n", "7", program, code=NO_BUG, env={**os.environ, "HEDDLE_OPTIONS": "seed=5:executions=9"})
        self.assertEqual((report["seed"], report["executions"]), (5, 7))


class OtherPrograms(HeddleTest):
    def build(self, compiler, *flags, source=RACE):
        needs(shutil.which(compiler), compiler)
        self.write("program.c", source)
        answer = self.call(compiler, "-g", "-O1", "-pthread", *flags, "program.c", "-o", "program")
        self.assertEqual(answer.code, 0, answer.errors)
        return "./program"

    def test_uninstrumented_program_is_refused(self):
        answer = self.heddle("run", self.build("gcc"))
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        self.assertIn("heddle c", answer.errors)

    def test_static_thread_sanitizer_is_refused(self):
        answer = self.heddle("run", self.build("clang-19", "-fsanitize=thread"))
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        self.assertIn("heddle c", answer.errors)

    def test_script_is_refused(self):
        self.write("script", "#!/bin/sh\nexit 0\n")
        os.chmod(self.path("script"), 0o755)
        self.assertEqual(self.heddle("run", "./script").code, BAD_INPUT)

    def test_program_built_for_libtsan_runs_without_a_rebuild(self):
        program = self.build("gcc", "-fsanitize=thread")
        report, answer = self.report("-n", "200", "--seed", "1", program, code=BUG)
        self.assertEqual(report["findings"][0]["kind"], "data race")
        self.assertNotIn("ThreadSanitizer", answer.errors)
        self.assertEqual(self.heddle("replay", "heddle-out/bug-1.heddle").code, BUG)

    def test_correct_program_built_for_libtsan(self):
        report, _ = self.report("-n", "100", "--seed", "1", self.build("gcc", "-fsanitize=thread", source=FINE), code=NO_BUG)
        self.assertEqual(report["executions"], 100)


class Artifacts(HeddleTest):
    def setUp(self):
        super().setUp()
        self.compile(RACE)
        self.found, _ = self.report("--seed", "1", "-n", "200", "./program", code=BUG)
        self.artifact = self.path(self.found["findings"][0]["artifact"])

    def test_json_has_the_documented_keys(self):
        for key in ("version", "seed", "executions", "buggy_executions", "executions_per_second", "strategies", "findings",
                    "seconds", "workers", "warnings", "endings", "program", "options", "tool"):
            self.assertIn(key, self.found)
        for key in ("kind", "summary", "count", "artifact", "locations"):
            self.assertIn(key, self.found["findings"][0])
        self.assertEqual(self.found["findings"][0]["kind"], "data race")
        self.assertEqual(self.found["version"], 1)

    def test_replay_from_another_folder(self):
        os.mkdir(self.path("elsewhere"))
        answer = self.heddle("replay", "../heddle-out/bug-1.heddle", cwd=self.path("elsewhere"))
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertIn("SUMMARY: heddle: data race", answer.errors)

    def test_what_a_replay_is_shown_on_changes_nothing(self):
        self.compile("""
            #include <assert.h>
            #include <pthread.h>
            #include <stdatomic.h>
            #include <stdio.h>
            atomic_int turns;
            static void* run(void* p) {
              for (int i = 0; i < 3; ++i) { atomic_fetch_add(&turns, 1); puts("turn"); fflush(stdout); }
              return p;
            }
            int main(void) {
              pthread_t a, b;
              pthread_create(&a, 0, run, 0);
              pthread_create(&b, 0, run, 0);
              pthread_join(a, 0);
              pthread_join(b, 0);
              assert(turns != 6);
              return 0;
            }""", name="turns")
        self.assertEqual(self.heddle("run", "-o", "turns-out", "./turns").code, BUG)
        answer = self.heddle("replay", "turns-out/bug-1.heddle")  # whose standard output is a pipe
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertEqual(answer.output.count("turn\n"), 6)

    def test_replay_of_a_program_that_moved(self):
        os.rename(self.path("program"), self.path("moved"))
        answer = self.heddle("replay", "heddle-out/bug-1.heddle")
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        answer = self.heddle("replay", "--program", "./moved", "heddle-out/bug-1.heddle")
        self.assertEqual(answer.code, BUG, answer.errors)

    def test_show_prints_without_the_program(self):
        os.remove(self.path("program"))
        answer = self.heddle("show", "heddle-out/bug-1.heddle")
        self.assertEqual(answer.code, 0, answer.errors)
        self.assertIn("data race", answer.output)

    def test_damaged_artifacts_are_bad_input(self):
        with open(self.artifact, "rb") as file:
            good = file.read()
        middle = len(good) // 2
        for name, content in (("empty", b""), ("short", good[:middle]), ("cut", good[:-1]), ("header", b"X" + good[1:]),
                              ("flipped", good[:middle] + bytes([good[middle] ^ 0x40]) + good[middle + 1:]),
                              ("noise", bytes(range(256)) * 64)):
            with open(self.path("bad.heddle"), "wb") as file:
                file.write(content)
            for command in ("replay", "show"):
                answer = self.heddle(command, "bad.heddle")
                self.assertEqual(answer.code, BAD_INPUT, f"{command} {name}: {answer.errors}")
                self.assertIn("bad.heddle", answer.errors)

    def test_artifact_of_another_build_is_said(self):
        self.compile(RACE.replace("shared++; return", "shared += 2; return"))
        answer = self.heddle("replay", "heddle-out/bug-1.heddle")
        self.assertIn(answer.code, (BUG, 1, BAD_INPUT))
        self.assertRegex(answer.errors, "(?i)build|changed|differ")


if __name__ == "__main__":
    unittest.main()
