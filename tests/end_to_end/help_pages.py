"""What `heddle --help` and `heddle COMMAND --help` say, as data: commands, options, their values."""
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
        self.subcommands = re.findall(r"^  ([a-z]\S*)  ", section(self.text, "Subcommands:"), re.MULTILINE)

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
    answer = subprocess.run([executable, *command, "--help"], capture_output=True, text=True, check=True, timeout=60)
    return answer.stdout


def guide_of(command):
    """The tables of a command's options as the guide has them."""
    answer = subprocess.run([HEDDLE, "help", "--markdown", command], capture_output=True, text=True, check=True, timeout=60)
    return answer.stdout


def section(text, heading):
    """The lines after a heading, up to the next empty line."""
    return text.partition(heading + "\n")[2].partition("\n\n")[0]


def parse_option(line):
    """`  -n,--executions N:POSITIVE  stop after N executions`"""
    names = r"-[a-zA-Z]|--[a-z][a-z-]*"
    match = re.match(rf"  ((?:{names})(?:,(?:{names}))*)(?:\{{false\}})?(.*)", line)
    if not match:
        return None
    rest = re.split(r" (?:Excludes|Needs): ", match.group(2))[0]
    takes_value = re.match(r"=\S| [^ ]", rest) is not None
    values = re.match(r"=([a-z]+)| \w+:\{([^}]*)\}", rest)
    values = (values.group(1) or values.group(2)).split(",") if values else []
    return Option(match.group(1).split(","), takes_value, values)


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


def strategies(run):
    """The strategies of `heddle run --help` with the names of their parameters."""
    found, last = {}, None
    inside = False
    for line in run.text.split("\n"):
        inside = (inside or "--strategy" in line) and not re.match(r"  -[^s]", line)
        name = re.match(r" {32}([a-z]+) +\S", line) if inside else None
        parameter = re.match(r" {43}([a-z]+)=N  ", line) if inside else None
        if name:
            last = name.group(1)
            found[last] = []
        elif parameter:
            found[last].append(parameter.group(1))
    return found
