// What users read about the build of their program: what is wrong, and the command that mends it.
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "tool/program/program_image.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxNamed = 5;  // functions named in one warning

// The words after `heddle c++ -g -O1` that build this program, with its own sources where they are few.
std::string build_words(const ProgramImage& image) {
  std::string words;
  if (image.sources.empty() || image.sources.size() > 3) {
    words = "SOURCES...";
  } else {
    for (const std::string& source : image.sources) words += (words.empty() ? "" : " ") + source;
  }
  return words + " -o " + std::filesystem::path(image.path).filename().string();
}

bool is_cxx(const ProgramImage& image) {
  const auto is_c = [](const std::string& source) { return source.ends_with(".c"); };
  return image.needs_cxx || image.sources.empty() ||
         !std::all_of(image.sources.begin(), image.sources.end(), is_c);
}

std::string how_to_build(const ProgramImage& image, const std::string& compiler = "") {
  return std::string("    heddle ") + (is_cxx(image) ? "c++ " : "cc ") + compiler + "-g -O1 " +
         build_words(image) +
         "\nor give your build system the compilers \"heddle cc\" and \"heddle c++\":\n"
         "    CC=\"heddle cc\" CXX=\"heddle c++\" cmake -S . -B build-heddle && cmake --build build-heddle\n"
         "    ./configure CC=\"heddle cc\" CXX=\"heddle c++\" && make";
}

std::string where(const HiddenAtomics& atomics) {
  std::string text = atomics.function;
  if (!atomics.file.empty()) text += " at " + atomics.file + ":" + std::to_string(atomics.line);
  return text + " (" + atomics.instruction +
         (atomics.count > 1 ? ", " + std::to_string(atomics.count) + " times" : "") + ")";
}

enum class Origin { kLibck, kLiburcu, kOther };

Origin origin_of(const HiddenAtomics& atomics) {
  const std::string_view file = atomics.file, function = atomics.function;
  if (file.find("/ck_") != std::string_view::npos || file.find("/ck/") != std::string_view::npos ||
      function.starts_with("ck_")) {
    return Origin::kLibck;
  }
  if (file.find("/urcu") != std::string_view::npos || function.starts_with("urcu_") ||
      function.starts_with("cds_") || function.starts_with("uatomic_") || function.starts_with("rcu_")) {
    return Origin::kLiburcu;
  }
  return Origin::kOther;
}

std::string remedy(Origin origin, bool inline_assembly) {
  switch (origin) {
    case Origin::kLibck:
      return "They come from Concurrency Kit (libck): build with -DCK_USE_CC_BUILTINS=1, which makes it use "
             "the "
             "compiler's builtins.";
    case Origin::kLiburcu:
      return "They come from liburcu, which has no switch to the compiler's builtins: what is synchronised "
             "by it "
             "alone can be missed or be reported as a race.";
    case Origin::kOther:
      break;
  }
  return inline_assembly ? "Use std::atomic or the compiler's __atomic builtins there, at least for the "
                           "build that heddle tests."
                         : "Build that code through heddle cc or heddle c++ too; if it is inline assembly, "
                           "use std::atomic or "
                           "the __atomic builtins.";
}

void add_atomics_warning(const ProgramImage& image, Origin origin, bool in_instrumented,
                         std::vector<std::string>& out) {
  std::string names;
  std::size_t count = 0;
  for (const HiddenAtomics& atomics : image.hidden_atomics) {
    if (atomics.in_instrumented_code != in_instrumented || origin_of(atomics) != origin) continue;
    if (count++ < kMaxNamed) names += "\n    " + where(atomics);
  }
  if (count == 0) return;
  if (count > kMaxNamed) names += "\n    and " + std::to_string(count - kMaxNamed) + " more";
  out.push_back(
      std::string("atomic instructions that heddle does not see, in ") +
      (in_instrumented ? "inline assembly" : "inline assembly or code built without instrumentation") + ":" +
      names + "\nThey are no scheduling points and order nothing. " + remedy(origin, in_instrumented));
}

}  // namespace

