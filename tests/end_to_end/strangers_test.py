#!/usr/bin/env python3
"""Artifacts from anywhere: what is in them is data. Nothing of it is executed, loaded or shown raw."""
import json
import os
import re
import unittest

import artifact_writer as writer
from heddle_driver import BAD_INPUT, BUG, HEDDLE, INCONCLUSIVE, HeddleTest

# Fails if the variable MODE is "bad"; never asks for SECRET, or for what a loader would like to know.
ASKS = """
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int is_bad;
static void* thread(void* p) {
  assert(!is_bad);
  return p;
}
int main(void) {
  pthread_t t;
  const char* mode = getenv("MODE");
  const char* output = getenv("GTEST_OUTPUT");
  if (getenv("ABSENT") != NULL) return 0;
  if (output != NULL) {
    FILE* file = fopen(output, "w");
    if (file != NULL) fclose(file);
  }
  is_bad = mode != NULL && strcmp(mode, "bad") == 0;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
  return 0;
}
"""
# What a terminal would act upon: escape sequences in seven and eight bits, as UTF-8 and as bytes, marks that turn the
# direction of writing, line ends that begin a line of ours, and a delete.
HOSTILE = ("x\x1b]0;owned\x07\x1b[31m\u009b31m\u202e\u2066\u2028\nheddle: forged\r\x7f\tend").encode() + b"\x9b31m\xff"


def environment(**variables):
    """This one, with these variables; None: without it."""
    result = {**os.environ}
    for name, value in variables.items():
        result.pop(name, None)
        if value is not None:
            result[name] = value
    return result


class Variables(HeddleTest):
    def find(self, *options, **variables):
        given = {"MODE": "bad", "GTEST_OUTPUT": None, "ABSENT": None, "SECRET": "hush", **variables}
        self.program = self.compile(ASKS)
        self.report(*options, "-n", "20", self.program, code=BUG, env=environment(**given))
        self.artifact = "heddle-out/bug-1.heddle"
        return json.loads(self.heddle("show", "--json", self.artifact).output)["program"]

    def test_what_the_program_asked_for_is_kept_and_nothing_else(self):
        program = self.find()
        self.assertEqual(program["environment"]["MODE"], "bad")
        self.assertIn("ABSENT", program["unset"])
        with open(self.path(self.artifact), "rb") as file:
            self.assertNotIn(b"hush", file.read())
        self.assertNotIn("SECRET", program["environment"])
        shown = self.heddle("show", self.artifact).output
        self.assertIn("MODE=bad", shown)
        self.assertIn("ABSENT is not set", shown)

    def test_keep_env_keeps_more(self):
        program = self.find("--keep-env", "SECRET")
        self.assertEqual(program["environment"]["SECRET"], "hush")

    def test_a_replay_brings_them_back(self):
        self.find()
        for there in (environment(MODE=None), environment(MODE="good"), environment(MODE=None, ABSENT="here")):
            answer = self.heddle("replay", "-q", self.artifact, env=there)
            self.assertEqual(answer.code, BUG, answer.errors)

    def test_a_file_to_write_is_not_applied_unless_trusted(self):
        self.find(GTEST_OUTPUT=self.path("written"))
        os.remove(self.path("written"))
        answer = self.heddle("replay", "-q", self.artifact, env=environment(GTEST_OUTPUT=None))
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertFalse(os.path.exists(self.path("written")))
        self.assertIn("GTEST_OUTPUT (which files are written)", answer.errors)
        self.assertIn("--trust-artifact", answer.errors)
        answer = self.heddle("replay", "-q", "--trust-artifact", self.artifact, env=environment(GTEST_OUTPUT=None))
        self.assertEqual(answer.code, BUG, answer.errors)
        self.assertTrue(os.path.exists(self.path("written")))

    def test_a_replay_that_differs_says_why(self):
        # The stranger's artifact has no MODE, so the program does not fail here.
        self.find()
        kept = json.loads(self.heddle("show", "--json", self.artifact).output)["program"]
        identity = writer.program(kept["path"], kept["build_id"], kept["argv"] + ["/nowhere/input"], "/nowhere", [("LD_PRELOAD", "/nowhere.so")])
        finding = writer.record((1, 2), (6, 7), (7, "gone"))
        with open(self.path("other.heddle"), "wb") as file:
            file.write(writer.artifact([(writer.META, writer.meta(identity)), (writer.CHOICES, writer.varint(0)),
                                        (writer.FINDINGS, writer.record((1, finding)))]))
        answer = self.heddle("replay", "other.heddle", env=environment(MODE="good"))
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        self.assertIn("asks for the variable MODE, of which the artifact says nothing; here it is 'good'", answer.errors)
        self.assertIn("ran in /nowhere, and runs in " + self.folder, answer.errors)
        self.assertIn("'/nowhere/input' names no file here", answer.errors)
        self.assertIn("LD_PRELOAD (which code is loaded)", answer.errors)


