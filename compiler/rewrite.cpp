#include "compiler/rewrite.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/command_line.h"
#include "compiler/response_file.h"

namespace heddle::compiler {
namespace {

constexpr std::array kWithoutRuntime = std::to_array<std::string_view>({"thread", "fuzzer-no-link"});

using Args = std::vector<std::string>;

// Sanitizers that bring a runtime of their own which cannot share a process with this one. Both compilers
// refuse most of them next to -fsanitize=thread, but would name an option that the user never wrote.
constexpr std::array kExclusive = std::to_array<std::string_view>(
    {"address", "dataflow", "fuzzer", "hwaddress", "kernel-address", "kernel-hwaddress", "kernel-memory",
     "leak", "memory", "realtime", "type"});

Status check_supported(const CommandLine& line) {
  const auto exclusive = std::find_if(kExclusive.begin(), kExclusive.end(), [&](std::string_view name) {
    return line.sanitizers.count(std::string(name)) != 0;
  });
  if (exclusive != kExclusive.end()) {
    const std::string option = "-fsanitize=" + std::string(*exclusive);
    return Error{option +
                 " cannot be combined with heddle, which instruments the program by -fsanitize=thread. Build "
                 "without " +
                 option + " for heddle, and separately with it for the other tool."};
  }
  if (line.goal == Goal::kLink && line.fully_static) {
    return Error{
        "a fully static program (-static, -static-pie) cannot be tested: heddle's runtime is a shared "
        "library that takes the place of pthread and libc functions when the program starts. Link without "
        "-static; "
        "-static-libgcc, -static-libstdc++ and static libraries of your own are fine."};
  }
  return Done{};
}

void add_gcc_compile(const CompilerIdentity& compiler, Args& out) {
  out.emplace_back("-fsanitize=thread");
  // Expanded inline these would not be seen: g++ expands them after it has instrumented.
  for (const char* function : {"memcmp", "memcpy", "memmove", "memset", "strcat", "strcpy", "strncpy"})
    out.push_back(std::string("-fno-builtin-") + function);
  if (compiler.major >= 11) {
    out.emplace_back("--param=tsan-distinguish-volatile=1");
    out.emplace_back("-Wno-tsan");  // atomic_thread_fence warns by default, but we do support it
  }
}

// clang refuses an option given twice, whatever its values.
void add_llvm_options(std::initializer_list<std::string_view> options, const CommandLine& line, Args& out) {
  const auto name_of = [](std::string_view option) { return option.substr(0, option.find('=')); };
  for (const std::string_view option : options) {
    const bool given =
        std::any_of(line.llvm_options.begin(), line.llvm_options.end(),
                    [&](const std::string& other) { return name_of(other) == name_of(option); });
    if (!given) out.insert(out.end(), {"-mllvm", std::string(option)});
  }
}

void add_clang_compile(const CompilerIdentity& compiler, const CommandLine& line, Args& out) {
  out.emplace_back("-fsanitize=thread");
  out.emplace_back("-fno-sanitize-link-runtime");
  if (compiler.major < 11) return;
  add_llvm_options({"-tsan-distinguish-volatile", "-tsan-instrument-read-before-write"}, line, out);
  // Vectors come before instrumentation, which passes over accesses of more than 16 bytes in silence: loops
  // over structures would hide their races. Nor does the pass of --full know vectors. (clang's own
  // -fno-vectorize does not do: an -O2 that comes after it takes it back.)
  add_llvm_options({"-vectorize-loops=false", "-vectorize-slp=false"}, line, out);
}

void add_full_compile(const InstallLayout& layout, Args& out) {
  out.push_back("-fpass-plugin=" + layout.symbolic_pass);
}

void add_compile(const CompilerIdentity& compiler, const CommandLine& line, const InstallLayout& layout,
                 Build build, Args& out) {
  const bool clang = compiler.family == Family::kClang;
  // clang warns of arguments that a call has no use for (links, assembler), which is fatal under -Werror.
  const bool has_scope = clang && compiler.major >= 14;
  if (clang) out.emplace_back(has_scope ? "--start-no-unused-arguments" : "-Qunused-arguments");
  if (clang) {
    add_clang_compile(compiler, line, out);
    if (build == Build::kFull) add_full_compile(layout, out);
  } else {
    add_gcc_compile(compiler, out);
  }
  if (compiler.x86_64 && !line.other_target) out.emplace_back("-mcx16");
  // Last, since -isystem of a folder such as /usr/include would break libstdc++'s #include_next.
  out.insert(out.end(), {"-idirafter", layout.include_dir});
  if (has_scope) out.emplace_back("--end-no-unused-arguments");
}

void add_linker_words(std::initializer_list<std::string> words, Args& out) {
  for (const std::string& word : words)
    out.insert(out.end(), {"-Xlinker", word});  // unlike -Wl, commas are safe
}

// -fno-sanitize-link-runtime also keeps the runtime of -fsanitize=undefined out, which gets along with ours.
void add_clang_ubsan(const CompilerIdentity& compiler, const CommandLine& line,
                     const RuntimeFinder& find_runtime, Args& out) {
  const bool wanted =
      std::any_of(line.sanitizers.begin(), line.sanitizers.end(), [&](const std::string& name) {
        return std::find(kWithoutRuntime.begin(), kWithoutRuntime.end(), name) == kWithoutRuntime.end();
      });
  if (!wanted || !find_runtime) return;
  Args files = {"libclang_rt.ubsan_standalone-x86_64.a"};
  if (compiler.cxx) files.emplace_back("libclang_rt.ubsan_standalone_cxx-x86_64.a");
  for (const std::string& file : files) {
    const std::string path = find_runtime(file);
    if (path.empty()) continue;
    add_linker_words({"--whole-archive", path, "--no-whole-archive"}, out);
  }
}

void add_link(const CompilerIdentity& compiler, const CommandLine& line, const InstallLayout& layout,
              const RuntimeFinder& find_runtime, Args& out) {
  if (compiler.family == Family::kGcc) {
    out.insert(out.end(), {"-B", layout.link_dir + "/", "-L", layout.link_dir});
  }
  add_linker_words({"-rpath", layout.link_dir}, out);
  add_linker_words({"--push-state", "--no-as-needed", layout.library, "--pop-state"}, out);
  if (compiler.family == Family::kClang) add_clang_ubsan(compiler, line, find_runtime, out);
}

}  // namespace

Result<Args> rewrite(const CompilerIdentity& compiler, const Args& args, const InstallLayout& layout,
                     const RuntimeFinder& find_runtime, Build build) {
  const CommandLine line = parse_command_line(expand_response_files(args));
  if (line.goal == Goal::kQuery) return args;
  const Status supported = check_supported(line);
  if (!supported) return supported.error();
  Args out;
  add_compile(compiler, line, layout, build, out);
  if (line.goal == Goal::kLink && !line.relocatable) add_link(compiler, line, layout, find_runtime, out);
  out.insert(out.end(), args.begin(), args.end());  // response files stay files: they exist for their length
  return out;
}

}  // namespace heddle::compiler
