#include "tool/report/waits.h"

namespace heddle::report {

bool is_join(const TracePart& part) {
  return part.other != kNoThread && part.text.empty() && part.address == 0;
}

std::string awaited_gift(const TracePart& part) {
  if (part.text == "condition variable") return "a signal of ";
  if (part.text == "semaphore") return "a post of ";
  if (part.text == "barrier") return "others at ";
  if (part.text == "futex") return "a wake-up at ";
  return {};
}

std::string awaited_of(const TracePart& part, const std::string& other) {
  if (part.other == kNoThread || is_join(part)) return {};
  return awaited_gift(part).empty() ? "held by " + other : "from " + other;
}

}  // namespace heddle::report
