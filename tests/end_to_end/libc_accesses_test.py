#!/usr/bin/env python3
"""What libc does with the program's memory is seen as accesses of the program: the programs of tests/libc, and the table
docs/guide/libc-accesses.md against the runtime's exports, ThreadSanitizer's interceptors and the libc of this machine."""
import json
import os
import re
import shutil
import subprocess
import unittest

from heddle_driver import BUG, HEDDLE, NO_BUG, TESTS, HeddleTest

ROOT = os.path.realpath(os.path.join(TESTS, ".."))
PROGRAMS = os.path.join(TESTS, "libc")


def expected(source):
    with open(source, encoding="utf-8") as file:
        return set(re.findall(r"^(?:READS|WRITES)\((\w+)", file.read(), re.M))


class Programs(HeddleTest):
    """One execution of each program races at every call, by the function's name, and not at all when it is ordered."""

    def check(self, name, compilers=("gcc", "clang-19")):
        source = os.path.join(PROGRAMS, name + ".c")
        with open(source, encoding="utf-8") as file:
            flags = file.readline().replace("/*", "").replace("*/", "").replace("flags:", "").split()
        for compiler in compilers:
            with self.subTest(compiler=compiler):
                self.check_with(compiler, name, source, flags)

    def check_with(self, compiler, name, source, flags):
        environment = dict(os.environ, HEDDLE_CC=compiler)
        program = f"{name}_{compiler}"
        built = self.call(HEDDLE, "cc", "-g", "-O1", "-w", *flags, source, "-o", program, "-lm", env=environment)
        self.assertEqual(built.code, 0, built.errors)
        run = ["-j", "1", "-n", "1", "--seed", "1", "--no-minimize", "-o", program + ".out"]
        found = self.call(HEDDLE, "run", *run, "--", "./" + program)
        self.assertEqual(found.code, BUG, found.output + found.errors)
        shown = self.call(HEDDLE, "show", "--json", os.path.join(program + ".out", "bug-1.heddle"))
        findings = json.loads(shown.output)["findings"]
        wanted, seen = expected(source), set()
        for finding in findings:
            self.assertEqual(finding["kind"], "data race")
            functions = {stack["frames"][0]["function"] for stack in finding["stacks"] if stack["frames"]}
            self.assertTrue(functions & wanted, f"a race that is not meant: {functions}")
            seen |= functions & wanted
        self.assertEqual(wanted - seen, set(), "not seen")
        passes = self.call(HEDDLE, "run", *run[:-1], program + ".ordered", "--", "./" + program, "ordered")
        self.assertEqual(passes.code, NO_BUG, passes.output + passes.errors)

    def test_streams(self):
        self.check("streams")

    def test_text(self):
        self.check("text")

    def test_wide(self):
        self.check("wide")

    def test_services(self):
        self.check("services")

    def test_descriptors(self):
        self.check("descriptors")

    def test_fortified(self):
        # clang knows these sizes less often, and calls other functions.
        self.check("fortified", ["gcc"])


def table():
    """The names of docs/guide/libc-accesses.md by their section; a name may end with *."""
    sections, names = {}, None
    with open(os.path.join(ROOT, "docs", "guide", "libc-accesses.md"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("## "):
                names = sections.setdefault(line[3:].strip(), [])
            elif line.startswith("| `") and names is not None:
                names += re.findall(r"`([^`]+)`", line.split("|")[1])
    return sections


def exports():
    """What version.map lets the program see; a name may end with *."""
    with open(os.path.join(ROOT, "runtime", "abi", "version.map"), encoding="utf-8") as file:
        lines = [line.split("#")[0] for line in file]
    return re.findall(r"([A-Za-z_]\w*\*?);", "".join(lines).split("local:")[0])


def defined_by(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[2].split("@")[0] for line in listing.splitlines() if len(line.split()) == 3}


def library(name, compiler="g++"):
    return subprocess.run([compiler, "-print-file-name=" + name], check=True, capture_output=True, text=True).stdout.strip()


def matches(name, patterns):
    return any(name == p or (p.endswith("*") and name.startswith(p[:-1])) for p in patterns)


def is_known(pattern, names):
    return pattern in names or (pattern.endswith("*") and any(name.startswith(pattern[:-1]) for name in names))


class Table(unittest.TestCase):
    def setUp(self):
        self.libc = defined_by(library("libc.so.6")) | defined_by(library("libm.so.6"))
        self.sections = table()
        self.exports = exports()

    def test_no_name_stands_twice(self):
        names = [name for section in self.sections.values() for name in section]
        self.assertEqual(sorted(name for name in set(names) if names.count(name) > 1), [])

    def test_what_is_seen_is_exported(self):
        for section in ("Seen", "Taken over for other reasons"):
            missing = [name for name in self.sections[section] if not matches(name, self.exports) and name not in self.exports]
            self.assertEqual(missing, [], section)

    def test_what_is_not_told_is_not_exported(self):
        self.assertEqual([name for name in self.sections["Not told"] if name in self.exports], [])

    def test_every_exported_function_of_libc_has_a_row(self):
        rows = self.sections["Seen"] + self.sections["Taken over for other reasons"]
        of_libc = [name for name in self.exports if name.rstrip("*") in self.libc or name.endswith("*")]
        others = [name for name in of_libc if name.endswith("*") and not is_known(name, self.libc)]
        self.assertEqual([name for name in of_libc if name not in others and not matches(name, rows)], [])

    def test_every_function_that_is_seen_is_of_this_libc(self):
        unknown = [name for name in self.sections["Seen"] + self.sections["Not told"]
                   if not is_known(name, self.libc)]
        self.assertEqual(unknown, [])

    def test_every_interceptor_of_thread_sanitizer_has_a_row(self):
        # g++'s, and clang's where it is installed.
        libraries = [library("libtsan.so")]
        if shutil.which("clang-19") is not None:
            libraries.append(library("libclang_rt.tsan-x86_64.so", "clang-19"))
        prefix = re.compile(r"^_+interceptor_")
        intercepted = {prefix.sub("", name) for tsan in libraries if os.path.isabs(tsan)
                       for name in defined_by(tsan) if prefix.match(name)}
        self.assertGreater(len(intercepted), 400, "no ThreadSanitizer on this machine (scripts/setup test)")
        rows = [name for section in self.sections.values() for name in section]
        self.assertEqual(sorted(name for name in intercepted & self.libc if not matches(name, rows)), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
