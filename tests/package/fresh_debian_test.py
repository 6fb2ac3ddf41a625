#!/usr/bin/env python3
"""heddle's packages on a minimal Debian 12: installed, used by an ordinary user, upgraded, removed without a trace.

    HEDDLE=build/bin/heddle python3 tests/package/fresh_debian_test.py [FreshDebian.test_name]

As root. The minimal system is made once, by debootstrap, and kept in /var/tmp/heddle-test-debian
(HEDDLE_TEST_DEBIAN names another folder). The tests themselves have no network.
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from package_test import RACE, ROOT, make_packages, needs

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.environ.get("HEDDLE_TEST_DEBIAN", "/var/tmp/heddle-test-debian")
# Namespaces of its own: mounts and processes end with the command. The network is left out.
ENTER = """
set -e
mount --make-rprivate /
mount -t proc proc "$BOX/proc"
mount -t sysfs sys "$BOX/sys" 2>/dev/null || true
mount --rbind /dev "$BOX/dev"
exec chroot "$BOX" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \\
  DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C "$@"
"""
# What the system itself keeps of every installation: its books, logs and caches.
BOOKS = ("/etc/ld.so.cache", "/tmp", "/var/cache", "/var/lib/apt", "/var/lib/dpkg", "/var/log", "/proc", "/sys", "/dev", "/home")
USER = "ada"


class FreshDebian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root can enter another system")
        needs(shutil.which("debootstrap"), "debootstrap")
        base = os.path.join(CACHE, "bookworm")
        os.makedirs(CACHE, exist_ok=True)
        subprocess.run([os.path.join(HERE, "minimal_debian"), base], check=True)
        cls.base = base
        cls.packages = tempfile.mkdtemp(prefix="heddle-packages-", dir=CACHE)
        cls.addClassCleanup(shutil.rmtree, cls.packages)
        cls.deb, cls.tarball = make_packages(cls.packages)

    def setUp(self):
        self.box = tempfile.mkdtemp(prefix="box-", dir=CACHE)
        self.addCleanup(subprocess.run, ["rm", "-rf", "--one-file-system", self.box], check=True)
        subprocess.run(["cp", "-a", "--reflink=auto", self.base + "/.", self.box], check=True)
        os.chmod(self.box, 0o755)
        self.root("useradd", "--create-home", "--shell", "/bin/sh", USER)
        self.write("race.cpp", RACE)

    def write(self, name, text):
        path = f"{self.box}/home/{USER}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        shutil.chown(path, USER_ID, USER_ID)

    def enter(self, *command, code=0):
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc", "sh", "-c", ENTER, "sh", *command],
                              env={**os.environ, "BOX": self.box}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def root(self, *command, code=0):
        return self.enter(*command, code=code)

    def user(self, command, code=0):
        """A line of shell, as the ordinary user in their own folder."""
        return self.enter("setpriv", f"--reuid={USER_ID}", f"--regid={USER_ID}", "--clear-groups", "env", f"HOME=/home/{USER}",
                          "sh", "-c", f"cd ~ && {command}", code=code)

    def apt(self, *words):
        return self.root("apt-get", "-q", "-y", *words)

    def bring(self, path, folder="/tmp"):
        """A copy of a file in there: its path there."""
        shutil.copy(path, self.box + folder)
        return f"{folder}/{os.path.basename(path)}"

    def files(self):
        """Each file of the system, and what it is."""
        found = {}
        for folder, folders, names in os.walk(self.box):
            inside = folder.removeprefix(self.box) or "/"
            folders[:] = [f for f in folders if os.path.join(inside, f) not in BOOKS]
            for name in names + folders:
                path = os.path.join(inside, name)
                if path in BOOKS:
                    continue
                about = os.lstat(self.box + path)
                found[path] = (about.st_mode, about.st_uid, about.st_gid, about.st_size if name in names else 0)
        return found

    def find_and_replay(self, heddle="heddle"):
        self.user(f"{heddle} c++ -g -O1 race.cpp -o race")
        report = self.user(f"{heddle} run --no-progress -- ./race", code=66)
        self.assertIn("data race", report)
        self.assertIn("race.cpp", report)
        self.user(f"{heddle} replay heddle-out/bug-1.heddle", code=66)

    def test_install_use_remove(self):
        self.apt("install", "--no-install-recommends", "g++", "libcapstone4", "libdw1", "libelf1", "libfmt9", "libzstd1")
        before = self.files()
        self.apt("install", self.bring(self.deb))
        self.find_and_replay()
        self.assertIn("RUNPATH", self.user("readelf -d race"))
        self.assertNotIn(ROOT, self.user("strings -a race"))
        self.assertIn("changelog.gz", self.user("dpkg -L heddle"))
        self.apt("purge", "heddle")
        self.assertEqual(self.files(), before)
        self.assertEqual(self.root("dpkg-query", "-W", "-f", "${Package} ${Status}\n").count("heddle"), 0)
        # A program that is still there says what it misses.
        self.assertIn("libheddle.so.0", self.user("./race", code=127))

    def test_one_command_brings_a_compiler(self):
        self.apt("install", self.bring(self.deb))
        self.find_and_replay()

    def test_without_a_compiler_it_says_so(self):
        self.apt("install", "--no-install-recommends", self.bring(self.deb))
        self.assertIn("is not there", self.user("heddle c++ -g -O1 race.cpp -o race", code=2))

    def test_upgrade(self):
        """A program and an artifact of before are used by the heddle of after."""
        self.apt("install", self.bring(self.deb))
        self.find_and_replay()
        newer = os.path.join(self.packages, "newer")
        subprocess.run(["dpkg-deb", "-R", self.deb, newer], check=True)
        self.addCleanup(shutil.rmtree, newer)
        with open(newer + "/DEBIAN/control", encoding="utf-8") as file:
            control = file.read()
        with open(newer + "/DEBIAN/control", "w", encoding="utf-8") as file:
            file.write(re.sub(r"(?m)^Version: .*", "Version: 99.0.0", control))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", newer, self.packages + "/newer.deb"], check=True, capture_output=True)
        self.apt("install", self.bring(self.packages + "/newer.deb"))
        self.assertIn("99.0.0", self.root("dpkg-query", "-W", "heddle"))
        self.user("heddle replay heddle-out/bug-1.heddle", code=66)
        self.user("heddle run --no-progress -o again -- ./race", code=66)

    def test_tarball_in_two_places(self):
        """Nothing but a compiler is installed, and nothing as root."""
        self.apt("install", "--no-install-recommends", "g++")
        tarball = self.bring(self.tarball)
        self.user(f"mkdir -p first 'second place' && tar xf {tarball} -C first && tar xf {tarball} -C 'second place'")
        for place in ("second place", "first"):
            self.find_and_replay(f"'./{place}'/heddle-*/bin/heddle")
            self.user("rm -rf heddle-out")
        self.user("rm -rf first && './second place'/heddle-*/bin/heddle run --no-progress -- ./race", code=66)

    def test_steps_of_the_container_file(self):
        """Its commands, as an image's build would run them; there is no registry here to build the image itself."""
        with open(os.path.join(self.packages, "Containerfile"), encoding="utf-8") as file:
            steps = re.findall(r"^(\w+) ((?:.*\\\n)*.*)", re.sub(r"(?m)^#.*\n", "", file.read()), re.MULTILINE)
        for word, rest in steps:
            if word == "COPY":
                self.bring(os.path.join(self.packages, rest.split()[0]), rest.split()[1].rstrip("/"))
            elif word == "RUN":
                self.root("sh", "-c", rest.replace("\\\n", ""))
        settings = next(rest for word, rest in steps if word == "ENV")
        self.user(f"export {settings} && $CXX -g -O1 race.cpp -o race && heddle run --no-progress -- ./race", code=66)
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\nfind_package(heddle CONFIG REQUIRED)\n"
                   "enable_testing()\nadd_executable(racy race.cpp)\ntarget_link_libraries(racy heddle::heddle)\n"
                   "heddle_add_test(NAME race TARGET racy)\n")
        self.user("CXX=g++ cmake -B build . && cmake --build build")
        self.assertIn("data race", self.user("ctest --test-dir build --output-on-failure", code=8))
        self.assertFalse(os.listdir(self.box + "/var/lib/apt/lists"))


USER_ID = 1000

if __name__ == "__main__":
    unittest.main()
