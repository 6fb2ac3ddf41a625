#!/usr/bin/env python3
"""The documentation against the program and the tree.

    HEDDLE=build/bin/heddle python3 tests/end_to_end/docs_test.py [Class.test_name]
    HEDDLE=build/bin/heddle python3 tests/end_to_end/docs_test.py --write      puts what heddle knows into the guide

The guide has every command, option and value of `heddle --help`, and no option that is not there; the same holds for
`heddle-bench --help` and its page. Links, files and commands that pages name exist. Commands are parsed, not run.
docs/measurements names the commands of the commit that was measured, so those are not compared with today's.
"""
import fnmatch
import glob
import os
import re
import shlex
import sys
import unittest

import help_pages

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
ROOMS = ("bench", "cmake", "compiler", "core", "docs", "examples", "include", "runtime", "scripts", "tests", "tool")
# Options for maintainers, which --help leaves out.
HIDDEN = {"show": ("--symbolic",), "replay": ("--exec",)}
TEXT = (".md", ".cpp", ".h", ".hpp", ".c", ".py", ".sh", ".cmake", ".txt", ".json", ".yml", ".ts", ".mjs", ".map", "")


def files():
    """All files of the tree that are sources, relative to its root."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in (".git", "node_modules", "__pycache__", "heddle-out", "found")
                      and not (folder == ROOT and f.startswith("build"))]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), ROOT)


FILES = sorted(files())
PAGES = [f for f in FILES if f.endswith(".md") and (f.startswith("docs/") or "/" not in f)]
GUIDE = [f for f in PAGES if f.startswith("docs/guide/")]
OF_TODAY = [f for f in PAGES if not f.startswith("docs/measurements/") and f != "CHANGELOG.md"]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """The lines of all fenced blocks."""
    return [line for block in re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for line in block.split("\n")]


def without_blocks(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def spans(text):
    """What stands between backquotes in the running text."""
    return [span.replace("\\|", "|") for span in re.findall(r"`([^`\n]+)`", without_blocks(text))]


def anchor(heading):
    """The name that GitHub gives to a heading."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r" ", "-", re.sub(r"[^\w\- ]", "", text))


def anchors(name):
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)", without_blocks(read(name)), re.MULTILINE)}


def sections(command):
    """What the guide says under headings that name a command, parts of these sections included."""
    found = []
    for page in GUIDE:
        text = read(page)
        for heading in re.finditer(r"^(#+) (.*)$", text, re.MULTILINE):
            if not re.search(rf"`heddle {re.escape(command)}(?![\w+ ]*[a-z+])", heading.group(2)):
                continue
            end = re.search(rf"^#{{1,{len(heading.group(1))}}} ", text[heading.end():], re.MULTILINE)
            found.append(text[heading.end():heading.end() + end.start()] if end else text[heading.end():])
            found.append(heading.group(2))
    return "\n".join(found)


def names_option(text, option):
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) is not None


COMMANDS = "docs/guide/commands.md"


def with_tables(page):
    """docs/guide/commands.md with the options of `heddle run` as heddle has them."""
    begin = re.search(r"^<!-- The tables of options .*-->\n\n", page, re.MULTILINE).end()
    end = page.index("\n<!-- End of the tables. -->\n")
    return page[:begin] + help_pages.guide_of("run") + page[end:]


