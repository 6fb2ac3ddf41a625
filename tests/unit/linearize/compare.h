// One history through a checker and through the oracle.
#pragma once

#include <gtest/gtest.h>

#include "core/linearize/check.h"
#include "tests/unit/linearize/brute_force.h"
#include "tests/unit/linearize/random_history.h"

namespace heddle::linearize::oracle {

struct Counts {
  int linearizable = 0;
  int violating = 0;
};

// The verdicts are equal; a linearization is one; a prefix has none and the prefix that is one event shorter
// has one.
inline void compare(const Answer& answer, const CallHistory& history, const std::string& object,
                    Counts& counts) {
  const auto initial = make_object(object);
  const bool expected = linearizable(*initial, history);
  ++(expected ? counts.linearizable : counts.violating);
  ASSERT_EQ(answer.verdict, expected ? Verdict::kLinearizable : Verdict::kNotLinearizable) << object << ":\n"
                                                                                           << shown(history);
  if (expected) {
    ASSERT_EQ(wrong_with(*initial, history, answer.order), "") << object << ":\n" << shown(history);
    return;
  }
  const std::size_t prefix = answer.violation.prefix;
  ASSERT_GT(prefix, 0u) << shown(history);
  ASSERT_LE(prefix, history.events().size()) << shown(history);
  ASSERT_TRUE(answer.violation.shortest) << shown(history);
  ASSERT_FALSE(linearizable(*initial, history.prefix(prefix))) << prefix << "\n" << shown(history);
  ASSERT_TRUE(linearizable(*initial, history.prefix(prefix - 1))) << prefix << "\n" << shown(history);
  ASSERT_EQ(history[answer.violation.operation].returned, prefix - 1) << shown(history);
  ASSERT_FALSE(answer.violation.operations.empty());
  for (const OperationIndex involved : answer.violation.operations) {
    ASSERT_LT(history[involved].called, prefix) << shown(history);
  }
}

}  // namespace heddle::linearize::oracle
