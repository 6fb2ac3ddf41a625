// Small programs to compare implementations on: purely random ones, and litmus skeletons with mutated orders,
// fences, updates for loads and stores, and extra accesses. Random programs hardly ever reveal errors in
// seq_cst handling; the mutants do.
#pragma once

#include <cstdint>

#include "core/base/random.h"
#include "tests/oracle/program.h"

namespace oracle {

struct GenerateLimits {
  std::uint64_t max_interleavings = 600;
  int max_writes_per_location = 4;
};

// For whoever pays a process for each execution.
inline constexpr GenerateLimits kSmallPrograms{90, 4};

Program random_program(heddle::Random& random, const GenerateLimits& limits);
Program mutated_skeleton(heddle::Random& random, const GenerateLimits& limits);

// The two above in turn, a third of them random. Program i of a seed is always the same.
Program generated_program(std::uint64_t seed, std::uint64_t index, const GenerateLimits& limits = {});

}  // namespace oracle
