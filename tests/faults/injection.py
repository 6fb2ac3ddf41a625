"""One command, one fault: starts the command in a folder of its own, kills one of its processes at a random moment, and
looks at what is left.

Asked of every command, whatever dies: it ends; its exit code is one that it may have, with a message where it is not the
expected one; what was in its folder before is there unchanged, and whatever it wrote under its final name can be read; no
process stays; nothing temporary stays after the next command in that folder.
"""
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import time
import uuid

from commands import HEDDLE

MARK = "HEDDLE_FAULT_MARK"
GRACE = 30  # seconds beyond its own limit after which a command hangs, on a busy machine
ROLES = ("heddle", "worker", "execution", "other")


class Failure(Exception):
    """What a command did wrong, in one line."""


# A mount namespace of its own, for a script of sh that begins with PRIVATE_MOUNTS. The root of a chroot need not be a
# mount point: unshare itself would fail to make it private.
OWN_MOUNTS = ["unshare", "-m", "--propagation", "unchanged"]
PRIVATE_MOUNTS = "mount --make-rprivate / 2> /dev/null || :; "


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def children(pid):
    found = []
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return found
    for task in tasks:
        found += [int(word) for word in read(f"/proc/{pid}/task/{task}/children").split()]
    return found


def processes(root):
    """(pid, role) of the process and all below it."""
    found = [(root, "heddle")]
    for worker in children(root):
        if read(f"/proc/{worker}/comm").strip() == b"heddle-guard":
            found.append((worker, "other"))
            continue
        found.append((worker, "worker"))
        for execution in children(worker):
            found.append((execution, "execution"))
            below = children(execution)
            while below:
                pid = below.pop()
                found.append((pid, "other"))
                below += children(pid)
    return found


