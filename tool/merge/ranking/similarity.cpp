#include "tool/merge/ranking/similarity.h"

#include <algorithm>

namespace heddle::merge {
namespace {

std::uint64_t different_vectors(const LogSet& logs, ElementIndex element) {
  std::uint64_t different = 0;
  for (const VectorIndex v : logs.vectors_of(element)) different += logs.vector(v).failing != 0 ? 1 : 0;
  return different;
}

// visit(Recorded of a, Recorded of b) for each element of both.
template <typename Visit>
void for_common(const LogSet& logs, LogIndex a, LogIndex b, Visit visit) {
  const auto first = logs.log(a), second = logs.log(b);
  for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
    if (first[i].element < second[j].element) {
      ++i;
    } else if (second[j].element < first[i].element) {
      ++j;
    } else {
      visit(first[i++], second[j++]);
    }
  }
}

}  // namespace

Weights weights_of(const LogSet& logs, Metric metric) {
  Weights weights;
  for (ElementIndex e = 0; e < logs.elements(); ++e) {
    weights.of_element.push_back(metric == Metric::kPsim ? 1 : different_vectors(logs, e));
    weights.total += weights.of_element.back();
  }
  if (metric == Metric::kPsim) weights.total = logs.universe();
  return weights;
}

double individual_dispersion(const LogSet& logs, ElementIndex element) {
  std::uint64_t recorded = 0;
  for (const VectorIndex v : logs.vectors_of(element)) recorded += logs.vector(v).failing;
  if (recorded == 0) return 0;
  return static_cast<double>(different_vectors(logs, element)) / static_cast<double>(recorded);
}

double similarity(const LogSet& logs, const Weights& weights, Metric metric, LogIndex a, LogIndex b,
                  const std::vector<std::uint64_t>* lengths) {
  const auto total = static_cast<double>(weights.total);
  if (metric == Metric::kDhs) {
    double sum = 0;
    for_common(logs, a, b, [&](const Recorded& x, const Recorded& y) {
      const std::string_view mine = logs.bytes(x.vector), theirs = logs.bytes(y.vector);
      double alike = 1;
      if (x.vector != y.vector && lengths == nullptr) alike = hamming_similarity(mine, theirs);
      if (x.vector != y.vector && lengths != nullptr) {
        const std::uint64_t longer = std::max((*lengths)[x.vector], (*lengths)[y.vector]);
        alike = static_cast<double>(equal_positions(mine, theirs)) / static_cast<double>(longer);
      }
      sum += alike * static_cast<double>(weights.of_element[x.element]);
    });
    return sum / total;
  }
  std::uint64_t equal = 0, different = 0;
  for_common(logs, a, b, [&](const Recorded& x, const Recorded& y) {
    (x.vector == y.vector ? equal : different) += weights.of_element[x.element];
  });
  return static_cast<double>(equal * (weights.total - different)) / (total * total);
}

}  // namespace heddle::merge
