#include "tool/cli/help_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "tool/report/escape.h"

namespace heddle::cli {
namespace {

// Where the meanings of options begin: behind the longest name, but not further to the right than this.
constexpr std::size_t kMostNameColumns = 30;

// CLI11 writes a type with what its check allows behind it: "WHEN:{auto,always,never}".
OptionLine line_of(const CLI::Option& option) {
  OptionLine line;
  for (const std::string& name : option.get_snames()) line.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) line.names.push_back("--" + name);
  if (line.names.empty()) line.names.push_back(option.get_name(true));
  line.text = option.get_description();
  if (option.get_items_expected_max() == 0) return line;
  const std::string type = option.get_type_name();
  line.value = type.substr(0, type.find(':'));
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return line;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    line.choices.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return line;
}

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(at, from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + at.size();
  }
  return parts;
}

// "  -n, --executions N", with the long names of all options below each other.
std::string option_names(const OptionLine& option) {
  if (!option.names[0].starts_with('-')) return "  " + value_name(option);
  std::string text = option.names[0].starts_with("--") ? "      " : "  ";
  for (const std::string& name : option.names) text += (&name == option.names.data() ? "" : ", ") + name;
  return option.value.empty() ? text : text + " " + value_name(option);
}

// Names and meanings in two columns.
std::string table(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [name, meaning] : rows) {
    const std::size_t columns = report::width_of(name) + 2;
    if (columns <= kMostNameColumns) width = std::max(width, columns);
  }
  std::string text;
  for (const auto& [name, meaning] : rows) {
    const bool beside = report::width_of(name) + 2 <= width;
    text += beside ? report::padded(name, width) : name + "\n" + std::string(width, ' ');
    text += wrapped(in_one_line(meaning), width, width) + "\n";
  }
  return text;
}

std::string option_table(const std::vector<OptionLine>& options) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const OptionLine& option : options) rows.emplace_back(option_names(option), option.text);
  return table(rows);
}

// "exit codes: 0 …".
bool begins_note(const std::string& line) {
  const std::size_t colon = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz ");
  return colon != std::string::npos && line[colon] == ':';
}

struct Footer {
  std::vector<std::string> examples;  // "  heddle run -- ./test    for 60 seconds"
  std::vector<std::string> notes;     // a paragraph each
};

Footer footer_of(const CommandPage& page) {
  Footer footer;
  bool in_examples = false;
  for (const std::string& line : split(page.footer, "\n")) {
    if (line == "examples:") {
      in_examples = true;
    } else if (line.empty()) {
      in_examples = false;
    } else if (in_examples && line.starts_with("  ")) {
      footer.examples.push_back(line);
    } else if (footer.notes.empty() || begins_note(line)) {
      in_examples = false;
      footer.notes.push_back(line);
    } else {
      footer.notes.back() += " " + line;
    }
  }
  return footer;
}

std::string subcommand_table(const CommandPage& page) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CommandPage& sub : page.subcommands)
    rows.emplace_back("  " + sub.name.substr(sub.name.rfind(' ') + 1),
                      sub.summary.empty() ? split(sub.description, "\n\n")[0] : sub.summary);
  return table(rows);
}

std::string usage_line(const CommandPage& page) { return wrapped("usage: " + usage_of(page), 7) + "\n"; }

std::string with_heading(const std::string& heading, const std::string& text) {
  return text.empty() ? "" : "\n" + heading + "\n" + text;
}

// A comment that has no space beside its command stands below it.
std::string example_lines(const std::vector<std::string>& examples) {
  std::string text;
  for (const std::string& line : examples) {
    const std::size_t gap = line.find("   ", 2);
    if (report::width_of(line) <= kScreenWidth || gap == std::string::npos) {
      text += line + "\n";
    } else {
      text += line.substr(0, gap) + "\n      " + wrapped(in_one_line(line.substr(gap)), 6, 6) + "\n";
    }
  }
  return text;
}

