#!/usr/bin/env python3
"""The packages that scripts/package makes of the build tree: what is in them, and that they run from any folder.

    HEDDLE=build/bin/heddle python3 tests/package/package_test.py [Class.test_name]

fresh_debian_test.py installs them on a Debian of their own.
"""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "end_to_end"))
from heddle_driver import BAD_INPUT, BUG, HEDDLE, NO_BUG, TESTS, HeddleTest, needs  # noqa: E402

ROOT = os.path.dirname(TESTS)
BUILD = os.path.dirname(os.path.dirname(HEDDLE))
RACE = """
#include <thread>
int value;
int main() {
  std::thread other([] { value = 1; });
  value = 2;
  other.join();
}
"""


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def make_packages(folder, *options):
    """scripts/package into a folder: the paths of the Debian package and the tarball."""
    needs(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps") and shutil.which("file"), "dpkg-dev or file")
    made = subprocess.run([os.path.join(ROOT, "scripts/package"), "--no-build", "--build", BUILD, "--output", folder, *options],
                          capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise AssertionError(f"scripts/package failed:\n{made.stdout}{made.stderr}")
    files = made.stdout.split("\n")
    return (next(f for f in files if f.endswith(".deb")), next(f for f in files if ".tar." in f))


class PackageTest(HeddleTest):
    packages = None  # the folder of all tests

    @classmethod
    def setUpClass(cls):
        if PackageTest.packages is None:
            PackageTest.packages = tempfile.mkdtemp(prefix="heddle-packages-")
            unittest.addModuleCleanup(shutil.rmtree, PackageTest.packages)
            PackageTest.deb, PackageTest.tarball = make_packages(PackageTest.packages, "--fast")

    def unpack(self, name):
        """The tree of the Debian package in a folder below the test's own: the prefix."""
        subprocess.run(["dpkg", "-x", self.deb, self.path(name)], check=True)
        return self.path(name + "/usr")

    def unpack_tarball(self, name):
        os.makedirs(self.path(name))
        subprocess.run(["tar", "xf", self.tarball, "-C", self.path(name)], check=True)
        return os.path.join(self.path(name), *os.listdir(self.path(name)))

    def build(self, prefix, name):
        self.write("race.cpp", RACE)
        answer = self.call(prefix + "/bin/heddle", "c++", "-g", "-O1", "race.cpp", "-o", name)
        self.assertEqual(answer.code, 0, answer.errors)
        return "./" + name

    def explore(self, heddle, program, code=BUG):
        answer = self.call(heddle, "run", "--no-progress", "-n", "100", "-o", "found", "--", program)
        self.assertEqual(answer.code, code, answer.output + answer.errors)
        return answer

    def replay(self, heddle, *options):
        answer = self.call(heddle, "replay", *options, "found/bug-1.heddle")
        self.assertEqual(answer.code, BUG, answer.output + answer.errors)
        shutil.rmtree(self.path("found"))

    def assert_names_nothing_of_the_build(self, path):
        with open(path, "rb") as file:
            content = file.read()
        for folder in {ROOT, BUILD}:
            # As a whole path: "/src" is no part of "/usr/src".
            named = re.search(rb"(?<![\w./-])" + re.escape(folder.encode()) + rb"(?![\w.-])", content)
            self.assertIsNone(named, f"{path} names {folder}")

    def run_path(self, program):
        return re.findall(r"\(RUNPATH\).*\[(.*)\]", output_of("readelf", "-dW", self.path(program)))


class Contents(PackageTest):
    def test_debian_package(self):
        fields = dict(re.findall(r"^([\w-]+): (.*)", output_of("dpkg-deb", "-f", self.deb), re.MULTILINE))
        self.assertEqual(fields["Package"], "heddle")
        self.assertEqual(fields["Architecture"], output_of("dpkg", "--print-architecture").strip())
        for library in ("libc6", "libdw1", "libelf1", "libstdc++6"):
            self.assertRegex(fields["Depends"], rf"(^|, ){re.escape(library)}( |,|$)")
        self.assertIn("g++", fields["Recommends"])
        rows = [row.split(None, 5) for row in output_of("dpkg-deb", "--contents", self.deb).splitlines()]
        names = {row[5].removeprefix("./").split(" -> ")[0] for row in rows}
        for name in ("usr/bin/heddle", "usr/lib/libheddle.so.0", "usr/lib/heddle/link/libheddle.so.0", "usr/lib/heddle/fixed-layout",
                     "usr/include/heddle/heddle.h", "usr/lib/cmake/heddle/heddleConfig.cmake", "usr/share/man/man1/heddle.1.gz",
                     "usr/share/man/man1/heddle-run.1.gz", "usr/share/bash-completion/completions/heddle",
                     "usr/share/zsh/site-functions/_heddle", "usr/share/fish/vendor_completions.d/heddle.fish",
                     "usr/share/doc/heddle/copyright", "usr/share/doc/heddle/changelog.gz", "usr/share/doc/heddle/guide/install.md"):
            self.assertIn(name, names)
        for row, name in ((row, row[5]) for row in rows):
            self.assertTrue(name in ("./", "./usr/") or name.startswith("./usr/"), name)
            self.assertEqual(row[1], "root/root", name)
            self.assertTrue(row[0][0] == "l" or "w" not in row[0][4:], f"{name} can be written by others")

    def test_nothing_names_the_build_tree(self):
        prefix = self.unpack("tree")
        for folder, _, names in os.walk(prefix):
            for name in names:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    self.assert_names_nothing_of_the_build(path)

    def test_version_and_change_log(self):
        version = output_of("dpkg-deb", "-f", self.deb, "Version").strip()
        prefix = self.unpack("tree")
        with gzip.open(prefix + "/share/doc/heddle/changelog.gz", "rt", encoding="utf-8") as file:
            self.write("changelog", file.read())
        entries = output_of("dpkg-parsechangelog", "--all", "-l", self.path("changelog"), "-S", "Version").split()
        self.assertEqual(output_of("dpkg-parsechangelog", "-l", self.path("changelog"), "-S", "Version").strip(), version)
        self.assertEqual(len(entries), 1)  # that of the newest entry, whatever comes after it
        release = output_of(prefix + "/bin/heddle", "--version").split()[1]
        self.assertEqual(re.split("[~+]", version)[0], release)
        self.assertIn(version, os.path.basename(self.tarball))

    def test_container_file_names_the_package(self):
        with open(os.path.join(self.packages, "Containerfile"), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(f"COPY {os.path.basename(self.deb)} /tmp/\n", text)
        self.assertNotIn("@", re.sub("^#.*", "", text, flags=re.MULTILINE))


class AnyFolder(PackageTest):
    def test_two_folders(self):
        for name in ("first", "second folder"):
            prefix = self.unpack(name)
            program = self.build(prefix, "race")
            self.assertEqual(self.run_path("race"), [prefix + "/lib/heddle/link"])
            self.assert_names_nothing_of_the_build(self.path("race"))
            self.explore(prefix + "/bin/heddle", program)
            self.replay(prefix + "/bin/heddle")

    def test_by_a_symbolic_link(self):
        prefix = self.unpack("tree")
        os.makedirs(self.path("bin"))
        os.symlink(prefix + "/bin/heddle", self.path("bin/by-another-name"))
        os.symlink("by-another-name", self.path("bin/heddle"))
        self.build(self.folder, "race")
        self.assertEqual(self.run_path("race"), [prefix + "/lib/heddle/link"])
        self.explore(self.path("bin/heddle"), "./race")
        self.replay(self.path("bin/heddle"))

    def test_tarball(self):
        for name in ("first", "second folder"):
            prefix = self.unpack_tarball(name)
            self.build(prefix, "race")
            self.explore(prefix + "/bin/heddle", "./race")
            self.replay(prefix + "/bin/heddle")
            needed = output_of("ldd", prefix + "/bin/heddle")
            for library in ("libdw.so.1", "libelf.so.1", "libfmt.so.9", "libstdc++.so.6", "liblzma.so.5"):
                self.assertIn(f"{library} => {os.path.realpath(prefix)}/", needed.replace("/bin/../lib/", "/lib/"))
            self.assertNotIn("lib/heddle/private/libc.so", needed)


class Moved(PackageTest):
    """Programs whose library is not where it was when they were built."""

    def test_program_of_a_folder_that_has_moved(self):
        self.build(self.unpack("first"), "race")
        os.rename(self.path("first"), self.path("moved"))
        self.assertNotEqual(self.call("./race").code, 0)  # the loader finds no library
        heddle = self.path("moved/usr/bin/heddle")
        self.explore(heddle, "./race")
        self.replay(heddle)

    def test_folder_with_a_space(self):
        """The loader takes a space in LD_PRELOAD for the end of a name."""
        self.build(self.unpack("first"), "race")
        os.rename(self.path("first"), self.path("two words"))
        heddle = self.path("two words/usr/bin/heddle")
        self.explore(heddle, "./race")
        self.replay(heddle)
        self.assertEqual(self.call("g++", "-g", "-O1", "-fsanitize=thread", "race.cpp", "-o", "tsan").code, 0)
        self.explore(heddle, "./tsan")

    def test_program_of_another_folder(self):
        """heddle runs it with its own library, and not with one that it knows nothing of."""
        first, second = self.unpack("first"), self.unpack("second")
        self.build(first, "race")
        with open(first + "/lib/libheddle.so.0", "wb") as file:
            file.write(b"not a library")
        self.explore(second + "/bin/heddle", "./race")
        self.replay(second + "/bin/heddle")

    def test_cases_are_listed_with_the_library_here(self):
        prefix = self.unpack("first")
        # What GoogleTest prints, as far as heddle asks.
        self.write("cases.c", '#include <stdio.h>\n#include <string.h>\nint main(int n, char** v) {\n'
                   '  if (n > 1 && strcmp(v[1], "--gtest_list_tests") == 0) puts("Suite.\\n  Case");\n  return 0;\n}\n')
        self.assertEqual(self.call(prefix + "/bin/heddle", "cc", "-O1", "cases.c", "-o", "cases").code, 0)
        os.rename(self.path("first"), self.path("moved"))
        answer = self.call(self.path("moved/usr/bin/heddle"), "test", "--no-progress", "-n", "10", "--", "./cases")
        self.assertEqual(answer.code, NO_BUG, answer.output + answer.errors)

    def test_program_of_another_version(self):
        """A name of the library stands for what programs expect of it: another one is refused by name."""
        prefix = self.unpack("tree")
        self.build(prefix, "race")
        with open(self.path("race"), "rb") as file:
            program = file.read()
        self.assertEqual(program.count(b"libheddle.so.0\0"), 1)
        with open(self.path("other"), "wb") as file:
            file.write(program.replace(b"libheddle.so.0\0", b"libheddle.so.9\0"))
        os.chmod(self.path("other"), 0o755)
        answer = self.explore(prefix + "/bin/heddle", "./other", code=BAD_INPUT)
        self.assertIn("libheddle.so.9", answer.errors)
        self.assertIn("again", answer.errors)


if __name__ == "__main__":
    unittest.main()
