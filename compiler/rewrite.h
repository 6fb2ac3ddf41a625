// The rewritten command line: the user's arguments in their order, with ours in front, so that what the user
// says later wins.
//
//   compile  -fsanitize=thread, volatile accesses told apart from plain ones, reads before writes kept (clang
//            drops the read of `x += 1` otherwise), -mcx16 so that 16-byte atomics are instrumented too, and
//            the folder of <heddle/heddle.h> after all others.
//   link     libheddle.so before everything else, so that its pthread and libc functions come first in the
//   search
//            order of the loader, and a run path to a folder that holds it and nothing else.
//
// ThreadSanitizer's own runtime must stay out, since two runtimes in one process hang. clang has
// -fno-sanitize-link-runtime. gcc has no such option, and with -flto it must see -fsanitize=thread at the
// link as well, since there it instruments; so the link folder comes first in its search for
// libtsan_preinit.o and -ltsan, and both lead back to us (compiler/CMakeLists.txt fills it).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/compiler_identity.h"
#include "compiler/install_layout.h"
#include "core/base/result.h"

namespace heddle::compiler {

// Full path of a file of the compiler's own runtime folder, or empty: clang's -print-file-name=.
using RuntimeFinder = std::function<std::string(const std::string& file)>;

// `args` without the compiler's name and without --compiler=; so is the result. An error if these arguments
// cannot give a program that heddle can test: another sanitizer, or a fully static program.
// kFull: with the second, symbolic body of every function (compiler/plugin). REQUIRES then: clang 19.
enum class Build { kUsual, kFull };
Result<std::vector<std::string>> rewrite(const CompilerIdentity& compiler,
                                         const std::vector<std::string>& args, const InstallLayout& layout,
                                         const RuntimeFinder& find_runtime = {}, Build build = Build::kUsual);

}  // namespace heddle::compiler
