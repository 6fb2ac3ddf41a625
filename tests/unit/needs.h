// For unit tests that call other programs.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

// Ends a test that needs something that is not installed: by hand it is skipped, and scripts/test, which has
// installed everything (HEDDLE_TEST_STRICT), fails.
#define HEDDLE_NEEDS(is_there, what)                                                 \
  if (!(is_there)) {                                                                 \
    if (std::getenv("HEDDLE_TEST_STRICT") != nullptr)                                \
      FAIL() << (what) << " is not installed; scripts/setup should have brought it"; \
    GTEST_SKIP() << (what) << " is not installed (scripts/setup test)";              \
  }                                                                                  \
  static_assert(true)
