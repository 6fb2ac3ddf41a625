// Violations in words.
#pragma once

#include <string_view>

#include "core/linearize/answer.h"

namespace heddle::linearize {

inline std::string_view pattern_name(Pattern pattern) {
  switch (pattern) {
    case Pattern::kNoPlace:
      return "no-place";
    case Pattern::kFromNowhere:
      return "from-nowhere";
    case Pattern::kTwice:
      return "twice";
    case Pattern::kOvertaken:
      return "overtaken";
    case Pattern::kNotEmpty:
      return "not-empty";
    case Pattern::kTwoValues:
      return "two-values";
    case Pattern::kNoBottom:
      return "no-bottom";
  }
  return "";
}

inline std::string_view reason(Pattern pattern) {
  switch (pattern) {
    case Pattern::kNoPlace:
      return "No order of the operations that respects real time gives it this result.";
    case Pattern::kFromNowhere:
      return "Nobody had begun to put this value there.";
    case Pattern::kTwice:
      return "These have one result that only one of them can have.";
    case Pattern::kOvertaken:
      return "First in is not first out: the first insertion ended before the second began, and the second "
             "value "
             "was out before the removal of the first could begin.";
    case Pattern::kNotEmpty:
      return "It was never empty: at every moment between the call and the return of the first of these, one "
             "of "
             "the values of the others was in it.";
    case Pattern::kTwoValues:
      return "Two values at one time: from the first return to the last call of the operations that wrote or "
             "saw a value it was there, and no other could be.";
    case Pattern::kNoBottom:
      return "Last in is not first out: these values were in the stack at times that overlap without a gap, "
             "so one "
             "of them was below all others all the time; but none was pushed first and popped last.";
  }
  return "";
}

}  // namespace heddle::linearize
