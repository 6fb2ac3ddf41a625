#include "compiler/command_line.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace heddle::compiler {
namespace {

// Options whose value is the next argument when it is not joined: without this list a value would be taken
// for an input file. The union of what gcc 12 and clang 19 document; a spelling that only one of them knows
// is an error for the other in any case.
constexpr std::array kTakesValue = std::to_array<std::string_view>({
    "--assert",
    "--config",
    "--define-macro",
    "--dumpbase",
    "--dumpbase-ext",
    "--dumpdir",
    "--entry",
    "--for-linker",
    "--force-link",
    "--imacros",
    "--include",
    "--include-directory",
    "--include-directory-after",
    "--include-prefix",
    "--include-with-prefix",
    "--include-with-prefix-after",
    "--include-with-prefix-before",
    "--language",
    "--library-directory",
    "--output",
    "--param",
    "--prefix",
    "--serialize-diagnostics",
    "--specs",
    "--sysroot",
    "--target",
    "--undefine-macro",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-Xanalyzer",
    "-Xarch_device",
    "-Xarch_host",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-cxx-isystem",
    "-dependency-dot",
    "-dependency-file",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-e",
    "-framework",
    "-gcc-toolchain",
    "-idirafter",
    "-iframework",
    "-iframeworkwithsysroot",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-install_name",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-meabi",
    "-mllvm",
    "-mthread-model",
    "-o",
    "-resource-dir",
    "-rpath",
    "-serialize-diagnostics",
    "-specs",
    "-target",
    "-u",
    "-working-directory",
    "-wrapper",
    "-x",
    "-z",
});

constexpr std::array kStopsBeforeLink = std::to_array<std::string_view>({
    "--analyze",
    "--assemble",
    "--compile",
    "--dependencies",
    "--precompile",
    "--preprocess",
    "--user-dependencies",
    "-E",
    "-M",
    "-MM",
    "-S",
    "-c",
    "-emit-ast",
    "-emit-interface-stubs",
    "-extract-api",
    "-fsyntax-only",
    "-rewrite-objc",
    "-verify-pch",
});

constexpr std::array kQueries = std::to_array<std::string_view>({
    "--help",
    "--target-help",
    "--version",
    "-help",
    "-dumpfullversion",
    "-dumpmachine",
    "-dumpspecs",
    "-dumpversion",
});

constexpr std::array kHeaderSuffixes =
    std::to_array<std::string_view>({".H", ".h", ".h++", ".hh", ".hp", ".hpp", ".hxx", ".tcc"});

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_query(std::string_view arg) {
  return contains(kQueries, arg) || arg.starts_with("-print-") || arg.starts_with("--print-") ||
         arg.starts_with("--help=");
}

bool is_header(std::string_view path, std::string_view language) {
  if (language == "none" || language.empty()) {
    return std::any_of(kHeaderSuffixes.begin(), kHeaderSuffixes.end(),
                       [&](std::string_view suffix) { return path.ends_with(suffix); });
  }
  return language.ends_with("-header") || language.ends_with("-header-unit");
}

template <typename Visit>
void for_each_part(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    visit(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

class Parser {
 public:
  CommandLine run(const std::vector<std::string>& args) {
    if (!args.empty() && (args[0] == "-cc1" || args[0] == "-cc1as")) return {};  // clang's inner command line
    for (std::size_t i = 0; i < args.size(); ++i) {
      const std::string_view arg = args[i];
      if (only_inputs_follow_ || arg == "-" || !arg.starts_with('-')) {
        input(arg);
      } else if (arg == "--") {
        only_inputs_follow_ = true;
      } else if (contains(kTakesValue, arg)) {
        if (i + 1 < args.size()) valued(arg, args[++i]);
      } else {
        flag(arg);
      }
    }
    result_.goal = goal();
    return std::move(result_);
  }

 private:
  Goal goal() const {
    if (query_ || (result_.inputs.empty() && !names_library_)) return Goal::kQuery;
    if (stops_ || (only_headers_ && !names_library_)) return Goal::kCompile;
    return Goal::kLink;
  }

  void input(std::string_view path) {
    only_headers_ = only_headers_ && is_header(path, language_);
    result_.inputs.emplace_back(path);
  }

  void valued(std::string_view option, std::string_view value) {
    if (option == "-x" || option == "--language") language_ = value;
    if (option == "-l") names_library_ = true;
    if (option == "-target" || option == "--target") target(value);
    if (option == "-mllvm") result_.llvm_options.emplace(value);
    if (option == "-Xlinker" || option == "--for-linker") linker_option(value);
  }

  void flag(std::string_view arg) {
    if (is_query(arg)) query_ = true;
    if (contains(kStopsBeforeLink, arg)) stops_ = true;
    if (arg == "-r") result_.relocatable = true;
    if (arg == "-static" || arg == "--static" || arg == "-static-pie") result_.fully_static = true;
    if (arg == "-m32" || arg == "-mx32" || arg == "-m16") result_.other_target = true;
    joined(arg, "--target=", [&](std::string_view value) { target(value); });
    joined(arg, "-l", [&](std::string_view) { names_library_ = true; });
    joined(arg, "-x", [&](std::string_view value) { language_ = value; });
    joined(arg, "--language=", [&](std::string_view value) { language_ = value; });
    joined(arg, "-mllvm=", [&](std::string_view value) { result_.llvm_options.emplace(value); });
    joined(arg, "-Wl,", [&](std::string_view value) {
      for_each_part(value, [&](std::string_view part) { linker_option(part); });
    });
    joined(arg, "-fsanitize=", [&](std::string_view value) {
      for_each_part(value, [&](std::string_view name) { result_.sanitizers.emplace(name); });
    });
    joined(arg, "-fno-sanitize=", [&](std::string_view value) {
      for_each_part(value, [&](std::string_view name) { drop_sanitizer(name); });
    });
  }

  template <typename Visit>
  static void joined(std::string_view arg, std::string_view option, Visit visit) {
    if (arg.size() > option.size() && arg.starts_with(option)) visit(arg.substr(option.size()));
  }

  void drop_sanitizer(std::string_view name) {
    if (name == "all") {
      result_.sanitizers.clear();
    } else {
      result_.sanitizers.erase(std::string(name));
    }
  }

  void linker_option(std::string_view option) {
    if (option == "-r" || option == "--relocatable" || option == "-i") result_.relocatable = true;
  }

  void target(std::string_view triple) {
    result_.other_target = !(triple.starts_with("x86_64") || triple.starts_with("amd64"));
  }

  CommandLine result_;
  std::string language_;
  bool only_inputs_follow_ = false;
  bool only_headers_ = true;
  bool names_library_ = false;
  bool query_ = false;
  bool stops_ = false;
};

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& args) { return Parser().run(args); }

}  // namespace heddle::compiler
