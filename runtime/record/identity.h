// What has to be equal for two logs to be of the same program and of the same run's input.
#pragma once

#include <cstdint>

#include "runtime/record/log_file.h"

namespace heddle::record {

// The path of a module that is loaded and was compiled by a version of heddle that agrees on other things
// with its runtime (core/record/build_version.h), or nullptr.
const char* module_of_another_build();

// The program's own path, or "" where neither /proc nor the kernel tells it.
using OwnPath = char[512];
void find_own_path(OwnPath& path);

// The sum of the control-flow hashes (section `heddle_graph`) of all modules that are loaded. Their paths go
// to a chunk of kind kModules, and what code they have is remembered for describe().
std::uint64_t build_identity(LogFile& file);

// The module that an address is in, and the address within it; nullptr if it was not loaded at the start.
// May be called in a signal handler.
const char* module_of(std::uint64_t address, std::uint64_t& offset);
// Is it in one that `heddle c++ --full` built?
bool is_in_full_module(std::uint64_t address);

}  // namespace heddle::record
