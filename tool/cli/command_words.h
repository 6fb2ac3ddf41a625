// The words of a command line on their way into CLI11, and what is said about those that it cannot take.
//
// CLI11 knows which options there are. Its own messages name neither what was typed nor what to type instead.
// So the words are looked at first, and values are checked by functions that say what is wrong (values.h).
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::cli {

enum class HelpWish { kNone, kEveryday, kAll };

// How many words at the beginning are options and their values; what follows is a program, or `--`.
std::size_t count_option_words(CLI::App& app, const std::vector<std::string>& words);

// Gives the words to `app`, whose name begins with the command: "heddle run [options] …". An error is for the
// user as it is. kNone: everything was taken.
Result<HelpWish> take_words(CLI::App& app, const std::vector<std::string>& words);

// "heddle run" of "heddle run [options] [--] PROGRAM".
std::string command_name(const CLI::App& app);

}  // namespace heddle::cli
