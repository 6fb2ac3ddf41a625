#!/usr/bin/env python3
"""What heddle says of itself: screens of help, topics, manual pages, and how a terminal gets them."""
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import unittest

from fcntl import ioctl

import help_pages
from heddle_driver import BAD_INPUT, HEDDLE, HeddleTest, needs

TOPICS = ("strategies", "suppressions", "exit-codes", "environment", "report", "memory-model")
LINES, COLUMNS = 24, 80


def on_terminal(command, environment=None, keys=b""):
    """What a terminal of 24 lines shows of a command, and its exit code. The keys are pressed when there is a prompt."""
    pid, terminal = pty.fork()
    if pid == 0:
        variables = {**os.environ, "TERM": "dumb", **(environment or {})}
        os.execve(command[0], command, {name: value for name, value in variables.items() if value is not None})
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    shown = b""
    while True:
        if not select.select([terminal], [], [], 60)[0]:
            os.kill(pid, signal.SIGKILL)
            break
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
        if keys and re.search(rb":(\x1b\S+)?$", shown):
            os.write(terminal, keys)
            keys = b""
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return shown.decode("utf-8", "replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


class Screens(HeddleTest):
    def check_width(self, text, what):
        for line in text.split("\n"):
            self.assertLessEqual(len(line), COLUMNS, f"{what}: {line}")

    def test_help_of_every_command_fits_one_screen(self):
        commands = help_pages.all_commands()
        self.assertLess({"cc", "c++", "run", "test", "replay", "lin run", "bench litmus", "help"}, set(commands))
        for name in ["", *commands]:
            with self.subTest(command=name):
                answer = self.heddle(*name.split(), "--help")
                self.assertEqual((answer.code, answer.errors), (0, ""))
                self.assertLessEqual(answer.output.count("\n"), LINES, answer.output)
                self.check_width(answer.output, name)
                self.assertRegex(answer.output, rf"(?i)^usage: heddle {re.escape(name)}" if name else r"usage: heddle COMMAND")
                self.assertRegex(answer.output, r"(?i)examples:|commands:")
                self.assertEqual(self.heddle(*name.split(), "-h").output if name not in ("cc", "c++") else answer.output,
                                 answer.output)

    def test_all_options_are_in_the_long_help(self):
        for name, command in help_pages.all_commands().items():
            with self.subTest(command=name):
                if not command.passes_on:
                    self.check_width(command.text, name)
                short = self.heddle(*name.split(), "--help").output
                for option in re.findall(r"^ +(?:-\w, )?(--[a-z][a-z-]+)", short, re.MULTILINE):
                    self.assertIn(option, command.options)

    def test_everyday_options_exist_and_are_shown(self):
        for name, options in (("run", ("-n", "-t", "-s", "--seed", "--html", "-o")), ("test", ("--junit", "-t")),
                              ("replay", ("--gdb", "--times")), ("explain", ("--html",)), ("merge", ("--store",)),
                              ("record", ("--path", "--vars")), ("search", ("--from",)), ("lin run", ("--check", "-n"))):
            text = self.heddle(*name.split(), "--help").output
            for option in options:
                self.assertRegex(text, rf"(?m)^ +(-\w, )?{option}\b|^ +{option}, ", name)

    def test_the_list_of_commands(self):
        short, whole = self.heddle("--help").output, self.heddle("--help-all").output
        for name in help_pages.all_commands():
            if " " not in name:
                self.assertIn(name, short)
                self.assertRegex(whole, rf"(?m)^  {re.escape(name)} ")
        # Without a command the same goes to standard error.
        answer = self.heddle()
        self.assertEqual((answer.code, answer.output, answer.errors), (BAD_INPUT, "", short))

    def test_version(self):
        self.assertEqual(self.heddle("-V").output, self.heddle("--version").output)


class Topics(HeddleTest):
    def test_the_list_names_all_of_them(self):
        answer = self.heddle("help")
        self.assertEqual(answer.code, 0)
        for name in (*TOPICS, *(name for name in help_pages.all_commands() if " " not in name)):
            self.assertRegex(answer.output, rf"(?m)^  {re.escape(name)}  ")

    def test_each(self):
        for topic in TOPICS:
            with self.subTest(topic=topic):
                answer = self.heddle("help", topic)
                self.assertEqual((answer.code, answer.errors), (0, ""))
                self.assertGreater(answer.output.count("\n"), 15)
                for line in answer.output.split("\n"):
                    self.assertLessEqual(len(line), COLUMNS, line)
                # Pages of the guide that are named exist.
                for page in re.findall(r"docs/guide/[\w-]+\.md", answer.output):
                    self.assertTrue(os.path.exists(os.path.join(os.path.dirname(__file__), "..", "..", page)), page)
                # Options and commands that are named exist.
                commands = help_pages.all_commands()
                known = {option for command in commands.values() for option in command.options}
                for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", answer.output):
                    self.assertIn(option, known)
                for command in re.findall(r"(?:`|^  )heddle ([a-z+]+)", answer.output, re.MULTILINE):
                    self.assertIn(command, commands)

    def test_commands_have_their_long_help(self):
        for name in ("run", "lin", "lin run", "bench litmus"):
            self.assertEqual(self.heddle("help", *name.split()).output, self.heddle(*name.split(), "--help-all").output)
        # The one name that both have.
        both = self.heddle("help", "report").output
        self.assertIn("HOW TO READ A REPORT", both)
        self.assertIn("usage: heddle report", both)

    def test_what_is_not_there(self):
        answer = self.heddle("help", "strategy")
        self.assertEqual(answer.code, BAD_INPUT)
        self.assertIn("Did you mean 'strategies'?", answer.errors)


class OnATerminal(HeddleTest):
    def test_short_help_is_printed(self):
        shown, code = on_terminal([HEDDLE, "run", "--help"], {"PAGER": "false"})
        self.assertEqual((shown, code), (self.heddle("run", "--help").output, 0))

    def test_long_help_goes_through_the_pager(self):
        self.write("pager", "#!/bin/sh\necho BEGIN\ncat\necho END\n")
        os.chmod(self.path("pager"), 0o755)
        text = self.heddle("help", "strategies").output
        shown, code = on_terminal([HEDDLE, "help", "strategies"], {"PAGER": self.path("pager")})
        self.assertEqual((shown, code), (f"BEGIN\n{text}END\n", 0))
        for no_pager in ("", "cat"):
            shown, code = on_terminal([HEDDLE, "help", "strategies"], {"PAGER": no_pager})
            self.assertEqual((shown, code), (text, 0))
        # A pager that cannot be run is no reason to show nothing.
        shown, code = on_terminal([HEDDLE, "help", "strategies"], {"PAGER": self.path("not-there")})
        self.assertEqual(code, 0)
        self.assertIn(text, shown)
        # What fits the terminal needs none.
        shown, _ = on_terminal([HEDDLE, "help", "help"], {"PAGER": self.path("pager")})
        self.assertNotIn("BEGIN", shown)

    def test_less_is_the_pager_unless_another_is_named(self):
        needs(shutil.which("less"), "less")
        shown, code = on_terminal([HEDDLE, "help", "strategies"], {"PAGER": None, "LESS": None, "TERM": "vt100"}, b"q")
        self.assertEqual(code, 0, shown)
        self.assertIn("STRATEGIES", shown)
        self.assertNotIn("greybox", shown)  # that is on a later screen

    def test_manual_pages_are_rendered(self):
        source = self.heddle("man", "run").output
        self.assertIn(".SH SYNOPSIS", source)
        shown, code = on_terminal([HEDDLE, "man", "run"], {"PAGER": "cat", "MANPAGER": "cat"})
        self.assertEqual(code, 0)
        self.assertNotIn(".SH", shown)
        self.assertIn("--executions", re.sub("\x1b\\[[0-9;]*m|.\b", "", shown))
        # Where nothing can render it, as a text.
        shown, code = on_terminal([HEDDLE, "man", "run"], {"PATH": "/nonexistent", "PAGER": "cat"})
        self.assertEqual((shown, code), (self.heddle("run", "--help-all").output, 0))

    def test_manual_pages_have_no_faults(self):
        needs(shutil.which("man"), "man")
        for name in ("run", "lin", "c++"):
            done = subprocess.run(["man", "--warnings", "-l", "-"], input=self.heddle("man", name).output, text=True,
                                  capture_output=True, check=True, env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
            self.assertEqual(done.stderr, "", name)


if __name__ == "__main__":
    unittest.main()