std::optional<Error> refuse_reason(const ProgramImage& image) {
  const std::string& path = image.path;
  if (!image.other_sanitizer.empty()) {
    return Error{path + " is built with " + image.other_sanitizer +
                 ", which cannot share a process with heddle. Build it again without that sanitizer:\n" +
                 how_to_build(image)};
  }
  if (!image.other_version.empty()) {
    return Error{image.other_version +
                 " was compiled with --full by another version of heddle. Build it again with `heddle c++ "
                 "--full` of this one."};
  }
  if (image.runtime == TsanRuntime::kStaticClang) {
    return Error{
        path +
        " contains ThreadSanitizer's own runtime, which clang links in statically with -fsanitize=thread, so "
        "heddle's cannot take its place. Link it again through heddle; the object files can stay:\n" +
        how_to_build(image, is_cxx(image) ? "--compiler=clang++ " : "--compiler=clang ") +
        "\nor add -shared-libsan to the flags of your -fsanitize=thread build."};
  }
  if (image.runtime == TsanRuntime::kStaticGcc) {
    return Error{
        path +
        " contains ThreadSanitizer's own runtime (-static-libtsan), so heddle's cannot take its place. Link "
        "it again without -static-libtsan, or through heddle:\n" +
        how_to_build(image)};
  }
  if (image.is_static) {
    return Error{
        path +
        " is statically linked, so heddle's runtime, a shared library, cannot be loaded into it. Link it "
        "without -static, through heddle:\n" +
        how_to_build(image)};
  }
  if (!image.any_instrumented()) {
    return Error{
        path + " is not instrumented, so heddle cannot control its threads. Build it through heddle:\n" +
        how_to_build(image) + "\nA program built by g++ with -fsanitize=thread runs under heddle as it is."};
  }
  return std::nullopt;
}

std::vector<std::string> warnings(const ProgramImage& image) {
  std::vector<std::string> out;
  if (!image.is_instrumented) {
    out.push_back(
        image.path +
        " itself is not instrumented, only some of its shared libraries are. What it does between calls into "
        "them runs as one step. Build it through heddle too:\n" +
        how_to_build(image));
  }
  if (image.is_instrumented && !image.has_debug_info) {
    out.push_back(image.path +
                  " has no debug information, so reports cannot show files and lines. Build it with -g.");
  }
  if (image.brings_malloc) {
    out.push_back(
        image.path +
        " has a malloc of its own linked in (jemalloc, tcmalloc?), which heddle cannot replace: heap errors "
        "are not seen, and memory that one thread frees and another gets can look like a race. Link it as a "
        "shared library, or not at all, for tests.");
  }
  for (const ProgramLibrary& library : image.libraries) {
    if (!library.is_instrumented) {
      out.push_back(
          library.path +
          " is not instrumented: each call into it runs as one step, and races and atomics inside it are not "
          "seen. Build it with heddle cc or heddle c++ if it is part of what you test.");
    } else if (!library.has_debug_info) {
      out.push_back(
          library.path +
          " has no debug information, so reports cannot show files and lines in it. Build it with -g.");
    }
  }
  for (bool in_instrumented : {true, false}) {
    for (Origin origin : {Origin::kLibck, Origin::kLiburcu, Origin::kOther}) {
      add_atomics_warning(image, origin, in_instrumented, out);
    }
  }
  for (const std::string& soname : image.assembly_libraries) {
    const bool ck = soname.starts_with("libck.");
    out.push_back(image.path + " uses " + soname +
                  ", which synchronises by inline assembly that heddle does not see. " +
                  (ck ? "Build Concurrency Kit from source through heddle cc with -DCK_USE_CC_BUILTINS=1."
                      : "liburcu has no switch to the compiler's builtins: what is synchronised by it alone "
                        "can be missed "
                        "or be reported as a race."));
  }
  if (image.is_setuid) {
    out.push_back(image.path +
                  " has a set-user-ID or set-group-ID bit, for which the loader ignores preloaded "
                  "libraries. Test a copy without it: chmod ug-s.");
  }
  return out;
}

}  // namespace heddle
