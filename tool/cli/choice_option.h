// Options of a command line whose value is one of a few words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tool/cli/terminal.h"
#include "tool/cli/value_checks.h"

namespace heddle::cli {

template <typename E>
using Choices = std::vector<std::pair<std::string, E>>;

// Sets `to` to the value of the word that is given. Where none is given, it stays as it is.
template <typename E>
CLI::Option* add_choice_option(CLI::App& app, const std::string& names, const Choices<E>& choices, E& to,
                               const std::string& help) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  const auto set = [choices, &to](const std::string& given) {
    for (const auto& [word, value] : choices) {
      if (word == given) to = value;
    }
  };
  return app.add_option_function<std::string>(names, set, help)->check(one_of(words));
}

inline CLI::Option* add_color_option(CLI::App& app, ColorWish& to) {
  const Choices<ColorWish> choices = {
      {"auto", ColorWish::kAuto}, {"always", ColorWish::kAlways}, {"never", ColorWish::kNever}};
  return add_choice_option(app, "--color", choices, to, "whether to colour the text [auto]")
      ->type_name("WHEN");
}

}  // namespace heddle::cli
