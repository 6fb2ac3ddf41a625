#include "tool/cli/command_words.h"

#include <fmt/core.h>

#include <algorithm>

#include "tool/cli/help_text.h"
#include "tool/cli/suggest.h"

namespace heddle::cli {
namespace {

using Words = std::vector<std::string>;

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// "-n, --executions N: stop after N executions."
std::string meaning_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& letter : option.get_snames()) names += (names.empty() ? "-" : ", -") + letter;
  for (const std::string& word : option.get_lnames()) names += (names.empty() ? "--" : ", --") + word;
  return fmt::format("{} {}: {}.", names, value_name(option), in_one_line(option.get_description()));
}

// A dash alone is a file.
bool looks_like_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

CLI::Option* find_option(CLI::App& app, const std::string& name) {
  return name.size() > 1 && name[0] == '-' ? app.get_option_no_throw(name) : nullptr;
}

// An option as it was typed.
struct Given {
  const CLI::Option* option;
  std::string name;  // "-n"
};

// The words in the one form that CLI11 always understands: a value stands behind its option's long name and
// "=", so that no value is taken for an option, and no further word for another value of the option.
class Reading {
 public:
  explicit Reading(CLI::App& app) : app_(&app) {}

  Status read(const Words& words);

  CLI::App& command() const { return *app_; }  // the innermost that was named
  const Words& read_words() const { return out_; }
  const std::vector<Given>& given() const { return given_; }

 private:
  Status read_plain(const std::string& word);
  Status read_long(const Words& words, std::size_t& at);
  Status read_letters(const Words& words, std::size_t& at);
  // `inside`: the part of the same word that is the value, if there is one.
  Status read_value(const CLI::Option& option, const std::string& name, std::optional<std::string> inside,
                    const Words& words, std::size_t& at);
  Error unknown(const std::string& name) const;
  bool is_known(const std::string& word) const;

  CLI::App* app_;
  Words out_;
  std::vector<Given> given_;
};

// "--seed" of "--seed=5".
std::string name_of(const std::string& word) { return word.substr(0, word.find('=')); }

bool Reading::is_known(const std::string& word) const {
  return find_option(*app_, word.starts_with("--") ? name_of(word) : word) != nullptr;
}

Error Reading::unknown(const std::string& name) const {
  Words known;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& letter : option->get_snames()) known.push_back("-" + letter);
    for (const std::string& word : option->get_lnames()) known.push_back("--" + word);
  }
  return {fmt::format("`{}` has no option '{}'.{}", command_name(*app_), name, did_you_mean(name, known))};
}

Status Reading::read(const Words& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--") {
      out_.insert(out_.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
      return Done{};
    }
    const Status done = !looks_like_option(word) ? read_plain(word)
                        : word.starts_with("--") ? read_long(words, at)
                                                 : read_letters(words, at);
    if (!done) return done;
  }
  return Done{};
}

Status Reading::read_plain(const std::string& word) {
  out_.push_back(word);
  const auto subcommands = app_->get_subcommands([](const CLI::App*) { return true; });
  if (subcommands.empty()) return Done{};
  Words names;
  for (CLI::App* sub : subcommands) {
    if (sub->get_name() == word) {
      app_ = sub;
      return Done{};
    }
    names.push_back(sub->get_name());
  }
  return Error{
      fmt::format("`{}` has no command '{}'.{}", command_name(*app_), word, did_you_mean(word, names))};
}

Status Reading::read_long(const Words& words, std::size_t& at) {
  const std::string& word = words[at];
  const std::string name = name_of(word);
  const CLI::Option* option = find_option(*app_, name);
  if (option == nullptr) return unknown(name);
  given_.push_back({option, name});
  if (!takes_value(*option)) {
    out_.push_back(word);
    return Done{};
  }
  const bool has_inside = name.size() < word.size();
  return read_value(*option, name, has_inside ? std::optional(word.substr(name.size() + 1)) : std::nullopt,
                    words, at);
}

Status Reading::read_letters(const Words& words, std::size_t& at) {
  const std::string& word = words[at];
  // `-seed 5` is no list of letters.
  if (word.size() > 2 && is_known("-" + word)) return unknown(name_of(word));
  for (std::size_t i = 1; i < word.size(); ++i) {
    const std::string name = {'-', word[i]};
    const CLI::Option* option = find_option(*app_, name);
    if (option == nullptr) return unknown(i == 1 ? word : name);
    given_.push_back({option, name});
    if (takes_value(*option)) {
      return read_value(*option, name, i + 1 < word.size() ? std::optional(word.substr(i + 1)) : std::nullopt,
                        words, at);
    }
    out_.push_back(name);
  }
  return Done{};
}

