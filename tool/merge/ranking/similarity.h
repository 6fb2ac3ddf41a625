// How much two partial logs have in common (thesis §3.2), and how disperse elements are.
#pragma once

#include <vector>

#include "tool/merge/store/log_set.h"

namespace heddle::merge {

enum class Metric { kPsim, kDsim, kDhs };

// PSIM and DSIM are one formula with other weights (equations 3.1 and 3.3): with E and D the weights of the
// common elements whose vectors are equal and different, and T that of all elements,
//     similarity = E/T × (1 − D/T).
// PSIM weighs every element 1; DSIM by its number of different vectors, which is overall-dispersion times T.
// In whole numbers, so that equal similarities are equal.
struct Weights {
  std::vector<std::uint64_t> of_element;
  std::uint64_t total = 0;
};
Weights weights_of(const LogSet& logs, Metric metric);

// #AV*_s / #AV_s (3.10): different vectors of the element, of all that were recorded for it.
double individual_dispersion(const LogSet& logs, ElementIndex element);

// Any pair, one at a time. NeighbourIndex computes the same for many. `lengths`: of all vectors, where they
// are known.
double similarity(const LogSet& logs, const Weights& weights, Metric metric, LogIndex a, LogIndex b,
                  const std::vector<std::uint64_t>* lengths = nullptr);

}  // namespace heddle::merge
