#include "bench/harness/places.h"

#include <filesystem>

#include "compiler/install_layout.h"

namespace heddle::harness {

Result<Places> find_places() {
  auto layout = compiler::find_layout();
  if (!layout) return layout.error();
  const std::filesystem::path prefix = std::filesystem::path(layout->executable).parent_path().parent_path();
  Places places{layout->executable, layout->library, (prefix / "share/heddle-bench").string()};
  for (const std::string& needed : {places.heddle, places.library, places.programs}) {
    std::error_code error;
    if (!std::filesystem::exists(needed, error))
      return Error{needed + " is missing. Build heddle and heddle-bench together: scripts/build --bench."};
  }
  return places;
}

}  // namespace heddle::harness
