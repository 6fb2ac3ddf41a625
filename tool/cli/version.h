// Which heddle this is. The version is the project's, in CMakeLists.txt; the commit is found out at each
// build (cmake/write_commit.cmake), and only commit.cpp, which it writes, is compiled anew.
#pragma once

#include <string>

namespace heddle::cli {

// What `git describe` says of the source tree: a commit, with "-dirty" where files differ from it, or a tag.
// "unknown" without git.
extern const char kCommit[];

// "heddle 0.1.0 (1a2b3c4d5e6f)".
std::string version_line();

}  // namespace heddle::cli
