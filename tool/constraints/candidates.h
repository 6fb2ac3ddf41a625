// Which writes a read may have read from in any schedule: what order and locks exclude at sight is never
// given to the solver.
#pragma once

#include <vector>

#include "tool/constraints/structure.h"

namespace heddle::constraints {

class Candidates {
 public:
  explicit Candidates(const Structure& structure);

  // kNoAction stands for the initial value. REQUIRES: the part is of a read.
  std::vector<ActionId> of(PartId part) const;

 private:
  bool excluded_by_locks(ActionId read, ActionId write, CellId cell) const;
  ActionId neighbour(ActionId id, CellId cell, bool next) const;

  const Structure& s_;
  // By cell and thread, in program order.
  std::vector<std::vector<std::vector<ActionId>>> writes_;
};

// Reads whose values reach a branch, a concretised value or the failure, directly or through writes (4.1.2;
// the others need no value at all). By action.
std::vector<bool> relevant_reads(const Structure& structure, const Candidates& candidates, bool with_soft);

}  // namespace heddle::constraints
