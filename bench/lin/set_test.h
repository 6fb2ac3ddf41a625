// The test of every set with add and remove.
#pragma once

#include <heddle/lin.hpp>

#define SET_TEST(SET)                                                                                \
  HEDDLE_LIN_TEST(SET, heddle::lin::SetSpec) {                                                       \
    test.clients(2, 3);                                                                              \
    test.operation("add", [](SET& s, long v) { return s.add(v); }, heddle::lin::values(1, 4));       \
    test.operation("remove", [](SET& s, long v) { return s.remove(v); }, heddle::lin::values(1, 4)); \
  }
