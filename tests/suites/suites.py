"""What each public suite has in it: its tests, and how its own build files compile and call them."""
import dataclasses
import glob
import os
import re
import subprocess

from sources import fetched


@dataclasses.dataclass
class Test:
    """One program of a suite."""
    name: str
    sources: list
    flags: list = dataclasses.field(default_factory=list)
    libraries: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)
    plugins: list = dataclasses.field(default_factory=list)  # sources, each of a shared object that the test loads

    @property
    def is_c(self):
        return self.sources[0].endswith(".c")


class Suite:
    """The tests of one source package. `prepare` builds what they share, with the compiler driver that it gets."""
    package = None
    flavours = ("g++", "clang++-19")
    options = ()  # of heddle run

    def __init__(self, work):
        self.root = fetched(self.package, work)

    def prepare(self, compile_c, folder):
        """Compiler arguments for what the suite's tests are linked with."""
        return []


class Glibc(Suite):
    """The tests of nptl/ and sysdeps/pthread/, linked with glibc's own test support library."""
    package = "glibc"
    HEADERS = ("array_length.h", "intprops.h", "verify.h", "libc-diag.h", "scratch_buffer.h", "libc-pointer-arith.h")
    OF_SYSTEM = ("x86_64/stackinfo.h", "x86/tst-stack-align.h", "unix/sysv/linux/tst-skeleton-thread-affinity.c")
    FLAGS = ["-std=gnu11", "-D_GNU_SOURCE", "-DTIMEOUTFACTOR=1", "-include", "limits.h", "-w", "-O1", "-g", "-pthread"]

    def __init__(self, work):
        super().__init__(work)
        # The tests include <support/…> and a few internal headers; glibc's other headers are for glibc itself.
        self.view = os.path.join(work, "sources", "glibc-view")
        os.makedirs(self.view, exist_ok=True)
        links = [(part, part) for part in ("support", "sysdeps", "nptl", "posix", "elf", "test-skeleton.c")]
        links += [(name, f"include/{name}") for name in self.HEADERS]
        links += [(os.path.basename(path), f"sysdeps/{path}") for path in self.OF_SYSTEM]
        for name, target in links:
            link = os.path.join(self.view, name)
            if not os.path.islink(link):
                os.symlink(os.path.join(self.root, target), link)
        with open(os.path.join(self.view, "config.h"), "w", encoding="utf-8"):
            pass
        with open(os.path.join(self.root, "support", "support_paths.c"), encoding="utf-8") as file:
            paths = re.findall(r"#ifdef (\w+_PATH)", file.read())
        self.flags = [*self.FLAGS, *(f'-D{path}="."' for path in paths)]
        self.includes = ["-I", self.view, "-I", os.path.join(self.view, "support")]
        self.includes += [f"-idirafter{self.view}/{part}" for part in ("nptl", "sysdeps/pthread")]

    def prepare(self, compile_c, folder):
        archive = os.path.join(folder, "libsupport.a")
        if os.path.exists(archive):
            return [archive]
        objects = []
        for source in sorted(glob.glob(os.path.join(self.root, "support", "*.c"))):
            name = os.path.basename(source)[:-2]
            if name.startswith(("tst-", "test-", "links-", "README", "echo-", "shell-")):
                continue
            object_file = os.path.join(folder, name + ".o")
            # A few need the rest of glibc; tests that need those do not link, and so do not count.
            if compile_c([*self.flags, *self.includes, "-c", source, "-o", object_file]):
                objects.append(object_file)
        subprocess.run(["ar", "rcs", archive, *objects], check=True)
        return [archive]

    def flags_of_makefiles(self):
        flags = {}
        for part in ("nptl", "sysdeps/pthread"):
            with open(os.path.join(self.root, part, "Makefile"), encoding="utf-8") as file:
                for kind, name, value in re.findall(r"^(CFLAGS|LDFLAGS|LDLIBS)-(\S+?)(?:\.[co])? \+?:?= ([^$\\\n]*)$", file.read(), re.M):
                    flags.setdefault((kind, name), []).extend(value.split())
        return flags

    def tests(self):
        flags = self.flags_of_makefiles()
        for part in ("nptl", "sysdeps/pthread"):
            folder = os.path.join(self.root, part)
            for source in sorted(glob.glob(os.path.join(folder, "t*.c")) + glob.glob(os.path.join(folder, "tst-*.cc"))):
                name = os.path.splitext(os.path.basename(source))[0]
                if re.search(r"mod\w*$|aux$|-common$|^test-", name):
                    continue
                plugins = glob.glob(os.path.join(folder, name + "mod*.c")) + glob.glob(os.path.join(folder, name + "-mod*.c"))
                language = self.flags if source.endswith(".c") else ["-std=gnu++14", *self.flags[1:]]
                yield Test(f"{part}/{name}", [source, *glob.glob(os.path.join(folder, name + "aux.c"))],
                           [*language, *self.includes, *flags.get(("CFLAGS", name), []), *flags.get(("LDFLAGS", name), [])],
                           [*flags.get(("LDLIBS", name), []), "-lm"], ["--direct"], sorted(plugins))


