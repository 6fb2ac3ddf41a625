// Where the pieces of an installation are. The build tree has the same layout as an installed prefix:
//   <prefix>/bin/heddle   <prefix>/lib/libheddle.so   <prefix>/lib/heddle/link/
//   <prefix>/include/heddle/heddle.h   <prefix>/lib/heddle/litmus-interpreter
//   <prefix>/lib/heddle/symbolic-pass.so
//   <prefix>/share/heddle/{gdb,litmus,speed}/
#pragma once

#include <string>

#include "core/base/result.h"

namespace heddle::compiler {

struct InstallLayout {
  std::string library;   // libheddle.so, what programs are linked with
  std::string link_dir;  // libheddle.so.0 for the loader, and stand-ins for what gcc asks for; nothing else
  std::string include_dir;  // the parent of heddle/heddle.h
  std::string litmus_dir;   // *.litmus files
  std::string litmus_interpreter;
  std::string speed_dir;      // sources that `heddle bench speed` builds
  std::string executable;     // heddle itself
  std::string gdb_script;     // commands of gdb for replays
  std::string symbolic_pass;  // clang's plugin for --full; not there where heddle was built without LLVM
};

InstallLayout layout_under(const std::string& prefix);

// The layout around the running executable, <prefix>/bin/<anything>.
Result<InstallLayout> find_layout();

// An error that says what to install where there is no plugin for --full.
Status check_symbolic_pass(const InstallLayout& layout);

// An error that names the first file that linking needs and that is not there.
Status check_link_files(const InstallLayout& layout);

}  // namespace heddle::compiler