std::string first_sentence(const std::string& description) {
  const std::string paragraph = in_one_line(split(description, "\n\n")[0]);
  const std::size_t end = paragraph.find(". ");
  return end == std::string::npos ? paragraph : paragraph.substr(0, end + 1);
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

CommandPage page_of(const CLI::App& app, const std::string& name) {
  CommandPage page;
  page.name = name;
  page.description = app.get_description();
  page.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // for maintainers
    const bool positional = option->get_lnames().empty() && option->get_snames().empty();
    (positional ? page.positionals : page.options).push_back(line_of(*option));
  }
  // --help and --help-all were there first.
  std::stable_partition(page.options.begin(), page.options.end(),
                        [](const OptionLine& line) { return !line.names.back().starts_with("--help"); });
  page.usage = app.get_parent() != nullptr ? "heddle " + name : app.get_name();
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    page.subcommands.push_back(page_of(*sub, name + " " + sub->get_name()));
  return page;
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string usage_of(const CommandPage& page) {
  std::string usage = page.usage;
  if (usage.find('[') != std::string::npos) return usage;
  if (!page.options.empty()) usage += " [options]";
  for (const OptionLine& positional : page.positionals) usage += " " + value_name(positional);
  return page.subcommands.empty() ? usage : usage + " COMMAND";
}

std::string value_name(const OptionLine& option) {
  constexpr std::size_t kMostChoiceColumns = 24;
  std::string words;
  for (const std::string& choice : option.choices) words += (words.empty() ? "" : "|") + choice;
  if (!words.empty() && words.size() <= kMostChoiceColumns) return words;
  return option.value.empty() && !option.names[0].starts_with('-') ? upper(option.names[0]) : option.value;
}

std::string value_name(const CLI::Option& option) { return value_name(line_of(option)); }

std::string whole_help(const CommandPage& page) {
  std::string text = usage_line(page);
  for (const std::string& paragraph : split(page.description, "\n\n"))
    text += "\n" + wrapped(in_one_line(paragraph), 0) + "\n";
  text += with_heading("arguments:", option_table(page.positionals));
  text += with_heading("commands:", subcommand_table(page));
  text += with_heading("options:", option_table(page.options));
  const Footer footer = footer_of(page);
  text += with_heading("examples:", example_lines(footer.examples));
  for (const std::string& note : footer.notes)
    text += (&note == footer.notes.data() ? "\n" : "") + wrapped(note, 0) + "\n";
  return text;
}

std::string everyday_help(const CommandPage& page, std::string_view everyday) {
  if (const std::string whole = whole_help(page); lines_of(whole) <= kScreenLines) return whole;
  const std::vector<std::string> wanted = split(std::string(everyday), " ");
  const auto is_wanted = [&](const OptionLine& option) {
    return everyday.empty() ||
           std::any_of(option.names.begin(), option.names.end(), [&](const std::string& name) {
             return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
           });
  };
  std::vector<OptionLine> options;
  std::copy_if(page.options.begin(), page.options.end(), std::back_inserter(options), is_wanted);
  const std::string head = usage_line(page) + "\n" + wrapped(first_sentence(page.description), 0) + "\n" +
                           with_heading("commands:", subcommand_table(page));
  const std::string end =
      "\n" + wrapped(fmt::format("`heddle {} --help-all` has all options, and more to read.", page.name), 0) +
      "\n";
  std::vector<std::string> examples = footer_of(page).examples;
  const auto text = [&] {
    return head + with_heading("options:", option_table(options)) +
           with_heading("examples:", example_lines(examples)) + end;
  };
  // As much as there is space for.
  while (examples.size() > 1 && lines_of(text()) > kScreenLines) examples.pop_back();
  while (everyday.empty() && !options.empty() && lines_of(text()) > kScreenLines) options.pop_back();
  return text();
}

std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == ' ';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return line;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t used) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    // What stands between backquotes is copied by users, and stays together.
    while (end < text.size() && std::ranges::count(std::string_view(text).substr(at, end - at), '`') % 2 != 0)
      end = std::min(text.find(' ', end + 1), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t columns = report::width_of(word);
    if (at != 0 && used + 1 + columns > kScreenWidth) {
      result += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (at != 0) {
      result += ' ';
      ++used;
    }
    result += word;
    used += columns;
    at = end + 1;
  }
  return result;
}

}  // namespace heddle::cli
