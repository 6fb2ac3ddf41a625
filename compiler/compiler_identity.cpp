#include "compiler/compiler_identity.h"

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/response_file.h"

namespace heddle::compiler {
namespace {

constexpr std::string_view kCompilerOption = "--compiler=";
constexpr int kMaxLinks = 40;

namespace fs = std::filesystem;

int leading_number(std::string_view text) {
  int value = 0;
  for (char c : text.substr(0, 4)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) break;
    value = value * 10 + (c - '0');
  }
  return value;
}

// Splits "clang++-19" or "gcc-12.2" into the name and its major version.
int strip_version(std::string_view& name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == name.size()) return 0;
  const std::string_view tail = name.substr(dash + 1);
  if (tail.find_first_not_of("0123456789.") != std::string_view::npos) return 0;
  name = name.substr(0, dash);
  return leading_number(tail);
}

// The 14 of …/llvm-14/bin/clang.
int version_of_llvm_folder(std::string_view path) {
  const std::size_t at = path.rfind("/llvm-");
  return at == std::string_view::npos ? 0 : leading_number(path.substr(at + 6));
}

bool is_or_ends_with_part(std::string_view name, std::string_view part) {
  return name == part || (name.ends_with(part) && name[name.size() - part.size() - 1] == '-');
}

// Follows links one at a time, since each name on the way may tell more or less than the next one: c++ tells
// nothing, its target g++ the family, and that one's target x86_64-linux-gnu-g++-12 everything; but the
// target of a ccache folder's g++ is ccache.
NameHint hint_through_links(const std::string& program) {
  NameHint result;
  fs::path path = program;
  for (int i = 0; i < kMaxLinks; ++i) {
    const NameHint hint = hint_from_name(path.string());
    if (hint.family) {
      if (result.family && *result.family != *hint.family) result.major = 0;
      result.family = hint.family;
      result.x86_64 = result.x86_64 && hint.x86_64;
      if (hint.major != 0) result.major = hint.major;
    }
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return result;
}

// The word that names the compiler: the last one that is not an option or an assignment to it.
const std::string& compiler_word(const std::vector<std::string>& command) {
  for (std::size_t i = command.size(); i-- > 1;) {
    if (!command[i].starts_with('-') && command[i].find('=') == std::string::npos) return command[i];
  }
  return command[0];
}

std::optional<int> macro_value(std::string_view macros, std::string_view name) {
  const std::string line = "#define " + std::string(name) + " ";
  const std::size_t at = macros.find(line);
  if (at == std::string_view::npos) return std::nullopt;
  return leading_number(macros.substr(at + line.size()));
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

NameHint hint_from_name(std::string_view path) {
  NameHint hint;
  std::string_view name = path.substr(path.rfind('/') + 1);
  hint.major = strip_version(name);
  if (is_or_ends_with_part(name, "clang") || is_or_ends_with_part(name, "clang++")) {
    hint.family = Family::kClang;
    if (hint.major == 0) hint.major = version_of_llvm_folder(path);
  } else if (is_or_ends_with_part(name, "gcc") || is_or_ends_with_part(name, "g++")) {
    hint.family = Family::kGcc;
  } else {
    return {};
  }
  const std::size_t triple = name.find('-');
  if (triple != std::string_view::npos) {
    hint.x86_64 = name.starts_with("x86_64-") || name.starts_with("amd64-");
  }
  return hint;
}

std::optional<CompilerIdentity> identity_from_macros(std::string_view macros) {
  CompilerIdentity identity;
  identity.x86_64 = macro_value(macros, "__x86_64__").has_value();
  if (const auto clang = macro_value(macros, "__clang_major__")) {
    identity.family = Family::kClang;
    identity.major = *clang;
    return identity;
  }
  if (const auto gcc = macro_value(macros, "__GNUC__")) {
    identity.family = Family::kGcc;
    identity.major = *gcc;
    return identity;
  }
  return std::nullopt;
}

namespace {

// The command that the user named; empty: none.
std::vector<std::string> named_compiler(bool cxx, std::vector<std::string>& args) {
  std::string command;
  std::erase_if(args, [&](const std::string& arg) {
    if (!arg.starts_with(kCompilerOption)) return false;
    command = arg.substr(kCompilerOption.size());
    return true;
  });
  if (command.empty()) {
    const char* from_environment = std::getenv(cxx ? "HEDDLE_CXX" : "HEDDLE_CC");
    if (from_environment != nullptr) command = from_environment;
  }
  if (access(command.c_str(), X_OK) == 0) return {command};  // one path, possibly with spaces in it
  return split_words(command);
}

}  // namespace

std::vector<std::string> choose_compiler(bool cxx, std::vector<std::string>& args) {
  std::vector<std::string> words = named_compiler(cxx, args);
  if (words.empty()) words.emplace_back(cxx ? "c++" : "cc");
  return words;
}

std::vector<std::string> choose_full_compiler(bool cxx, std::vector<std::string>& args) {
  std::vector<std::string> words = named_compiler(cxx, args);
  if (words.empty()) words.push_back((cxx ? "clang++-" : "clang-") + std::to_string(kFullClang));
  return words;
}

bool take_full(std::vector<std::string>& args) { return std::erase(args, "--full") != 0; }

std::string find_on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* variable = std::getenv("PATH");
  std::string_view path = variable != nullptr ? variable : "/bin:/usr/bin";
  while (true) {
    const std::size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    std::string candidate = (folder.empty() ? "." : std::string(folder)) + "/" + name;
    std::error_code error;
    if (access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate, error)) return candidate;
    if (colon == std::string_view::npos) return "";
    path.remove_prefix(colon + 1);
  }
}

Result<std::string> output_of(const std::vector<std::string>& command) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return Error{std::string("cannot make a pipe: ") + std::strerror(errno), ExitCode::kOwnError};
  }
  std::vector<char*> argv;
  std::vector<std::string> words = command;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(fds[1], STDOUT_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(fds[1]);
  std::string text;
  char buffer[8192];
  ssize_t count = 0;
  while (child > 0 && ((count = read(fds[0], buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR))) {
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
  }
  close(fds[0]);
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child > 0 && status == 0) return text;
  return Error{"the command `" + joined(command) + "` failed."};
}

Result<CompilerIdentity> identify(bool cxx, const std::vector<std::string>& command) {
  CompilerIdentity identity;
  const std::string program = find_on_path(compiler_word(command));
  if (program.empty() || find_on_path(command[0]).empty()) {
    const std::string& missing = program.empty() ? compiler_word(command) : command[0];
    return Error{"the compiler '" + missing +
                 "' is not there. Install it, or name another one with --compiler=" +
                 (cxx ? "g++ or $HEDDLE_CXX." : "gcc or $HEDDLE_CC.")};
  }
  const NameHint hint = hint_through_links(program);
  if (hint.family && hint.major != 0) {
    identity = {*hint.family, hint.major, hint.x86_64, cxx};
    return identity;
  }
  std::vector<std::string> question = command;
  question.insert(question.end(), {"-E", "-dM", "-x", "c", "/dev/null"});
  const Result<std::string> macros = output_of(question);
  if (!macros) return macros.error();
  const auto answer = identity_from_macros(*macros);
  if (!answer) {
    return Error{"'" + joined(command) +
                 "' is neither gcc nor clang, so heddle does not know how to instrument " +
                 "with it. Name a gcc or clang with --compiler=."};
  }
  identity = *answer;
  identity.cxx = cxx;
  return identity;
}

}  // namespace heddle::compiler
