// How often something happens, from k of n independent executions, and what can be said of it with 95 % confidence.
//
// Of none of n: the upper bound of one side, 1 - 0.05^(1/n), exact; the "rule of three" is its short form (Hanley and
// Lippman-Hand, JAMA 249, 1983). Of k of n: the interval of two sides of Clopper and Pearson (Biometrika 26, 1934), which
// never covers less than it says; Wilson's is shorter and covers less for the small rates that matter here.
#pragma once

#include <cstdint>

namespace heddle {

struct Proportion {
  std::uint64_t hits = 0;
  std::uint64_t executions = 0;

  double rate() const {
    return executions == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(executions);
  }
  // 0 of none, and 1 of nothing at all.
  double low() const;
  double high() const;
};

// The probability that none of n executions shows what each shows with this rate.
double none_of(std::uint64_t executions, double rate);

}  // namespace heddle
