#include "tool/cli/pager.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace heddle::cli {
namespace {

std::size_t terminal_lines() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0 ? size.ws_row : 24;
}

std::string pager() {
  const char* wish = std::getenv("PAGER");
  if (wish != nullptr) return std::string_view(wish) == "cat" ? "" : wish;
  return is_installed("less") ? "less" : "";
}

}  // namespace

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }

bool is_installed(const std::string& program) {
  return std::system(fmt::format("command -v {} >/dev/null 2>&1", program).c_str()) ==
         0;  // NOLINT(cert-env33-c)
}

bool feed(const std::string& command, const std::string& text) {
  std::fflush(stdout);
  std::FILE* pipe = popen(command.c_str(), "w");
  if (pipe == nullptr) return false;
  // An interruption is the pager's, and must not end heddle while the pager has the terminal.
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &before);
  std::fwrite(text.data(), 1, text.size(), pipe);  // a pager may be left before all is read
  const bool done = pclose(pipe) == 0;
  sigaction(SIGINT, &before, nullptr);
  return done;
}

void show_paged(const std::string& text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (stdout_is_terminal() && lines >= terminal_lines()) {
    // As git has it: less ends where everything fits, shows colours, and leaves the text on the screen.
    setenv("LESS", "FRX", 0);
    if (const std::string command = pager(); !command.empty() && feed(command, text)) return;
  }
  fmt::print("{}", text);
}

}  // namespace heddle::cli
