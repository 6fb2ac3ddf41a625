#!/usr/bin/env python3
"""Reports for other programs: SARIF, JUnit, heddle report, heddle test, completion, manual pages."""
import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

from heddle_driver import BAD_INPUT, BUG, HEDDLE, NO_BUG, HeddleTest, needs

RACE = """
#include <pthread.h>
int counter;
static void* increment(void* unused) { ++counter; return unused; }
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, increment, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
}
"""

# What threads share is on the stack of main, as in most tests.
LOCALS = """
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <cassert>
struct Box {
  std::mutex guard;
  std::condition_variable filled;
  std::atomic<int> state{0};
  int counts[3] = {};
};
int main() {
  Box box;
  std::atomic<int> turns{0};
  std::thread other([&] {
    std::atomic<int> own{1};
    std::atomic<int>* volatile hidden = &own;
    std::lock_guard<std::mutex> hold(box.guard);
    box.state.store(*hidden);
    turns.fetch_add(1);
    box.filled.notify_one();
  });
  turns.fetch_add(1);
  const int seen = box.state.load();
  other.join();
  assert(seen == 0);
}
"""

# The access comes after the free, in every execution, and is ordered after it in none.
FREED = """
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int gone;
static void* release(void* block) {
  free(block);
  atomic_store_explicit(&gone, 1, memory_order_relaxed);
  return NULL;
}
int main(void) {
  int* block = calloc(1, sizeof *block);
  pthread_t other;
  pthread_create(&other, 0, release, block);
  while (!atomic_load_explicit(&gone, memory_order_relaxed)) sched_yield();
  *block = 1;
  pthread_join(other, 0);
}
"""

