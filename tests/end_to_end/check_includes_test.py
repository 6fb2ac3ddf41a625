#!/usr/bin/env python3
"""scripts/check_includes: the tree passes, and every forbidden direction is caught."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SCRIPT = os.path.join(ROOT, "scripts", "check_includes")


def check(root):
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)


def check_one(path, text):
    """The verdict on a tree of one file."""
    with tempfile.TemporaryDirectory() as root:
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full))
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        return check(root)


class CheckIncludes(unittest.TestCase):
    def test_reach_counts_what_is_included_by_what_is_included(self):
        def reach(header):
            answer = subprocess.run([sys.executable, SCRIPT, "--reach", header], capture_output=True, text=True)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            return int(re.fullmatch(rf"{header} reaches (\d+) of \d+ sources\n", answer.stdout)[1])

        self.assertEqual(reach("core/trace/no_header.h"), 0)
        # ids.h is included by event.h, and by others.
        self.assertLess(reach("core/trace/event.h"), reach("core/base/ids.h"))

    def test_this_tree_follows_the_table(self):
        result = check(ROOT)
        self.assertEqual(result.returncode, 0, result.stdout)

    def assert_allowed(self, path, header):
        result = check_one(path, f'#include "{header}"\n')
        self.assertEqual(result.returncode, 0, result.stdout)

    def assert_caught(self, path, header, say):
        result = check_one(path, f'// a comment\n#include "{header}"\n')
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{path}:2: {say}", result.stdout)

    def test_own_folder_and_folders_below_are_allowed(self):
        self.assert_allowed("core/trace/a.h", "core/trace/b.h")
        self.assert_allowed("core/trace/a.h", "core/base/ids.h")
        self.assert_allowed("runtime/abi/a.cpp", "runtime/memory/model.h")
        self.assert_allowed("tool/cli/a.cpp", "core/base/result.h")

    def test_back_edges_are_caught(self):
        self.assert_caught("core/base/a.h", "core/trace/event.h", "core/base may not include core/trace")
        self.assert_caught("runtime/engine/a.h", "runtime/abi/b.h", "runtime/engine may not include runtime/abi")
        self.assert_caught("tool/report/a.h", "tool/cli/b.h", "tool/report may not include tool/cli")

    def test_siblings_of_the_runtime_do_not_know_each_other(self):
        siblings = ["memory", "race", "sched", "heap", "strategy"]
        for a in siblings:
            for b in siblings:
                if a != b:
                    self.assert_caught(f"runtime/{a}/x.cpp", f"runtime/{b}/y.h",
                                       f"runtime/{a} may not include runtime/{b}")

    def test_tool_and_runtime_do_not_know_each_other(self):
        self.assert_caught("tool/run/a.cpp", "runtime/session/b.h", "tool/run may not include runtime/session")
        self.assert_caught("runtime/session/a.cpp", "tool/run/b.h", "runtime/session may not include tool/run")

    def test_angle_brackets_do_not_hide_a_violation(self):
        result = check_one("core/base/a.h", "#include <tool/cli/b.h>\n")
        self.assertEqual(result.returncode, 1)

    def test_only_the_abi_may_include_the_public_header(self):
        self.assert_allowed("runtime/abi/a.cpp", "heddle/heddle.h")
        self.assert_caught("core/base/a.h", "heddle/heddle.h", "core/base may not include include/heddle")

    def test_paths_start_at_the_root(self):
        self.assert_caught("core/base/a.h", "ids.h", '"ids.h" is no path from the root')

    def test_rooms_of_merging_come_one_after_the_other(self):
        self.assert_allowed("tool/merge/replay/a.h", "tool/merge/store/b.h")
        self.assert_caught("tool/merge/store/a.h", "tool/merge/ranking/b.h",
                           "tool/merge/store may not include tool/merge/ranking")
        self.assertIn("lies in no room", check_one("tool/merge/a.h", "").stdout)

    def test_the_product_does_not_include_its_benchmarks(self):
        self.assert_allowed("bench/harness/a.cpp", "tool/search/b.h")
        self.assert_caught("tool/cli/a.cpp", "bench/harness/b.h", "tool/cli may not include bench/harness")

    def test_the_architecture_has_the_same_rooms(self):
        with open(os.path.join(ROOT, "docs", "design", "architecture.md"), encoding="utf-8") as file:
            rows = set(re.findall(r"^\| `([\w/]+)/` \|", file.read(), re.MULTILINE))
        with open(SCRIPT, encoding="utf-8") as file:
            rooms = set(re.findall(r'^    "([\w/]+)": \[', file.read(), re.MULTILINE))
        self.assertTrue(rooms)
        self.assertEqual(rows - {"bench", "tests", "tool/gdb"}, rooms)

    def test_a_folder_outside_the_table_is_caught(self):
        result = check_one("runtime/attic/a.cpp", "")
        self.assertEqual(result.returncode, 1)
        self.assertIn("lies in no room", result.stdout)


if __name__ == "__main__":
    unittest.main()