Status Reading::read_value(const CLI::Option& option, const std::string& name,
                           std::optional<std::string> inside, const Words& words, std::size_t& at) {
  if (!inside && at + 1 < words.size() && words[at + 1] != "--" && !is_known(words[at + 1]))
    inside = words[++at];
  if (!inside || inside->empty())
    return Error{fmt::format("{} needs a value behind it.\n{}", name, meaning_of(option))};
  const bool is_long = !option.get_lnames().empty();
  out_.push_back((is_long ? "--" + option.get_lnames()[0] + "=" : name) + *inside);
  return Done{};
}

// The first line that a help's examples have.
std::string first_example(const CLI::App& app) {
  const std::string footer = app.get_footer();
  const std::string heading = "examples:\n";
  const std::size_t start = footer.find(heading);
  if (start == std::string::npos) return {};
  const std::string line = footer.substr(start + heading.size(),
                                         footer.find('\n', start + heading.size()) - start - heading.size());
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first, line.find("   ", first) - first);
}

// A value that a check has refused. CLI11 names the option by its long name, and the check says the rest.
Error refused_value(CLI::App& app, const std::string& what, const std::vector<Given>& given) {
  const std::size_t colon = std::min(what.find(": "), what.size());
  for (const Given& one : given) {
    if (one.option->get_name() == what.substr(0, colon))
      return {one.name + what.substr(colon) + "\n" + meaning_of(*one.option)};
  }
  const CLI::Option* positional = app.get_option_no_throw(what.substr(0, colon));
  return {(positional != nullptr ? upper(positional->get_name()) + what.substr(colon) : what)};
}

Error missing_word(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_required() || option->count() != 0) continue;
    const std::string example = first_example(app);
    return {fmt::format("No {} given.{}", option->get_name(false, true),
                        example.empty() ? "" : " For example:\n" + example)};
  }
  return {fmt::format("`{}` needs a command after it.", command_name(app))};
}

// What CLI11 found. `given` has the options as they were typed.
Error refusal(CLI::App& app, const CLI::ParseError& error, const std::vector<Given>& given) {
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return refused_value(app, what, given);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return missing_word(app);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !app.remaining().empty())
    return {fmt::format("'{}' is one word too many.", app.remaining().front())};
  for (const Given& one : given) {
    for (const CLI::Option* other : one.option->get_excludes()) {
      if (other->count() != 0)
        return {fmt::format("{} and {} cannot be used together. Leave one of them out.", one.name,
                            other->get_name())};
    }
    for (const CLI::Option* other : one.option->get_needs()) {
      if (other->count() == 0) return {fmt::format("{} needs {}, too.", one.name, other->get_name())};
    }
    if (!takes_value(*one.option) && what.find(one.option->get_name()) != std::string::npos)
      return {fmt::format("{} takes no value. Write it alone.", one.name)};
  }
  return {what};
}

void prepare(CLI::App& app) {
  app.set_help_flag("-h,--help", "the everyday options");
  app.set_help_all_flag("--help-all", "every option");
  for (CLI::Option* option : app.get_options()) {
    // One value each time that the option is named.
    if (option->nonpositional()) option->allow_extra_args(false);
  }
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) prepare(*sub);
}

Error with_advice(Error error, const CLI::App& app) {
  error.message += fmt::format("\n`{} --help` explains it.", command_name(app));
  return error;
}

}  // namespace

std::string command_name(const CLI::App& app) {
  std::string name = app.get_name();
  name = name.substr(0, name.find('['));
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return app.get_parent() != nullptr ? command_name(*app.get_parent()) + " " + name : name;
}

std::size_t count_option_words(CLI::App& app, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--" || !looks_like_option(word)) return i;
    const CLI::Option* option = nullptr;
    if (word.starts_with("--")) {
      option = find_option(app, word);
    } else {
      // Of letters that stand together only the last one can have its value in the next word.
      for (std::size_t at = 1; at < word.size(); ++at) {
        option = find_option(app, {'-', word[at]});
        if (option == nullptr || (takes_value(*option) && at + 1 < word.size())) {
          option = nullptr;
          break;
        }
      }
    }
    if (option == nullptr || !takes_value(*option)) continue;
    if (i + 1 < words.size() && words[i + 1] != "--" && find_option(app, name_of(words[i + 1])) == nullptr)
      ++i;
  }
  return words.size();
}

Result<HelpWish> take_words(CLI::App& app, const std::vector<std::string>& words) {
  prepare(app);
  Reading reading(app);
  if (const Status read = reading.read(words); !read) return with_advice(read.error(), reading.command());
  try {
    const Words& taken = reading.read_words();
    std::vector<std::string> reversed(taken.rbegin(), taken.rend());
    app.parse(reversed);
  } catch (const CLI::CallForAllHelp&) {
    return HelpWish::kAll;
  } catch (const CLI::CallForHelp&) {
    return HelpWish::kEveryday;
  } catch (const CLI::ParseError& error) {
    return with_advice(refusal(reading.command(), error, reading.given()), reading.command());
  }
  return HelpWish::kNone;
}

}  // namespace heddle::cli