# What heddle test relies on of GoogleTest, without building GoogleTest.
CASES = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int counter;
static void* increment(void* unused) { ++counter; return unused; }
static void run(int threads) {
  pthread_t made[2];
  for (int i = 0; i < threads; ++i) pthread_create(&made[i], 0, increment, 0);
  for (int i = 0; i < threads; ++i) pthread_join(made[i], 0);
}
int main(int argc, char** argv) {
  const char* filter = "";
  if (getenv("GTEST_TOTAL_SHARDS") != NULL) return 5;
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], "--gtest_filter=", 15) == 0) filter = argv[i] + 15;
  }
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--gtest_list_tests") != 0) continue;
    puts("Running main() from cases.c");
    if (strcmp(filter, "Alone.Passes") != 0) {
      puts("Counter.\\n  OneThread\\n  TwoThreads\\n  DISABLED_Never\\nAll/Values.  # TypeParam = int");
      puts("  Small/0  # GetParam() = <1>\\n  Small/1  # GetParam() = 2");
    }
    puts("Alone.\\n  Passes");
    return 0;
  }
  run(strcmp(filter, "Counter.TwoThreads") == 0 ? 2 : 1);
  return 0;
}
"""


class Reports(HeddleTest):
    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def found_race(self, *options, source=RACE):
        program = self.compile(source, flags=["-pthread"])
        answer = self.heddle("run", "-n", "500", "--seed", "1", *options, "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        return answer

    def result(self, name):
        sarif = json.loads(self.read(name))
        self.assertEqual(sarif["version"], "2.1.0")
        (run,) = sarif["runs"]
        (result,) = run["results"]
        return run, result

    def test_traces_name_what_is_on_a_stack(self):
        program = self.compile(LOCALS, c=False, flags=["-pthread"])
        answer = self.heddle("run", "-n", "500", "--seed", "1", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        trace = answer.errors[answer.errors.index("reproduce:"):]
        for words in ("lock box.guard", "store box.state = 1", "update turns", "notify_one box.filled"):
            self.assertIn(words, trace)
        self.assertNotIn("mem#", trace)

    def test_sarif_has_a_flow_for_each_thread(self):
        self.found_race("--sarif", "bugs.sarif")
        run, result = self.result("bugs.sarif")
        self.assertEqual(run["tool"]["driver"]["name"], "heddle")
        self.assertEqual(run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"], result["ruleId"])
        self.assertEqual((result["ruleId"], result["level"]), ("data-race", "error"))
        place = result["locations"][0]["physicalLocation"]
        self.assertEqual(place["artifactLocation"], {"uri": "program.c", "uriBaseId": "PROGRAM_DIRECTORY"})
        self.assertEqual(run["originalUriBaseIds"]["PROGRAM_DIRECTORY"]["uri"], "file://" + os.path.realpath(self.folder) + "/")
        self.assertEqual(place["region"]["startLine"], 4)
        # The other access, and where the variable is declared.
        self.assertEqual(len(result["relatedLocations"]), 2)
        self.assertIn("declared", result["relatedLocations"][1]["message"]["text"])
        (flow,) = result["codeFlows"]
        self.assertEqual([thread["id"] for thread in flow["threadFlows"]], ["T0", "T1", "T2"])
        orders = sorted(step["executionOrder"] for thread in flow["threadFlows"] for step in thread["locations"])
        self.assertEqual(orders, list(range(1, len(orders) + 1)))
        essential = [step["location"]["message"]["text"] for thread in flow["threadFlows"] for step in thread["locations"]
                     if step["importance"] == "essential"]
        self.assertEqual(len([text for text in essential if "counter (4 bytes)" in text]), 2, essential)

    def test_use_after_free_names_the_free_everywhere(self):
        program = self.compile(FREED, flags=["-pthread"])
        answer = self.heddle("run", "-n", "20", "-j", "1", "--json", "run.json", "--sarif", "run.sarif", "--html", "page.html", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        free = FREED.split("\n").index("  free(block);") + 1
        self.assertRegex(answer.errors, rf"SUMMARY: heddle: heap use after free .*, freed at program.c:{free} by T1")
        self.assertRegex(answer.errors, rf"after T1 had freed it at program.c:{free}")
        self.assertNotIn("data race", answer.errors)
        (finding,) = json.loads(self.read("run.json"))["findings"]
        self.assertEqual(finding["kind"], "heap use after free")
        self.assertIn(free, [place["line"] for place in finding["locations"] if place["role"] == "freed"])
        run, result = self.result("run.sarif")
        self.assertEqual(result["ruleId"], "heap-use-after-free")
        related = [place["physicalLocation"]["region"]["startLine"] for place in result["relatedLocations"]]
        self.assertIn(free, related)
        self.assertIn("T1 had freed it at program.c:%d" % free, result["message"]["text"])
        self.assertIn("T1 freed", self.read("page.html"))

    # heddle itself calls exit() after main().
    def test_sources_are_the_programs_alone(self):
        program = self.compile("int main(void) { return 3; }")
        answer = self.heddle("run", "-n", "1", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        trace = json.loads(self.heddle("show", "--json", "heddle-out/bug-1.heddle").output)
        self.assertEqual(trace["events"][-1]["kind"], "exit")
        self.assertEqual([source["file"] for source in trace["sources"] if "/runtime/" in source["file"]], [])

    def test_fingerprints_stay_across_runs_and_unrelated_edits(self):
        self.found_race("--sarif", "first.sarif")
        edited = RACE.replace("int main", "int other(void) {\n  return 1;\n}\n\nint main").replace("int counter;", "\n\nint counter;")
        self.found_race("--seed", "77", "--sarif", "second.sarif", source=edited)
        prints = [self.result(name)[1]["partialFingerprints"] for name in ("first.sarif", "second.sarif")]
        self.assertEqual(prints[0], prints[1])
        self.assertRegex(prints[0]["heddle/v1"], "^[0-9a-f]{16}$")
        other = RACE.replace("{ ++counter; return", "{ counter = 1;\n ++counter; return")
        self.found_race("--sarif", "third.sarif", source=other)
        self.assertNotEqual(self.result("third.sarif")[1]["partialFingerprints"], prints[0])

    def test_junit_has_a_failure_for_a_bug(self):
        self.found_race("--junit", "bugs.xml")
        suites = xml.etree.ElementTree.parse(self.path("bugs.xml")).getroot()
        self.assertEqual((suites.tag, suites.get("tests"), suites.get("failures"), suites.get("errors")),
                         ("testsuites", "1", "1", "0"))
        (case,) = suites.iter("testcase")
        (failure,) = case.iter("failure")
        self.assertEqual((case.get("name"), failure.get("type")), ("./program", "data race"))
        self.assertIn("program.c:4", failure.get("message"))
        self.assertIn("reproduce: heddle replay heddle-out/bug-1.heddle", failure.text)

    def test_junit_without_a_bug_and_with_a_hostile_name(self):
        program = self.compile("int main(void) { return 0; }")
        answer = self.heddle("run", "-n", "2", "--junit", "out.xml", "--", program, "<&\"'\x1b]]>")
        self.assertEqual(answer.code, NO_BUG, answer.errors)
        suites = xml.etree.ElementTree.parse(self.path("out.xml")).getroot()
        self.assertEqual(suites.get("failures"), "0")
        self.assertEqual(list(suites.iter("failure")), [])

    def test_report_makes_every_kind_from_a_folder(self):
        self.found_race("--json", "run.json", "--sarif", "run.sarif")
        answer = self.heddle("report", "heddle-out")
        self.assertEqual(answer.code, 0, answer.errors)
        self.assertIn("data race", self.read("heddle-out/report.html"))
        answer = self.heddle("report", "heddle-out", "--json", "later.json", "--sarif", "later.sarif", "--junit", "later.xml", "-o", "page.html")
        self.assertEqual(answer.code, 0, answer.errors)
        run, later = json.loads(self.read("run.json")), json.loads(self.read("later.json"))
        for key in ("seed", "executions", "buggy_executions", "program", "strategies", "endings", "findings"):
            self.assertEqual(run[key], later[key], key)
        self.assertEqual(self.result("run.sarif")[1], self.result("later.sarif")[1])
        self.assertTrue(os.path.exists(self.path("page.html")))
        os.remove(self.path("heddle-out/campaign.json"))
        answer = self.heddle("report", "heddle-out", "--json", "artifacts.json")
        self.assertEqual(answer.code, 0, answer.errors)
        self.assertEqual(json.loads(self.read("artifacts.json"))["findings"][0]["kind"], "data race")

    def test_report_refuses_what_is_no_campaign(self):
        os.mkdir(self.path("empty"))
        for folder in ("empty", "missing"):
            answer = self.heddle("report", folder)
            self.assertEqual(answer.code, BAD_INPUT)
            self.assertIn(folder, answer.errors)
        for text in ("", "{", "[]", '{"version": 1}', '{"version": "1"}', '{"version": 1, "tool": 3}', "[" * 20000):
            self.write("empty/campaign.json", text)
            answer = self.heddle("report", "empty")
            self.assertEqual(answer.code, BAD_INPUT, text)
            self.assertIn("campaign.json", answer.errors)

    def test_each_case_is_a_campaign(self):
        program = self.compile(CASES, flags=["-pthread"])
        answer = self.heddle("test", "-n", "200", "--seed", "1", "--junit", "out.xml", "--json", "out.json", "--", program)
        self.assertEqual(answer.code, BUG, answer.errors)
        suites = xml.etree.ElementTree.parse(self.path("out.xml")).getroot()
        self.assertEqual((suites.get("tests"), suites.get("failures"), suites.get("errors")), ("5", "1", "0"))
        names = [(case.get("classname"), case.get("name")) for case in suites.iter("testcase")]
        self.assertEqual(names, [("Counter", "OneThread"), ("Counter", "TwoThreads"), ("All/Values", "Small/0"),
                                 ("All/Values", "Small/1"), ("Alone", "Passes")])
        failed = [case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None]
        self.assertEqual(failed, ["TwoThreads"])
        self.assertIn("1 of 5 cases with a bug", answer.errors)
        artifact = "heddle-out/Counter.TwoThreads/bug-1.heddle"
        self.assertEqual(json.loads(self.read("out.json"))["findings"][0]["artifact"], artifact)
        self.assertEqual(self.heddle("replay", "-q", artifact).code, BUG)

    def test_filter_and_shards_choose_cases(self):
        program = self.compile(CASES, flags=["-pthread"])
        answer = self.heddle("test", "-n", "20", "--", program, "--gtest_filter=Alone.Passes")
        self.assertEqual(answer.code, NO_BUG, answer.errors)
        self.assertIn("0 of 1 cases with a bug", answer.errors)
        seen = []
        for shard in range(2):
            environment = dict(os.environ, GTEST_TOTAL_SHARDS="2", GTEST_SHARD_INDEX=str(shard), GTEST_SHARD_STATUS_FILE=self.path("status"))
            answer = self.heddle("test", "-n", "2", "--max-failures", "1", "--junit", "out.xml", program, env=environment)
            self.assertIn(answer.code, (NO_BUG, BUG), answer.errors)
            self.assertTrue(os.path.exists(self.path("status")))
            seen.append([case.get("name") for case in xml.etree.ElementTree.parse(self.path("out.xml")).iter("testcase")])
        self.assertEqual(seen, [["OneThread", "Small/0", "Passes"], ["TwoThreads", "Small/1"]])
        for total, index in (("2", "2"), ("x", "0"), ("2", "")):
            environment = dict(os.environ, GTEST_TOTAL_SHARDS=total, GTEST_SHARD_INDEX=index)
            self.assertEqual(self.heddle("test", program, env=environment).code, BAD_INPUT)

    def test_program_that_is_no_test_is_refused(self):
        program = self.compile("int main(void) { return 3; }")
        answer = self.heddle("test", program)
        self.assertEqual(answer.code, BAD_INPUT)
        self.assertIn("GoogleTest", answer.errors)


class Words(HeddleTest):
    """Completion and manual pages come from the options themselves."""

    def options_of(self, command):
        answer = self.heddle(command, "--help-all")
        self.assertEqual(answer.code, 0, command)
        return set(re.findall(r"^ +(?:-\w, )?(--[a-z][a-z-]+)", answer.output, re.MULTILINE))

    def completed(self, *words):
        script = self.heddle("completion", "bash").output
        quoted = " ".join(f"'{word}'" for word in words)
        script += f"\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _heddle; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.split()

    def test_bash_completes_commands_options_values_and_files(self):
        self.write("bug-1.heddle", "")
        self.assertEqual(self.completed("heddle", "repl"), ["replay"])
        self.assertIn("--max-failures", self.completed("heddle", "run", "--max"))
        self.assertEqual(self.completed("heddle", "run", "--model", ""), ["c++20", "c++20-words", "c11tester", "sc"])
        self.assertEqual(self.completed("heddle", "replay", "bug"), ["bug-1.heddle"])
        self.assertEqual(self.completed("heddle", "run", "--sarif", "bug"), ["bug-1.heddle"])
        self.assertIn("litmus", self.completed("heddle", "bench", "li"))

    def test_every_option_is_in_completions_and_manual_pages(self):
        completions = [self.heddle("completion", shell).output for shell in ("bash", "zsh", "fish")]
        for command in ("run", "test", "replay", "show", "report"):
            page = self.heddle("man", command)
            self.assertEqual(page.code, 0)
            options = self.options_of(command)
            self.assertTrue(options, command)
            for option in options:
                self.assertIn(option.replace("-", "\\-"), page.output, command)
                self.assertIn(option, completions[0])
                self.assertIn(option, completions[1])
                self.assertIn(f" -l {option[2:]}", completions[2])
        self.assertIn(".TH HEDDLE 1", self.heddle("man").output)
        self.assertEqual(self.heddle("man", "nothing").code, BAD_INPUT)
        self.assertEqual(self.heddle("completion", "tcsh").code, BAD_INPUT)

    def test_shells_accept_their_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            with self.subTest(shell):
                needs(shutil.which(shell), shell)
                self.write(f"script.{shell}", self.heddle("completion", shell).output)
                done = subprocess.run([shell, "-n", f"script.{shell}"], cwd=self.folder, check=False, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    # fish answers by itself what it would offer.
    def test_fish_completes(self):
        needs(shutil.which("fish"), "fish")
        self.write("heddle.fish", self.heddle("completion", "fish").output)

        def offered(line):
            script = f"source heddle.fish; complete -C '{line}'"
            done = subprocess.run(["fish", "--no-config", "-c", script], cwd=self.folder, check=True, capture_output=True, text=True)
            return [word.split("\t")[0] for word in done.stdout.splitlines()]

        self.assertEqual(offered("heddle repl"), ["replay"])
        self.assertIn("--max-failures", offered("heddle run --max"))
        self.assertEqual(sorted(offered("heddle run --model ")), ["c++20", "c++20-words", "c11tester", "sc"])


if __name__ == "__main__":
    unittest.main()
