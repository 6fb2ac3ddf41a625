#!/usr/bin/env python3
"""What a campaign has found stays: whoever else uses its folder, before, at the same time or afterwards."""
import json
import os
import signal
import time
import unittest

from heddle_driver import BAD_INPUT, BUG, HEDDLE, INCONCLUSIVE, NO_BUG, HeddleTest

# Fails in about every second execution; the message tells two programs apart.
FAILS = """
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void* one(void* p) { atomic_store(&x, 1); return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, one, NULL);
  if (atomic_load(&x) == VALUE) heddle_fail("MESSAGE");
  pthread_join(t, NULL);
  return 0;
}
"""


def program_text(message="first", value=1):
    return FAILS.replace("MESSAGE", message).replace("VALUE", str(value))


class Kept(HeddleTest):
    def run_heddle(self, program, *options, code=BUG, **how):
        answer = self.heddle("run", "-n", "200", "--no-progress", "--no-minimize", *options, program, **how)
        self.assertEqual(answer.code, code, answer.errors)
        return answer

    def names(self, folder="heddle-out"):
        return sorted(os.listdir(self.path(folder)))

    def campaign(self, name, folder="heddle-out"):
        with open(os.path.join(self.path(folder), name), encoding="utf-8") as file:
            return json.load(file)

    def messages(self, *arguments, **how):
        """The messages of the findings that `heddle report` tells of."""
        answer = self.heddle("report", *arguments, "--json", self.path("told.json"), **how)
        self.assertEqual(answer.code, NO_BUG, answer.errors)
        with open(self.path("told.json"), encoding="utf-8") as file:
            told = json.load(file)
        return [finding["message"] for finding in told["findings"]], told

    def test_a_fresh_folder_has_the_usual_names(self):
        self.run_heddle(self.compile(program_text()))
        self.assertEqual(self.names(), ["bug-1.heddle", "campaign.json"])
        self.assertTrue(self.campaign("campaign.json")["complete"])

    def test_one_after_the_other_of_different_programs(self):
        one, two = self.compile(program_text("first"), "one"), self.compile(program_text("second"), "two")
        three = self.compile(program_text("never", 7), "three")
        self.run_heddle(one, "--seed", "1")
        with open(self.path("heddle-out/bug-1.heddle"), "rb") as file:
            first = file.read()
        answer = self.run_heddle(two, "--seed", "2")
        self.assertIn("reproduce: heddle replay heddle-out/bug-2.heddle\n", answer.errors)
        self.run_heddle(three, "--seed", "3", code=NO_BUG)
        self.assertEqual(self.names(), ["bug-1.heddle", "bug-2.heddle", "campaign-2.json", "campaign-3.json", "campaign.json"])
        with open(self.path("heddle-out/bug-1.heddle"), "rb") as file:
            self.assertEqual(file.read(), first)
        # The latest found nothing: nothing old is revived.
        self.assertEqual(self.messages("heddle-out")[0], [])
        for name, message, seed in (("campaign.json", "first", 1), ("campaign-2.json", "second", 2)):
            told, report = self.messages("heddle-out/" + name)
            self.assertEqual(told, [message])
            self.assertEqual(report["seed"], seed)
            self.assertEqual(report["findings"][0]["count"], self.campaign(name)["findings"][0]["count"])
        for number in (1, 2):
            self.assertEqual(self.heddle("replay", f"heddle-out/bug-{number}.heddle").code, BUG)
        # Numbers go on where something was taken away.
        os.remove(self.path("heddle-out/bug-1.heddle"))
        self.run_heddle(one)
        self.assertIn("bug-3.heddle", self.names())
        self.assertNotIn("bug-1.heddle", self.names())
        self.assertEqual(self.messages("heddle-out")[0], ["first"])
        self.assertEqual(self.messages("heddle-out/campaign.json")[0], [], "bug-1 is not there any more")

    def test_eight_at_once(self):
        programs = [self.compile(program_text(word), word) for word in ("first", "second")]
        runs = [self.start(HEDDLE, "run", "-j", "1", "-n", "200", "--seed", str(i), "--no-minimize", "-q", programs[i % 2])
                for i in range(8)]
        answers = [self.finish(child) for child in runs]
        self.assertEqual([answer.code for answer in answers], [BUG] * 8, [answer.errors for answer in answers])
        bugs = [f"bug-{i}.heddle" for i in range(1, 9)]
        campaigns = ["campaign.json"] + [f"campaign-{i}.json" for i in range(2, 9)]
        self.assertEqual(self.names(), sorted(bugs + campaigns))
        seeds, artifacts = set(), set()
        for name in campaigns:
            report = self.campaign(name)
            self.assertTrue(report["complete"])
            seeds.add(report["seed"])
            self.assertEqual(len(report["findings"]), 1)
            artifacts.add(report["findings"][0]["artifact"])
            told, again = self.messages("heddle-out/" + name)
            self.assertEqual(told, [("first", "second")[report["seed"] % 2]])
            self.assertEqual(again["seed"], report["seed"])
        self.assertEqual(seeds, set(range(8)))
        self.assertEqual(artifacts, {"heddle-out/" + name for name in bugs})
        # What each has printed is its own.
        for i, answer in enumerate(answers):
            line = [line for line in answer.errors.splitlines() if line.startswith("reproduce: heddle replay ")][0]
            shown = self.heddle("show", line.split()[-1])
            self.assertIn(("first", "second")[i % 2], shown.output)

    def test_after_a_kill(self):
        program = self.compile(program_text())
        child = self.start(HEDDLE, "run", "--max-failures", "0", "-t", "60s", "--no-progress", program)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path("heddle-out/campaign.json")) and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(child.pid, signal.SIGKILL)
        self.finish(child)
        self.assertEqual(self.names(), ["bug-1.heddle", "campaign.json"])
        told, report = self.messages()
        self.assertEqual(told, ["first"])
        self.assertFalse(report["complete"])
        # Killed before it could make its file.
        os.remove(self.path("heddle-out/campaign.json"))
        self.assertEqual(self.messages()[0], ["first"])
        self.run_heddle(self.compile(program_text("second"), "other"))
        self.assertEqual(self.names(), ["bug-1.heddle", "bug-2.heddle", "campaign.json"])
        self.assertEqual(self.messages()[0], ["second"])
        os.remove(self.path("heddle-out/campaign.json"))
        self.assertEqual(self.messages()[0], ["second"], "of the latest campaign alone")

    def test_what_killed_writers_left_is_removed(self):
        program = self.compile(program_text())
        os.mkdir(self.path("heddle-out"))
        self.write("heddle-out/.campaign.json.4711-0.tmp", "half")
        self.write("heddle-out/.mine.tmp", "of the user")
        self.run_heddle(program)
        self.assertEqual(self.names(), [".mine.tmp", "bug-1.heddle", "campaign.json"])

    def test_artifacts_of_another_version(self):
        # The bug needs the other thread's store to come first and to be read.
        self.run_heddle(self.compile(program_text()))
        age = os.path.join(os.path.dirname(HEDDLE), "age_artifact")
        for wish in ((), ("drop",)):
            self.assertEqual(self.call(age, "heddle-out/bug-1.heddle", "old.heddle", *wish).code, 0)
            replay = self.heddle("replay", "--times", "3", "old.heddle")
            self.assertIn("heddle 0.0.7", replay.errors)
            if wish:
                self.assertEqual(replay.code, INCONCLUSIVE, replay.errors)
                self.assertIn("replay it with the version that made it", replay.errors)
            else:
                self.assertEqual(replay.code, BUG, replay.errors)
                self.assertIn("followed as far as they fit", replay.errors)
                self.assertIn("reproduced 3 of 3 times, event for event the same", replay.errors)

    def test_every_command_that_runs_an_artifact_of_another_version_says_so(self):
        self.run_heddle(self.compile(program_text(), flags=("--full",)))
        version = self.heddle("--version").output.split()[1]
        age = os.path.join(os.path.dirname(HEDDLE), "age_artifact")
        commands = (("minimize", "-q", "-o", "small.heddle"), ("explain", "-q", "-t", "5s", "-n", "10"), ("show", "--symbolic"),
                    ("replay", "--until-event", "3"), ("replay", "--gdb", "--debugger", "true"))
        for wish in ((), ("drop",)):
            self.assertEqual(self.call(age, "heddle-out/bug-1.heddle", "old.heddle", *wish).code, 0)
            for command in commands:
                with self.subTest(command=command, wish=wish):
                    answer = self.heddle(*command, "old.heddle")
                    self.assertIn("made by heddle 0.0.7", answer.errors)
                    self.assertIn(f"this is heddle {version}", answer.errors.replace("This", "this"))
                    if wish:
                        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
                    else:  # gdb needs choices that fit
                        self.assertEqual(answer.code, BAD_INPUT if "--gdb" in command else 0, answer.errors)
                        self.assertIn("followed as far as they fit", answer.errors)
        # What was written is of this version, and needs no wishes.
        self.call(age, "heddle-out/bug-1.heddle", "old.heddle")
        self.assertEqual(self.heddle("minimize", "-o", "small.heddle", "old.heddle").code, 0)
        replay = self.heddle("replay", "small.heddle")
        self.assertEqual(replay.code, BUG, replay.errors)
        self.assertNotIn("0.0.7", replay.errors)

    def test_the_printed_command_is_right(self):
        program = os.path.realpath(self.path(self.compile(program_text())))
        os.mkdir(self.path("there"))
        for i, output in enumerate(("plain", "a b", "it's", 'q"uote', "-dash", "$HOME `x`", "new\nline", "ünï", "a/b//",
                                    os.path.join(self.path("absolute")))):
            option = "--output=" + output
            answer = self.run_heddle(program, option, "-q", cwd=self.path("there"))
            lines = [line for line in answer.errors.splitlines() if line.startswith("reproduce: ")]
            self.assertEqual(len(lines), 1, answer.errors)
            command = lines[0].removeprefix("reproduce: ").replace("heddle", HEDDLE, 1)
            again = self.call("bash", "-c", command, cwd=self.path("there"))
            self.assertEqual(again.code, BUG, (command, again.errors))
        # From elsewhere, by the artifact's whole path; and with the folder moved.
        artifact = self.path("there/plain/bug-1.heddle")
        self.assertEqual(self.heddle("replay", artifact, cwd="/").code, BUG)
        os.rename(self.path("there/plain"), self.path("moved"))
        self.assertEqual(self.messages("moved")[0], ["first"])
        self.assertEqual(self.messages(self.path("moved"), cwd="/")[0], ["first"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
