// What heddle knows about a program before it runs it: whether it can be run under our runtime and how, and
// what the user should know about its build.
//
//   auto image = inspect_program("./test");           // an error: not a program for this machine
//   if (auto error = refuse_reason(*image)) …         // a program that cannot be tested as it is built; exit
//   code 2 for (const std::string& text : warnings(*image)) …
//
// Inspecting never runs the program and never trusts the file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tool/program/program_atomics.h"
#include "tool/program/program_search.h"

namespace heddle {

// What the program's __tsan_* calls are bound to.
enum class TsanRuntime {
  kNone,         // nothing yet; a preloaded libheddle.so will do
  kHeddle,       // libheddle.so is linked
  kSharedTsan,   // libtsan.so.N (g++) or libclang_rt.tsan (clang -shared-libsan): ours can take its place
  kStaticGcc,    // linked in by g++ -static-libtsan
  kStaticClang,  // linked in by clang, its default
};

struct ProgramLibrary {
  std::string path;
  bool is_instrumented = false;
  bool has_debug_info = false;
};

struct ProgramImage {
  std::string path;
  std::string build_id;  // in hexadecimal; empty without one
  TsanRuntime runtime = TsanRuntime::kNone;
  // Sonames of ThreadSanitizer runtimes that would be loaded for the program or its libraries. They must be
  // kept out (preload_list), since two runtimes in one process hang.
  std::vector<std::string> tsan_sonames;
  std::vector<RuntimeNeed> heddle_needs;  // kHeddle: under which names, and where the loader finds them
  bool is_static = false;                 // no dynamic loader: nothing can be preloaded
  bool is_setuid = false;                 // the loader ignores LD_PRELOAD
  bool is_instrumented = false;           // the program itself; see also `libraries`
  bool has_debug_info = false;
  bool brings_malloc = false;                 // linked into the program: ours cannot take its place
  bool needs_cxx = false;                     // links the C++ library
  std::string other_sanitizer;                // "AddressSanitizer" …, or empty
  std::string other_version;                  // what another version of heddle c++ --full compiled, or empty
  std::vector<std::string> sources;           // file names from the symbol table; without folders
  std::vector<std::string> needed;            // DT_NEEDED of the program, in order
  std::vector<ProgramLibrary> libraries;      // shared libraries that are not the system's
  std::vector<HiddenAtomics> hidden_atomics;  // of the program and of its instrumented libraries
  std::vector<std::string> assembly_libraries;  // needed libraries known to synchronise by inline assembly

  bool any_instrumented() const;
};

struct InspectOptions {
  // Code beyond this is not searched for hidden atomics, so that a huge program does not delay a campaign.
  std::size_t max_code_bytes = std::size_t{16} << 20;  // about two seconds
};

Result<ProgramImage> inspect_program(const std::string& path, const InspectOptions& options = {});

// Why this program cannot be tested, with the command that mends it.
std::optional<Error> refuse_reason(const ProgramImage& image);

// LD_PRELOAD for this program; empty if it is linked with our library, finds it, and needs nothing else. Else
// `library`, the path of libheddle.so, stands first, so that its functions come first. Then there is an empty
// library from heddle/preload/ beside it for each ThreadSanitizer runtime that the program needs, whose name is
// taken by that. So a program runs whose run path leads nowhere or to another installation: the loader takes our
// library for the one of that name. The loader takes a space in LD_PRELOAD for the end of a name: with one in the
// path of `library` these are names without folders. An error for a name that this installation does not have.
Result<std::string> preload_list(const ProgramImage& image, const std::string& library);

// What LD_LIBRARY_PATH has to begin with, so that the loader finds the names of `preload`. Empty: they are paths.
std::string preload_folders(const std::string& preload, const std::string& library);

// One paragraph each, without a trailing newline.
std::vector<std::string> warnings(const ProgramImage& image);

}  // namespace heddle
