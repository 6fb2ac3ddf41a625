#!/usr/bin/env python3
"""What is written, wherever it goes: devices, FIFOs, links, closed streams, full disks, small limits."""
import fcntl
import json
import os
import resource
import shlex
import shutil
import signal
import stat
import threading
import time
import unittest

from heddle_driver import BAD_INPUT, BUG, HEDDLE, NO_BUG, HeddleTest

RACE = """
#include <pthread.h>
int x;
static void* one(void* p) { x = 1; return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, one, NULL);
  BODY
  pthread_join(t, NULL);
  return 0;
}
"""
REPORTS = ("--json", "--sarif", "--junit", "--html")
FEW = ("run", "-n", "20", "--seed", "1", "--no-progress")


class Outputs(HeddleTest):
    """All tests share two programs: compiling is what takes long."""

    @classmethod
    def setUpClass(cls):
        cls.programs = {}

    def program(self, name, body):
        if name not in self.programs:
            self.compile(RACE.replace("BODY", body), name)
            with open(self.path(name), "rb") as file:
                self.programs[name] = file.read()
        with open(self.path(name), "wb") as file:
            file.write(self.programs[name])
        os.chmod(self.path(name), 0o755)
        return "./" + name

    def racy(self):
        return self.program("racy", "x = 2;")

    def correct(self):
        return self.program("correct", "")

    def shell(self, command, **options):
        return self.call("bash", "-c", command, **options)

    def assert_whole(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            self.assertEqual(len(json.load(file)["findings"]), 1)

    # --- devices, FIFOs, links ---------------------------------------------------------------------------

    @unittest.skipIf(os.geteuid() != 0, "only root can make a device, and only root could destroy one")
    def test_a_device_is_written_to_and_stays(self):
        device = self.path("null")
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        program = self.racy()
        for option in REPORTS:
            run = self.heddle(*FEW, option, "null", program)
            self.assertEqual(run.code, BUG, run.errors)
            self.assertTrue(stat.S_ISCHR(os.lstat(device).st_mode), option)
        for command in (("show", "--html", "null"), ("minimize", "-o", "null"), ("explain", "--no-remedy", "--json", "null")):
            self.heddle(*command, "heddle-out/bug-1.heddle")
            self.assertTrue(stat.S_ISCHR(os.lstat(device).st_mode), command)
        self.assertEqual(self.heddle("report", "-o", "null").code, NO_BUG)
        self.assertTrue(stat.S_ISCHR(os.lstat(device).st_mode))

    def test_a_fifo_is_written_to_and_stays(self):
        os.mkfifo(self.path("fifo"))
        got = []

        def read():
            with open(self.path("fifo"), "rb") as fifo:
                got.append(fifo.read())
        reader = threading.Thread(target=read)
        reader.start()
        run = self.heddle(*FEW, "--json", "fifo", self.racy())
        reader.join()
        self.assertEqual(run.code, BUG, run.errors)
        self.assertEqual(len(json.loads(got[0])["findings"]), 1)
        self.assertTrue(stat.S_ISFIFO(os.lstat(self.path("fifo")).st_mode))

    def interrupted_at_a_fifo(self, program, number, expected, *options):
        """A campaign that is over, and wants to write to a FIFO that nobody reads, gets a signal."""
        child = self.start(HEDDLE, *FEW, "-o", "kept", "--json", "written.json", *options, program)
        # It is written before the FIFO is opened. Should the signal come before the FIFO is, the same is expected.
        while not os.path.exists(self.path("written.json")) and child.poll() is None:
            time.sleep(0.01)
        child.send_signal(number)
        answer = self.finish(child)
        self.assertEqual(answer.code, expected, answer.errors)
        self.assertNotIn("Cannot", answer.errors)
        self.assertTrue(stat.S_ISFIFO(os.lstat(self.path("fifo")).st_mode))
        self.assertEqual(os.path.exists(self.path("kept/bug-1.heddle")), expected == BUG)
        os.remove(self.path("written.json"))
        shutil.rmtree(self.path("kept"), ignore_errors=True)

    def test_a_signal_ends_the_wait_for_the_reader_of_a_fifo(self):
        os.mkfifo(self.path("fifo"))
        for number in (signal.SIGINT, signal.SIGTERM):
            self.interrupted_at_a_fifo(self.racy(), number, BUG, "--html", "fifo")
            self.interrupted_at_a_fifo(self.correct(), number, NO_BUG, "--html", "fifo")

    def test_a_signal_ends_the_wait_for_a_reader_that_does_not_read(self):
        os.mkfifo(self.path("fifo"))
        reader = os.open(self.path("fifo"), os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(reader, 1031, 4096)  # F_SETPIPE_SZ: the page has more
        try:
            self.interrupted_at_a_fifo(self.racy(), signal.SIGINT, BUG, "--html", "fifo")
        finally:
            os.close(reader)

    def test_links_are_followed_and_stay(self):
        os.mkdir(self.path("elsewhere"))
        self.write("elsewhere/old.json", "old")
        os.chmod(self.path("elsewhere/old.json"), 0o640)
        os.symlink("elsewhere/old.json", self.path("to-file"))
        os.symlink("to-file", self.path("to-link"))
        os.symlink("elsewhere/new.json", self.path("to-nothing"))
        os.symlink("elsewhere", self.path("to-folder"))
        program = self.racy()
        for name, target in (("to-link", "elsewhere/old.json"), ("to-nothing", "elsewhere/new.json")):
            run = self.heddle(*FEW, "--json", name, "-o", "to-folder/out", program)
            self.assertEqual(run.code, BUG, run.errors)
            self.assertTrue(os.path.islink(self.path(name)))
            self.assertTrue(os.path.islink(self.path("to-file")))
            self.assertFalse(os.path.islink(self.path(target)))
            self.assert_whole(target)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("elsewhere/old.json")).st_mode), 0o640)
        self.assertTrue(os.path.exists(self.path("elsewhere/out/bug-1.heddle")))

    def test_a_loop_of_links_is_told(self):
        os.symlink("b", self.path("a"))
        os.symlink("a", self.path("b"))
        run = self.heddle(*FEW, "--json", "a", self.correct())
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("Cannot write a:", run.errors)

    def test_names_of_descriptors(self):
        program = self.racy()
        whole = shlex.join([HEDDLE, *FEW, "-q", "--json"])
        run = self.shell(f"echo first; {whole} /dev/stdout {program}; echo last $?")
        lines = run.output.splitlines()
        self.assertEqual((lines[0], lines[-1]), ("first", f"last {BUG}"))
        self.assertEqual(len(json.loads("\n".join(lines[1:-1]))["findings"]), 1)
        # To a regular file: after what is there, and the file is the one that the shell has opened.
        run = self.shell(f"{{ echo first; {whole} /dev/stdout {program}; echo last $?; }} > out.txt; cat out.txt")
        lines = run.output.splitlines()
        self.assertEqual((lines[0], lines[-1]), ("first", f"last {BUG}"))
        run = self.shell(f"{whole} >(cat > substituted.json) {program}; code=$?; wait $!; exit $code")
        self.assertEqual(run.code, BUG, run.errors)
        self.assert_whole("substituted.json")
        run = self.shell(f"{whole} - {program}")
        self.assertEqual(len(json.loads(run.output)["findings"]), 1)

    # --- streams -----------------------------------------------------------------------------------------

    def test_closed_streams_do_no_harm(self):
        for program, code in ((self.racy, BUG), (self.correct, NO_BUG)):
            program = program()
            for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-", ">&- 2>&-"):
                run = self.shell(f"{shlex.join([HEDDLE, *FEW])} --json {code}.json --histogram {program} {closed}")
                self.assertEqual(run.code, code, (closed, run.errors))
                with open(self.path(f"{code}.json"), encoding="utf-8") as file:
                    self.assertEqual(json.load(file)["executions"] > 0, True)
        run = self.shell(f"{HEDDLE} replay heddle-out/bug-1.heddle <&- >&- 2>&-")
        self.assertEqual(run.code, BUG)
        self.assertEqual(self.shell(f"{HEDDLE} show heddle-out/bug-1.heddle >&-").code, NO_BUG)

    def test_a_reader_that_goes_away_ends_nothing(self):
        program = self.racy()
        run = self.shell(f"set -o pipefail; {shlex.join([HEDDLE, *FEW])} {program} 2>&1 >&- | true")
        self.assertEqual(run.code, BUG)
        self.assertEqual(run.errors, "")
        # More than a pipe holds, so that writing meets the closed end.
        for command in ("show --all", "show --json", "replay"):
            run = self.shell("set -o pipefail; export LC_ALL=C; "
                             f"for i in $(seq 30); do {HEDDLE} {command} heddle-out/bug-1.heddle || exit; done 2>&1 | head -1")
            self.assertIn(run.code, (NO_BUG, BUG), command)
            self.assertEqual(run.errors, "", command)
            self.assertLessEqual(len(run.output.splitlines()), 1)

    def test_full_streams_are_told(self):
        program = self.racy()
        run = self.shell(f"{shlex.join([HEDDLE, *FEW])} --json - {program} > /dev/full")
        self.assertEqual(run.code, BUG)
        self.assertIn("Cannot write to standard output: No space left on device.", run.errors)
        run = self.shell(f"{HEDDLE} show heddle-out/bug-1.heddle > /dev/full")
        self.assertEqual(run.code, BAD_INPUT)
        self.assertIn("Cannot write to standard output: No space left on device.", run.errors)
        self.assertEqual(self.shell(f"{shlex.join([HEDDLE, *FEW])} {program} 2> /dev/full").code, BUG)

    # --- what cannot be written --------------------------------------------------------------------------

    def test_a_bug_stays_a_bug_whatever_cannot_be_written(self):
        self.write("file", "in the way")
        program = self.racy()
        for options in (("-o", "file"), ("-o", "file/out"), ("-o", "/proc/heddle-out"), ("--json", "/dev/full"),
                        ("--json", "file/x"), ("--html", "."), ("--json", "/dev/full", "--junit", "out.xml")):
            run = self.heddle(*FEW, *options, program)
            self.assertEqual(run.code, BUG, (options, run.errors))
            self.assertIn("WARNING: heddle: data race", run.errors)
            self.assertRegex(run.errors, "Cannot (write|make|create)", options)
        self.assertTrue(os.path.exists(self.path("out.xml")), "one failure ends no other report")
        run = self.heddle(*FEW, "-o", "file", program)
        self.assertIn("This execution could not be kept", run.errors)
        self.assertNotIn("reproduce:", run.errors)
        self.assertEqual(self.heddle(*FEW, "--json", "file/x", self.correct()).code, BAD_INPUT)
        with open(self.path("file"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "in the way")

    @unittest.skipIf(os.geteuid() != 0, "only root can mount a small disk")
    def test_a_full_disk_is_told(self):
        os.mkdir(self.path("disk"))
        program = self.racy()
        # (The root of a chroot need not be a mount point: unshare itself would fail to make it private.)
        script = ("mount --make-rprivate / 2> /dev/null; mount -t tmpfs -o size=8k tmpfs disk || exit 125; head -c 8192 /dev/zero > disk/filler; "
                  f"{shlex.join([HEDDLE, *FEW])} -o disk --json disk/r.json {program}; code=$?; ls -A disk; exit $code")
        run = self.call("unshare", "-m", "--propagation", "unchanged", "bash", "-c", script)
        self.assertEqual(run.code, BUG, run.errors)
        self.assertIn("No space left on device. Free some space there, or name another place.", run.errors)
        self.assertIn("WARNING: heddle: data race", run.errors)
        self.assertEqual(run.output.split(), ["filler"], "no half file")

    def test_a_limit_on_the_size_of_files_is_told(self):
        program = self.racy()
        self.heddle(*FEW, program)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
        run = self.heddle("show", "--html", "page.html", "heddle-out/bug-1.heddle", preexec_fn=limit)
        self.assertEqual(run.code, BAD_INPUT, run.errors)
        self.assertIn("File too large. Raise the limit on the size of files (ulimit -f).", run.errors)
        self.assertFalse(os.path.exists(self.path("page.html")))
        run = self.heddle(*FEW, program, preexec_fn=limit)
        self.assertIn("ulimit -f", run.errors)
        self.assertNotIn(run.code, (NO_BUG, BUG, -signal.SIGXFSZ))
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".tmp")], [])


if __name__ == "__main__":
    unittest.main(verbosity=1)
