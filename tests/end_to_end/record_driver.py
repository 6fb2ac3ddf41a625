"""What the tests of `heddle record` share: programs that are built once for a class, and logs as text."""
import os
import shutil
import subprocess
import tempfile

from heddle_driver import HEDDLE, HeddleTest, needs_full_builds


class RecordTest(HeddleTest):
    @classmethod
    def setUpClass(cls):
        needs_full_builds()
        cls.shared = tempfile.mkdtemp(prefix="heddle-test-")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    @classmethod
    def compile_full(cls, source, name):
        path = os.path.join(cls.shared, name)
        with open(path + ".cpp", "w", encoding="utf-8") as file:
            file.write(source)
        subprocess.run([HEDDLE, "c++", "--full", "-O1", "-g", "-w", path + ".cpp", "-o", path, "-pthread"], check=True)
        return path

    def show(self, log, steps=0, code=0):
        done = subprocess.run([HEDDLE, "record", "--show", log, "--steps", str(steps)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr
