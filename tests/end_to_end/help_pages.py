"""What `heddle --help-all` and `heddle COMMAND --help-all` say, as data: commands, options, their values."""
import functools
import os
import re
import subprocess

from heddle_driver import HEDDLE, HEDDLE_BENCH


class Option:
    """One option of a command: its names, whether it takes a value, and the values of a closed list."""

    def __init__(self, names, takes_value, values):
        self.names, self.takes_value, self.values = names, takes_value, values


class Command:
    """A command, or a command of a command such as `lin check`."""

    def __init__(self, name, executable=HEDDLE):
        self.name = name
        self.text = help_of(*name.split(), executable=executable)
        # What follows is the compiler's own help, not heddle's.
        self.text = self.text.split("The compiler's own help:")[0]
        self.options = {}
        for option in map(parse_option, self.text.split("\n")):
            for option_name in option.names if option else ():
                self.options[option_name] = option
        listed = section(self.text, "commands:" if executable == HEDDLE else "Subcommands:")
        self.subcommands = re.findall(r"^  ([a-z]\S*)  ", listed, re.MULTILINE)

    @property
    def passes_on(self):
        """Whether other options than its own go to another program: heddle cc and c++."""
        return self.name in ("cc", "c++")

    @property
    def runs_a_program(self):
        """Whether what follows the first argument that is no option belongs to the tested program."""
        usage = re.search(r"^usage:(.*)", self.text, re.MULTILINE | re.IGNORECASE).group(1)
        return re.search(r"\[--\] (PROGRAM|TEST)|program\.\.\.", usage) is not None


def help_of(*command, executable=HEDDLE):
    """All of the help; heddle-bench has one that is short anyway."""
    word = "--help-all" if executable == HEDDLE else "--help"
    answer = subprocess.run([executable, *command, word], capture_output=True, text=True, check=True, timeout=60)
    return answer.stdout


def guide_of(command):
    """The tables of a command's options as the guide has them."""
    answer = subprocess.run([HEDDLE, "help", "--markdown", command], capture_output=True, text=True, check=True, timeout=60)
    return answer.stdout


def section(text, heading):
    """The lines after a heading, up to the next empty line."""
    return text.partition(heading + "\n")[2].partition("\n\n")[0]


def parse_option(line):
    """`  -n, --executions N  stop after N executions`; heddle-bench has `  -n,--executions N:POSITIVE …`."""
    names = r"-[a-zA-Z]|--[a-z][a-z-]*"
    match = re.match(rf"  (?:    )?((?:{names})(?:, ?(?:{names}))*)(?:\{{false\}})?(.*)", line)
    if not match:
        return None
    rest = re.split(r" (?:Excludes|Needs): ", match.group(2))[0]
    takes_value = re.match(r"=\S| [^ ]", rest) is not None
    values = re.match(r"=([a-z]+)| \w+:\{([^}]*)\}| (\S+\|\S+)(?:  |$)", rest)
    values = re.split(r"[,|]", values.group(1) or values.group(2) or values.group(3)) if values else []
    return Option(re.split(r", ?", match.group(1)), takes_value, values)


@functools.cache
def all_commands():
    """Every command by its name; `lin check` and its like under both words."""
    commands = {}
    for name in re.findall(r"^  (\S+) +\S", section(help_of(), "commands:"), re.MULTILINE):
        commands[name] = Command(name)
        for subcommand in commands[name].subcommands:
            commands[f"{name} {subcommand}"] = Command(f"{name} {subcommand}")
    return commands


@functools.cache
def all_benchmarks():
    """Every benchmark of heddle-bench by its name; none where it was not built."""
    if not os.path.exists(HEDDLE_BENCH):
        return {}
    return {name: Command(name, HEDDLE_BENCH) for name in Command("", HEDDLE_BENCH).subcommands}


def strategies():
    """The strategies of `heddle help strategies` with the names of their parameters."""
    answer = subprocess.run([HEDDLE, "help", "strategies"], capture_output=True, text=True, check=True, timeout=60)
    found, last = {}, None
    for line in answer.stdout.partition("The strategies and their parameters")[2].split("\n"):
        name = re.match(r" {2}([a-z]+) +\S", line)
        parameter = re.match(r" {14}([a-z]+)=N  ", line)
        if name:
            last = name.group(1)
            found[last] = []
        elif parameter:
            found[last].append(parameter.group(1))
    return found
