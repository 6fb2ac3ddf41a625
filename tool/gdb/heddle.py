"""Commands of gdb for an execution that heddle replays: `heddle replay --gdb BUG` loads this.

The threads of the program are fibers on one kernel thread, so gdb sees only the one that runs; these commands find
the others in a table of the runtime (runtime/engine/debugger.h). Events are numbered as in `heddle show BUG`. The
schedule is in the artifact and not in the machine: breakpoints, printing and waiting do not change it, and going back
is running again up to an earlier event.
"""
import json
import os

import gdb

NO_EVENT = 0xFFFFFFFF
STATES = ("unused", "can run", "waits", "finished")
WAITS = ("", "for a mutex", "for a condition variable", "for a thread to end", "for a read lock", "for a write lock",
         "at a barrier", "for a semaphore", "on a futex", "for an initialisation", "for a spin lock", "outside",
         "for a signal")
# What a fiber that does not run has on its stack (runtime/sched/fiber.cpp).
SAVED = ("r15", "r14", "r13", "r12", "rbx", "rbp", "rip")
REGISTERS = ("rip", "rsp", "rbp", "rbx", "r12", "r13", "r14", "r15", "fs_base")


class Trace:
    """What the artifact says about the events, where it could be had."""

    def __init__(self):
        self.events, self.departures = {}, {}
        path = os.environ.get("HEDDLE_GDB_TRACE")
        if not path:
            return
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        self.events = {event["id"]: event for event in trace["events"]}
        self.departures = {d["event"]: d for d in trace.get("departures", []) if "event" in d}

    def tell(self, number):
        event = self.events.get(number)
        if event is None:
            return f"event {number}"
        text = f"event {number}, {thread_name(event['thread'])}: {event['text']}"
        if event.get("stale"):
            text += f"\n  a stale read: it could have read {event.get('candidates', 0)} stores, and does not read the newest one"
            newest = self.newest_store(event)
            if newest is not None:
                text += f", which is event {newest['id']}, {newest['text']}"
            store = self.events.get(event.get("reads_from"))
            if store is not None:
                text += f"\n  it reads event {store['id']}, {thread_name(store['thread'])}: {store['text']}"
        if number in self.departures and self.departures[number]["critical"]:
            text += "\n  critical: without this the bug goes away"
        return text

    def newest_store(self, load):
        stores = [e for e in self.events.values()
                  if e["id"] < load["id"] and e.get("address") == load.get("address") and e.get("modification_order")]
        return max(stores, key=lambda e: e["id"], default=None)


def safe(text):
    """What a file says, with nothing in it that a terminal would act upon."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{{{ord(c):x}}}" for c in text)


def thread_name(number):
    return "main thread" if number == 0 else f"thread T{number}"


class Debugger:
    """The runtime's struct, read as bytes: libheddle.so may have no debugging information."""

    FIELDS = {"version": (0, 4), "stop_event": (4, 4), "stop_at_switch": (8, 4), "stop_at_finding": (12, 4), "event": (16, 4),
              "thread": (20, 4), "finding": (24, 4), "threads": (32, 8), "count": (40, 8), "current": (48, 8), "stride": (56, 4),
              "stack_pointer_at": (60, 4), "thread_pointer_at": (64, 4), "state_at": (68, 4), "wait_at": (72, 4),
              "wait_object_at": (76, 4), "name_at": (80, 4), "last_pc_at": (84, 4)}

    def __init__(self):
        try:
            self.base = int(gdb.parse_and_eval("(unsigned long)&heddle_runtime_debugger"))
        except gdb.error:
            raise gdb.GdbError("The program is not under heddle's runtime yet: `run` or `heddle run-to EVENT` first.")

    def get(self, field):
        at, size = self.FIELDS[field]
        return number_at(self.base + at, size)

    def set(self, field, value):
        at, size = self.FIELDS[field]
        gdb.selected_inferior().write_memory(self.base + at, value.to_bytes(size, "little"))

    def current(self):
        return number_at(self.get("current"), 2)

    def fibers(self):
        base, stride = self.get("threads"), self.get("stride")
        if base == 0:
            return []
        return [Fiber(self, i, base + i * stride) for i in range(number_at(self.get("count"), 4))]


