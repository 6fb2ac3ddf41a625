// A schedule with two of its actions the other way around (Machado, PhD thesis, 4.1.5.2: `invert`), all else
// as it was: what the later one's thread did since the earlier one goes before it, or what the earlier one's
// thread did until the later one goes after it. Sections of locks move as wholes, since halves of them would
// only overlap.
#pragma once

#include <span>
#include <vector>

#include "tool/constraints/structure.h"

namespace heddle::constraints {

enum class Direction : std::uint8_t { kLaterUp, kEarlierDown };

// REQUIRES: `earlier` is before `later` in `order`, in another thread. Empty: they cannot be moved so.
std::vector<ActionId> inverted(const Structure& structure, std::span<const ActionId> order, ActionId earlier,
                               ActionId later, Direction direction);

}  // namespace heddle::constraints
