// Words of a command that can be pasted into a shell.
#pragma once

#include <string>

namespace heddle::report {

// As one word: quoted where it has to be.
std::string shell_word(const std::string& word);
// A file's name, which no command takes for an option.
std::string path_word(const std::string& path);

}  // namespace heddle::report
