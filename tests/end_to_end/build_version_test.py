#!/usr/bin/env python3
"""What `--full` compiled into a program fits one version of the runtime: another one says so, and does not run it as if it did."""
import glob
import os
import shutil
import subprocess
import unittest

from heddle_driver import BAD_INPUT, INCONCLUSIVE, HeddleTest, needs_full_builds

PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <thread>
long counter;
int main(int argc, char** argv) {
  std::thread a([] { ++counter; });
  a.join();
  ++counter;
  if (argc > 1) {
    void* library = dlopen(argv[1], RTLD_NOW);
    if (library == nullptr) return 3;
    reinterpret_cast<void (*)(long*)>(dlsym(library, "plug"))(&counter);
    dlclose(library);
  }
  printf("%ld\\n", counter);
  return 0;
}
"""
LIBRARY = """
extern "C" void plug(long* value) { for (int i = 0; i < 5; ++i) *value += i; }
"""


class BuildVersionTest(HeddleTest):
    def setUp(self):
        needs_full_builds()
        super().setUp()
        self.program = self.compile(PROGRAM, c=False, flags=("--full", "-rdynamic"))
        self.write("plug.cpp", LIBRARY)
        built = self.heddle("c++", "--full", "-O1", "-shared", "-fPIC", "plug.cpp", "-o", "libplug.so")
        self.assertEqual(built.code, 0, built.errors)

    def of_another_version(self, name):
        """A copy of it with another version wherever it has one."""
        subprocess.run(["objcopy", "--dump-section", "heddle_build=" + self.path("version"), self.path(name), self.path("unused")],
                       check=True)
        with open(self.path("version"), "rb") as file:
            version = file.read(8)
        with open(self.path(name), "rb") as file:
            content = file.read()
        self.assertGreaterEqual(content.count(version), 2)  # for who looks at the file, and for the runtime
        with open(self.path("other-" + name), "wb") as file:
            file.write(content.replace(version, bytes([version[0] ^ 1]) + version[1:]))
        os.chmod(self.path("other-" + name), 0o755)
        return "./other-" + name

    def record(self, setting, *command):
        logs = self.path("logs")
        shutil.rmtree(logs, ignore_errors=True)
        answer = self.call(*command, env=dict(os.environ, HEDDLE_RECORD=setting.format(logs=logs)))
        return answer, glob.glob(os.path.join(logs, "*"))

    def test_a_program_of_another_version_is_not_recorded(self):
        other = self.of_another_version("program")
        answer = self.call(other)
        self.assertEqual((answer.code, answer.output, answer.errors), (0, "2\n", ""))
        for setting in ("vars:{logs}", "blocks:{logs}", "path:{logs}"):
            answer, logs = self.record(setting, other)
            self.assertEqual((answer.code, answer.output, logs), (0, "2\n", []))
            for said in ("other-program", "another version of heddle", "heddle c++ --full", "Nothing is recorded"):
                self.assertIn(said, answer.errors)
            answer, logs = self.record(setting, self.program)
            self.assertEqual((answer.code, answer.errors, len(logs)), (0, "", 1))

    def test_nor_run_under_the_engine(self):
        _, logs = self.record("vars:{logs}", self.program)
        logs = [shutil.move(log, self.path("order.hlog")) for log in logs]
        _, paths = self.record("path:{logs}", self.program)
        other = self.of_another_version("program")
        for command in (("run", "-n", "1"), ("search",), ("merge", *logs), ("reconstruct", *paths), ("record", "--profile"),
                        ("record", "--check", *logs)):
            answer = self.heddle(*command, "--", other)
            self.assertEqual(answer.code, BAD_INPUT, str(command) + answer.errors)
            self.assertIn("another version of heddle", answer.errors)
            self.assertIn("heddle c++ --full", answer.errors)

    def test_a_library_of_another_version(self):
        other = self.of_another_version("libplug.so")
        for setting in ("vars:{logs},profile=none", "path:{logs}"):
            answer, logs = self.record(setting, self.program, other)
            self.assertEqual((answer.code, answer.output), (0, "12\n"), setting)
            for said in ("another version of heddle", "heddle c++ --full", "not recorded"):
                self.assertIn(said, answer.errors)
            # What came before is there.
            self.assertEqual(len(logs), 1)
            shown = self.heddle("record", "--show", logs[0])
            self.assertEqual(shown.code, 0, shown.errors)
            self.assertEqual(self.record(setting, self.program, "./libplug.so")[0].errors, "")
        answer = self.heddle("run", "-n", "1", "--", self.program, other)
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        self.assertIn("another version of heddle", answer.errors)
        self.assertEqual(self.heddle("run", "-n", "1", "--", self.program, "./libplug.so").code, 0)

    def test_a_library_of_another_version_that_the_program_is_linked_with(self):
        other = self.of_another_version("libplug.so")
        self.write("linked.cpp", 'extern "C" void plug(long*); int main() { long n = 0; plug(&n); return n == 10 ? 0 : 1; }')
        built = self.heddle("c++", "--full", "linked.cpp", other, "-Wl,-rpath," + self.folder, "-o", "linked")
        self.assertEqual(built.code, 0, built.errors)
        answer, logs = self.record("vars:{logs}", "./linked")
        self.assertEqual((answer.code, logs), (0, []))
        self.assertIn("other-libplug.so was compiled by another version", answer.errors)
        answer = self.heddle("run", "-n", "1", "--", "./linked")
        self.assertEqual(answer.code, BAD_INPUT, answer.errors)
        self.assertIn("other-libplug.so", answer.errors)


if __name__ == "__main__":
    unittest.main()