class Posix(Suite):
    """The Open POSIX Test Suite: threads, semaphores, scheduling, signals, clocks, timers, fork."""
    package = "posix"
    options = ("--model", "sc")
    INTERFACES = re.compile(r"^(pthread_|sem_|sched_|sig|clock|timer_|raise$|kill|fork$|nanosleep$|getpid$|time$)")

    def tests(self):
        interfaces = os.path.join(self.root, "conformance", "interfaces")
        for interface in sorted(filter(self.INTERFACES.match, os.listdir(interfaces))):
            for source in sorted(glob.glob(os.path.join(interfaces, interface, "*-*.c"))):
                name = os.path.basename(source)[:-2]
                if re.match(r"\d+-\d+$", name):
                    yield Test(f"{interface}/{name}", [source],
                               ["-std=gnu99", "-D_XOPEN_SOURCE=600", "-w", "-O1", "-g", "-pthread", "-I",
                                os.path.join(self.root, "include"), "-I", os.path.dirname(source)], ["-lrt", "-lm"])


class Libstdcxx(Suite):
    """libstdc++'s tests of threads and atomics, and those elsewhere that start threads."""
    package = "libstdc++"
    OPTIONS = re.compile(r'dg-(?:additional-)?options\s+"([^"]*)"(?:\s*\{\s*target\s+([^}]*?)\s*\})?')
    HERE = re.compile(r"pthread|linux|gnu|static|\*-\*-\*|c\+\+|libatomic|x86_64")

    def tests(self):
        root = os.path.join(self.root, "libstdc++-v3", "testsuite")
        for folder, _, files in sorted(os.walk(root)):
            for file in sorted(name for name in files if name.endswith(".cc")):
                path = os.path.join(folder, file)
                name = os.path.relpath(path, root)
                with open(path, encoding="utf-8", errors="replace") as source:
                    text = source.read()
                ours = name.startswith(("30_threads/", "29_atomics/")) or "dg-require-gthreads" in text
                if not ours or not re.search(r"dg-do\s+run", text) or "performance" in name:
                    continue
                flags = [flag for options, target in self.OPTIONS.findall(text) if not target or self.HERE.search(target)
                         for flag in options.split()]
                if not any(flag.startswith("-std") for flag in flags):
                    flags.append("-std=gnu++20")
                yield Test(name[:-3], [path], [*flags, "-w", "-O1", "-g", "-pthread", "-I", os.path.join(root, "util")],
                           ["-latomic"])


class Libcxx(Suite):
    """libc++'s tests of the chapters on threads and atomics."""
    package = "libc++"
    flavours = ("libc++",)

    def tests(self):
        root = os.path.join(self.root, "libcxx", "test")
        for path in sorted(glob.glob(os.path.join(root, "std", "*", "**", "*.pass.cpp"), recursive=True)):
            with open(path, encoding="utf-8", errors="replace") as source:
                text = source.read()
            if ".compile.pass" in path or ".verify." in path:
                continue
            flags = [flag for line in re.findall(r"ADDITIONAL_COMPILE_FLAGS(?:\([^)]*\))?:\s*(.*)", text) for flag in line.split()]
            yield Test(os.path.relpath(path, os.path.join(root, "std"))[:-len(".pass.cpp")], [path],
                       ["-std=c++23", "-fexperimental-library", *flags, "-w", "-O1", "-g", "-pthread", "-I",
                        os.path.join(root, "support")], ["-latomic"])


SUITES = {"glibc": Glibc, "posix": Posix, "libstdc++": Libstdcxx, "libc++": Libcxx}
