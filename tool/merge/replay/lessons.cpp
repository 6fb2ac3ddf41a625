#include "tool/merge/replay/lessons.h"

namespace heddle::merge {

void Lessons::learn(const Candidate& candidate, const Attempt& attempt) {
  Lesson lesson(candidate.vectors.size());
  for (ElementIndex e = 0; e < lesson.size(); ++e) {
    lesson[e].vector = candidate.vectors[e];
    if (lesson[e].vector == kNone) continue;
    const std::uint64_t followed = e < attempt.followed.size() ? attempt.followed[e] : 0;
    // A thread that waited was held back by the entry after those that were followed.
    lesson[e].length = attempt.verdict == Verdict::kInfeasible ? followed + 1 : followed;
  }
  // Who came out of turn took a place further on.
  for (const ElementIndex e : attempt.stuck) {
    if (candidate.gives_way) lesson[e].length = ~std::uint64_t{0};
  }
  lessons_.push_back(std::move(lesson));
}

bool Lessons::applies(const Lesson& lesson, const Candidate& candidate) const {
  for (ElementIndex e = 0; e < lesson.size(); ++e) {
    const VectorIndex a = lesson[e].vector, b = candidate.vectors[e];
    if (a == b) continue;
    if (a == kNone || b == kNone) return false;
    if (!same_prefix(logs_.bytes(a), logs_.bytes(b), lesson[e].length)) return false;
  }
  return true;
}

bool Lessons::knows(const Candidate& candidate) const {
  for (auto lesson = lessons_.rbegin(); lesson != lessons_.rend(); ++lesson) {
    if (applies(*lesson, candidate)) return true;
  }
  return false;
}

}  // namespace heddle::merge