def marked(mark):
    """Processes that were started by the command, wherever they are now."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and wanted in read(f"/proc/{name}/environ").split(b"\0"):
            state = read(f"/proc/{name}/stat").rpartition(b")")[2].split()[:1]
            if state not in ([b"Z"], [b"X"]):
                found.append(int(name))
    return found


def digest(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            found[os.path.relpath(path, folder)] = hashlib.sha256(read(path)).hexdigest()
    return found


def temporaries(folder):
    return [name for name in digest(folder) if name.endswith(".tmp")]


class Outcome:
    """`killed`: the role of what was killed, or None. `seconds`: from the fault on."""

    def __init__(self, killed, code, seconds):
        self.killed, self.code, self.seconds = killed, code, seconds


class Injection:
    def __init__(self, command, folder, workshop):
        self.command, self.folder, self.workshop = command, folder, workshop
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        # What an earlier campaign has found.
        shutil.copytree(workshop.path("kept"), os.path.join(folder, "out"))
        for name, source in dict(command.inputs).items():
            shutil.copy(source, os.path.join(folder, name))
        with open(os.path.join(folder, ".typed"), "w", encoding="utf-8") as file:
            file.write(command.typed)
        self.before = digest(folder)
        self.mark = uuid.uuid4().hex
        self.process = None

    def start(self, environment=(), **options):
        environment = {**os.environ, MARK: self.mark, "NO_COLOR": "1", "DEBUGINFOD_URLS": "", **dict(environment)}
        out, err = (open(os.path.join(self.folder, name), "wb") for name in (".stdout", ".stderr"))
        with out, err, open(os.path.join(self.folder, ".typed"), "rb") as typed:
            streams = {"stdin": typed, "stdout": out, "stderr": err, **options}
            self.process = subprocess.Popen([HEDDLE, *self.command.words], cwd=self.folder, env=environment,
                                            start_new_session=True, **streams)

    def errors(self):
        return read(os.path.join(self.folder, ".stderr")).decode("utf-8", "replace")

    def output(self):
        return read(os.path.join(self.folder, ".stdout")).decode("utf-8", "replace")

    def finish(self):
        """Its exit code; negative: the signal that ended it."""
        try:
            return self.process.wait(timeout=self.command.seconds + GRACE)
        except subprocess.TimeoutExpired:
            where = [f"{pid} {role} {read(f'/proc/{pid}/wchan').decode()} {read(f'/proc/{pid}/syscall').decode().strip()}"
                     for pid, role in processes(self.process.pid)]
            self.end()
            raise Failure("hangs: " + "; ".join(where)) from None

    def end(self):
        for pid in marked(self.mark):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        if self.process is not None:
            self.process.wait()

    def kill(self, role, after, which=signal.SIGKILL):
        """Sends the signal to a process of this role, `after` seconds from now or as soon as there is one; answers the role
        of the one that got it. None: the command was over before."""
        due = time.monotonic() + after
        while self.process.poll() is None:
            found = processes(self.process.pid)
            chosen = [pid for pid, of in found if of == role]
            if time.monotonic() >= due and chosen:
                try:
                    os.kill(random.choice(chosen), which)
                    return role
                except ProcessLookupError:
                    continue
            time.sleep(min(0.001, max(0.0001, due - time.monotonic())))
        return None

    def check(self, code, was_killed):
        """Raises Failure. `was_killed`: heddle itself was."""
        if was_killed:
            if code != -signal.SIGKILL and code not in self.command.allowed:
                raise Failure(f"exit code {code} after SIGKILL")
        elif code not in self.command.allowed:
            raise Failure(f"exit code {code}: {self.errors()[-500:]}")
        elif code not in self.command.answers and not self.errors().strip():
            raise Failure(f"exit code {code} without a message")
        self.check_processes()
        self.check_files()

    def check_processes(self):
        # SIGKILL takes effect when the kernel comes to it.
        until = time.monotonic() + 10
        while left := marked(self.mark):
            if time.monotonic() > until:
                names = [f"{pid} {read(f'/proc/{pid}/cmdline')[:80]}" for pid in left]
                self.end()
                raise Failure(f"processes stay: {names}")
            time.sleep(0.002)

    def check_files(self):
        after = digest(self.folder)
        rewritten = {"bug.heddle"}  # minimize writes over it
        for name, was in self.before.items():
            if name not in after:
                raise Failure(f"{name} is gone")
            if after[name] != was and name not in rewritten:
                raise Failure(f"{name} is not what it was")
        for name in after:
            if self.before.get(name) == after[name]:
                continue
            if name.endswith(".heddle"):
                self.expect_readable(name)
            elif name.endswith(".json"):
                self.expect_json(name)
        if temporaries(self.folder):
            self.expect_cleaned()

    def expect_readable(self, name):
        shown = subprocess.run([HEDDLE, "show", name], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                               timeout=120, check=False)
        if shown.returncode != 0:
            raise Failure(f"{name} cannot be read: {shown.stderr[-300:]}")

    def expect_json(self, name):
        try:
            json.loads(read(os.path.join(self.folder, name)))
        except ValueError as error:
            raise Failure(f"{name} is no JSON: {error}") from None

    def expect_cleaned(self):
        subprocess.run([HEDDLE, *self.command.words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                       timeout=self.command.seconds + GRACE, check=False)
        if left := temporaries(self.folder):
            raise Failure(f"{left} stay after the next command")


def usual_seconds(command, folder, workshop):
    """How long it takes when nothing is done to it: the moments of its life."""
    times = []
    for _ in range(2):
        one = Injection(command, folder, workshop)
        began = time.monotonic()
        one.start()
        code = one.finish()
        times.append(time.monotonic() - began)
        if code not in command.answers:
            raise Failure(f"{command.name}: exit code {code} without a fault: {one.errors()[-800:]}")
        one.check(code, False)
    return min(times)


def kill_once(command, folder, workshop, seconds, generator):
    """One run of the command in which something is killed."""
    role = generator.choices(ROLES, (2, 4, 4, 1))[0]
    moment = generator.random() * seconds
    one = Injection(command, folder, workshop)
    one.start()
    killed = one.kill(role, moment)
    then = time.monotonic()
    try:
        code = one.finish()
        one.check(code, killed == "heddle")
    except Failure as failure:
        raise Failure(f"{role} killed after {moment:.3f} s: {failure}") from None
    finally:
        one.end()
    return Outcome(killed, code, time.monotonic() - then)
