// heddle completion: what makes bash, zsh and fish complete heddle's commands and options, from the options'
// own table.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "tool/cli/commands.h"
#include "tool/cli/help.h"
#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"

namespace heddle::cli {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// In single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

bool names_a_path(const std::string& value) { return value == "FILE" || value == "DIR"; }

// What follows the command is a program, and then its arguments.
bool runs_a_program(const CommandPage& page) { return page.usage.find("PROGRAM") != std::string::npos; }

std::string bash(const std::vector<CommandPage>& pages) {
  std::string names, words, values;
  for (const CommandPage& page : pages) {
    names += (names.empty() ? "" : " ") + page.name;
    std::string options;
    for (const OptionLine& option : page.options) {
      for (const std::string& name : option.names) options += (options.empty() ? "" : " ") + name;
      if (option.value.empty()) continue;
      if (!option.choices.empty()) {
        values +=
            fmt::format("    {0}:{1}) COMPREPLY=($(compgen -W '{2}' -- \"$word\")); return ;;\n", page.name,
                        fmt::format("{}", fmt::join(option.names, fmt::format("|{}:", page.name))),
                        fmt::join(option.choices, " "));
      } else if (option.value == "DIR") {
        values += fmt::format("    {}:{}) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n", page.name,
                              fmt::format("{}", fmt::join(option.names, fmt::format("|{}:", page.name))));
      } else if (!names_a_path(option.value)) {
        values += fmt::format("    {}:{}) return ;;\n", page.name,
                              fmt::format("{}", fmt::join(option.names, fmt::format("|{}:", page.name))));
      }
    }
    for (const CommandPage& sub : page.subcommands) {
      options += " " + sub.name.substr(sub.name.rfind(' ') + 1);
      for (const OptionLine& option : sub.options) {
        for (const std::string& name : option.names) {
          if ((" " + options + " ").find(" " + name + " ") == std::string::npos) options += " " + name;
        }
      }
    }
    words += fmt::format("    {}) words='{}' ;;\n", page.name, options);
  }
  return fmt::format(R"(# bash completion of heddle, made by `heddle completion bash`
_heddle() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W '{0} help --help --version' -- "$word"))
    return
  fi
  case $command:$before in
{1}  esac
  case $command in
    help) words='{0}' ;;
{2}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "${{words//-*([^ ])/}}" -- "$word") $(compgen -f -- "$word")) ;;
  esac
}}
shopt -s extglob
complete -o filenames -F _heddle heddle
)",
                     names, values, words);
}

std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : first_line(text)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_option(const OptionLine& option) {
  std::string value;
  if (!option.value.empty()) {
    value = fmt::format(":{}:", option.value);
    if (!option.choices.empty()) value += fmt::format("({})", fmt::join(option.choices, " "));
    if (option.value == "FILE") value += "_files";
    if (option.value == "DIR") value += "_files -/";
  }
  std::string lines;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    lines += fmt::format("        {} \\\n", quoted(fmt::format("*{}{}[{}]{}", name,
                                                               value.empty() ? ""
                                                               : is_long     ? "="
                                                                             : "+",
                                                               zsh_text(option.text), value)));
  }
  return lines;
}

std::string zsh(const std::vector<CommandPage>& pages) {
  std::string names, cases;
  for (const CommandPage& page : pages) {
    std::string summary = first_line(page.description);
    for (const CommandLine& line : command_lines()) {
      if (page.name == line.name) summary = line.summary;
    }
    names += fmt::format("    {}\n", quoted(page.name + ":" + summary));
    cases += fmt::format("    {})\n      _arguments -S \\\n", quoted(page.name));
    for (const OptionLine& option : page.options) cases += zsh_option(option);
    for (const CommandPage& sub : page.subcommands) {
      for (const OptionLine& option : sub.options) cases += zsh_option(option);
    }
    if (!page.subcommands.empty()) {
      std::string subs;
      for (const CommandPage& sub : page.subcommands) subs += " " + sub.name.substr(sub.name.rfind(' ') + 1);
      cases += fmt::format("        '1:subcommand:({})' \\\n", subs.substr(1));
    }
    cases += runs_a_program(page) ? "        '*::program:_normal' ;;\n" : "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef heddle
# zsh completion of heddle, made by `heddle completion zsh`
_heddle() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_heddle "$@"
)",
                     names, cases);
}

std::string fish(const std::vector<CommandPage>& pages) {
  std::string text = "# fish completion of heddle, made by `heddle completion fish`\n";
  for (const CommandLine& line : command_lines()) {
    text += fmt::format("complete -c heddle -n __fish_use_subcommand -a {} -d {}\n", line.name,
                        quoted(line.summary));
  }
  for (const CommandPage& page : pages) {
    const auto add = [&](const OptionLine& option) {
      text += fmt::format("complete -c heddle -n '__fish_seen_subcommand_from {}'", page.name);
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) text += option.choices.empty() && names_a_path(option.value) ? " -r" : " -x";
      if (!option.choices.empty()) text += " -a " + quoted(fmt::format("{}", fmt::join(option.choices, " ")));
      text += " -d " + quoted(first_line(option.text)) + "\n";
    };
    for (const OptionLine& option : page.options) add(option);
    for (const CommandPage& sub : page.subcommands) {
      text += fmt::format("complete -c heddle -n '__fish_seen_subcommand_from {}' -a {}\n", page.name,
                          sub.name.substr(sub.name.rfind(' ') + 1));
      for (const OptionLine& option : sub.options) add(option);
    }
  }
  return text;
}

}  // namespace

int completion_command(const Arguments& arguments) {
  CLI::App app("Prints what makes a shell complete heddle's commands and options.", "heddle completion");
  app.footer(
      "examples:\n"
      "  heddle completion bash > ~/.local/share/bash-completion/completions/heddle\n"
      "  heddle completion zsh > ~/.zfunc/_heddle          with ~/.zfunc in $fpath\n"
      "  heddle completion fish > ~/.config/fish/completions/heddle.fish");
  std::string shell;
  app.add_option("shell", shell, "bash, zsh or fish")
      ->required()
      ->type_name("SHELL")
      ->check(one_of({"bash", "zsh", "fish"}));
  if (const auto code = parse_command(app, arguments)) return *code;
  const std::vector<CommandPage> pages = command_pages();
  fmt::print("{}", shell == "bash" ? bash(pages) : shell == "zsh" ? zsh(pages) : fish(pages));
  return 0;
}

}  // namespace heddle::cli
