// heddle man: manual pages, from the same table as --help.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/help_command.h"
#include "tool/cli/pager.h"
#include "tool/cli/terminal.h"

namespace heddle::cli {
namespace {

// A character of UTF-8 text, by its number; moves `at` behind it.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
  char32_t character = more == 0 ? lead : lead & (0x3f >> more);
  for (int i = 0; i < more && at < text.size(); ++i)
    character = character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3f);
  return character;
}

// Text for man(7): no line may begin with a control character, backslashes and dashes mean themselves, and
// what is not ASCII is named by its number.
std::string roff(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if ((result.empty() || result.back() == '\n') && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c >= 0x80) {
      result += fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(c));
    } else {
      result += static_cast<char>(c);
    }
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string paragraphs(const std::string& text) {
  std::string result = roff(text);
  for (std::size_t at = 0; (at = result.find("\n\n", at)) != std::string::npos;)
    result.replace(at, 2, "\n.PP\n");
  return result + "\n";
}

std::string option_text(const OptionLine& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "" : ", ") + bold(name);
    if (!option.value.empty() && name.starts_with('-'))
      names += (name.starts_with("--") ? "=" : " ") + italic(value_name(option));
  }
  return fmt::format(".TP\n{}\n{}\n", names, roff(in_one_line(option.text)));
}

// "examples:\n  heddle run …": blocks with a heading of their own.
std::string footer_text(const std::string& footer) {
  std::string result;
  bool literal = false;
  for (std::size_t at = 0; at < footer.size();) {
    const std::size_t end = std::min(footer.find('\n', at), footer.size());
    std::string line = footer.substr(at, end - at);
    at = end + 1;
    if (line == "examples:") {
      result += ".SH EXAMPLES\n.nf\n";
      literal = true;
    } else if (line.empty() && literal) {
      result += ".fi\n.SH NOTES\n";
      literal = false;
    } else {
      const bool heading = !literal && (line.starts_with("exit codes:") || line.starts_with("environment:"));
      result += (heading ? ".PP\n" : "") + roff(line) + "\n";
    }
  }
  return literal ? result + ".fi\n" : result;
}

std::string summary_of(const CommandPage& page) {
  for (const CommandLine& line : command_lines()) {
    if (page.name == line.name) return line.summary;
  }
  return page.description.substr(0, page.description.find('\n'));
}

std::string header(const std::string& title) {
  // Words are not broken, so that options can be found and copied.
  return fmt::format(".TH {} 1 \"\" \"heddle {}\" \"User Commands\"\n.nh\n.ad l\n", upper(title),
                     HEDDLE_VERSION);
}

std::string command_man(const CommandPage& page) {
  std::string text = header("heddle-" + page.name);
  text += fmt::format(".SH NAME\nheddle\\-{} \\- {}\n", roff(page.name), roff(summary_of(page)));
  text += ".SH SYNOPSIS\n" + roff(usage_of(page)) + "\n.SH DESCRIPTION\n" + paragraphs(page.description);
  if (!page.positionals.empty()) {
    text += ".SH ARGUMENTS\n";
    for (const OptionLine& positional : page.positionals) text += option_text(positional);
  }
  if (!page.options.empty()) {
    text += ".SH OPTIONS\n";
    for (const OptionLine& option : page.options) text += option_text(option);
  }
  for (const CommandPage& sub : page.subcommands) {
    text += fmt::format(".SH {}\n{}", roff(upper(sub.name)), paragraphs(sub.description));
    for (const OptionLine& positional : sub.positionals) text += option_text(positional);
    for (const OptionLine& option : sub.options) text += option_text(option);
    text += footer_text(sub.footer);
  }
  return text + footer_text(page.footer) + ".SH SEE ALSO\n.BR heddle (1)\n";
}

std::string main_man(const std::vector<CommandPage>& pages) {
  std::string text = header("heddle");
  text += ".SH NAME\nheddle \\- finds, replays and explains concurrency bugs in C and C++ programs\n";
  text +=
      ".SH SYNOPSIS\n.B heddle\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
      "A program is compiled by the user's own compiler through\n.B heddle c++\nand then run again and "
      "again, each "
      "time under another schedule and with other values that\nthe C++ memory model allows, until a bug is "
      "found. "
      "A bug that was found replays\nexactly.\n.SH COMMANDS\n";
  for (const CommandPage& page : pages)
    text += fmt::format(".TP\n.BR heddle\\-{} (1)\n{}\n", roff(page.name), roff(summary_of(page)));
  text +=
      ".SH EXIT STATUS\n.TP\n0\nno bug in what was asked for\n.TP\n66\na bug was found, or "
      "reproduced\n.TP\n1\n"
      "inconclusive\n.TP\n2\nbad command line or bad input\n.TP\n3\nan error of heddle's own\n";
  text +=
      ".SH EXAMPLES\n.nf\nheddle c++ \\-g \\-O1 test.cpp \\-o test\nheddle run \\-\\- ./test\nheddle replay "
      "heddle\\-out/bug\\-1.heddle\n.fi\n";
  return text;
}

// A terminal gets the page as man(1) shows it, or as a text where there is nothing that can.
void show_page(const std::string& source, const std::string& text) {
  if (!stdout_is_terminal()) {
    fmt::print("{}", source);
    return;
  }
  // (Where documentation was left out of a system, man(1) may be a script that says so, and fails.)
  if (is_installed("man") && feed("man -l - 2>/dev/null", source)) return;
  if (is_installed("mandoc") && feed("mandoc -l", source)) return;
  show_paged(text);
}

}  // namespace

int man_command(const Arguments& arguments) {
  CLI::App app("Shows the manual page of heddle or of one of its commands.", "heddle man");
  app.footer(
      "examples:\n"
      "  heddle man run\n"
      "  heddle man -o /usr/local/share/man/man1      all pages, for man(1)\n"
      "\n"
      "Where standard output is no terminal, the page's source is printed, for man(1).");
  std::string command;
  app.add_option("command", command, "which page [that of heddle itself]")->type_name("COMMAND");
  std::string folder;
  app.add_option("-o,--output", folder, "write all pages into this folder")->type_name("DIR");
  if (const auto code = parse_command(app, arguments)) return *code;
  const std::vector<CommandPage> pages = command_pages();
  if (!folder.empty()) {
    auto written = write_text_file(folder + "/heddle.1", main_man(pages));
    for (const CommandPage& page : pages) {
      if (written) written = write_text_file(folder + "/heddle-" + page.name + ".1", command_man(page));
    }
    return written ? 0 : complain(written.error());
  }
  if (command.empty()) {
    show_page(main_man(pages), main_help(HelpWish::kAll));
    return 0;
  }
  const auto page =
      std::find_if(pages.begin(), pages.end(), [&](const CommandPage& p) { return p.name == command; });
  if (page == pages.end()) return complain(unknown_command(command));
  show_page(command_man(*page), whole_help(*page));
  return 0;
}

}  // namespace heddle::cli