class Fiber:
    def __init__(self, debugger, number, at):
        self.number = number
        self.state = number_at(at + debugger.get("state_at"), 1)
        self.wait = number_at(at + debugger.get("wait_at"), 1)
        self.wait_object = number_at(at + debugger.get("wait_object_at"), 8)
        self.stack_pointer = number_at(at + debugger.get("stack_pointer_at"), 8)
        self.thread_pointer = number_at(at + debugger.get("thread_pointer_at"), 8)
        self.last_pc = number_at(at + debugger.get("last_pc_at"), 8)
        raw = gdb.selected_inferior().read_memory(at + debugger.get("name_at"), 16).tobytes()
        self.name = safe(raw.split(b"\0")[0].decode("utf-8", "replace"))

    def describe(self, runs):
        text = "runs" if runs else STATES[self.state] if self.state < len(STATES) else "?"
        if self.state == 2 and not runs:
            text += " " + (WAITS[self.wait] if self.wait < len(WAITS) else "")
            if self.wait_object:
                text += f" {self.wait_object:#x}"
        return text

    def registers(self):
        words = [number_at(self.stack_pointer + 8 * (1 + i), 8) for i in range(len(SAVED))]
        values = dict(zip(SAVED, words))
        values["rsp"] = self.stack_pointer + 8 * (1 + len(SAVED))
        values["fs_base"] = self.thread_pointer
        return values


def number_at(address, size):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, size).tobytes(), "little")


class View:
    """Which fiber's registers gdb sees. The running one's come back before anything runs."""

    kept = None

    @classmethod
    def show(cls, registers):
        if cls.kept is None:
            gdb.newest_frame().select()  # registers are those of the selected frame
            cls.kept = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in REGISTERS}
        cls.set(registers)

    @classmethod
    def restore(cls):
        kept, cls.kept = cls.kept, None
        if kept is not None and gdb.selected_inferior().pid != 0:
            cls.set(kept)

    @staticmethod
    def set(registers):
        for name in REGISTERS:
            gdb.newest_frame().select()
            gdb.execute(f"set var ${name} = {registers[name]:#x}", to_string=True)
        gdb.newest_frame().select()


class Stops(gdb.Breakpoint):
    """Where the runtime says that it has come to what was asked for."""

    def __init__(self):
        super().__init__("heddle_runtime_debugger_stop", internal=True)
        self.silent = True
        self.wishes = {}
        self.reached = None

    def wish(self, **wishes):
        self.wishes = {"stop_event": NO_EVENT, "stop_at_switch": 0, "stop_at_finding": 1, **wishes}

    def apply(self):
        debugger = Debugger()
        for field, value in self.wishes.items():
            debugger.set(field, value)

    def stop(self):
        debugger = Debugger()
        if debugger.get("event") == NO_EVENT:  # the execution begins
            if not self.wishes:
                self.wish()
            self.apply()
            return False
        self.reached = (debugger.get("event"), debugger.get("finding"))
        return True


gdb.execute("set breakpoint pending on")
trace = Trace()
stops = Stops()


def is_running():
    return gdb.selected_inferior().pid != 0


def tell_place():
    if stops.reached is None:
        return
    event, finding = stops.reached
    stops.reached = None
    gdb.write(("the finding, after " if finding else "before ") + safe(trace.tell(event)) + "\n")
    show_program_frame()


def show_program_frame():
    """The innermost frame of the program itself."""
    frame = gdb.newest_frame()
    while frame is not None and frame.is_valid():
        library = gdb.solib_name(frame.pc())
        if library is None or "libheddle" not in library:
            frame.select()
            gdb.execute("frame")
            return
        frame = frame.older()


def go(**wishes):
    """Runs on until the wish comes true."""
    View.restore()
    stops.wish(**wishes)
    stops.apply()
    gdb.execute("continue", to_string=True)
    tell_place()


