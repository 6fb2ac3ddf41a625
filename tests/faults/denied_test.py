#!/usr/bin/env python3
"""heddle where the system denies calls, is short of something, or lacks a folder: it works, or says what is missing.

    HEDDLE=build/bin/heddle python3 tests/faults/denied_test.py [--all] [TestClass.test_name]

--all: every call of the inventory (denials.py) is denied to every command, which takes minutes.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from commands import BAD_INPUT, BUG, HEDDLE, NO_BUG, Command, Workshop  # noqa: E402
from denials import ALL, NEEDED, SPEECHLESS, Denials, environment  # noqa: E402
from injection import OWN_MOUNTS, PRIVATE_MOUNTS, Failure, Injection  # noqa: E402

TAKES_ALL = "--all" in sys.argv
NOBODY = 65534


class DeniedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="heddle-denied-")
        os.chmod(cls.folder, 0o755)
        names = None if TAKES_ALL else ["replay", "minimize", "explain", "record"]
        cls.workshop = Workshop(os.path.join(cls.folder, "workshop"), names)
        cls.workshop.make("steady")
        rare, steady = cls.workshop.path("rare"), cls.workshop.path("steady")
        bug = {"bug.heddle": cls.workshop.path("kept", "bug-1.heddle")}
        cls.commands = {command.name: command for command in cls.workshop.all if command.name != "gdb"}
        found = ("--no-minimize", "--seed", "3", "-o", "fresh")
        for command in (
                Command("run", ["run", "-n", "3000", *found, "--", rare], BUG),
                Command("run-exhaustive", ["run", "-s", "exhaustive", "-n", "3000", *found[:1], "-o", "fresh", "--", rare], BUG),
                Command("run-fork", ["run", "-n", "200", "--repetition", "fork", *found, "--", rare], BUG),
                Command("steady", ["run", "-n", "40", *found, "--", steady], NO_BUG),
                Command("steady-fork", ["run", "-n", "20", "--repetition", "fork", *found, "--", steady], NO_BUG),
                Command("replay", ["replay", "-q", "--times", "2", "bug.heddle"], BUG, inputs=bug),
                Command("show", ["show", "bug.heddle"], NO_BUG, inputs=bug)):
            cls.commands[command.name] = command
        cls.denials = Denials(cls.workshop, os.path.join(cls.folder, "work"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)


class Calls(DeniedTest):
    """What some call's denial does to some command; the whole of it is in Everything."""

    def expect(self, name, call, error, code, *texts):
        with self.subTest(command=name, call=call, error=error):
            got, errors = self.denials.denied(self.commands[name], call, error)
            self.assertEqual(got, code, errors)
            for text in texts:
                self.assertIn(text, errors)

    def test_what_heddle_cannot_do_without_is_named(self):
        for call in ("close", "wait4", "gettid", "lseek", "rt_sigreturn", "pread64", "readlink"):
            self.expect("steady", call, "EPERM", BAD_INPUT, call, "seccomp")
        for name, call in (("run", "clone"), ("replay", "arch_prctl"), ("minimize", "waitid"), ("explain", "kill"), ("record", "pipe2")):
            self.expect(name, call, "ENOSYS", BAD_INPUT, call, "seccomp")

    def test_threads_that_the_system_does_not_make_are_no_failure_of_the_program(self):
        for name, error in (("steady", "EPERM"), ("replay", "EPERM"), ("minimize", "EPERM"), ("record", "EPERM")):
            self.expect(name, "clone3", error, BAD_INPUT, "clone3", "Operation not permitted")
        for name in ("run", "steady", "replay", "explain"):
            self.expect(name, "clone3", "EAGAIN", BAD_INPUT, "clone3", "EAGAIN", "ulimit -u")
        self.expect("steady", "clone3", "ENOSYS", NO_BUG)
        self.expect("steady", "exit", "EPERM", BAD_INPUT, "heddle cannot do without exit:")
        self.expect("record", "exit", "ENOSYS", BAD_INPUT, "heddle cannot do without exit:")

    def test_memory_is_put_back_rightly_or_not_at_all(self):
        # Whoever cannot count page faults, or give pages back, must not repeat executions in one process.
        for call in ("getrusage", "madvise"):
            self.expect("steady", call, "EPERM", NO_BUG)
            self.expect("run", call, "EPERM", BUG)

    def test_what_heddle_can_do_without(self):
        for call in ("prctl", "ioctl", "getdents64", "memfd_create"):
            self.expect("steady", call, "ENOSYS", NO_BUG)
        for call in ("personality", "poll", "sigaltstack"):
            self.expect("replay", call, "EPERM", BUG)


class Everything(DeniedTest):
    """Every call, denied to every command."""

    # Those that take a second and more are asked only what they may have of their own.
    SLOW = ("minimize", "explain", "search", "reconstruct", "merge", "lin", "run-forking", "test")

    def pairs(self):
        for name in self.commands:
            for call in ALL:
                for error in ("EPERM", "ENOSYS"):
                    if name in self.SLOW and (error == "ENOSYS" or call in NEEDED or call in SPEECHLESS):
                        continue
                    yield name, call, error

    @unittest.skipUnless(TAKES_ALL, "takes minutes")
    def test_each_answer_is_honest(self):
        waiting, failures, lock = list(self.pairs()), [], threading.Lock()
        for name in self.commands:
            self.denials.usually(self.commands[name])

        def work(number):
            while True:
                with lock:
                    if not waiting:
                        return
                    name, call, error = waiting.pop()
                try:
                    self.denials.denied(self.commands[name], call, error, os.path.join(self.folder, f"work-{number}"))
                except Failure as failure:
                    with lock:
                        failures.append(str(failure))
                        print(failure, flush=True)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