class Programs(HeddleTest):
    def setUp(self):
        super().setUp()
        self.program = self.compile(ASKS)
        self.report("-n", "20", self.program, code=BUG, env=environment(MODE="bad"))
        self.artifact = "heddle-out/bug-1.heddle"

    def test_another_program_at_the_path_is_not_run(self):
        self.compile("#include <stdio.h>\nint main(void) { fclose(fopen(\"ran\", \"w\")); }\n")
        for command in (["replay"], ["minimize"], ["explain"], ["replay", "--gdb", "--debugger", "/bin/true"]):
            answer = self.heddle(*command, self.artifact)
            self.assertEqual(answer.code, BAD_INPUT, answer.errors)
            self.assertIn("--program", answer.errors)
            self.assertFalse(os.path.exists(self.path("ran")))
        answer = self.heddle("replay", "--program", self.program, self.artifact)
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        self.assertTrue(os.path.exists(self.path("ran")))

    def test_a_program_without_a_build_id_is_known_by_its_contents(self):
        self.program = self.compile(ASKS, name="plain", flags=["-Wl,--build-id=none"])
        self.report("-n", "20", "-o", "plain-out", self.program, code=BUG, env=environment(MODE="bad"))
        self.assertEqual(self.heddle("replay", "-q", "plain-out/bug-1.heddle").code, BUG)
        with open(self.path("plain"), "ab") as file:
            file.write(b"more")
        self.assertEqual(self.heddle("replay", "-q", "plain-out/bug-1.heddle").code, BAD_INPUT)

    def test_variables_that_steer_are_left_out(self):
        kept = json.loads(self.heddle("show", "--json", self.artifact).output)["program"]
        steering = ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PATH", "GCONV_PATH", "LOCPATH", "NLSPATH", "ASAN_OPTIONS",
                    "HEDDLE_OPTIONS", "XML_OUTPUT_FILE", "MALLOC_TRACE", "BASH_ENV", "PYTHONSTARTUP", "PERL5LIB",
                    "GLIBC_TUNABLES", "HOME", "TMPDIR", "EVIL_PRELOAD", "GTEST_OUTPUT=xml:x", ""]
        identity = writer.program(kept["path"], kept["build_id"], ["env-dump"], self.folder,
                                  [(name, self.path("evil")) for name in steering])
        with open(self.path("evil.heddle"), "wb") as file:
            file.write(writer.plain(identity))
        answer = self.heddle("replay", "evil.heddle")
        for name in steering:
            self.assertIn(name + " (", answer.errors)
        shown = self.heddle("show", "evil.heddle").output
        self.assertIn("LD_PRELOAD=" + self.path("evil"), shown)

    def test_a_directory_that_others_can_write_is_not_entered(self):
        os.mkdir(self.path("open"))
        os.chmod(self.path("open"), 0o777)
        os.mkdir(self.path("own"))
        source = "#include <stdio.h>\nint main(void) { FILE* f = fopen(\"ran\", \"w\"); return f == NULL; }\n"
        self.compile(source, name="touches")
        identity = self.heddle("run", "-n", "1", "--json", "-", "--keep-env", "X", "./touches")
        build_id = json.loads(identity.output)["program"]["build_id"]
        for folder, where in (("open", "ran"), ("own", "own/ran"), ("missing", "ran")):
            with open(self.path("there.heddle"), "wb") as file:
                file.write(writer.plain(writer.program(self.path("touches"), build_id, ["touches"], self.path(folder))))
            answer = self.heddle("replay", "there.heddle")
            self.assertTrue(os.path.exists(self.path(where)), answer.errors)
            self.assertEqual(folder != "own", self.path(folder) in answer.errors, answer.errors)
            os.remove(self.path(where))

    def test_gdb_is_given_no_text_of_the_artifact(self):
        kept = json.loads(self.heddle("show", "--json", self.artifact).output)["program"]
        identity = writer.program(kept["path"], kept["build_id"], ["x", "-ex", "shell touch evil", "$(touch evil)\n!touch evil"],
                                  self.folder)
        with open(self.path("evil.heddle"), "wb") as file:
            file.write(writer.plain(identity))
        self.write("debugger", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
        os.chmod(self.path("debugger"), 0o755)
        answer = self.heddle("replay", "--gdb", "--debugger", self.path("debugger"), "evil.heddle")
        self.assertEqual(answer.code, 0, answer.errors)
        self.assertIn(kept["path"], answer.output)
        self.assertNotIn("touch", answer.output)


class Terminals(HeddleTest):
    """No control character of a file reaches the terminal, in errors too."""

    def assert_safe(self, what, data):
        for character in data.decode("utf-8", "surrogateescape"):
            code = ord(character)
            bad = (code < 0x20 and character not in "\n\t") or 0x7F <= code < 0xA0 or code in (0x2028, 0x2029, 0x61C) or \
                0x200E <= code <= 0x200F or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 or 0xDC80 <= code <= 0xDCFF
            self.assertFalse(bad, f"{what}: {code:#x} in {data[:2000]}")
        self.assertIsNone(re.search(rb"^heddle: forged", data, re.M), f"{what}: {data[:2000]}")

    def safely(self, *arguments):
        child = self.start(HEDDLE, *arguments)
        output, errors = child.communicate(timeout=100)
        self.assert_safe(f"standard output of {arguments}", output)
        self.assert_safe(f"standard error of {arguments}", errors)
        self.assertNotEqual(child.returncode, 3, errors)
        return child.returncode

    def hostile_artifact(self, path=HOSTILE):
        identity = writer.program(path, HOSTILE, [HOSTILE] * 3, HOSTILE, [(HOSTILE, HOSTILE), ("PATH", HOSTILE)], [HOSTILE])
        strings = writer.varint(2) + writer.text(HOSTILE) + writer.text(HOSTILE)
        part = writer.record((5, 1), (7, 0x1001), (9, 0x2000), (10, 0x2000), (11, 8), (13, HOSTILE))
        findings = writer.record(*((1, writer.record((1, kind), (6, kind), (7, HOSTILE), (8, part), (8, part))) for kind in range(1, 28)))
        module = writer.record((1, 0x1000), (2, 0x1000), (3, 0x9000), (4, HOSTILE), (5, HOSTILE))
        # One pc, 0x1001, with one frame; one variable at 0x2000; one file with one line: all strings are the first.
        frames = strings + writer.varint(1) + writer.varint(0x1001) + writer.varint(1) + writer.varint(0) * 2 + writer.varint(3) * 3 + \
            writer.varint(0) + writer.varint(1) * 3
        data = strings + writer.varint(1) + writer.varint(0x2000) + writer.varint(0) * 2 + writer.varint(0x2000) + writer.varint(8) + \
            writer.varint(0) + writer.varint(1) + writer.varint(0) + writer.varint(3)
        sources = strings + writer.varint(1) + writer.varint(0) + writer.varint(1) + writer.varint(3) + writer.varint(0)
        return writer.artifact([
            (writer.META, writer.meta(identity, HOSTILE, HOSTILE, [HOSTILE], HOSTILE)), (writer.MODULES, writer.record((1, module))),
            (writer.CHOICES, writer.varint(0)), (writer.TEXTS, writer.varint(1) + writer.text(HOSTILE)),
            (writer.FINDINGS, findings), (writer.OUTPUT, HOSTILE.replace(b"\nheddle", b"\n heddle")),
            (writer.FRAMES, frames), (writer.DATA, data), (writer.SOURCES, sources)])

    def test_artifacts(self):
        os.mkdir(self.path("out"))
        with open(self.path("out/bug-1.heddle"), "wb") as file:
            file.write(self.hostile_artifact())
        self.assertEqual(self.safely("show", "out/bug-1.heddle"), 0)
        self.assertEqual(self.safely("show", "--all", "out/bug-1.heddle"), 0)
        self.assertEqual(self.safely("show", "--json", "out/bug-1.heddle"), 0)
        for command in ("replay", "minimize", "explain"):
            self.assertEqual(self.safely(command, "out/bug-1.heddle"), BAD_INPUT)
        for report in ("--json", "--sarif", "--junit"):
            self.assertEqual(self.safely("report", "out", report, "-"), 0)
        self.assertEqual(self.safely("report", "out"), 0)

    def test_artifacts_whose_program_is_there(self):
        # All of the above, with the one thing right that lets a replay begin.
        program = self.compile("int main(void) { return 0; }\n")
        kept = json.loads(self.heddle("run", "-n", "1", "--json", "-", program).output)["program"]
        whole = self.hostile_artifact(os.path.realpath(self.path("program")))
        with open(self.path("bug.heddle"), "wb") as file:
            file.write(whole)
        self.assertEqual(self.safely("replay", "bug.heddle"), BAD_INPUT)
        for command in (["replay"], ["replay", "--times", "2"], ["replay", "--until-event", "1"], ["minimize", "-o", "small.heddle"],
                        ["explain", "--time", "1s"]):
            self.safely(*command, "--program", kept["path"], "bug.heddle")
        self.safely("replay", "--trust-artifact", "bug.heddle")

    def test_names_of_files(self):
        name = HOSTILE.decode("utf-8", "surrogateescape").replace("/", "")
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write("no artifact")
        os.mkdir(self.path(name + "dir"))
        for command in ("show", "replay", "minimize", "explain"):
            self.assertEqual(self.safely(command, name), BAD_INPUT)
            self.assertEqual(self.safely(command, name + "missing"), BAD_INPUT)
        self.assertEqual(self.safely("report", name + "dir"), BAD_INPUT)
        self.assertEqual(self.safely("run", name), BAD_INPUT)
        self.assertEqual(self.safely("run", "--suppressions", name + "missing", "x"), BAD_INPUT)
        self.assertEqual(self.safely("run", "--" + name, "x"), BAD_INPUT)
        self.assertEqual(self.safely("lin", "check", "--spec", "queue", name), BAD_INPUT)
        self.assertEqual(self.safely(name), BAD_INPUT)
        self.assertEqual(self.safely("merge", name, "--", "./none"), BAD_INPUT)
        self.assertEqual(self.safely("reconstruct", name, "--", "./none"), BAD_INPUT)

    def test_contents_of_other_files(self):
        program = self.compile("int main(void) { return 0; }\n")
        with open(self.path("hostile"), "wb") as file:
            file.write(HOSTILE)
        self.assertEqual(self.safely("run", "--suppressions", "hostile", program), BAD_INPUT)
        with open(self.path("history"), "wb") as file:
            file.write(b'{"type":"invoke","op":1,"thread":0,"method":"' + HOSTILE.split(b"\n")[0] + b'","args":[3]}\n')
        self.assertEqual(self.safely("lin", "check", "--spec", "queue", "history"), BAD_INPUT)
        os.mkdir(self.path("out"))
        for kept in (HOSTILE, json.dumps({"version": HOSTILE.decode("utf-8", "replace")}).encode()):
            with open(self.path("out/campaign.json"), "wb") as file:
                file.write(kept)
            self.assertEqual(self.safely("report", "out"), BAD_INPUT)

    def test_what_the_program_says(self):
        program = self.compile(r"""
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdio.h>
#define TEXT "x\x1b]0;owned\x07\x1b[31m\xc2\x9b" "31m\xe2\x80\xae\nheddle: forged\r\x9b"
static void* thread(void* p) {
  heddle_note(TEXT);
  heddle_outcome(TEXT);
  puts(TEXT);
  heddle_fail(TEXT);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_setname_np(pthread_self(), "\x1b[31m");
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
}
""", flags=["-D_GNU_SOURCE"])
        self.assertEqual(self.safely("run", "-n", "5", "--histogram", program), BUG)
        self.assertEqual(self.safely("run", "-q", "-n", "5", "-o", "json", "--json", "-", program), BUG)
        for command in ("show", "minimize", "explain"):
            self.safely(command, "heddle-out/bug-1.heddle")
        self.assertEqual(self.safely("replay", "-q", "heddle-out/bug-1.heddle"), BUG)


if __name__ == "__main__":
    unittest.main()
