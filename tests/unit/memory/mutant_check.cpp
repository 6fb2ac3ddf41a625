// Do litmus tests notice what was done to the memory model? For tests/unit/memory/mutants.py.
//
//   mutant_check FOLDER
//
// Explores the tests of the folder that are about S, and compares with the enumerator. Prints the names of those that
// differ. Exit status: 0 none does, 1 some do.
#include <cstdio>
#include <string>

#include "core/litmus/litmus.h"
#include "tests/oracle/enumerate.h"
#include "tests/unit/memory/explore.h"

int main(int argc, char** argv) {
  using namespace heddle::memory;
  if (argc != 2) return 2;
  constexpr std::uint64_t kMostInterleavings = 400'000;
  SteppedModel model;
  Explorer explorer(model);
  int differ = 0;
  for (const oracle::LitmusTest& test : oracle::read_litmus_folder(argv[1])) {
    const bool is_about_s = test.shape.starts_with("overtaking") || test.shape == "store-buffer";
    if (!is_about_s || oracle::interleavings(test.program) > kMostInterleavings) continue;
    ExploreOptions options;
    options.model.prune = heddle::PruneKind::kNever;
    const Explored shown = explorer.explore(test.program, options);
    if (shown.error.empty() && shown.outcomes == oracle::consistent_outcomes(test.program)) continue;
    std::printf("%s\n", test.program.name.c_str());
    ++differ;
  }
  return differ == 0 ? 0 : 1;
}
