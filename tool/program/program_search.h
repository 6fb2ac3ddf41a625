// Where the loader would find the shared libraries of a program that are its own and not the system's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tool/program/program_elf.h"

namespace heddle {

// The folders in which the loader looks for what `file` needs, before the system's: DT_RPATH,
// LD_LIBRARY_PATH, DT_RUNPATH, with $ORIGIN replaced.
std::vector<std::string> library_folders(const std::string& path, const DynamicInfo& dynamic);

// The file for a DT_NEEDED name, or empty if it is not there or belongs to the system.
std::string find_own_library(const std::string& name, const std::vector<std::string>& folders);

// Libraries that come with the compiler, the C library and the sanitizers, wherever they lie.
bool is_toolchain_library(std::string_view soname);

// Shared libraries that the loader loads with a program, and that are its own: breadth first, as it does.
std::vector<std::string> own_libraries(const std::string& program);

// A name under which heddle's runtime is asked for, and the file that run paths and LD_LIBRARY_PATH lead to.
struct RuntimeNeed {
  std::string soname;  // "libheddle.so.0"
  std::string file;    // without symbolic links; empty: none of these folders has it
};
// Of a program and its own libraries, in the loader's order: it takes the first file for each name.
std::vector<RuntimeNeed> runtime_needs(const std::string& program);

// LD_LIBRARY_PATH by which a program that is started natively finds the runtime that it was linked with, where
// that has moved: what the variable is now, and `folder` (lib/heddle/link) behind it. Empty: it needs no help.
std::string native_library_path(const std::string& program, const std::string& folder);

}  // namespace heddle