class Help(unittest.TestCase):
    """heddle --help against docs/guide."""

    @classmethod
    def setUpClass(cls):
        cls.commands = help_pages.all_commands()
        cls.guide = "\n".join(read(page) for page in GUIDE)

    def test_options_of_run_are_in_the_guide_as_heddle_has_them(self):
        self.maxDiff = None
        page = read(COMMANDS)
        self.assertEqual(page, with_tables(page), "`docs_test.py --write` writes it anew")

    def test_every_command_has_a_section(self):
        for name in self.commands:
            with self.subTest(command=name):
                self.assertTrue(sections(name), f"no heading of docs/guide names `heddle {name}`")

    def test_every_option_is_in_the_section_of_its_command(self):
        for name, command in self.commands.items():
            section = sections(name)
            like_run = "options of `heddle run`" in section
            for option_name, option in command.options.items():
                if option_name in ("-h", "--help", "--help-all") or (like_run and option_name in self.commands["run"].options):
                    continue
                with self.subTest(command=name, option=option_name):
                    self.assertTrue(names_option(section, option_name), f"docs/guide does not explain {option_name} of {name}")
                    for value in option.values:
                        self.assertIn(value, section, f"docs/guide does not name {option_name} {value} of {name}")

    def test_every_benchmark_and_its_options(self):
        page = read("docs/design/heddle-bench.md")
        for name, command in help_pages.all_benchmarks().items():
            section = page.partition(f"## `heddle-bench {name}`\n")[2].partition("\n## ")[0]
            with self.subTest(benchmark=name):
                self.assertTrue(section, f"docs/design/heddle-bench.md has no section for {name}")
            for option in set(command.options) - {"-h", "--help"}:
                with self.subTest(benchmark=name, option=option):
                    self.assertTrue(names_option(section, option), f"docs/design/heddle-bench.md does not explain {option}")

    def test_every_strategy_and_its_parameters(self):
        page = read("docs/guide/strategies.md")
        known = help_pages.strategies()
        self.assertIn("auto", known)
        for strategy, parameters in known.items():
            with self.subTest(strategy=strategy):
                rows = "\n".join(re.findall(rf"^\| `{strategy}` .*", page, re.MULTILINE))
                self.assertTrue(rows, f"docs/guide/strategies.md has no row for {strategy}")
                for parameter in parameters:
                    self.assertIn(f"`{parameter}=", rows, f"{strategy}:{parameter} is not explained")

    def test_every_kind_of_finding(self):
        page = read("docs/guide/findings.md")
        kinds = set(re.findall(r'^  ROW\(k\w+, \d+, "([^"]+)"', read("core/trace/finding_kinds.h"), re.MULTILINE))
        self.assertIn("data race", kinds)
        for kind in kinds:
            self.assertIn(f"`{kind}`", page, "docs/guide/findings.md has no row for this kind")

    def test_every_environment_variable(self):
        for command in self.commands.values():
            for variable in set(re.findall(r"HEDDLE_[A-Z_]+", command.text)):
                self.assertIn(variable, self.guide, f"`heddle {command.name} --help` names it")

    def test_options_of_the_guide_exist(self):
        known = {option for command in self.commands.values() for option in command.options}
        # What a test of <heddle/lin.hpp> understands, which has no command of its own.
        of_tests = read("include/heddle/lin.hpp") + "".join(read(f) for f in FILES if f.startswith("include/heddle/lin/"))
        for page in GUIDE:
            for span in spans(read(page)):
                for option in re.findall(r"^--[a-z][a-z-]*", span):
                    with self.subTest(page=page, option=option):
                        self.assertTrue(option in known or option.startswith("--gtest") or f'"{option}"' in of_tests,
                                        f"{page} names {option}, which no command has")


class Commands(unittest.TestCase):
    """Commands that pages quote."""

    @classmethod
    def setUpClass(cls):
        cls.commands = help_pages.all_commands()

    def check_benchmark(self, words):
        """The same for the words after heddle-bench; what was not built is not checked."""
        benchmarks = help_pages.all_benchmarks()
        if not benchmarks or not words or words[0] == "--help":
            return None
        if words[0] not in benchmarks:
            return f"heddle-bench has no {words[0]}"
        return self.check_options(benchmarks[words[0]], words[1:])

    def check(self, words):
        """None, or why heddle would not understand the words after its name."""
        if not words or words[0] in ("COMMAND", "…"):
            return None
        if words[0].startswith("-") or words[0] == "version":
            return None if words[0] in ("--help", "--help-all", "--version", "-V", "-h", "version") else f"there is no option {words[0]}"
        command = self.commands.get(words[0])
        if command is None:
            return f"there is no command {words[0]}"
        words = words[1:]
        if command.subcommands and words and not words[0].startswith("-"):
            if words[0] not in command.subcommands:
                return f"`heddle {command.name}` has no command {words[0]}"
            command, words = self.commands[f"{command.name} {words[0]}"], words[1:]
        return None if command.passes_on else self.check_options(command, words)

    def check_options(self, command, words):
        known = dict(command.options)
        if "all options of `heddle run`" in command.text:
            known.update(self.commands["run"].options)
        at = 0
        while at < len(words):
            # The usage of a command has [--option VALUE] and --this|--that.
            word = words[at].strip("[],.;…")
            at += 1
            if word == "--":
                return None
            if not word.startswith("-") or word == "-":
                if command.runs_a_program and word and not words[at - 1].startswith("["):
                    return None
                continue
            for name in word.split("|"):
                name = name.split("=")[0]
                if name in HIDDEN.get(command.name, ()):
                    continue
                if name not in known:
                    return f"`heddle {command.name}` has no option {name}"
                at += known[name].takes_value and "=" not in word and not words[at - 1].endswith("]")
        return None

    def test_quoted_commands(self):
        for page in OF_TODAY:
            lines = [re.sub(r"^\$ ", "", line.strip()) for line in blocks(read(page))] + spans(read(page))
            for line in lines:
                line = re.sub(r"^(?:[A-Z_]+=(?:\"[^\"]*\"|\S*) )+", "", line)
                line = re.sub(r"^build/bin/", "", line)
                if not line.startswith(("heddle ", "heddle-bench ")):
                    continue
                with self.subTest(page=page, command=line):
                    words = shlex.split(line, comments=True)[1:]
                    # What follows a sign of the shell is another command, or a file.
                    end = [at for at, word in enumerate(words) if word in ("→", "&&", "|", "||", ">", "<")]
                    check = self.check if line.startswith("heddle ") else self.check_benchmark
                    why = check(words[:end[0]] if end else words)
                    self.assertIsNone(why, f"{page}: {line}: {why}")


