#!/usr/bin/env python3
"""What users type: bad command lines, programs that heddle cannot run, artifacts that are none."""
import os
import re
import shlex
import shutil
import unittest

import help_pages
from heddle_driver import BAD_INPUT, BUG, HEDDLE, NO_BUG, TESTS, HeddleTest, needs

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

    def refused(self, *arguments, **options):
        """What is said about a command line that is none."""
        answer = self.heddle(*arguments, **options)
        self.assertEqual((answer.code, answer.output), (BAD_INPUT, ""), f"{arguments}: {answer.errors}")
        self.assertTrue(answer.errors.startswith("heddle: "), answer.errors)
        return answer.errors

    def test_what_was_meant(self):
        self.compile(FINE)
        for line, meant in (("rnu ./program", "run"), ("rpelay x", "replay"), ("repot", "report"), ("--verison", "--version"),
                            ("run --sede 5 ./program", "--seed"), ("run -seed 5 ./program", "--seed"),
                            ("run --max_failures 5 ./program", "--max-failures"), ("run --exec 5 ./program", "--executions"),
                            ("run --model c++2 ./program", "c++20"), ("run --color alway ./program", "always"),
                            ("run -s pcd ./program", "pct"), ("run -s exhaustive:preemtions=2 ./program", "preemptions"),
                            ("replay --time 5 x.heddle", "--times"), ("explain --htlm x x.heddle", "--html"),
                            ("lin chek x", "check"), ("lin run --chekc 5 ./program", "--check"), ("bench litmsu", "litmus"),
                            ("bench litmus --folde x", "--folder"), ("merge --metric dism logs -- ./program", "dsim"),
                            ("search --form logs -- ./program", "--from"), ("completion zhs", "zsh"), ("man rnu", "run"),
                            ("help strategy", "strategies"), ("help memmory-model", "memory-model")):
            with self.subTest(line):
                self.assertIn(f"Did you mean '{meant}'?", self.refused(*line.split()))

    def test_values(self):
        """Each message names the option as it was typed, what is wrong, and what the option means."""
        self.compile(FINE)
        executions = "-n, --executions N: stop after N executions."
        for line, parts in ((
                "run -n", ("-n needs a value behind it.", executions)), (
                "run -n -- ./program", ("-n needs a value behind it.", executions)), (
                "run -n -q ./program", ("-n needs a value behind it.", executions)), (
                "run --html", ("--html needs a value behind it.", "--html FILE")), (
                "run -n 0 ./program", ("-n: 0 is too small; the smallest number here is 1.", executions)), (
                "run -n -3 ./program", ("-n: -3 is too small", executions)), (
                "run -n abc ./program", ("-n: 'abc' is no whole number. Write one from 1 on", executions)), (
                "run -n 10,000 ./program", ("Write it without separators: 10000.",)), (
                "run -n ./program", ("-n: './program' is no whole number.", executions)), (
                "run -j 0 ./program", ("-j: 0 is too small", "-j, --jobs N")), (
                "run -t 5x ./program", ("-t: '5x' is no duration. Write for example 30s, 5m, 2h or 250ms.", "-t, --time D")), (
                "run --timeout soon ./program", ("--timeout: 'soon' is no duration.",)), (
                "run --memory-limit lots ./program", ("--memory-limit: 'lots' is no size. Write for example 512M or 2G.",)), (
                "run --seed 18446744073709551616 ./program",
                ("--seed: 18446744073709551616 is too large; the largest number here is 18446744073709551615.",)), (
                "run --model tso ./program", ("--model: 'tso' is none of c++20, c++20-words, c11tester, sc.",)), (
                "run -s pct:dd=3 ./program", ("the strategy 'pct' has no parameter 'dd'. It has d, k, once.",
                                              "heddle help strategies")), (
                "run -s pct:d=99 ./program", ("is a number from 1 to 64, not '99'",)), (
                "run --quiet=maybe ./program", ("--quiet takes no value.",)), (
                "run --allow-exit many ./program", ("--allow-exit: 'many' is no whole number.",)), (
                "replay --times 0 x.heddle", ("--times: 0 is too small", "--times N: replay this many times")), (
                "explain -t soon x.heddle", ("-t: 'soon' is no duration.",)), (
                "minimize -t soon x.heddle", ("-t: 'soon' is no duration.",)), (
                "lin run --check 0 ./program", ("--check: 0 is too small",)), (
                "merge --allow-exit 3 nothing logs -- ./program", ("nothing",)), (
                "record --path --blocks -- ./program", ("--path and --blocks cannot be used together.",))):
            with self.subTest(line):
                told = self.refused(*line.split())
                for part in parts:
                    self.assertIn(part, told)

    def test_every_option_with_a_number_says_what_it_wants(self):
        tried = 0
        for name, command in help_pages.all_commands().items():
            for option in {id(option): option for option in command.options.values()}.values():
                line = re.search(rf"^ +(?:-\w, )?{re.escape(option.names[-1])} (N|K|S|D|SIZE|STATUS|EVENT)\b", command.text,
                                 re.MULTILINE)
                # What `record` hands to the program is the program's to judge.
                if not line or command.passes_on or (name == "record" and option.names[-1] in ("--limit", "--share")):
                    continue
                with self.subTest(command=name, option=option.names[-1]):
                    told = self.refused(*name.split(), option.names[-1], "?", *([] if name.startswith("bench") else ["x"]))
                    self.assertIn(f"{option.names[-1]}: ", told)
                    self.assertIn("?", told)
                    self.assertIn(f"`heddle {name} --help` explains it.", told)
                    tried += 1
        self.assertGreater(tried, 40)

    def test_a_number_of_seconds_needs_no_unit(self):
        report, _ = self.report("-t", "5", "-n", "3", self.compile(FINE), code=NO_BUG)
        self.assertEqual(report["options"]["time"], "5")

    def test_words_that_are_missing(self):
        for line, parts in (("run", ("No program given.", "heddle run -- ./test")),
                            ("run -n 5 --", ("No program given.",)), ("test", ("No program given.", "heddle test -- ./test")),
                            ("lin run", ("No program given.",)), ("search", ("No program given.", "heddle search")),
                            ("record", ("No program given.", "heddle record --")),
                            ("merge logs", ("No program given.", "heddle merge logs/ --")),
                            ("merge -- ./program", ("No logs given.",)),
                            ("reconstruct x.hlog", ("No program given.",)),
                            ("replay", ("No artifact given.", "heddle replay heddle-out/bug-1.heddle")),
                            ("show", ("No artifact given.",)), ("explain", ("No artifact given.",)),
                            ("lin", ("`heddle lin` needs a command after it.",)), ("lin check x", ("No --spec given.",)),
                            ("completion", ("No shell given.",)), ("replay a b", ("'b' is one word too many.",))):
            with self.subTest(line):
                told = self.refused(*line.split())
                for part in (*parts, "--help` explains it."):
                    self.assertIn(part, told)

    def test_options_behind_the_program_go_to_it_and_are_told(self):
        program = self.compile("int main(int argc, char** argv) { return argc != 3 || argv[1][1] != 'n'; }")
        answer = self.heddle("run", "-n", "3", program, "-n", "7")
        self.assertEqual(answer.code, NO_BUG, answer.errors)
        self.assertIn("warning: -n stands behind ./program, so the program gets it.", answer.errors)
        answer = self.heddle("run", "-n", "3", "--", program, "-n", "7")
        self.assertNotIn("warning", answer.errors)

    def test_a_program_in_the_place_of_a_command(self):
        self.compile(FINE)
        self.assertIn("heddle run -- ./program", self.refused("./program"))
        self.assertIn("heddle run -n", self.refused("-n", "5", "./program"))

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

    def test_what_is_no_program_is_refused(self):
        self.write("script", "#!/bin/sh\nexit 0\n")
        os.chmod(self.path("script"), 0o755)
        shutil.copy(self.path(self.build("gcc", "-fsanitize=thread")), self.path("plain"))
        os.chmod(self.path("plain"), 0o644)
        os.mkdir(self.path("folder"))
        for program, parts in (("./script", ("is a script", "give it the program that the script starts")),
                               ("./not-there", ("cannot find the program ./not-there", "Has it been built?")),
                               ("not-there", ("cannot find the program not-there", "such as ./not-there")),
                               ("./plain", ("is not executable", "chmod +x ./plain")), ("./folder", ("is a folder",)),
                               (".", (". is a folder", "Name the program in it.")),
                               ("/dev/null", ("is not a regular file",)),
                               ("program.c", ("is source code", "heddle cc -g -O1 program.c -o program"))):
            with self.subTest(program):
                for command in ("run", "test"):
                    answer = self.heddle(command, program)
                    self.assertEqual(answer.code, BAD_INPUT, answer.errors)
                    for part in parts:
                        self.assertIn(part, answer.errors)

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

    def test_a_reader_that_has_read_enough(self):
        """`heddle show --json … | head -1` says nothing on standard error, and is no error."""
        with open(self.path("long.c"), "w", encoding="utf-8") as file:
            file.write("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int count;\n"
                       "static void* run(void* p) { for (int i = 0; i < 5000; ++i) atomic_fetch_add(&count, 1); return p; }\n"
                       "int main(void) { pthread_t t; pthread_create(&t, 0, run, 0); run(0); pthread_join(t, 0);\n"
                       "  assert(count != 10000); return 0; }\n")
        self.assertEqual(self.heddle("cc", "-g", "-O1", "long.c", "-o", "long").code, 0)
        self.assertEqual(self.heddle("run", "--all-events", "--no-minimize", "-o", "long-out", "./long").code, BUG)
        for words in (("show", "--json"), ("show", "--all"), ("show",), ("show", "--html", "-")):
            command = shlex.join((HEDDLE, *words, "long-out/bug-1.heddle"))
            answer = self.call("bash", "-c", f"set -o pipefail; {command} | head -1 >first; echo ${{PIPESTATUS[0]}}")
            self.assertEqual((answer.output, answer.errors), ("0\n", ""), words)
            self.assertEqual(self.call("wc", "-l", "first").output.split()[0], "1")

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
