// Strategies by name, as users write them: name[:key=value,…].
#pragma once

#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

// The strategy that `text` names, or nullptr. Lives in storage of the registry's own; one at a time.
Strategy* make_strategy(const char* text);

}  // namespace heddle::strategy