class Links(unittest.TestCase):
    """What pages and sources point at."""

    def test_links(self):
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(read(page))):
                if re.match(r"https?:|mailto:", target):
                    continue
                name, _, part = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
                with self.subTest(page=page, link=target):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, path)), f"{page} links to {target}, which is not there")
                    if part and path.endswith(".md"):
                        self.assertIn(part, anchors(path), f"{page} links to {target}: {path} has no such heading")

    def test_every_page_is_in_the_index(self):
        index = read("docs/README.md")
        for page in PAGES:
            if page.startswith("docs/") and page != "docs/README.md":
                self.assertIn(f"]({page[len('docs/'):]})", index, f"docs/README.md does not list {page}")

    def test_files_that_pages_name(self):
        """Paths from the root, and in pages for maintainers also the bare names of sources."""
        names = {os.path.basename(f) for f in FILES}
        for page in OF_TODAY:
            for span in spans(read(page)):
                if re.fullmatch(rf"(?:{'|'.join(ROOMS)})/[\w./*+-]*", span) and not re.search(r"(^|[/_])[A-Z]{2,}([/_.]|$)", span):
                    with self.subTest(page=page, file=span):
                        self.assertTrue(glob.glob(os.path.join(ROOT, span)), f"{page} names {span}, which is not there")
                elif not page.startswith("docs/guide/") and re.fullmatch(r"[a-z]\w*\.(?:h|cpp)", span):
                    with self.subTest(page=page, file=span):
                        self.assertIn(span, names, f"{page} names {span}, which is not there")

    def test_pages_that_sources_name(self):
        for name in FILES:
            if os.path.splitext(name)[1] not in TEXT or name.startswith(("tests/fuzz/valid", "tests/fuzz/corpus")):
                continue
            try:
                text = read(name)
            except UnicodeDecodeError:
                continue
            for page in set(re.findall(r"(?<![\w/])docs/[\w/-]+\.(?:md|json|yml|svg|png)", text)):
                with self.subTest(file=name, page=page):
                    self.assertTrue(os.path.exists(os.path.join(ROOT, page)), f"{name} names {page}, which is not there")


class Measurements(unittest.TestCase):
    def test_each_says_when_of_what_and_how(self):
        """A section with figures names its date, its commit and its command, or says that none was written down."""
        pages = fnmatch.filter(PAGES, "docs/measurements/*.md")
        self.assertTrue(pages)
        for page in pages:
            for part in re.split(r"^## ", read(page), flags=re.MULTILINE)[1:]:
                heading = part.split("\n")[0]
                if not re.search(r"^\|.*\d.*\|", part, re.MULTILINE):
                    continue
                with self.subTest(page=page, section=heading):
                    self.assertRegex(part, r"\*\*Measured\*\* \d{4}-\d{2}-\d{2}, commit `[0-9a-f]{7,}`")
                    self.assertRegex(part, r"\*\*Command\*\*")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        page = with_tables(read(COMMANDS))
        with open(os.path.join(ROOT, COMMANDS), "w", encoding="utf-8") as file:
            file.write(page)
    else:
        unittest.main()
