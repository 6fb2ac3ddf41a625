#include "tool/base/proportion.h"

#include <cmath>
#include <limits>

namespace heddle {
namespace {

constexpr double kOneSide = 0.05, kEachSide = 0.025;

// Lentz' evaluation of the continued fraction of the incomplete beta function (DLMF 8.17.22).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kEnough = 1e-14;
  constexpr int kMostSteps = 100'000;  // it takes about the square root of the larger of a and b
  const auto away_from_zero = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m <= kMostSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double step = c * d;
    result *= step;
    if (std::fabs(step - 1) < kEnough) break;
  }
  return result;
}

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);  // std::lgamma writes a global
}

// The regularised incomplete beta function: the probability of at least a of a + b - 1 with rate x.
double beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const double front =
      std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// Where `beta` comes to this value.
double beta_quantile(double a, double b, double value) {
  double low = 0, high = 1;
  while (high - low > high * 1e-12 && high > std::numeric_limits<double>::min()) {
    const double middle = (low + high) / 2;
    (beta(a, b, middle) < value ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double Proportion::low() const {
  if (hits == 0 || executions == 0) return 0;
  const auto k = static_cast<double>(hits), n = static_cast<double>(executions);
  return beta_quantile(k, n - k + 1, kEachSide);
}

double Proportion::high() const {
  if (hits >= executions) return 1;
  const auto k = static_cast<double>(hits), n = static_cast<double>(executions);
  if (hits == 0) return -std::expm1(std::log(kOneSide) / n);
  return beta_quantile(k + 1, n - k, 1 - kEachSide);
}

double none_of(std::uint64_t executions, double rate) {
  return rate >= 1 ? (executions == 0 ? 1 : 0)
                   : std::exp(static_cast<double>(executions) * std::log1p(-rate));
}

}  // namespace heddle
