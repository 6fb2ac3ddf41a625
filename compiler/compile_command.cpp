#include "compiler/compile_command.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <unistd.h>

#include "compiler/command_line.h"
#include "compiler/compiler_identity.h"
#include "compiler/install_layout.h"
#include "compiler/response_file.h"
#include "compiler/rewrite.h"

namespace heddle::compiler {
namespace {

int fail(bool cxx, const Error& error) {
  std::fprintf(stderr, "heddle %s: %s\n", cxx ? "c++" : "cc", error.message.c_str());
  return static_cast<int>(error.code);
}

// HEDDLE_CXX="heddle c++" would start itself for ever.
bool is_this_program(const std::string& command) {
  std::error_code error;
  const std::string path = find_on_path(command);
  return !path.empty() && std::filesystem::equivalent(path, "/proc/self/exe", error) && !error;
}

Status check_full(bool cxx, const CompilerIdentity& compiler, const std::string& name) {
  if (compiler.family == Family::kClang && compiler.major == kFullClang && compiler.x86_64) return Done{};
  const std::string wanted = (cxx ? "clang++-" : "clang-") + std::to_string(kFullClang);
  return Error{"--full needs clang " + std::to_string(kFullClang) + " for x86-64, and '" + name +
               "' is another compiler. Leave --compiler= and $" + (cxx ? "HEDDLE_CXX" : "HEDDLE_CC") +
               " away for " + wanted + ", or name it there."};
}

Result<std::vector<std::string>> rewritten(bool cxx, const std::vector<std::string>& command,
                                           const std::vector<std::string>& args, Build build) {
  const CommandLine line = parse_command_line(expand_response_files(args));
  if (line.goal == Goal::kQuery) return args;  // must work even where the compiler's kind is unknown
  const auto compiler = identify(cxx, command);
  if (!compiler) return compiler.error();
  const auto layout = find_layout();
  if (!layout) return layout.error();
  if (build == Build::kFull) {
    if (const Status fits = check_full(cxx, *compiler, command[0]); !fits) return fits.error();
    if (const Status there = check_symbolic_pass(*layout); !there) return there.error();
  }
  if (line.goal == Goal::kLink && !line.relocatable) {
    if (const Status complete = check_link_files(*layout); !complete) return complete.error();
  }
  const RuntimeFinder find_runtime = [&](const std::string& file) {
    std::vector<std::string> question = command;
    question.push_back("-print-file-name=" + file);
    const auto answer = output_of(question);
    std::string path = answer ? *answer : "";
    while (!path.empty() && path.back() == '\n') path.pop_back();
    return path.starts_with('/') ? path : "";  // an unknown name comes back as it was asked for
  };
  return rewrite(*compiler, args, *layout, find_runtime, build);
}

}  // namespace

std::string compile_help(bool cxx) {
  const std::string name = cxx ? "c++" : "cc";
  const std::string variable = cxx ? "HEDDLE_CXX" : "HEDDLE_CC";
  return "Usage: heddle " + name + " [--full] [--compiler=COMMAND] ARGUMENTS OF THE COMPILER...\n" +
         "\n"
         "Runs your own " +
         std::string(cxx ? "C++" : "C") +
         " compiler, gcc or clang, and adds the instrumentation of\n"
         "-fsanitize=thread, heddle's runtime library and the folder of <heddle/heddle.h>\n"
         "to its command line. The exit code is the compiler's.\n"
         "\n"
         "  --compiler=COMMAND  the compiler, such as clang++-19 or \"ccache g++\"\n"
         "                      [$" +
         variable + ", " + name +
         "]\n"
         "  --full              also what search, record, reconstruct, merge and explain's\n"
         "                      solver need; clang 19 compiles then\n"
         "  --spes=static       with --full: recorders take every variable that may be\n"
         "                      shared, not only those of a profile (PROGRAM.spes)\n"
         "\n"
         "Examples:\n"
         "  heddle " +
         name + " -g -O1 test." + (cxx ? "cpp" : "c") +
         " -o test && heddle run -- ./test\n"
         "  CC=\"heddle cc\" CXX=\"heddle c++\" cmake -S . -B build-heddle\n"
         "  make CC=\"heddle cc\" CXX=\"heddle c++\"\n"
         "\n"
         "Build with -g for file and line in reports. Not possible: fully static programs\n"
         "(-static) and other sanitizers in the same build, except -fsanitize=undefined.\n";
}

int compile_command(bool cxx, std::vector<std::string> args) {
  using Words = std::vector<std::string>;
  if (args == Words{"--help"}) {
    std::printf("%s`heddle %s --help-all` has the compiler's own help, too.\n", compile_help(cxx).c_str(),
                cxx ? "c++" : "cc");
    return 0;
  }
  const bool whole_help = args == Words{"--help-all"};
  if (whole_help) args = {"--help"};
  const Build build = take_full(args) ? Build::kFull : Build::kUsual;
  // The pass has no other way to be told than its environment; the macro is for compiler caches.
  if (std::erase(args, "--spes=static") != 0 && build == Build::kFull) {
    args.insert(args.begin(), "-D__HEDDLE_STATIC_ELEMENTS__=1");
    setenv("HEDDLE_STATIC_ELEMENTS", "1", 1);
  }
  std::vector<std::string> command =
      build == Build::kFull ? choose_full_compiler(cxx, args) : choose_compiler(cxx, args);
  if (build == Build::kFull && find_on_path(command[0]).empty()) {
    return fail(cxx, {"--full needs clang " + std::to_string(kFullClang) + ", and '" + command[0] +
                      "' is not there. Install it (Debian: apt install clang-" + std::to_string(kFullClang) +
                      "), or compile without --full."});
  }
  if (is_this_program(command[0])) {
    return fail(
        cxx, {"the compiler to wrap is heddle itself. Set " + std::string(cxx ? "HEDDLE_CXX" : "HEDDLE_CC") +
              " or --compiler= to the compiler that heddle shall call, such as g++."});
  }
  const auto rest = rewritten(cxx, command, args, build);
  if (!rest) return fail(cxx, rest.error());
  if (whole_help) {
    std::printf("%s\nThe compiler's own help:\n\n", compile_help(cxx).c_str());
    std::fflush(stdout);
  }
  std::vector<std::string> words = command;
  words.insert(words.end(), rest->begin(), rest->end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return fail(cxx, {"cannot run the compiler '" + command[0] + "': " + std::strerror(errno) +
                    ". Name another one with --compiler= or $" + (cxx ? "HEDDLE_CXX." : "HEDDLE_CC.")});
}

}  // namespace heddle::compiler
