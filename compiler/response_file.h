// Response files and command strings, with the quoting rules that gcc documents for @file: words are
// separated by white space, single and double quotes group, a backslash takes the next character as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::compiler {

std::vector<std::string> split_words(std::string_view text);

// Replaces every @file by its words, also inside response files. As gcc does, an @file that cannot be read
// stays as it is. Nesting and size are bounded, so that a file that names itself ends.
std::vector<std::string> expand_response_files(const std::vector<std::string>& args);

}  // namespace heddle::compiler
