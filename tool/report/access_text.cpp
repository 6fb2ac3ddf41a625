#include "tool/report/access_text.h"

#include <fmt/format.h>

#include "tool/report/escape.h"

namespace heddle::report {

std::string access_text(const TracePart& part) {
  const std::string what = escaped(part.text);
  switch (part.access) {
    case AccessKind::kRead:
      return "read";
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kAtomicRead:
      return "atomic read";
    case AccessKind::kAtomicWrite:
      return "atomic write";
    case AccessKind::kAllocation:
      return what.empty() ? "write (allocation)" : fmt::format("write (allocation by {})", what);
    case AccessKind::kFree:
      return "write (free)";
    case AccessKind::kThreadEnd:
      return "write (end of the thread, and with it of its stack and thread-local storage)";
    case AccessKind::kDestruction:
      return fmt::format("write (destruction of a {})", what.empty() ? "synchronisation object" : what);
    case AccessKind::kObjectUse:
      return fmt::format("use of the {}", what.empty() ? "synchronisation object" : what);
    case AccessKind::kNone:
      break;
  }
  return "access";
}

}  // namespace heddle::report
