// Libraries that were not compiled by heddle and hand data between threads by means of their own (libtbb,
// libabsl): the program's ways into them are watched.
//
// Those that --trust-library names order what the program does around its calls (crossings.h). In an
// execution that is run again to be explained the others are watched, too, so that a race which such a
// library may explain can say so. All that match one name of --trust-library count as one library.
//
// Watched are the calls that instrumented modules make through their import tables, whether bound at the
// start or at the first call; the functions of the library that stand in vtables or other tables of
// instrumented modules; the library's own vtables, as far as it exports them; and what dlsym hands out. Of
// libraries that are not trusted only the calls: an address that the program takes may be compared.
#pragma once

#include <cstdint>

#include "runtime/engine/elf_module.h"
#include "runtime/engine/entry_thunks.h"

namespace heddle::engine {

inline constexpr std::uint32_t kNoLibrary = kMaxLibraries;

// Watches the libraries that match one of the templates, which stand in lines, and with `all` every other one
// but those of the C and C++ language, whose synchronisation is known. Called once, before find_callers.
void watch_libraries(const char* templates, bool all);
bool watches_libraries();
LibrarySet trusted_libraries();
// Which templates have matched a library so far, in their order.
LibrarySet matched_templates();
const char* library_name(std::uint32_t library);

// Is there code that is neither instrumented nor one of the libraries of the C and C++ language?
bool calls_foreign_libraries();

// The number of a module that is not instrumented; kNoLibrary where it is not watched.
std::uint32_t library_number(const ElfModule& module);

// Puts thunks where the loaded modules call watched libraries. Again whenever a module was loaded.
void install_entries();
// What dlsym is to answer in place of this address.
std::uint64_t watched_address(std::uint64_t address);

}  // namespace heddle::engine
