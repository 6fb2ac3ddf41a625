#include "compiler/install_layout.h"

#include <sys/auxv.h>

#include <filesystem>
#include <system_error>

namespace heddle::compiler {

InstallLayout layout_under(const std::string& prefix) {
  return {prefix + "/lib/libheddle.so",
          prefix + "/lib/heddle/link",
          prefix + "/include",
          prefix + "/share/heddle/litmus",
          prefix + "/lib/heddle/litmus-interpreter",
          prefix + "/share/heddle/speed",
          prefix + "/bin/heddle",
          prefix + "/share/heddle/gdb/heddle.py",
          prefix + "/lib/heddle/symbolic-pass.so"};
}

Result<InstallLayout> find_layout() {
  std::error_code error;
  auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  // Without /proc the kernel has told by which path it was asked to execute us.
  if (error) {
    const auto* path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    self = std::filesystem::canonical(path != nullptr ? path : "", error);
  }
  if (error) {
    return Error{
        "heddle finds its library through /proc/self/exe, which cannot be read, and the path by which it was "
        "called does not lead to it (" +
            error.message() + "): mount /proc, or call heddle by its path.",
        ExitCode::kBadInput};
  }
  return layout_under(self.parent_path().parent_path().string());
}

Status check_symbolic_pass(const InstallLayout& layout) {
  std::error_code error;
  if (std::filesystem::exists(layout.symbolic_pass, error)) return Done{};
  return Error{
      "--full is not part of this installation of heddle: " + layout.symbolic_pass +
      " is missing. It is built where LLVM's headers are: install llvm-19-dev and build heddle again "
      "(scripts/build does both), or compile without --full."};
}

Status check_link_files(const InstallLayout& layout) {
  for (const std::string& file : {layout.library, layout.link_dir + "/libheddle.so.0",
                                  layout.link_dir + "/libtsan.so", layout.link_dir + "/libtsan_preinit.o"}) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
      return Error{"this installation of heddle is incomplete: " + file +
                       " is missing. Run scripts/build, or install heddle again.",
                   ExitCode::kOwnError};
    }
  }
  return Done{};
}

}  // namespace heddle::compiler
