#include "core/trace/event_kinds.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(EventKinds, WhatIsNoKindHasNoTraits) {
  for (unsigned value = static_cast<unsigned>(EventKind::kCount); value < 256; ++value) {
    const auto kind = static_cast<EventKind>(value);
    EXPECT_EQ(traits_of(kind), 0) << value;
    EXPECT_FALSE(accesses_memory(kind) || loads_atomically(kind) || stores_atomically(kind) ||
                 takes_lock(kind))
        << value;
  }
}

}  // namespace
}  // namespace heddle
