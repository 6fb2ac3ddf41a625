// The axioms of docs/design/memory-model.md on one execution: near-linear in its length, and with what each
// violation consists of, so that it can be explained.
#pragma once

#include <functional>

#include "tool/constraints/execution.h"
#include "tool/constraints/happens_before.h"

namespace heddle::constraints {

enum class Axiom : std::uint8_t {
  kCoherence,  // `first` happens before `second`, but not so in the modification order of what they touch
  kAtomicity,  // the update `second` reads another write than `first`, which is immediately before it
  kSeqCst,  // `first` is coherence-ordered before `second`, `left` and `right` say so of seq_cst operations,
            // which execute the other way around
};

struct Violation {
  Axiom axiom = Axiom::kCoherence;
  ActionId first = kNoAction;
  ActionId second = kNoAction;
  ActionId left = kNoAction;
  ActionId right = kNoAction;
};

// Looks at cells that are weak only. Sequential consistency of atomics is looked at where the other two hold.
// `position`: of each action in the order.
void for_each_violation(const Structure& s, const Execution& execution,
                        const std::vector<std::uint32_t>& position, const HappensBefore& hb,
                        const std::function<void(const Violation&)>& report);

// The write that an access stands for in the modification order: itself, or what it reads.
inline ActionId write_of(const Structure& s, const Execution& execution, ActionId access) {
  return s.action(access).writes() ? access : execution.sources[s.first_part(access)];
}

}  // namespace heddle::constraints