class Limits(DeniedTest):
    """Limits of the shell."""

    def limited(self, name, *limits, unprivileged=False):
        command = self.commands[name]
        one = Injection(command, os.path.join(self.folder, "work"), self.workshop)
        os.chmod(one.folder, 0o777)
        for at in ("out", *one.before):
            os.chmod(os.path.join(one.folder, at), 0o777)

        def apply():
            for which, most in limits:
                resource.setrlimit(which, most if isinstance(most, tuple) else (most, most))
            if unprivileged and os.geteuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)

        one.start(preexec_fn=apply)
        code = one.finish()
        one.check_processes()
        return code, one.errors()

    def expect(self, name, code, texts, *limits, **options):
        with self.subTest(command=name, limits=limits):
            got, errors = self.limited(name, *limits, **options)
            self.assertEqual(got, code, errors)
            for text in texts:
                self.assertIn(text, errors)

    def test_processes(self):
        # Of no user who has that many processes already.
        for name in ("steady", "replay"):
            self.expect(name, BAD_INPUT, ["ulimit -u"], (resource.RLIMIT_NPROC, 1), unprivileged=True)
        # Each number is too few for another part of heddle.
        for most in (2, 3, 4, 5):
            with self.subTest(most=most):
                code, errors = self.limited("steady", (resource.RLIMIT_NPROC, most), unprivileged=True)
                self.assertIn(code, (NO_BUG, BAD_INPUT), errors)
                if code == BAD_INPUT:
                    self.assertIn("ulimit -u", errors)

    def test_stack(self):
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        for name in ("steady", "replay"):
            self.expect(name, BAD_INPUT, ["ulimit -s"], (resource.RLIMIT_STACK, (64 << 10, hard)))
            for most in (1 << 20, hard):
                self.expect(name, self.commands[name].expected, [], (resource.RLIMIT_STACK, (most, hard)))

    def test_address_space(self):
        self.expect("steady", BAD_INPUT, ["ulimit -v"], (resource.RLIMIT_AS, 2 << 30))
        self.expect("replay", BAD_INPUT, ["ulimit -v"], (resource.RLIMIT_AS, 2 << 30))

    def test_descriptors(self):
        for name, expected in (("steady", NO_BUG), ("replay", BUG)):
            self.expect(name, BAD_INPUT, ["ulimit -n"], (resource.RLIMIT_NOFILE, 12))
            self.expect(name, expected, [], (resource.RLIMIT_NOFILE, 40))


class Places(DeniedTest):
    """Folders that are not there."""

    def without(self, script, name, code, environment=(), *texts):
        """`script`: makes it so, in a mount namespace of its own."""
        command = self.commands[name]
        one = Injection(command, os.path.join(self.folder, "work"), self.workshop)
        answer = subprocess.run([*OWN_MOUNTS, "sh", "-ec", PRIVATE_MOUNTS + script + '; exec "$@"', "sh", HEDDLE, *command.words],
                                cwd=one.folder, env={**os.environ, **dict(environment)}, stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=60, check=False)
        errors = answer.stderr.decode("utf-8", "replace")
        self.assertEqual(answer.returncode, code, errors)
        for text in texts:
            self.assertIn(text, errors)

    def test_no_proc(self):
        if os.geteuid() != 0:
            return  # nobody else may mount
        for name, code in (("steady", NO_BUG), ("run", BUG), ("replay", BUG), ("minimize", NO_BUG), ("record", NO_BUG)):
            with self.subTest(command=name):
                self.without("mount -t tmpfs none /proc", name, code)

    def test_no_shared_memory_and_no_folder_for_temporary_files(self):
        if os.geteuid() != 0:
            return
        # The test's own folder, which may be below /tmp, can be written all the same.
        script = (f"mount --bind '{self.folder}' '{self.folder}'; mount --rbind /tmp /tmp; mount -o remount,bind,ro /tmp; "
                  f"cd '{self.folder}/work'; ! touch /tmp/heddle-denied 2> /dev/null; mount -t tmpfs -o ro,size=4k none /dev/shm")
        for name, code in (("steady", NO_BUG), ("replay", BUG), ("minimize", NO_BUG), ("record", NO_BUG)):
            with self.subTest(command=name):
                self.without(script, name, code, {"TMPDIR": "/nowhere"})
        # Nor memfd_create: there is no memory that processes could share.
        without_memory = environment(self.denials.library, "memfd_create", "EPERM")
        for name in ("steady", "replay"):
            with self.subTest(command=name):
                self.without(script + "; export " + " ".join(f"{key}='{value}'" for key, value in without_memory.items()), name,
                             BAD_INPUT, (), "memfd_create", "/dev/shm")

    def test_no_home(self):
        for name, code in (("steady", NO_BUG), ("replay", BUG)):
            one = Injection(self.commands[name], os.path.join(self.folder, "work"), self.workshop)
            bare = {"PATH": "/usr/bin:/bin"}
            answer = subprocess.run([HEDDLE, *self.commands[name].words], cwd=one.folder, env=bare, stdin=subprocess.DEVNULL,
                                    capture_output=True, timeout=60, check=False)
            self.assertEqual(answer.returncode, code, answer.stderr)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"], verbosity=2)