def run_again(**wishes):
    View.kept = None
    if is_running():
        gdb.execute("kill", to_string=True)
    stops.wish(**wishes)
    gdb.execute("run", to_string=True)
    tell_place()


class HeddleCommand(gdb.Command):
    """Replayed executions: `heddle threads`, `heddle thread N`, `heddle bt N`, `heddle run-to EVENT`,
`heddle next-op`, `heddle next-switch`, `heddle finding`, `heddle back`, `heddle where`."""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_RUNNING, prefix=True)


def command(name, run, help_text):
    def invoke(self, argument, from_tty):
        run(gdb.string_to_argv(argument))

    type(name, (gdb.Command,), {"__doc__": help_text, "invoke": invoke})("heddle " + name, gdb.COMMAND_RUNNING)


def number_of(words, what):
    if len(words) != 1 or not words[0].lstrip("T").isdigit():
        raise gdb.GdbError(f"Which {what}? A number is needed.")
    return int(words[0].lstrip("T"))


def threads(words):
    debugger = Debugger()
    current = debugger.current()
    for fiber in debugger.fibers():
        if fiber.state == 0:
            continue
        runs = fiber.number == current
        place = ""
        if fiber.last_pc and fiber.state != 3:
            found = gdb.find_pc_line(fiber.last_pc - 1)
            if found.symtab is not None:
                place = f"  {found.symtab.filename}:{found.line}"
        name = f" “{fiber.name}”" if fiber.name else ""
        gdb.write(f"{'*' if runs else ' '} T{fiber.number}{name}: {fiber.describe(runs)}{place}\n")


def with_fiber(words):
    debugger = Debugger()
    number = number_of(words, "thread")
    fibers = debugger.fibers()
    if number >= len(fibers) or fibers[number].state in (0, 3):
        raise gdb.GdbError(f"There is no thread T{number} now.")
    View.restore()
    if number != debugger.current():
        View.show(fibers[number].registers())
    return number


def thread(words):
    gdb.write(f"T{with_fiber(words)}\n")
    show_program_frame()


def backtrace(words):
    with_fiber(words)
    try:
        gdb.execute("backtrace")
    finally:
        View.restore()


def run_to(words):
    event = number_of(words, "event")
    if is_running() and Debugger().get("event") != NO_EVENT and Debugger().get("event") < event:
        go(stop_event=event)
    else:
        run_again(stop_event=event)


def back(words):
    event = Debugger().get("event") if is_running() else NO_EVENT
    if event in (0, NO_EVENT):
        raise gdb.GdbError("There is nothing before this.")
    run_again(stop_event=event - 1)


def where(words):
    debugger = Debugger()
    gdb.write("before " + safe(trace.tell(debugger.get("event"))) + "\n")


HeddleCommand()
command("threads", threads, "Lists the threads of the program: which one runs, and what the others wait for.")
command("thread", thread, "heddle thread N: shows the registers and the stack of thread N, until the program goes on.")
command("bt", backtrace, "heddle bt N: the backtrace of thread N.")
command("run-to", run_to, "heddle run-to EVENT: goes to the event, forward or by running again.")
command("next-op", lambda words: go(stop_event=Debugger().get("event") + 1), "Goes to the next event, of whatever thread.")
command("next-switch", lambda words: go(stop_at_switch=Debugger().get("thread") + 1), "Goes to the next event of another thread.")
command("finding", lambda words: go() if is_running() else run_again(), "Goes to the finding.")
command("back", back, "Goes to the event before, by running again.")
command("where", where, "Says which event comes next, and explains it if it is a stale read.")

for name in ("continue", "step", "next", "stepi", "nexti", "finish", "until", "advance"):
    gdb.execute(f"define hook-{name}\npython View.restore()\nend")
gdb.execute("define hook-run\npython View.kept = None\nend")
gdb.execute("set confirm off")
gdb.execute("set print thread-events off")
gdb.execute("handle SIGSYS nostop noprint pass", to_string=True)  # the runtime's own
