// Where `heddle-bench` finds heddle, its library and the programs that it measures.
#pragma once

#include <string>

#include "core/base/result.h"

namespace heddle::harness {

struct Places {
  std::string heddle;    // the executable beside heddle-bench, which compiles the programs
  std::string library;   // libheddle.so
  std::string programs;  // the source's folder bench, through a link in the build tree

  // The folder of one benchmark's programs, "cause" for example.
  std::string folder(const std::string& benchmark) const { return programs + "/" + benchmark; }
};

// The places around the running executable. heddle-bench is not installed: it belongs to a build tree.
Result<Places> find_places();

}  // namespace heddle::harness
