// Long texts on a terminal.
#pragma once

#include <string>

namespace heddle::cli {

// Prints the text to standard output; where that is a terminal with fewer lines than the text, by way of
// $PAGER, or less(1). An empty PAGER, or cat, means none.
void show_paged(const std::string& text);

// Runs a shell command with the text as its standard input, and waits for it. Answers whether it could be run
// and ended with 0.
bool feed(const std::string& command, const std::string& text);

// Whether the shell finds a program of this name.
bool is_installed(const std::string& program);

bool stdout_is_terminal();

}  // namespace heddle::cli
