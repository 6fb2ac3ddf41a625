// Where the pieces of an installation are. The build tree has the same layout as an installed prefix:
//   <prefix>/bin/heddle   <prefix>/lib/libheddle.so   <prefix>/lib/heddle/link/
//   <prefix>/include/heddle/heddle.h
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::compiler {

struct InstallLayout {
  std::string library;   // libheddle.so, what programs are linked with
  std::string link_dir;  // libheddle.so.0 for the loader, and stand-ins for what gcc asks for; nothing else
  std::string include_dir;  // the parent of heddle/heddle.h
  std::string preload_dir;  // empty libraries with the names of ThreadSanitizer's
};

InstallLayout layout_under(const std::string& prefix);

// The layout around the running executable, <prefix>/bin/<anything>.
Result<InstallLayout> find_layout();

// An error that names the first file that linking needs and that is not there.
Status check_link_files(const InstallLayout& layout);

// LD_PRELOAD for a program that was not built through heddle: our library first, so that its functions come
// first, then an empty library for each ThreadSanitizer runtime that the program needs, whose place is then
// taken. An error for a name that this installation does not have.
Result<std::string> preload_list(const InstallLayout& layout, const std::vector<std::string>& tsan_sonames);

}  // namespace heddle::compiler
