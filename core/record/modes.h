// What the code of a `--full` build does: values of __heddle_mode, which the runtime sets before any code of
// the program runs and never changes afterwards. 0 also where there is no runtime.
#pragma once

#include <cstdint>

namespace heddle::record {

enum class Mode : std::uint32_t {
  kNative = 0,    // the program as it would be without us
  kEngine = 1,    // under the engine, with ThreadSanitizer's calls; symbolic or not
  kPath = 2,      // native, and the branches that each thread takes are logged
  kElements = 3,  // native, and the order of accesses to shared elements is logged
};

}  // namespace heddle::record
