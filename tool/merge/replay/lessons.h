// What attempts taught: an execution under candidate C depends on the prefixes of C's vectors that it
// followed, and, where it got stuck, on who was to come next. Every candidate with the same prefixes goes
// the same way. (What no vector prescribes may still differ: candidates that leave something open are
// judged by their executions together.)
#pragma once

#include "tool/merge/replay/replay_search.h"

namespace heddle::merge {

class Lessons {
 public:
  explicit Lessons(const LogSet& logs) : logs_(logs) {}
  void learn(const Candidate& candidate, const Attempt& attempt);
  // Would it go as one before?
  bool knows(const Candidate& candidate) const;

 private:
  struct Prefix {
    VectorIndex vector = kNone;
    std::uint64_t length = 0;
  };
  using Lesson = std::vector<Prefix>;  // by element
  bool applies(const Lesson& lesson, const Candidate& candidate) const;

  const LogSet& logs_;
  std::vector<Lesson> lessons_;
};

}  // namespace heddle::merge
